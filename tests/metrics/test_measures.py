"""Bounds for missing scores: nothing that the missing runs could have shown lies outside of them."""

from __future__ import annotations

from itertools import product

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from otherwords.metrics import by_change, compare, summarise
from otherwords.metrics.gate import check_table

BOUNDED = (
    *("accuracy", "accuracy_orig", "delta_accuracy", "s_prompt", "s_norm", "mean_variance"),
    *("fragility_score", "consistency_at_k"),
)
REACHED = ("accuracy", "accuracy_orig", "delta_accuracy")
"""Bounds that some outcome of the missing runs does reach; the others may be wider."""


def table_of(scores: list[list[list[float | None]]]) -> pl.DataFrame:
    """Scores [item][wording][repeat]; None is a run without a score."""
    rows = [
        (f"q{t}", "orig" if v == 0 else f"para{v}", "orig" if v == 0 else "paraphrase", r + 1, score)
        for t, item in enumerate(scores)
        for v, wording in enumerate(item)
        for r, score in enumerate(wording)
    ]
    schema = {
        "id": pl.String,
        "variant": pl.String,
        "kind": pl.String,
        "repeat": pl.Int64,
        "score": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def filled(table: pl.DataFrame) -> list[pl.DataFrame]:
    """The table with every missing run wrong or right, in all ways."""
    missing = table["score"].is_null().arg_true().to_list()
    found = []
    for values in product((0.0, 1.0), repeat=len(missing)):
        score = table["score"].to_list()
        for place, value in zip(missing, values, strict=True):
            score[place] = value
        found.append(table.with_columns(pl.Series("score", score)))
    return found


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 4).flatmap(
        lambda wordings: st.lists(
            st.lists(
                st.lists(st.sampled_from([0.0, 1.0, None]), min_size=2, max_size=2),
                min_size=wordings,
                max_size=wordings,
            ),
            min_size=1,
            max_size=3,
        )
    )
)
def test_no_outcome_of_the_missing_runs_is_outside_of_the_bounds(scores):
    table = table_of(scores)
    assume(1 <= table["score"].null_count() <= 6)
    found = summarise(table)["all"]
    every = [summarise(one, resamples=0)["all"] for one in filled(table)]
    for name in BOUNDED:
        low, high = found[name].low_if_missing, found[name].high_if_missing
        if found[name].value is None or low is None or high is None:
            continue
        values = [one[name].value for one in every]
        assert low - 1e-9 <= min(values), name
        assert max(values) <= high + 1e-9, name
        if name in REACHED:
            assert (low, high) == (pytest.approx(min(values)), pytest.approx(max(values))), name


def test_where_no_score_is_missing_there_are_no_bounds():
    found = summarise(table_of([[[1.0], [0.0], [1.0]], [[0.0], [0.0], [1.0]]]))["all"]
    assert {one.low_if_missing for one in found.values()} == {None}


def test_bounds_are_not_much_wider_than_they_must_be():
    table = table_of([[[1.0], [1.0], [1.0], [None]]] * 3 + [[[1.0], [0.0], [1.0], [1.0]]] * 3)
    found = summarise(table)["all"]
    every = [summarise(one, resamples=0)["all"] for one in filled(table)]
    for name in BOUNDED:
        values = [one[name].value for one in every]
        if found[name].low_if_missing is not None:
            assert found[name].low_if_missing >= min(values) - 0.01, name
            assert found[name].high_if_missing <= max(values) + 0.01, name


def test_a_cost_and_a_change_have_bounds_too():
    table = table_of([[[1.0], [0.0]], [[1.0], [None]], [[1.0], [1.0]], [[1.0], [0.0]]])
    (cost,) = by_change(table).iter_rows(named=True)
    assert cost["delta"] == pytest.approx(2 / 3)
    assert (cost["delta_low_if_missing"], cost["delta_high_if_missing"]) == (0.5, 0.75)
    whole = table.with_columns(pl.col("score").fill_null(1.0))
    (cost,) = by_change(whole).iter_rows(named=True)
    assert (cost["delta_low_if_missing"], cost["delta_high_if_missing"]) == (None, None)
    changes = {one.metric: one.change for one in compare(whole, table).differences}
    change = changes["accuracy"]
    assert (change.low_if_missing, change.high_if_missing) == (pytest.approx(-1 / 8), 0.0)
    assert changes["s_prompt"].low_if_missing is not None
    assert changes["c_out"].low_if_missing is None


def test_a_model_that_the_baseline_lacks_is_said():
    before = table_of([[[1.0], [1.0]]] * 12).with_columns(model=pl.lit("old"))
    both = pl.concat([before, before.with_columns(model=pl.lit("new"))])
    gate = check_table(both, {}, baseline=before)
    assert gate.notes == ("new: not in the baseline, so that nothing is compared",)
    assert {one.group for one in gate.decisions} == {"old"}
