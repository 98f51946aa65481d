"""Plain loops as oracle, and no table on which anything breaks."""

from __future__ import annotations

import importlib.util
import math
from dataclasses import asdict
from pathlib import Path
from types import ModuleType

import polars as pl
import pytest
from hypothesis import given, settings

from otherwords.metrics import mcnemar_orig_vs_variants, s_task, summarise


def beside(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"metrics_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


all_metrics = beside("plain_loops").all_metrics
TABLES = beside("generated").TABLES


@settings(max_examples=400, deadline=None)
@given(TABLES)
def test_values_are_those_of_plain_loops(table: pl.DataFrame) -> None:
    for model in table["model"].unique():
        group = summarise(table.filter(pl.col("model") == model), resamples=0)[model]
        for name, expected in all_metrics(table, model, k=3).items():
            assert group[name].value == (None if expected is None else pytest.approx(expected, abs=1e-9)), (
                name
            )


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_no_table_breaks_anything(table: pl.DataFrame) -> None:
    for group in summarise(table, by_kind=True, resamples=50).values():
        for estimate in group.values():
            numbers = [estimate.value, estimate.low, estimate.high]
            assert all(number is None or math.isfinite(number) for number in numbers)
            assert estimate.value is not None or estimate.reason
            assert (estimate.low is None) == (estimate.high is None)
            if estimate.low is not None and estimate.high is not None:
                assert estimate.low <= estimate.high
            elif estimate.value is not None:
                assert "no interval" in estimate.reason
            assert estimate.n_missing >= 0
    result = mcnemar_orig_vs_variants(table)
    assert all(math.isfinite(value) for value in asdict(result).values() if isinstance(value, float))
    assert result.b + result.c <= result.n
    items = s_task(table)
    assert items.select(pl.col(pl.Float64).is_nan().any()).sum_horizontal().sum() == 0
