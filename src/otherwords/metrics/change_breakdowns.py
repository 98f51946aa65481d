"""Tables with a row for each kind and change of wording: what it costs, and which outcomes it brings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import ANSWERED, ORIG, OUTCOMES
from otherwords.core.types import Estimate
from otherwords.metrics.accuracy_metrics import LACKS_ONE, LOSS_TESTED_AT, NO_PAIR, cost_bounds
from otherwords.metrics.intervals import RESAMPLES, Combine, Generalize, Statistic
from otherwords.metrics.measures import Measure, estimates, once, p_value, ratio
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray, Role, numbered
from otherwords.metrics.score_arrays import Grid, read_grid
from otherwords.metrics.significance import Cells, benjamini_hochberg

_PART_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "kind": pl.String,
    "change": pl.String,  # empty for a whole kind
}
CHANGE_COLUMNS: dict[str, Any] = {
    **_PART_COLUMNS,
    "accuracy": pl.Float64,
    "accuracy_low": pl.Float64,
    "accuracy_high": pl.Float64,
    "delta": pl.Float64,  # original − this, on the same items: positive is a loss
    "delta_low": pl.Float64,
    "delta_high": pl.Float64,
    "delta_low_if_missing": pl.Float64,  # the least that delta could be if every run had a score
    "delta_high_if_missing": pl.Float64,
    "p": pl.Float64,  # that delta is zero
    "q": pl.Float64,  # p after Benjamini–Hochberg, over all kinds or all changes of the table
    "n_items": pl.Int64,  # items with a score for both
    "n_rows": pl.Int64,  # rows of this kind, scored or not
    "n_missing": pl.Int64,
    "reason": pl.String,
    "generalizes": pl.String,  # for whom the interval of delta speaks
}
OUTCOME_RATE_COLUMNS: dict[str, Any] = {
    **_PART_COLUMNS,
    "outcome": pl.String,
    "rate": pl.Float64,  # of all runs planned of this kind or change
    "low": pl.Float64,
    "high": pl.Float64,
    "excess": pl.Float64,  # rate − the original's rate on the same items
    "excess_low": pl.Float64,
    "excess_high": pl.Float64,
    "p": pl.Float64,  # that the excess is zero
    "q": pl.Float64,  # p after Benjamini–Hochberg, over all outcomes of all kinds or all changes
    "n_items": pl.Int64,
    "n_rows": pl.Int64,  # runs planned
    "generalizes": pl.String,
}


@dataclass(frozen=True)
class _Part:
    """One kind or change of one task and model: its cells, and what they are compared with."""

    grid: Grid
    cells: IntArray
    by_change: bool

    @cached_property
    def names(self) -> dict[str, str]:
        first = int(self.cells[0])
        task, model, _ = self.grid.names.row(int(self.grid.group[first]))
        change = self.grid.changes[self.grid.change[first]] if self.by_change else ""
        return {
            "task": task,
            "model": model,
            "kind": self.grid.kinds[self.grid.kind[first]],
            "change": change,
        }

    @property
    def n_rows(self) -> int:
        return int(self.grid.rows[self.cells].sum())

    @property
    def n_scored(self) -> int:
        return int(self.grid.scored[self.cells].sum())

    def measure(
        self,
        name: str,
        cells: IntArray,
        columns: FloatArray,
        combine: Combine,
        ends: tuple[tuple[float, ...], tuple[float, ...]],
        notes: tuple[str, ...],
        share: FloatArray | None = None,
    ) -> Measure:
        """A measure of some of the cells, which have one row of `columns` each; an item's sum to its row.

        With `share`, that of each cell in its item, it is a difference from the original.
        """
        item = numbered(self.grid.group[cells])
        n_items = int(item.max(initial=-1)) + 1
        sums = [np.bincount(item, weights=one, minlength=n_items).astype(np.float64) for one in columns.T]
        wording = np.where(self.grid.crossed[cells], self.grid.variant[cells], -1)
        low, high = (np.array(end, dtype=np.float64) for end in ends)
        return Measure(
            metric=name,
            group=" / ".join(part for part in list(self.names.values())[1:] if part),
            statistic=Statistic(
                np.column_stack(sums),
                combine,
                (low, high),
                at_each_end=1 if share is not None else 2,
                signed=share is not None,
                tested_at=LOSS_TESTED_AT,
                cells=lambda: Cells(item, wording, columns, share),
            )
            if n_items
            else None,
            n_items=n_items,
            n_rows=int(self.grid.scored[cells].sum()),
            n_missing=self.n_rows - self.n_scored,
            notes=notes,
            shared_wordings=bool(self.grid.shared[cells].any()),
        )


def by_change(
    table: Any,
    task: str | None = None,
    *,
    generalize: Generalize | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> pl.DataFrame:
    """What each kind of rewording, and each single change, costs against the original on the same items.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        generalize: For whom the intervals speak: other `items`, other `wordings` of these items, or `both`.
            If not given: `both` for a kind whose wordings items share. One wording speaks for itself.
        resamples: 0 for no intervals; any other number is the same, since nothing is resampled.
        seed: Without effect, since nothing is drawn at random.

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
        >>> by_change(table).select("kind", "change", "accuracy", "delta").rows()
        [('paraphrase', '', 0.5, 0.5), ('paraphrase', 'polite', 0.5, 0.5)]
    """
    grid = read_grid(table, task)
    rows = []
    for part, lost in _losses(grid):
        accuracy, delta = estimates([_score(part), lost], resamples, seed, generalize=generalize)
        rows.append(_cost(part, accuracy, delta, p_value(lost, generalize=generalize)))
    return _with_q(rows, CHANGE_COLUMNS)


def by_outcome(
    table: Any,
    task: str | None = None,
    *,
    generalize: Generalize | None = None,
    resamples: int = RESAMPLES,
) -> pl.DataFrame:
    """How often each kind and change of wording is refused, filtered, cut off, …, beside the original.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        generalize: For whom the intervals speak; see `by_change`.
        resamples: 0 for no intervals.

    Returns:
        One row for each task, model, kind, change (empty: the whole kind) and outcome but `answered` that any
        of its runs or the original's has: its rate among all runs planned, the excess over the original's
        rate on the same items, their intervals, p and q; see `OUTCOME_RATE_COLUMNS`.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import by_outcome
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a", "a", "b", "b"],
        ...         "variant": ["orig", "format:upper"] * 2,
        ...         "kind": ["orig", "format"] * 2,
        ...         "score": [1.0, 0.0, 1.0, 0.0],
        ...         "outcome": ["answered", "refused"] * 2,
        ...     }
        ... )
        >>> by_outcome(table).select("kind", "outcome", "rate", "excess").rows()
        [('format', 'refused', 1.0, 1.0)]
    """
    grid = read_grid(table, task)
    original = _originals(grid)
    rows = []
    for part in _parts(grid):
        for outcome in OUTCOMES:
            counts = grid.outcomes.get(outcome)
            if outcome == ANSWERED or counts is None:
                continue
            rate, excess = _rate(part, counts), _excess(part, counts, original)
            said, beyond = estimates([rate, excess], resamples, generalize=generalize)
            if said.value or beyond.value:
                p = p_value(excess, generalize=generalize)
                rows.append(_rate_row(part, outcome, said, beyond, p))
    return _with_q(rows, OUTCOME_RATE_COLUMNS)


def losses(grid: Grid) -> Iterator[tuple[dict[str, str], Measure]]:
    """What each kind, and each change of a kind, loses: `by_change` before its intervals."""
    return ((part.names, lost) for part, lost in _losses(grid))


def _losses(grid: Grid) -> list[tuple[_Part, Measure]]:
    original = _originals(grid)
    return once(grid, "losses", lambda: [(part, _loss(part, original)) for part in _parts(grid)])


def _with_q(rows: list[dict[str, Any]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Sorted, with q over all whole kinds, and over all single changes."""
    frame = pl.DataFrame(rows, schema=schema).sort(*_PART_COLUMNS, maintain_order=True)
    whole = pl.col("change") == ""
    return frame.with_columns(
        pl.col("p").map_batches(_q_values, return_dtype=pl.Float64).over(whole).alias("q")
    )


