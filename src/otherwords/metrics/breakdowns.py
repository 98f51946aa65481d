"""Tables with a row for each item (`s_task`, `by_item`) or each kind and change of wording (`by_change`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import ORIG
from otherwords.core.types import Estimate
from otherwords.metrics.accuracy_metrics import LACKS_ONE, NO_PAIR
from otherwords.metrics.bootstrap import RESAMPLES, Statistic
from otherwords.metrics.measures import Measure, check_ddof, estimates, ratio
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.noise_metrics import repeatability
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray, Role
from otherwords.metrics.score_arrays import Grid, ScoreArrays, read_grid, read_score_arrays
from otherwords.metrics.sensitivity_metrics import largest_variances
from otherwords.metrics.significance import FLIPS, benjamini_hochberg, sign_flip_test

KEY = ["task", "model", "id"]
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


@metric(summarised=False)
def s_task(arrays: ScoreArrays, *, ddof: int = 1) -> pl.DataFrame:
    """S_task = 1 − variance over wordings, of each item by itself.

    Args:
        arrays: The scores.
        ddof: 1 for the sample variance, 0 for the population variance.

    Returns:
        One row for each task, model and item. What needs two wordings is null where there are fewer.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import s_task
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> s_task(table).select("id", "variance", "s_task", "min_max_gap").rows()
        [('a', 0.5, 0.5, 1.0)]
    """
    check_ddof(ddof)
    variance = arrays.variance(ddof)
    scored, enough = pl.Series(arrays.variants >= 1), pl.Series(arrays.variants >= 2)
    columns = {
        "n_variants": arrays.variants.astype(np.int64),
        "mean_score": arrays.group_mean,
        "variance": variance,
        "s_task": 1.0 - variance,
        "min_max_gap": arrays.gap,
        "n_rows": arrays.scored,
        "n_missing": arrays.rows - arrays.scored,
    }
    table_of_items = arrays.names.with_columns(pl.Series(name, values) for name, values in columns.items())
    return table_of_items.with_columns(
        pl.when(scored).then(pl.col("mean_score")),
        pl.when(enough).then(pl.col("variance", "s_task", "min_max_gap")),
    )


def by_item(table: Any, task: str | None = None, *, model: str | None = None) -> pl.DataFrame:
    """Every metric of each item by itself, to find the items worth reading.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.

    Returns:
        One row for each task, model and item; null where an item has too little for a column.

    Raises:
        InputError: The table has no such task or model, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import by_item
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> by_item(table).select("id", "accuracy", "s_norm", "flip_rate").rows()
        [('a', 0.5, 0.0, 1.0)]
    """
    return item_values(read_score_arrays(table, task, model))


def item_values(arrays: ScoreArrays) -> pl.DataFrame:
    """What `by_item` gives, from arrays."""
    agreement, several = arrays.agreement, arrays.variants >= 2
    orig, rest, both = arrays.orig_and_rest(arrays.mean)
    c_out, repeated = repeatability(arrays)
    noise, n_noise = _mean_noise(arrays)
    columns: dict[str, FloatArray] = {
        "accuracy": np.where(arrays.variants >= 1, arrays.group_mean, np.nan),
        "variance": np.where(several, arrays.variance(), np.nan),
        "s_task": np.where(several, 1 - arrays.variance(), np.nan),
        "s_norm": np.where(several, 1 - arrays.variance() / largest_variances(arrays.variants), np.nan),
        "min_max_gap": np.where(several, arrays.gap, np.nan),
        "delta_accuracy": np.where(both, orig - rest, np.nan),
        "consistent": agreement.consistent,
        "flip_rate": agreement.flipped,
        "excess_flips": agreement.flipped - agreement.rerun_flipped,
        "agreement": agreement.pairwise,
        "c_out": np.where(repeated, c_out, np.nan),
        "noise": np.where(n_noise > 0, noise, np.nan),
    }
    found = arrays.names.with_columns(
        pl.Series("n_variants", arrays.variants.astype(np.int64)),
        *(pl.Series(name, values, nan_to_null=True) for name, values in columns.items()),
    )
    for column in (_r_fault(arrays), _responsiveness(arrays)):
        found = found.join(column, on=KEY, how="left", maintain_order="left")
    return found.with_columns(
        pl.Series("n_rows", arrays.scored), pl.Series("n_missing", arrays.rows - arrays.scored)
    )


def _mean_noise(arrays: ScoreArrays) -> tuple[FloatArray, FloatArray]:
    repeated = arrays.repeats >= 2
    count = arrays.sum_cells(repeated)
    return arrays.sum_cells(np.where(repeated, arrays.noise, 0.0)) / np.maximum(count, 1), count


def _r_fault(arrays: ScoreArrays) -> pl.DataFrame:
    view = arrays.with_faults
    without, under, both = view.split(view.mean, view.role != Role.FAULT)
    share = np.where(both & (without > 0), under / np.where(without > 0, without, 1.0), np.nan)
    return view.names.with_columns(pl.Series("r_fault", share, nan_to_null=True))


def _responsiveness(arrays: ScoreArrays) -> pl.DataFrame:
    view = arrays.with_controls
    changed = view.agreement.flipped
    return view.names.with_columns(pl.Series("responsiveness", changed, nan_to_null=True))


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
    """What each kind of rewording, and each single change, costs against the original on the same items.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        resamples: Bootstrap resamples for the intervals; 0 for none.
        flips: Random sign flips for each test, where there are too many items to try all.
        seed: Seed of the resampling and of the sign flips.

    Returns:
        One row for each task, model and kind (`change` is empty), and one for each change of the kind, with
        accuracy, delta (original − this: positive is a loss), its interval, p and q; see `CHANGE_COLUMNS`.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import by_change
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a", "a", "b", "b"],
        ...         "variant": ["orig", "para1"] * 2,
        ...         "kind": ["orig", "paraphrase"] * 2,
        ...         "change": [None, "polite"] * 2,
        ...         "score": [1.0, 0.0, 1.0, 1.0],
        ...     }
        ... )
        >>> by_change(table).select("kind", "change", "accuracy", "delta", "p").rows()
        [('paraphrase', '', 0.5, 0.5, 1.0), ('paraphrase', 'polite', 0.5, 0.5, 1.0)]
    """
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
    wanted = (grid.role == Role.WORDING) & ~grid.original & (_named(grid.kinds)[grid.kind])
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


def _named(names: list[str]) -> BoolArray:
    return np.array([name not in ("", ORIG) for name in names] or [False], dtype=np.bool_)


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
    cells = np.flatnonzero(grid.original & (grid.scored > 0) & (grid.role == Role.WORDING))
    score[grid.group[cells]] = grid.mean[cells]
    return score


def _firsts(places: IntArray, length: int) -> IntArray:
    first = np.zeros(length, np.int64)
    first[places[::-1]] = np.arange(len(places))[::-1]
    return first
