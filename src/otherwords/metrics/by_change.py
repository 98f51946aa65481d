"""by_change: what each kind of rewording, and each single change, costs against the original."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.types import Estimate
from otherwords.metrics.answers import FloatArray, IntArray
from otherwords.metrics.bootstrap import RESAMPLES, Statistic
from otherwords.metrics.cells import WORDING
from otherwords.metrics.delta_accuracy import LACKS_ONE, NO_PAIR
from otherwords.metrics.false_discovery import benjamini_hochberg
from otherwords.metrics.grid import Grid, read_grid
from otherwords.metrics.measure import Measure, estimates, ratio
from otherwords.metrics.sign_flip import FLIPS, sign_flip_test

CHANGE_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "kind": pl.String,
    "change": pl.String,  # empty for a whole kind
    "accuracy": pl.Float64,
    "accuracy_low": pl.Float64,
    "accuracy_high": pl.Float64,
    "delta": pl.Float64,  # original − this, on the same items: positive is a loss
    "delta_low": pl.Float64,
    "delta_high": pl.Float64,
    "p": pl.Float64,  # sign-flip test that delta is zero
    "q": pl.Float64,  # p after Benjamini–Hochberg, over kinds or over changes of the task and model
    "n_items": pl.Int64,  # items with a score for both
    "n_rows": pl.Int64,  # rows of this kind, scored or not
    "n_missing": pl.Int64,
    "reason": pl.String,
}


@dataclass(frozen=True)
class _Part:
    """One kind or change of one task and model: its items' mean scores and their losses."""

    task: str
    model: str
    kind: str
    change: str
    score: FloatArray
    loss: FloatArray
    """Of the items that have a score for the original too."""
    n_rows: int
    n_scored: int

    @property
    def label(self) -> str:
        return " / ".join(part for part in (self.model, self.kind, self.change) if part)


def by_change(
    table: Any,
    task: str | None = None,
    *,
    resamples: int = RESAMPLES,
    flips: int = FLIPS,
    seed: int = 0,
) -> pl.DataFrame:
    """One row for each task, model and kind, then one for each change of the kind; from one pass."""
    grid = read_grid(table, task)
    parts = [*_parts(grid, by_change=False), *_parts(grid, by_change=True)]
    found = iter(estimates([measure for part in parts for measure in _measures(part)], resamples, seed))
    rows = []
    for part in parts:
        accuracy, delta = next(found), next(found)
        rows.append(_row(part, accuracy, delta, sign_flip_test(part.loss, flips, seed).p))
    frame = pl.DataFrame(rows, schema=CHANGE_COLUMNS)
    frame = frame.sort("task", "model", "kind", "change", maintain_order=True)
    tests = ["task", "model", pl.col("change") == ""]
    return frame.with_columns(
        pl.col("p").map_batches(_q_values, return_dtype=pl.Float64).over(tests).alias("q")
    )


def _q_values(p: pl.Series) -> pl.Series:
    return pl.Series(benjamini_hochberg(p.to_list()), dtype=pl.Float64)


def _row(part: _Part, accuracy: Estimate, delta: Estimate, p: float | None) -> dict[str, Any]:
    return {
        "task": part.task,
        "model": part.model,
        "kind": part.kind,
        "change": part.change,
        "accuracy": accuracy.value,
        "accuracy_low": accuracy.low,
        "accuracy_high": accuracy.high,
        "delta": delta.value,
        "delta_low": delta.low,
        "delta_high": delta.high,
        "p": p,
        "q": None,
        "n_items": delta.n_items,
        "n_rows": part.n_rows,
        "n_missing": part.n_rows - part.n_scored,
        "reason": delta.reason,
    }


def _measures(part: _Part) -> Iterator[Measure]:
    missing = part.n_rows - part.n_scored
    for name, values, difference, nothing in (
        ("accuracy", part.score, False, "no row has a score"),
        ("delta_accuracy", part.loss, True, NO_PAIR),
    ):
        notes = () if len(values) else (nothing,)
        if 0 < len(values) < len(part.score):
            left_out = len(part.score) - len(values)
            notes = (f"{left_out} of {len(part.score)} items left out: {LACKS_ONE}",)
        columns = np.column_stack([values, np.ones(len(values))])
        yield Measure(
            metric=name,
            group=part.label,
            statistic=Statistic(columns, ratio, difference) if len(values) else None,
            n_items=len(values),
            n_rows=part.n_scored,
            n_missing=missing,
            notes=notes,
        )


def _parts(grid: Grid, *, by_change: bool) -> Iterator[_Part]:
    wanted = (grid.role == WORDING) & ~grid.original & (_named(grid.kinds)[grid.kind])
    if by_change:
        wanted &= _named(grid.changes)[grid.change]
    cells = np.flatnonzero(wanted)
    agents = _agents(grid)
    fine = grid.kind * len(grid.changes) + grid.change if by_change else grid.kind
    width = len(grid.kinds) * max(len(grid.changes), 1)
    of_part = agents[grid.group[cells]] * width + fine[cells]
    parts, part_of_cell = np.unique(of_part, return_inverse=True)
    part_of_cell = part_of_cell.reshape(-1)

    scored = grid.scored[cells] > 0
    keys, place = np.unique(
        part_of_cell[scored] * grid.n_groups + grid.group[cells[scored]], return_inverse=True
    )
    place = place.reshape(-1)
    score = np.bincount(place, weights=grid.mean[cells[scored]]) / np.maximum(np.bincount(place), 1)
    part_of_item, group_of_item = keys // max(grid.n_groups, 1), keys % max(grid.n_groups, 1)
    original = _original_scores(grid)[group_of_item] if len(keys) else np.empty(0)
    bounds = np.searchsorted(part_of_item, np.arange(len(parts) + 1))
    n_rows = np.bincount(part_of_cell, weights=grid.rows[cells], minlength=len(parts))
    n_scored = np.bincount(part_of_cell, weights=grid.scored[cells], minlength=len(parts))
    firsts = _firsts(part_of_cell, len(parts))
    for number in range(len(parts)):
        first = int(cells[firsts[number]])
        task, model, _ = grid.names.row(int(grid.group[first]))
        items = slice(bounds[number], bounds[number + 1])
        loss = original[items] - score[items]
        yield _Part(
            task=task,
            model=model,
            kind=grid.kinds[grid.kind[first]],
            change=grid.changes[grid.change[first]] if by_change else "",
            score=score[items],
            loss=loss[~np.isnan(loss)],
            n_rows=int(n_rows[number]),
            n_scored=int(n_scored[number]),
        )


def _named(names: list[str]) -> Any:
    return np.array([name not in ("", "orig") for name in names] or [False], dtype=np.bool_)


def _agents(grid: Grid) -> IntArray:
    """A number for each (task, model), of each group. Groups are sorted by them."""
    if not grid.n_groups:
        return np.empty(0, np.int64)
    new = grid.names.select(
        (pl.col("task").ne(pl.col("task").shift(1)) | pl.col("model").ne(pl.col("model").shift(1))).fill_null(
            False
        )
    )
    return np.cumsum(new.to_series().to_numpy()).astype(np.int64)


def _original_scores(grid: Grid) -> FloatArray:
    score = np.full(grid.n_groups, np.nan)
    cells = np.flatnonzero(grid.original & (grid.scored > 0) & (grid.role == WORDING))
    score[grid.group[cells]] = grid.mean[cells]
    return score


def _firsts(places: IntArray, length: int) -> IntArray:
    first = np.zeros(length, np.int64)
    first[places[::-1]] = np.arange(len(places))[::-1]
    return first
