"""Tests of differences, of many things at once, and of two runs against each other."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import (
    benjamini_hochberg,
    by_change,
    by_item,
    compare,
    phrasing_test,
    summarise,
)
from otherwords.metrics.significance import sign_flip_test


def runs(cells: dict[tuple[str, str], list[float | None]], **columns: object) -> pl.DataFrame:
    """`{("q", "orig"): [1, 0]}`: the scores of the repeats of each wording."""
    rows = [
        {"id": item, "variant": variant, "repeat": repeat, "score": score}
        for (item, variant), scores in cells.items()
        for repeat, score in enumerate(scores, start=1)
    ]
    schema = {"id": pl.String, "variant": pl.String, "repeat": pl.Int64, "score": pl.Float64}
    return pl.DataFrame(rows, schema=schema).with_columns(
        pl.lit(value).alias(name) for name, value in columns.items()
    )


def test_q_values_by_hand():
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.5]) == pytest.approx(
        [0.04, 0.04 * 4 / 3, 0.04 * 4 / 3, 0.5]
    )
    assert benjamini_hochberg([0.2, None, 0.9]) == [0.4, None, 0.9]
    assert benjamini_hochberg([]) == []
    assert benjamini_hochberg([None]) == [None]


def test_q_values_keep_the_share_of_false_findings():
    """40 of 50 nulls and 10 strong effects, 300 times: at most 5% of the findings false, on average."""
    rng = np.random.default_rng(1)
    false_share = []
    for _ in range(300):
        p = np.concatenate([rng.random(40), rng.random(10) * 1e-4])
        found = np.array([q is not None and q <= 0.05 for q in benjamini_hochberg(p.tolist())])
        false_share.append(found[:40].sum() / max(found.sum(), 1))
    assert np.mean(false_share) <= 0.05


def test_wording_that_decides_is_found_and_a_coin_is_not():
    rng = np.random.default_rng(2)
    coin = {(f"q{t}", v): rng.integers(0, 2, 3).tolist() for t in range(30) for v in ("orig", "a", "b")}
    decided = {(f"q{t}", v): [float(v == "a")] * 3 for t in range(8) for v in ("orig", "a", "b")}
    chance, sure = phrasing_test(runs(coin)), phrasing_test(runs(decided))
    assert chance.p > 0.05
    assert chance.between == pytest.approx(chance.expected, rel=0.3)
    assert sure.p == pytest.approx(1 / 10_001)
    assert (sure.n_items, chance.n_sensitive) == (8, 0)
    # three right of nine can fall into one wording of three in 3 · 6! · 3! ways of 9!, or 1 in 28
    assert sure.items["p"].to_numpy() == pytest.approx(np.full(8, 3 / 84), abs=0.006)


def test_without_repeats_there_is_nothing_to_shuffle(table_of):
    result = phrasing_test(table_of({"a": [1, 0], "b": [0, 0]}))
    assert (result.p, result.n_items, result.items.height) == (None, 0, 0)
    assert result.reason == "no item has two wordings of which one was run twice; rerun with --repeats 3"
    mixed = runs({("a", "orig"): [1, 0], ("a", "p"): [0], ("b", "orig"): [1], ("b", "p"): [0]})
    assert phrasing_test(mixed).reason == (
        "1 of 2 items left out: no two wordings, or none that was run twice"
    )
    with pytest.raises(InputError, match=r"^permutations must be at least 1, got 0$"):
        phrasing_test(mixed, permutations=0)


def test_graded_scores_and_uneven_repeats_are_shuffled_too():
    rng = np.random.default_rng(3)
    cells = {(f"q{t}", f"v{v}"): rng.random(1 + (t + v) % 3).tolist() for t in range(20) for v in range(3)}
    shifted = {key: [min(1.0, x * 0.2 + 0.4 * (key[1] == "v1")) for x in xs] for key, xs in cells.items()}
    assert phrasing_test(runs(cells), permutations=500).p > 0.05
    assert phrasing_test(runs(shifted), permutations=500).p < 0.01


def kinds_table() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for item in range(40):
        for variant, kind, change, chance in (
            ("orig", "orig", "", 0.9),
            ("p1", "paraphrase", "these", 0.88),
            ("p2", "paraphrase", "polite", 0.9),
            ("f1", "format", "space", 0.3),
            ("control:n", "control", "negate", 0.5),
        ):
            rows.append((f"q{item:02}", variant, kind, change, float(rng.random() < chance)))
    return pl.DataFrame(rows, schema=["id", "variant", "kind", "change", "score"], orient="row")


def test_each_kind_and_change_is_what_summarise_says_of_its_rows():
    table = kinds_table()
    found = by_change(table, resamples=200)
    assert found.select("kind", "change").rows() == [
        ("format", ""),
        ("format", "space"),
        ("paraphrase", ""),
        ("paraphrase", "polite"),
        ("paraphrase", "these"),
    ]
    for row in found.iter_rows(named=True):
        here = pl.col("kind") == row["kind"]
        if row["change"]:
            here &= pl.col("change") == row["change"]
        pair = summarise(table.filter(here | (pl.col("variant") == "orig")), resamples=200)["all"]
        alone = summarise(table.filter(here), resamples=200)["all"]
        for name, estimate in (("delta", pair["delta_accuracy"]), ("accuracy", alone["accuracy"])):
            assert (row[name], row[f"{name}_low"], row[f"{name}_high"]) == (
                estimate.value,
                estimate.low,
                estimate.high,
            )
        assert row["n_items"] == pair["delta_accuracy"].n_items
        assert row["n_rows"] == table.filter(here).height
    first = found.row(0, named=True)
    assert first["q"] < 0.001
    assert found.filter(kind="paraphrase")["q"].min() > 0.05


def test_rows_without_a_score_are_counted_by_change():
    table = kinds_table().with_columns(
        pl.when((pl.col("variant") == "f1") & (pl.col("id") < "q05"))
        .then(None)
        .otherwise("score")
        .alias("score")
    )
    row = by_change(table, resamples=0).filter(kind="format", change="").row(0, named=True)
    assert (row["n_items"], row["n_rows"], row["n_missing"]) == (35, 40, 5)
    lost = table.filter(~((pl.col("variant") == "orig") & (pl.col("id") >= "q30")))
    row = by_change(lost, resamples=0).filter(kind="format", change="").row(0, named=True)
    assert row["n_items"] == 25
    assert row["reason"].startswith(
        "10 of 35 items left out: no score for the original or for any other wording"
    )
    assert by_change(table.clear()).height == 0


def test_items_one_by_one(table_of):
    table = pl.concat(
        [
            table_of({"a": [1, 0, 0], "b": [1, 1, None]}).with_columns(
                kind=pl.lit("paraphrase"), repeat=pl.lit(1)
            ),
            pl.DataFrame(
                {
                    "id": ["a", "a", "a"],
                    "variant": ["orig", "control:n", "fault:api"],
                    "score": [0.0, 0.0, 0.25],
                    "kind": ["paraphrase", "control", "fault"],
                    "repeat": [2, 1, 1],
                },
                schema_overrides={"repeat": pl.Int32},
            ),
        ]
    )
    a, b = by_item(table).iter_rows(named=True)
    assert a["accuracy"] == pytest.approx(0.5 / 3)
    assert (a["s_task"], a["min_max_gap"]) == pytest.approx((1 - 0.25 / 3, 0.5))
    assert (a["c_out"], a["noise"], a["delta_accuracy"]) == (0.0, 0.5, 0.5)
    assert (a["flip_rate"], a["excess_flips"]) == (0.5, -0.5)
    assert (a["responsiveness"], a["r_fault"]) == pytest.approx((0.5, 1.5))
    assert (b["n_rows"], b["n_missing"], b["c_out"], b["r_fault"]) == (2, 1, None, None)


def two_runs(shift: float = 0.3, n_items: int = 60) -> tuple[pl.DataFrame, pl.DataFrame]:
    rng = np.random.default_rng(5)
    chance = rng.beta(2, 2, n_items)
    cells_a, cells_b = {}, {}
    for t in range(n_items):
        for v in ("orig", "p1", "p2", "p3"):
            cells_a[f"q{t:02}", v] = [float(rng.random() < chance[t])]
            cells_b[f"q{t:02}", v] = [float(rng.random() < min(1.0, chance[t] + shift))]
    return runs(cells_a, model="old", task="t"), runs(cells_b, model="new", task="t")


@pytest.mark.slow
def test_a_better_run_is_seen_and_the_same_run_is_not():
    old, new = two_runs()
    found = compare(old, new)
    changes = {one.metric: one for one in found.differences}
    accuracy = changes["accuracy"]
    assert (found.a, found.b, found.n_items, found.n_wordings, found.notes) == ("old", "new", 60, 240, ())
    assert accuracy.change.value == pytest.approx(accuracy.b.value - accuracy.a.value)
    assert accuracy.a == summarise(old)["old"]["accuracy"]
    assert accuracy.b == summarise(new)["new"]["accuracy"]
    assert accuracy.change.low > 0
    assert accuracy.p < 0.001
    assert accuracy.change.group == "new − old"
    assert found.changes()["accuracy_change"] == accuracy.change
    same = compare(old, old)
    assert (same.a, same.b) == ("old (a)", "old (b)")
    for one in same.differences:
        assert one.change.value in (0.0, None)
        assert one.p in (1.0, None)


def test_what_differs_is_said_and_left_out():
    old, new = two_runs()
    old = old.filter(pl.col("id") != "q07")
    new = new.filter(~((pl.col("id") == "q01") & (pl.col("variant") == "p3"))).with_columns(
        pl.when((pl.col("id") == "q02") & (pl.col("variant") == "p1"))
        .then(None)
        .otherwise("score")
        .alias("score")
    )
    new = pl.concat(
        [new, new.filter(pl.col("id") == "q03").with_columns(pl.lit(2, pl.Int64).alias("repeat"))]
    )
    found = compare(old, new)
    assert (found.n_items, found.n_wordings) == (59, 59 * 4 - 2)
    assert found.notes == (
        "1 wording only in the first: 'p3'",
        "1 item only in the second: 'q07'",
        "1 wording left out: no score on one side or on both",
        "the numbers of repeats differ (1 and 1.02 a wording): the side with fewer has more run-to-run "
        "noise in its variance",
    )


def test_two_names_for_the_one_task_are_paired_by_item():
    old, new = two_runs()
    found = compare(old, new.with_columns(pl.lit("pkg/t").alias("task")))
    assert found.notes == ("the task is called 't' on one side and 'pkg/t' on the other; paired by item",)
    assert found.n_items == 60


def test_nothing_in_common_is_said():
    old, new = two_runs()
    found = compare(old, new.with_columns(("x" + pl.col("id")).alias("id")))
    assert found.notes[-1] == "nothing to compare: no item and wording has a score on both sides"
    assert found.notes[0] == "60 items only in the first: 'q00', 'q01', 'q02' and 57 more"
    assert all(one.change.value is None and one.p is None for one in found.differences)
    assert found.differences[0].change.reason == "old: the table has no rows to measure"


def test_several_models_are_asked_for_by_name():
    both = pl.concat(two_runs())
    with pytest.raises(InputError) as caught:
        compare(both, both, model_b="new")
    assert str(caught.value) == "the first table has 2 models: new, old\nChoose one: model_a."
    with pytest.raises(InputError) as caught:
        compare(both, both, model_a="odl")
    assert str(caught.value) == "unknown model 'odl'. Did you mean: old?"
    found = compare(both, both, model_a="old", model_b="new")
    assert found == compare(*two_runs())
    with pytest.raises(InputError, match=r"^'s_task' is not a metric with one value that could be compared$"):
        compare(both, both, model_a="old", model_b="new", metrics=["s_task"])


def test_paired_is_surer_than_apart():
    """The same items on both sides move together, so the difference is known better than its two sides."""
    old, new = two_runs()
    accuracy = compare(old, new).differences[0]
    apart = np.hypot(*(side.high - side.low for side in (accuracy.a, accuracy.b)))
    assert accuracy.change.high - accuracy.change.low < 0.9 * apart


def test_sign_flips_are_exact_for_few_items_and_close_for_more():
    assert sign_flip_test(np.array([1.0, 1.0, 1.0, 1.0, 0.0])).p == pytest.approx(2 / 16)
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
