"""What a metric says of some cells before its interval, and how that becomes an `Estimate`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from otherwords.core.errors import InputError
from otherwords.core.registry import Registry
from otherwords.core.types import Estimate
from otherwords.metrics.answers import BoolArray, IntArray
from otherwords.metrics.bootstrap import RESAMPLES, Combine, FloatArray, Statistic, intervals
from otherwords.metrics.cells import Cells


@dataclass(frozen=True)
class Measure:
    metric: str
    group: str
    statistic: Statistic | None
    n_items: int
    n_rows: int
    n_missing: int
    notes: tuple[str, ...] = ()
    undefined: str = "not defined for these rows"
    """Why the statistic may have no value although items enter."""
    value: float | None = None
    """Set only where there is no `statistic`: a number that resampling items says nothing about."""

    def noting(self, note: str) -> Measure:
        return replace(self, notes=(*self.notes, note))


@dataclass(frozen=True)
class Metric:
    """A function of the table. With `measures` it is also part of `summarise`, where all share one pass."""

    function: Callable[..., Any]
    measures: Callable[[Cells], Iterable[Measure]] | None = None
    by_kind: bool = True
    """Whether it says something of one kind of wording with its original."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


METRICS: Registry[Metric] = Registry("metric", "otherwords.metrics")


def estimates(measures: Sequence[Measure], resamples: int = RESAMPLES, seed: int = 0) -> list[Estimate]:
    """All intervals together; each is what it would be alone."""
    with_interval = [measure.statistic for measure in measures if measure.statistic is not None]
    drawn = iter(intervals(with_interval, resamples, seed))
    result = []
    for measure in measures:
        value, low, high, method, notes = measure.value, None, None, "", list(measure.notes)
        if measure.statistic is not None:
            interval = next(drawn)
            value = _value(measure.statistic)
            if value is not None:
                low, high, method = interval.low, interval.high, interval.method
                notes += [interval.reason] if interval.reason else []
            else:
                notes.append(measure.undefined)
        result.append(
            Estimate(
                metric=measure.metric,
                group=measure.group,
                value=value,
                low=low,
                high=high,
                n_items=measure.n_items,
                n_rows=measure.n_rows,
                n_missing=measure.n_missing,
                method=method,
                reason="; ".join(notes),
            )
        )
    return result


def estimate(measure: Measure, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    return estimates([measure], resamples, seed)[0]


def mean_over_groups(
    metric: str,
    cells: Cells,
    values: FloatArray,
    enters: BoolArray,
    *,
    combine: Combine | None = None,
    difference: bool = False,
    reach: tuple[float, float] | None = None,
    rows: IntArray | None = None,
    out_of: IntArray | None = None,
    nothing: str,
    left_out: str,
) -> Measure:
    """The mean of `values` over the groups that enter, as a ratio of sums over items.

    `nothing` says why there is no value when none enters, `left_out` why some groups do not. `reach` is what
    one item can make of it, if not anything from 0 to 1, or from −1 to 1 for a difference.
    """
    return sums_over_groups(
        metric,
        cells,
        [np.where(enters, values, 0.0), enters],
        combine or ratio,
        enters,
        difference=difference,
        reach=reach or ((-1.0 if difference else 0.0), 1.0),
        rows=rows,
        out_of=out_of,
        nothing=nothing,
        left_out=left_out,
    )


def sums_over_groups(
    metric: str,
    cells: Cells,
    columns: Sequence[npt.ArrayLike],
    combine: Combine,
    enters: BoolArray,
    *,
    difference: bool = False,
    reach: tuple[float, float] | None = None,
    rows: IntArray | None = None,
    out_of: IntArray | None = None,
    nothing: str,
    left_out: str,
    undefined: str = "not defined for these rows",
) -> Measure:
    """Any smooth function of sums over groups. `columns` are zero where a group does not enter.

    `rows` are the usable rows of each group and `out_of` those that could have been: scored, of all.
    """
    used = cells.scored if rows is None else rows
    wanted = cells.rows if out_of is None else out_of
    n_groups, n_out = int(enters.sum()), int((~enters).sum())
    notes = []
    if not cells.grid.n_groups:
        notes.append("the table has no rows to measure")
    elif not n_groups:
        notes.append(nothing)
    elif n_out:
        what = "items" if len(cells.models) == 1 else "items (each model's counted)"
        notes.append(f"{n_out} of {cells.n_groups} {what} left out: {left_out}")
    if cells.controls:
        notes.append(f"{cells.controls} rows of negative controls are not part of it")
    if cells.faults:
        notes.append(f"{cells.faults} rows under faults are not part of it")
    sums = [cells.sum_groups(column) for column in columns]
    return Measure(
        metric=metric,
        group=cells.label,
        statistic=Statistic(np.column_stack(sums), combine, difference, reach=reach) if n_groups else None,
        n_items=_count_items(cells, enters, n_groups),
        n_rows=int(used[enters].sum()),
        n_missing=int((wanted - used).sum()),
        notes=tuple(notes),
        undefined=undefined,
    )


def _count_items(cells: Cells, enters: BoolArray, n_groups: int) -> int:
    one_model = cells.n_groups == cells.n_clusters
    return n_groups if one_model else len(np.unique(cells.cluster[enters]))


def ratio(sums: FloatArray) -> FloatArray:
    quotient: FloatArray = sums[..., 0] / sums[..., 1]
    return quotient


def one_minus_ratio(sums: FloatArray) -> FloatArray:
    return 1.0 - ratio(sums)


def check_ddof(ddof: int) -> None:
    if ddof not in (0, 1):
        raise InputError(f"ddof must be 0 or 1, got {ddof}")


def _value(statistic: Statistic) -> float | None:
    with np.errstate(all="ignore"):
        value = float(statistic.combine(statistic.columns.sum(axis=0)[None, :])[0])
    return value if math.isfinite(value) else None
