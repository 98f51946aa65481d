from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.metrics import accuracy, delta_accuracy, fragility_score, s_prompt, summarise
from otherwords.metrics.intervals import (
    Interval,
    Scale,
    Statistic,
    chance,
    intervals,
)
from otherwords.metrics.measures import estimates, one_minus_ratio, p_value, ratio
from otherwords.metrics.metric_registry import measures_of
from otherwords.metrics.model_comparison import difference
from otherwords.metrics.significance import Cells, student_t, student_t_above

LEVELS = ((0.0, 1.0), (1.0, 1.0))
SIGNED = ((-1.0, 1.0), (1.0, 1.0))


def mean_of(values, ends=LEVELS, at_each_end=2, **more) -> Statistic:
    rows = (np.array(ends[0]), np.array(ends[1])) if ends else None
    columns = np.column_stack([values, np.ones(len(values))])
    return Statistic(columns, ratio, rows, at_each_end, **more)


def test_an_interval_is_the_same_with_any_seed_and_alone_as_in_company():
    rng = np.random.default_rng(2)
    many = [mean_of(rng.random(30)), mean_of(rng.integers(0, 2, 400) * 1.0), mean_of(rng.random(9))]
    assert intervals(many, seed=7) == intervals(many, 5, seed=8) == [intervals([one])[0] for one in many]


def test_no_resamples_no_interval():
    assert intervals([mean_of(np.arange(4.0) / 4)], resamples=0) == [
        Interval(None, None, reason="no interval: none was asked for")
    ]


def test_four_pseudo_items_and_students_t():
    values = np.random.default_rng(3).random(25)
    (found,) = intervals([mean_of(values)])
    with_them = np.concatenate([values, [0, 0, 1, 1]])
    half = student_t(0.975, 28) * with_them.std(ddof=1) / np.sqrt(29)
    assert found.low == pytest.approx(with_them.mean() - half)
    assert found.high == pytest.approx(with_them.mean() + half)
    assert found.method == "Student's t over items, 4 pseudo-items"
    assert (found.reason, found.generalizes) == ("", "items")


def halls_ends(values: np.ndarray) -> tuple[float, float]:
    """Hall's interval for a mean with −1 and 1 added, found by search; skewness is without those two."""
    all_values = np.concatenate([values, [-1, 1]])
    n, mean, sd = len(all_values), all_values.mean(), all_values.std(ddof=1)
    skew = np.sum((values - values.mean()) ** 3) / n / sd**3
    at = np.linspace(-2, 2, 400_001)
    apart = (mean - at) / sd
    t = np.sqrt(n) * (apart + skew * apart**2 / 3 + skew**2 * apart**3 / 27 + skew / (6 * n))
    inside = at[np.abs(t) <= student_t(0.975, n - 1)]
    return float(inside[0]), float(inside[-1])


@pytest.mark.parametrize("chances", [(0.3, 0.4, 0.3), (0.0, 0.85, 0.15)])
def test_a_difference_has_one_pseudo_item_at_each_end_and_is_corrected_for_skewness(chances):
    values = np.random.default_rng(4).choice([-1.0, 0.0, 1.0], 60, p=chances)
    statistic = mean_of(values, SIGNED, 1, signed=True)
    (found,) = intervals([statistic])
    low, high = halls_ends(values)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    assert found.method == "Student's t over items, 2 pseudo-items, corrected for skewness"
    assert chance(statistic, found.low) == pytest.approx(0.05, abs=1e-6)
    assert chance(statistic, found.high, side="below") == pytest.approx(0.025, abs=1e-6)
    # far out nothing flattens: a loss that most items show is not doubted because a few do not
    sure = mean_of(np.r_[np.ones(45), np.zeros(15)], SIGNED, 1, signed=True)
    assert chance(sure, 0.0) < 1e-12
    if chances[0] == 0:
        # few items lose all: the loss may be larger than Student's t alone would have it
        (plain,) = intervals([mean_of(values, SIGNED, 1)])
        assert found.high > plain.high + 0.005
        assert found.low > plain.low


def test_items_that_do_not_enter_change_nothing():
    columns = mean_of(np.random.default_rng(3).random(25)).columns
    padded = np.vstack([np.zeros((5, 2)), columns, np.zeros((5, 2))])
    assert intervals([Statistic(padded, ratio)]) == intervals([Statistic(columns, ratio)])


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "no interval: no item enters"),
        ([0.4], "no interval: it takes at least two items, and there is one"),
    ],
)
def test_without_two_items_there_is_no_interval(values, reason):
    assert intervals([mean_of(np.array(values, dtype=float))]) == [Interval(None, None, reason=reason)]


def test_equal_items_are_no_certainty():
    (found,) = intervals([mean_of(np.ones(12))])
    assert found.low == pytest.approx(0.693, abs=0.001)
    assert found.high == 1.0
    (few,) = intervals([mean_of(np.ones(3))])
    assert few.reason == "only 3 items: the interval is rough"
    (plain,) = intervals([mean_of(np.ones(12), ends=None)])
    assert plain.reason == "no interval: all 12 items gave the same value"