def _q_values(p: pl.Series) -> pl.Series:
    return pl.Series(benjamini_hochberg(p.to_list()), dtype=pl.Float64)


def _cost(part: _Part, accuracy: Estimate, delta: Estimate, p: float | None) -> dict[str, Any]:
    return {
        **part.names,
        "accuracy": accuracy.value,
        "accuracy_low": accuracy.low,
        "accuracy_high": accuracy.high,
        "delta": delta.value,
        "delta_low": delta.low,
        "delta_high": delta.high,
        "delta_low_if_missing": delta.low_if_missing,
        "delta_high_if_missing": delta.high_if_missing,
        "p": p,
        "q": None,
        "n_items": delta.n_items,
        "n_rows": part.n_rows,
        "n_missing": part.n_rows - part.n_scored,
        "reason": delta.reason,
        "generalizes": delta.generalizes,
    }


def _rate_row(part: _Part, outcome: str, rate: Estimate, excess: Estimate, p: float | None) -> dict[str, Any]:
    return {
        **part.names,
        "outcome": outcome,
        "rate": rate.value,
        "low": rate.low,
        "high": rate.high,
        "excess": excess.value,
        "excess_low": excess.low,
        "excess_high": excess.high,
        "p": p,
        "q": None,
        "n_items": rate.n_items,
        "n_rows": part.n_rows,
        "generalizes": rate.generalizes,
    }


