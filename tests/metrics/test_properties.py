"""Plain loops as oracle, and no table on which anything breaks."""

from __future__ import annotations

import importlib.util
import json
import math
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.core.verdict import EFFECTS, LARGE, NONE_FOUND, SMALL
from otherwords.metrics import (
    by_change,
    by_item,
    check,
    compare,
    correlations,
    enough_variants,
    fix,
    mcnemar_orig_vs_variants,
    phrasing_test,
    pilot_components,
    rank_stability,
    s_task,
    summarise,
    verdicts,
)

pytestmark = pytest.mark.slow


def beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"metrics_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


all_metrics = beside("plain_loops").all_metrics
generated = beside("generated")
TABLES, BATCHES, IN_BATCH = generated.TABLES, generated.BATCHES, generated.IN_BATCH
N_TABLES, PARTS = 2_000, 2


@settings(max_examples=150, deadline=None)
@given(TABLES)
def test_values_are_those_of_plain_loops(table: pl.DataFrame) -> None:
    for model in table["model"].unique():
        group = summarise(table.filter(pl.col("model") == model), resamples=0)[model]
        for name, expected in all_metrics(table, model, k=3).items():
            assert group[name].value == (None if expected is None else pytest.approx(expected, abs=1e-9)), (
                name
            )


def assert_sound(found: Any) -> None:
    """Every number in it is finite, and every estimate has a value or a reason."""
    if isinstance(found, float):
        assert math.isfinite(found)
    elif isinstance(found, pl.DataFrame):
        numbers = found.select(pl.col(pl.Float64))
        assert numbers.select(pl.all().is_finite().all()).row(0) == (True,) * numbers.width
    elif isinstance(found, Estimate):
        assert_estimate(found)
    elif is_dataclass(found):
        for field in fields(found):
            assert_sound(getattr(found, field.name))
    elif isinstance(found, dict):
        assert_sound(list(found.values()))
    elif isinstance(found, list | tuple):
        for one in found:
            assert_sound(one)


def assert_estimate(estimate: Estimate) -> None:
    numbers = (estimate.value, estimate.low, estimate.high)
    assert all(number is None or math.isfinite(number) for number in numbers), estimate
    assert estimate.value is not None or estimate.reason, estimate
    assert (estimate.low is None) == (estimate.high is None), estimate
    if estimate.low is not None and estimate.high is not None:
        assert estimate.low <= estimate.high, estimate
    elif estimate.value is not None:
        assert "no interval" in estimate.reason, estimate
    assert min(estimate.n_items, estimate.n_rows, estimate.n_missing) >= 0, estimate


@pytest.mark.parametrize("part", range(PARTS))
def test_no_table_breaks_any_metric(part: int) -> None:
    """All parts together: every metric with its interval on two thousand tables, one a model."""

    @settings(
        max_examples=N_TABLES // PARTS // IN_BATCH,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(BATCHES)
    def no_batch_breaks(tables: pl.DataFrame) -> None:
        assert_sound(summarise(tables, resamples=15))
        assert_sound(by_item(tables))
        assert_sound(by_change(tables, resamples=20))
        assert_sound(phrasing_test(tables, permutations=20))

    no_batch_breaks()


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_no_table_breaks_what_is_built_on_metrics(table: pl.DataFrame) -> None:
    assert_sound(summarise(table, by_kind=True, resamples=20))
    result = mcnemar_orig_vs_variants(table, flips=50)
    assert_sound(result)
    assert result.b + result.c <= result.n
    assert_sound(s_task(table))
    assert_sound(correlations(table, resamples=20))
    assert_sound(enough_variants(table, resamples=20, orders=2))
    assert_sound(rank_stability(table, resamples=20, draws=4))
    assert_sound(fix(table, resamples=20))
    halves = [table.filter(pl.col("model") == name) for name in ("m0", "m1")]
    found = compare(*halves, resamples=20)
    assert_sound(found)
    assert_sound(check(found.changes(), {"min_accuracy_change": 0.0, "max_s_prompt_change": 0.1}))
    with suppress(InputError):  # a pilot that cannot tell says so
        assert_sound(pilot_components(table, model=table["model"].max() if table.height else None))


@settings(max_examples=60, deadline=None)
@given(TABLES, st.sampled_from([1.5, -0.1, math.inf, -math.inf, 1e300]), st.integers(0, 1000))
def test_a_score_outside_the_range_is_refused_by_item(table: pl.DataFrame, score: float, place: int) -> None:
    assume(table.height)
    place %= table.height
    here = pl.int_range(pl.len()) == place
    bad = table.with_columns(
        pl.when(here).then(score).otherwise("score").alias("score"),
        pl.when(here).then(pl.lit("scored")).otherwise("status").alias("status"),
    )
    with pytest.raises(InputError) as caught:
        summarise(bad)
    row = bad.row(place, named=True)
    assert str(caught.value) == (
        f"item '{row['id']}': the score {score} of variant '{row['variant']}' is outside [0, 1]"
    )


@settings(max_examples=60, deadline=None)
@given(TABLES, st.integers(0, 1000), st.integers(1, 3))
def test_a_row_given_twice_is_refused_by_item(table: pl.DataFrame, place: int, copies: int) -> None:
    assume(table.height)
    row = table[place % table.height]
    with pytest.raises(InputError) as caught:
        summarise(pl.concat([row] * copies + [table]))
    facts = row.row(0, named=True)
    assert str(caught.value) == (
        f"item '{facts['id']}': variant '{facts['variant']}', repeat {facts['repeat']} is in the table more "
        f"than once (task '{facts['task']}', model '{facts['model']}')\n"
        f"{copies} rows repeat another. Number repeats 1, 2, … or drop the copies."
    )


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_any_table_has_verdicts_that_keep_the_rules(frame: pl.DataFrame) -> None:
    for found in verdicts(frame, permutations=50):
        json.dumps(found.to_json(), allow_nan=False)
        assert found.effect in EFFECTS
        assert found.sentence.endswith(("item.", "items."))
        assert len(found.actions) <= 3
        assert all(": " in action for action in found.actions)
        assert found.phrasing_share.value is None or 0 <= found.phrasing_share.value <= 1
        assert (found.effect in (SMALL, LARGE)) or not found.items
        assert sum(reason.count for reason in found.unscored.reasons) == found.unscored.count
        assert sum(found.outcomes.values()) == found.n_runs == found.unscored.n_runs
        if found.worst is not None:
            assert found.effect in (SMALL, LARGE)
            assert (found.worst.loss.corrected_low or 0) > 0
        if found.robust:
            assert found.effect == NONE_FOUND
            assert found.unscored.share <= 0.05
            assert found.accuracy.value