def test_an_interval_stays_in_the_range_and_holds_the_value():
    for values in (np.zeros(20), np.r_[np.zeros(19), 1.0], np.full(20, 0.999)):
        for combine in (ratio, one_minus_ratio):
            statistic = Statistic(mean_of(values).columns, combine, mean_of(values).ends)
            (found,) = intervals([statistic])
            assert 0.0 <= found.low <= statistic.value <= found.high <= 1.0


def test_a_scale_is_applied_to_value_and_ends():
    values = np.random.default_rng(5).random(40)
    (plain,) = intervals([mean_of(values)])
    scaled = mean_of(values, scale=Scale(math.sqrt, lambda value: value**2))
    (found,) = intervals([scaled])
    assert scaled.value == pytest.approx(math.sqrt(values.mean()))
    assert found.low == pytest.approx(math.sqrt(plain.low))
    assert chance(scaled, found.low) == pytest.approx(0.05)


def test_negative_resamples_or_seed_and_unknown_targets_are_refused():
    with pytest.raises(InputError, match=r"^resamples must not be negative, got -1$"):
        intervals([], resamples=-1)
    with pytest.raises(InputError, match=r"^seed must not be negative, got -2$"):
        intervals([], seed=-2)
    table = pl.DataFrame({"id": ["a"], "variant": ["orig"], "score": [1.0]})
    with pytest.raises(InputError, match=r"^generalize must be 'items', 'wordings' or 'both', got 'models'$"):
        accuracy(table, generalize="models")


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(1, 12.7062), (2.5, 3.5747), (5, 2.5706), (9, 2.2622), (49, 2.0096), (10**6, 1.96)],
)
def test_student_t(freedom, quantile):
    assert student_t(0.975, freedom) == pytest.approx(quantile, abs=2e-4)
    assert student_t(0.025, freedom) == -student_t(0.975, freedom)
    assert student_t_above(student_t(0.975, freedom), freedom) == pytest.approx(0.025, abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=2, max_size=30),
    st.floats(-0.99, 0.99),
)
def test_p_is_below_five_percent_where_the_interval_excludes(values, at):
    statistic = mean_of(np.array(values), SIGNED, 1, signed=True)
    (found,) = intervals([statistic])
    p = chance(statistic, at)
    value = statistic.value
    if min(abs(at - found.low), abs(at - found.high)) > 1e-6 and not found.low == value != found.high:
        assert (p < 0.05) == (not found.low <= at <= found.high)
    assert chance(statistic, at, side="above") == pytest.approx(1 - chance(statistic, at, side="below"))


# ---- wordings shared by items


def two_way(scores: np.ndarray) -> Statistic:
    """The mean of [item, wording] scores whose wordings are shared."""
    n_wordings = scores.shape[1]
    item, wording = (one.reshape(-1) for one in np.indices(scores.shape))
    share = np.full(scores.size, 1 / n_wordings)
    columns = np.column_stack([scores.reshape(-1) * share, share])
    return mean_of(scores.mean(axis=1), ends=None, cells=lambda: Cells(item, wording, columns))


def test_the_two_way_error_is_that_of_the_analysis_of_variance():
    rng = np.random.default_rng(6)
    n, v = 40, 5
    scores = rng.normal(0, 1, (n, 1)) + rng.normal(0, 0.5, (1, v)) + rng.normal(0, 1, (n, v))
    mean, by_item, by_wording = scores.mean(), scores.mean(axis=1), scores.mean(axis=0)
    items = v * np.sum((by_item - mean) ** 2) / (n - 1)
    wordings = n * np.sum((by_wording - mean) ** 2) / (v - 1)
    rest = scores - by_item[:, None] - by_wording[None, :] + mean
    residual = np.sum(rest**2) / ((n - 1) * (v - 1))
    alone = wordings / (n * v)
    residual *= (v - 3) / (v - 1)  # less is taken off with few wordings
    variance = (items + wordings - residual) / (n * v)
    few = 2 / (2 / (v - 1) + 6 / v**2)  # a little less than v − 1
    parts = items**2 / (n - 1) + wordings**2 / few + residual**2 / ((n - 1) * few)
    freedom = (items + wordings - residual) ** 2 / parts
    half = student_t(0.975, freedom) * np.sqrt(variance)
    (both,) = intervals([two_way(scores)], generalize="both")
    assert (both.low, both.high) == (pytest.approx(mean - half), pytest.approx(mean + half))
    assert (both.generalizes, both.method) == ("both", "Student's t over items and wordings")
    (found,) = intervals([two_way(scores)], generalize="wordings")
    assert found.high - mean == pytest.approx(student_t(0.975, few) * np.sqrt(alone))
    assert found.generalizes == "wordings"


def test_wordings_that_add_nothing_leave_the_error_of_items():
    scores = np.tile(np.random.default_rng(7).random((30, 1)), (1, 4)) + np.array([[0.1], [-0.1]] * 15)
    scores[:, 0] += np.tile([0.05, -0.05], 15)
    both, items = (intervals([two_way(scores)], generalize=one)[0] for one in ("both", "items"))
    assert (both.low, both.high) == (items.low, items.high)