def _score(part: _Part) -> Measure:
    cells = part.cells[part.grid.scored[part.cells] > 0]
    share = _shares(part.grid.group[cells])
    columns = np.column_stack([part.grid.mean[cells] * share, share])
    notes = () if len(cells) else ("no row has a score",)
    return part.measure("accuracy", cells, columns, ratio, ((0.0, 1.0), (1.0, 1.0)), notes)


def _loss(part: _Part, original: IntArray) -> Measure:
    grid = part.grid
    scored = part.cells[grid.scored[part.cells] > 0]
    base = original[grid.group[scored]]
    cells = scored[(base >= 0) & (grid.scored[base] > 0)]
    score = grid.mean[original[grid.group[cells]]]
    share = _shares(grid.group[cells])
    columns = np.column_stack([(score - grid.mean[cells]) * share, share])
    n_items, n_all = (int(numbered(grid.group[some]).max(initial=-1)) + 1 for some in (cells, scored))
    notes: tuple[str, ...] = () if n_items else (NO_PAIR,)
    if 0 < n_items < n_all:
        notes = (f"{n_all - n_items:,} of {n_all:,} items left out: {LACKS_ONE}",)
    found = part.measure("delta_accuracy", cells, columns, ratio, ((-1.0, 1.0), (1.0, 1.0)), notes, share)
    planned = part.cells[original[grid.group[part.cells]] >= 0]
    originals = original[grid.group[planned]]
    return replace(found, if_missing=cost_bounds(grid, planned, originals, _shares(grid.group[planned])))


def _rate(part: _Part, counts: IntArray) -> Measure:
    columns = np.column_stack([counts[part.cells], part.grid.rows[part.cells]]).astype(np.float64)
    whole = float(part.n_rows) / len(np.unique(part.grid.group[part.cells]))
    return part.measure("rate", part.cells, columns, ratio, ((0.0, whole), (whole, whole)), ())


def _excess(part: _Part, counts: IntArray, original: IntArray) -> Measure:
    """`rate` − the original's, both over the items that have both."""
    grid = part.grid
    cells = part.cells[original[grid.group[part.cells]] >= 0]
    base = original[grid.group[cells]]
    share = _shares(grid.group[cells])
    columns = np.column_stack(
        [counts[cells], grid.rows[cells], counts[base] * share, grid.rows[base] * share]
    ).astype(np.float64)
    whole, of_base = (
        float(one) / max(share.sum(), 1.0) for one in (columns[:, 1].sum(), columns[:, 3].sum())
    )
    ends = ((0.0, whole, of_base, of_base), (whole, whole, 0.0, of_base))
    notes = () if len(cells) else (NO_PAIR,)
    return part.measure("excess", cells, columns, _difference_of_rates, ends, notes, share)


def _difference_of_rates(sums: FloatArray) -> FloatArray:
    apart: FloatArray = sums[..., 0] / sums[..., 1] - sums[..., 2] / sums[..., 3]
    return apart


def _shares(group: IntArray) -> FloatArray:
    """For each cell: one part in as many as its item has cells."""
    place = numbered(group)
    shares: FloatArray = 1.0 / np.bincount(place)[place]
    return shares


def _parts(grid: Grid) -> Iterator[_Part]:
    """Each kind, then each change of a kind, of each task and model."""
    for by_change in (False, True):
        wanted = (grid.role == Role.WORDING) & ~grid.original & _named(grid.kinds)[grid.kind]
        if by_change:
            wanted &= _named(grid.changes)[grid.change]
        cells = np.flatnonzero(wanted)
        fine = grid.kind * len(grid.changes) + grid.change if by_change else grid.kind
        width = len(grid.kinds) * max(len(grid.changes), 1)
        part = _agents(grid)[grid.group[cells]] * width + fine[cells]
        if not len(part):
            continue
        order = np.argsort(part, kind="stable")
        starts = np.flatnonzero(np.r_[True, np.diff(part[order]) != 0])
        for start, stop in zip(starts, [*starts[1:], len(part)], strict=True):
            yield _Part(grid, cells[order[start:stop]], by_change)


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


def _originals(grid: Grid) -> IntArray:
    """The cell of each group's original; −1 where it has none."""
    found = np.full(grid.n_groups, -1)
    cells = np.flatnonzero(grid.original & (grid.role == Role.WORDING))
    found[grid.group[cells]] = cells
    return found
