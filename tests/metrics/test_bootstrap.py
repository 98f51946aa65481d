from __future__ import annotations

import math

import numpy as np
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import bootstrap
from otherwords.metrics.bootstrap import Interval, Statistic, intervals, student_t
from otherwords.metrics.measures import ratio
from otherwords.metrics.significance import sign_flip_test


def mean_of(values: np.ndarray, difference: bool = False) -> Statistic:
    return Statistic(np.column_stack([values, np.ones(len(values))]), ratio, difference)


def test_same_seed_same_interval_and_another_seed_another():
    statistic = mean_of(np.random.default_rng(1).random(40))
    assert intervals([statistic], seed=7) == intervals([statistic], seed=7)
    assert intervals([statistic], seed=7) != intervals([statistic], seed=8)


def test_an_interval_is_the_same_alone_and_in_company():
    rng = np.random.default_rng(2)
    many = [
        mean_of(rng.random(30)),
        mean_of(rng.integers(0, 2, 400) * 1.0),
        mean_of(rng.random(30)),
        mean_of(rng.random(9)),
    ]
    assert intervals(many) == [intervals([one])[0] for one in many]


def test_items_that_do_not_enter_change_nothing():
    columns = mean_of(np.random.default_rng(3).random(25)).columns
    padded = np.vstack([np.zeros((5, 2)), columns, np.zeros((5, 2))])
    assert intervals([Statistic(padded, ratio)]) == intervals([Statistic(columns, ratio)])


def test_drawing_kinds_agrees_with_drawing_items():
    """400 items of two kinds are drawn as counts; a hair of difference makes 400 kinds, drawn one by one."""
    values = np.repeat([0.0, 1.0], [120, 280])
    apart = values + np.linspace(0, 1e-6, 400)
    by_kind, by_item = intervals([mean_of(values), mean_of(apart)], resamples=20_000)
    assert by_kind.low == pytest.approx(by_item.low, abs=0.004)
    assert by_kind.high == pytest.approx(by_item.high, abs=0.004)


def test_a_difference_has_a_symmetric_interval_within_its_range():
    values = np.random.default_rng(4).choice([-1.0, 0.0, 1.0], 30)
    found = intervals([mean_of(values, difference=True)])[0]
    assert found.low is not None
    assert values.mean() - found.low == pytest.approx(found.high - values.mean())
    wide = intervals([mean_of(np.array([1.0, 1.0, 0.5]), difference=True)])[0]
    assert wide.high == 1.0
    assert wide.reason == "only 3 items: the interval is rough"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "no interval: no item enters"),
        ([0.4], "no interval: it takes at least two items, and there is one"),
        (
            [0.1 + 0.2, 0.3, 0.3],
            "no interval: all 3 items gave the same value, so resampling them cannot show how far other "
            "items would differ",
        ),
    ],
)
def test_no_spread_is_no_zero_width_interval(values, reason):
    assert intervals([mean_of(np.array(values, dtype=float))]) == [Interval(None, None, reason=reason)]


def test_equal_items_are_no_certainty():
    """Clopper and Pearson: of n right, at least 0.025 ** (1 / n) of all are right."""
    columns = np.column_stack([np.ones(12), np.ones(12)])
    found = intervals([Statistic(columns, ratio, reach=(0.0, 1.0))])[0]
    assert found.low == pytest.approx(0.025 ** (1 / 12))
    assert found.high == 1.0
    assert (
        found.reason
        == "all 12 items gave the same value; the interval allows for 26.5% of others that do not"
    )
    half = intervals([Statistic(columns * [0.5, 1.0], ratio, reach=(0.0, 1.0))])[0]
    assert (half.low, half.high) == (pytest.approx(found.low / 2), pytest.approx(1 - found.low / 2))


def test_too_many_undefined_resamples_are_said():
    columns = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert intervals([Statistic(columns, ratio)])[0].reason.endswith(
        "of the resamples have no value, too few items enter"
    )