def wordings(kinds: list[str], n_items: int = 30, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    shift = dict(zip(range(len(kinds) + 1), rng.normal(0, 0.2, len(kinds) + 1), strict=True))
    names = ["orig", *(f"w{place}" for place in range(len(kinds)))]
    rows = [
        (f"q{item:03}", name, kind, float(rng.random() < 0.6 + shift[place]), place)
        for item in range(n_items)
        for place, (name, kind) in enumerate(zip(names, ["orig", *kinds], strict=True))
    ]
    return pl.DataFrame(rows, schema=["id", "variant", "kind", "score", "place"], orient="row").drop("place")


def test_the_family_decides_for_whom_an_interval_speaks():
    own, formats = wordings(["paraphrase"] * 4), wordings(["format"] * 4)
    assert accuracy(own).generalizes == "items"
    assert accuracy(own, generalize="both").generalizes == "both"
    assert accuracy(formats).generalizes == "both"
    assert accuracy(formats, generalize="items").generalizes == "items"
    for name in ("position", "options"):
        assert delta_accuracy(wordings([name] * 3)).generalizes == "both"
    moved = wordings(["format"] * 4, seed=2)
    wide, narrow = accuracy(moved), accuracy(moved, generalize="items")
    assert wide.high - wide.low > narrow.high - narrow.low
    assert wide.value == narrow.value


def test_what_no_family_declares_is_taken_as_shared_where_other_wordings_are_asked_for():
    """Templates of one's own, with or without a kind of one's own: their names may be all that tells."""
    for kind in ("", "my own"):
        own = wordings([kind] * 5, seed=2)
        assert accuracy(own).generalizes == "items"
        both, items = accuracy(own, generalize="both"), accuracy(own, generalize="items")
        assert both.generalizes == "both"
        assert both.high - both.low > 1.2 * (items.high - items.low)
        assert both == accuracy(wordings(["format"] * 5, seed=2))
    # a paraphrase is an item's own, by what the family declares
    own = wordings(["paraphrase"] * 5, seed=2)
    both, items = accuracy(own, generalize="both"), accuracy(own, generalize="items")
    assert (both.generalizes, both.low, both.high) == ("both", items.low, items.high)


def test_one_shared_wording_does_not_speak_for_others():
    one = wordings(["format"])
    assert delta_accuracy(one).generalizes == "items"
    assert s_prompt(one).generalizes == "items"
    assert fragility_score(one, generalize="both").generalizes == "items"
    alone = delta_accuracy(one, generalize="wordings")
    assert (alone.low, alone.reason) == (None, "no interval: it takes at least two wordings that differ")


def test_what_is_no_mean_over_wordings_speaks_for_items():
    found = summarise(wordings(["format"] * 5))["all"]
    both = {name for name, one in found.items() if one.generalizes == "both"}
    items = {name for name, one in found.items() if one.generalizes == "items"}
    assert {"accuracy", "delta_accuracy", "s_prompt", "fragility_score", "consistency_at_k"} <= both
    assert {"robust_at_k", "min_max_gap", "pairwise_agreement", "r_prompt"} <= both
    assert {"accuracy_orig", "answer_entropy", "fleiss_kappa", "std_variance", "item"} <= items
    alone = summarise(wordings(["format"] * 5), generalize="wordings")["all"]["fleiss_kappa"]
    assert alone.reason == "no interval: this metric has none for other wordings of the same items"


def test_the_order_of_rows_changes_no_interval():
    table = wordings(["format", "format", "paraphrase", "format"])
    again = table.sample(fraction=1.0, shuffle=True, seed=3)
    assert summarise(table) == summarise(again)


# ---- differences of two measures


def test_a_difference_is_paired_by_item():
    before, after = wordings(["paraphrase"] * 3), wordings(["paraphrase"] * 3, seed=1)
    (a,), (b,) = (measures_of(one, metrics=["accuracy"]) for one in (before, after))
    _, _, change = difference(a, b)
    by_item = [one.group_by("id").agg(pl.col("score").mean()).sort("id")["score"] for one in (before, after)]
    low, high = halls_ends((by_item[1] - by_item[0]).to_numpy())
    (found,) = estimates([change])
    assert found.value == pytest.approx((by_item[1] - by_item[0]).mean())
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
    # a test asks whether it is noise, which in a mean over wordings reaches half as far
    (tested,) = estimates([change], tested=True)
    assert found.low < tested.low < found.value < tested.high < found.high
    assert p_value(change, tested.low) == pytest.approx(0.05, abs=1e-6)


def test_a_difference_without_a_side_says_which():
    table = wordings(["paraphrase"] * 3)
    (a,) = measures_of(table, metrics=["accuracy"])
    (b,) = measures_of(table.with_columns(score=pl.lit(None, dtype=pl.Float64)), metrics=["accuracy"])
    _, _, change = difference(a, b)
    assert (change.statistic, change.notes) == (None, ("all: no row has a score",))
    assert p_value(change) is None
