"""`Measure`, a metric of one group before its interval; how to make one; `estimates`, with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES, Combine, Statistic, intervals
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray
from otherwords.metrics.score_arrays import ScoreArrays

NO_ROWS = "the table has no rows to measure"


@dataclass(frozen=True)
class Measure:
    """A metric of one group of rows, without an interval yet."""

    metric: str
    """Its name; where it is empty, `@metric` puts the function's name."""
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
        """The same with one more note, which becomes part of the estimate's reason."""
        return replace(self, notes=(*self.notes, note))


def estimates(measures: Sequence[Measure], resamples: int = RESAMPLES, seed: int = 0) -> list[Estimate]:
    """Each measure with its interval. All are resampled together; each is what it would be alone."""
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


def _value(statistic: Statistic) -> float | None:
    with np.errstate(all="ignore"):
        value = float(statistic.combine(statistic.columns.sum(axis=0)[None, :])[0])
    return value if math.isfinite(value) else None


def mean_over_groups(
    arrays: ScoreArrays,
    values: FloatArray,
    enters: BoolArray,
    *,
    nothing: str,
    left_out: str,
    name: str = "",
    combine: Combine | None = None,
    difference: bool = False,
    reach: tuple[float, float] | None = None,
    rows: IntArray | None = None,
    out_of: IntArray | None = None,
) -> Measure:
    """The mean of `values` over the groups that enter, as a ratio of sums over items.

    Args:
        arrays: The scores that the metric was given.
        values: A number for each group (task, model, item).
        enters: Which groups have such a number.
        nothing: Why there is no value when no group enters.
        left_out: Why some groups do not enter.
        name: The metric's name where it is not that of the function under `@metric`.
        combine: A function of the sum of `values` and the number of groups; their ratio if not given.
        difference: Whether it is a signed difference, from −1 to 1.
        reach: What one item can make of it at least and at most; 0 and 1 (or −1 and 1) if not given.
        rows: The usable rows of each group; those with a score if not given.
        out_of: The rows of each group that could have been usable; all if not given.

    Returns:
        The measure, with the counts and notes that its estimate will have.

    Raises:
        ValueError: If `values` or `enters` do not have one entry for each group.

    Example:
        >>> from otherwords import METRICS, mean_over_groups, metric
        >>> @metric()
        ... def mean_gap(arrays):
        ...     "Mean over items of the best wording's score minus the worst's."
        ...     enters = arrays.variants >= 2
        ...     return mean_over_groups(arrays, arrays.gap, enters, nothing="no pair", left_out="one wording")
        >>> table = [("a", "orig", 1.0), ("a", "para1", 0.0), ("b", "orig", 1.0), ("b", "para1", 1.0)]
        >>> import polars as pl
        >>> mean_gap(pl.DataFrame(table, schema=["id", "variant", "score"], orient="row")).value
        0.5
        >>> METRICS.remove("mean_gap")
    """
    return sums_over_groups(
        arrays,
        [np.where(enters, values, 0.0), enters],
        combine or ratio,
        enters,
        nothing=nothing,
        left_out=left_out,
        name=name,
        difference=difference,
        reach=reach or ((-1.0 if difference else 0.0), 1.0),
        rows=rows,
        out_of=out_of,
    )


def sums_over_groups(
    arrays: ScoreArrays,
    columns: Sequence[npt.ArrayLike],
    combine: Combine,
    enters: BoolArray,
    *,
    nothing: str,
    left_out: str,
    name: str = "",
    undefined: str = "not defined for these rows",
    difference: bool = False,
    reach: tuple[float, float] | None = None,
    rows: IntArray | None = None,
    out_of: IntArray | None = None,
) -> Measure:
    """Any smooth function `combine` of sums over groups; see `mean_over_groups` for the other arguments.

    Args:
        arrays: The scores that the metric was given.
        columns: What is summed: arrays with a number for each group, zero where a group does not enter.
        combine: From the sums (in the last axis, in the order of `columns`) to the value; NaN: not defined.
        enters: Which groups are counted.
        nothing: Why there is no value when no group enters.
        left_out: Why some groups do not enter.
        name: The metric's name where it is not that of the function under `@metric`.
        undefined: Why `combine` may have no value although groups enter.
        difference: Whether it is a signed difference.
        reach: Of a mean over items, the least and the most that one item can say.
        rows: The usable rows of each group; those with a score if not given.
        out_of: The rows of each group that could have been usable; all if not given.

    Returns:
        The measure, with the counts and notes that its estimate will have.
    """
    used = arrays.scored if rows is None else rows
    wanted = arrays.rows if out_of is None else out_of
    n_groups, n_out = int(enters.sum()), int((~enters).sum())
    notes = []
    if not arrays.grid.n_groups:
        notes.append(NO_ROWS)
    elif not n_groups:
        notes.append(nothing)
    elif n_out:
        what = "items" if len(arrays.models) == 1 else "items (each model's counted)"
        notes.append(f"{n_out} of {arrays.n_groups} {what} left out: {left_out}")
    if arrays.controls:
        notes.append(f"{arrays.controls} rows of negative controls are not part of it")
    if arrays.faults:
        notes.append(f"{arrays.faults} rows under faults are not part of it")
    sums = [arrays.sum_groups(column) for column in columns]
    return Measure(
        metric=name,
        group=arrays.label,
        statistic=Statistic(np.column_stack(sums), combine, difference, reach=reach) if n_groups else None,
        n_items=_count_items(arrays, enters, n_groups),
        n_rows=int(used[enters].sum()),
        n_missing=int((wanted - used).sum()),
        notes=tuple(notes),
        undefined=undefined,
    )


def _count_items(arrays: ScoreArrays, enters: BoolArray, n_groups: int) -> int:
    one_model = arrays.n_groups == arrays.n_clusters
    return n_groups if one_model else len(np.unique(arrays.cluster[enters]))


def ratio(sums: FloatArray) -> FloatArray:
    """The first sum divided by the second."""
    quotient: FloatArray = sums[..., 0] / sums[..., 1]
    return quotient


def one_minus_ratio(sums: FloatArray) -> FloatArray:
    """One minus the first sum divided by the second."""
    return 1.0 - ratio(sums)


def check_ddof(ddof: int) -> None:
    """Refuse other degrees of freedom than 0 (population variance) and 1 (sample variance)."""
    if ddof not in (0, 1):
        raise InputError(f"ddof must be 0 or 1, got {ddof}")