def test_negative_resamples_or_seed_are_refused():
    with pytest.raises(InputError, match=r"^resamples must not be negative, got -1$"):
        intervals([], resamples=-1)
    with pytest.raises(InputError, match=r"^seed must not be negative, got -2$"):
        intervals([], seed=-2)


@pytest.mark.parametrize(("freedom", "quantile"), [(5, 2.5706), (9, 2.2622), (49, 2.0096), (10**6, 1.96)])
def test_student_t_quantiles(freedom, quantile):
    assert student_t(0.975, freedom) == pytest.approx(quantile, rel=2e-3)


def test_intervals_cover_what_they_promise_at_50_items():
    """300 tables: 95% ± 2.5 standard errors is 91.9–98.1%; the long simulation is in benchmarks."""
    rng = np.random.default_rng(11)
    flips = rng.binomial(4, rng.beta(0.6, 1.4, (300, 50))) / 4
    found = intervals([mean_of(row) for row in flips], resamples=500)
    covered = np.mean([interval.low <= 0.3 <= interval.high for interval in found])
    assert 0.919 <= covered <= 0.981


def test_sign_flips_are_exact_for_few_items_and_close_for_more():
    assert sign_flip_test(np.array([1.0, 1.0, 1.0, 1.0, 0.0])).p == pytest.approx(2 / 16)
    assert sign_flip_test(np.array([1.0, 1.0, 1.0, 1.0, 0.0]), ties=0.5).p == pytest.approx(1 / 16)
    assert sign_flip_test(np.zeros(4)).p == 1.0
    assert sign_flip_test(np.empty(0)).p is None
    rng = np.random.default_rng(6)
    coarse = rng.choice([-0.5, 0.25, 0.5], 400)
    fine = np.concatenate([coarse] * 8) + np.linspace(-1e-7, 1e-7, 3200)
    assert sign_flip_test(coarse).method == "10000 random sign flips"
    assert sign_flip_test(fine).method == "normal approximation to sign flips"
    some = rng.choice([-1.0, 1.0], 60, p=[0.4, 0.6])
    z = abs(some.sum()) / np.sqrt(60)
    assert sign_flip_test(some).p == pytest.approx(math.erfc(z / math.sqrt(2)), abs=0.05)


@pytest.mark.slow
def test_sign_flip_type_one_error_is_nominal():
    """600 tables with no effect: 5% ± 2.5 standard errors is 2.8–7.2%."""
    rng = np.random.default_rng(12)
    p = rng.beta(1, 1, (600, 40))
    deltas = rng.binomial(1, p) - rng.binomial(4, p) / 4
    rejected = np.mean([(sign_flip_test(row, flips=1000).p or 0) <= 0.05 for row in deltas])
    assert 0.028 <= rejected <= 0.072


def test_equal_items_are_found_even_when_their_numbers_collide(monkeypatch):
    rng = np.random.default_rng(13)
    columns = np.column_stack([rng.integers(0, 3, (500, 3)).astype(float), np.ones(500)])
    statistic = Statistic(columns, lambda sums: sums[..., 0] / sums[..., 3])
    found = intervals([statistic])
    monkeypatch.setattr(bootstrap, "_MIX", np.int64(0))
    assert intervals([statistic]) == found


def test_a_difference_is_wider_where_few_items_differ_and_not_where_all_do():
    def half_width(values: np.ndarray) -> float:
        found = intervals([mean_of(values, difference=True)], resamples=20_000)[0]
        return (found.high - found.low) / 2

    dense = np.random.default_rng(14).normal(0.1, 0.3, 50)
    sparse = np.zeros(50)
    sparse[:3] = [0.25, -1.0, 0.25]
    # three more items, times the share 47/50 that does not differ, each with the mean square 1.125 / 3
    wider = np.sqrt((1.12 + 2.82 * 0.375) / (49 + 2.82) / (1.12 / 49))
    for values, factor in ((dense, 1.0), (sparse, wider)):
        plain = student_t(0.975, 49) * values.std(ddof=1) / np.sqrt(50)
        assert half_width(values) / plain == pytest.approx(factor, abs=0.03)
