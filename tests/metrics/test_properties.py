"""Plain loops as oracle, and no table on which anything breaks."""

from __future__ import annotations

import math
from dataclasses import asdict
from itertools import product
from statistics import mean, variance
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.metrics import mcnemar_orig_vs_variants, s_task, summarise

SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.0, 0.0, None])
ROW = st.fixed_dictionaries(
    {
        "status": st.sampled_from(
            ["scored", "scored", "scored", "unscored", "error", "limit", "missing", None]
        ),
        "score": SCORES,
        "correct": st.sampled_from([True, False, None]),
        "answer": st.sampled_from(["x", "y", "", None]),
        "pred_index": st.sampled_from([0, 1, 2, None, None]),
        "reason": st.sampled_from(["format", "timeout", None]),
        "kind": st.sampled_from(["paraphrase", "format", "control", "", None]),
    }
)
KEYS = st.tuples(
    st.sampled_from(["t1", "pkg/t2"]),
    st.sampled_from(["m1", "m2"]),
    st.sampled_from(["a", "b", "c", "d"]),
    st.sampled_from(["orig", "p1", "p2", "p3"]),
    st.integers(1, 3),
)
SCHEMA = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "repeat": pl.Int64,
    "status": pl.String,
    "score": pl.Float64,
    "correct": pl.Boolean,
    "answer": pl.String,
    "pred_index": pl.Int64,
    "reason": pl.String,
    "kind": pl.String,
}


def table_from(rows: dict[tuple[Any, ...], dict[str, Any]]) -> pl.DataFrame:
    flat = [dict(zip(list(SCHEMA)[:5], key, strict=True)) | row for key, row in rows.items()]
    return pl.DataFrame(flat, schema=SCHEMA)


TABLES = st.dictionaries(KEYS, ROW, max_size=40).map(table_from)


def usable(row: dict[str, Any]) -> bool:
    return row["kind"] != "control" and row["score"] is not None and row["status"] in ("scored", None)


def by_item(table: pl.DataFrame, model: str) -> list[dict[str, list[dict[str, Any]]]]:
    """For each item of the model, its scored rows by variant."""
    items: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = {}
    for row in table.iter_rows(named=True):
        if row["model"] == model and usable(row):
            items.setdefault((row["task"], row["id"]), {}).setdefault(row["variant"], []).append(row)
    return list(items.values())


def canonical(item: dict[str, list[dict[str, Any]]]) -> dict[str, list[Any]]:
    rows = [row for runs in item.values() for row in runs]
    if any(row["pred_index"] is not None for row in rows):
        read = lambda row: row["pred_index"]  # noqa: E731
    elif any(row["answer"] is not None for row in rows):
        read = lambda row: row["answer"]  # noqa: E731
    else:
        read = lambda row: row["score"] if row["correct"] is None else float(row["correct"])  # noqa: E731
    answers = {name: [read(row) for row in runs if read(row) is not None] for name, runs in item.items()}
    return {name: given for name, given in answers.items() if given}


def average(values: list[float]) -> float | None:
    return mean(values) if values else None


def oracle(table: pl.DataFrame, model: str) -> dict[str, float | None]:
    variances, norms, gaps, deltas, flips, consistent, scores, origs = ([] for _ in range(8))
    for item in by_item(table, model):
        means = {name: mean(row["score"] for row in runs) for name, runs in item.items()}
        others = [value for name, value in means.items() if name != "orig"]
        scores.append(mean(means.values()))
        if "orig" in means:
            origs.append(means["orig"])
        n = len(means)
        if n >= 2:
            variances.append(variance(means.values()))
            norms.append(variances[-1] / ((n // 2) * ((n + 1) // 2) / (n * (n - 1))))
            gaps.append(max(means.values()) - min(means.values()))
        if "orig" in means and others:
            deltas.append(means["orig"] - mean(others))
        answers = canonical(item)
        if len(answers) >= 2:
            draws = list(product(*answers.values()))
            consistent.append(mean(float(len(set(draw)) == 1) for draw in draws))
            if "orig" in answers:
                rates = [
                    mean(float(x != y) for x, y in product(given, answers["orig"]))
                    for name, given in answers.items()
                    if name != "orig"
                ]
                flips.append(mean(rates))
    lost, lost_norm = average(variances), average(norms)
    return {
        "s_prompt": None if lost is None else 1 - lost,
        "s_norm": None if lost_norm is None else 1 - lost_norm,
        "min_max_gap": average(gaps),
        "delta_accuracy": average(deltas),
        "fragility_score": average(flips),
        "consistency_at_k": average(consistent),
        "accuracy": average(scores),
        "accuracy_orig": average(origs),
    }


@settings(max_examples=60, deadline=None)
@given(TABLES)
def test_values_are_those_of_plain_loops(table: pl.DataFrame) -> None:
    measured = table.filter(pl.col("kind").ne_missing("control"))
    for model in measured["model"].unique():
        group = summarise(table.filter(pl.col("model") == model), resamples=0)[model]
        for name, expected in oracle(table, model).items():
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
