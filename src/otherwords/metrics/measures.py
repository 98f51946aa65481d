"""`Measure`: a metric as sums over items; `estimates`: its interval, bounds by missing scores; p values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import (
    FEWEST_WORDINGS,
    LEVEL,
    RESAMPLES,
    Combine,
    Generalize,
    Interval,
    Scale,
    Side,
    Statistic,
    chance,
    check_generalize,
    intervals,
)
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray
from otherwords.metrics.score_arrays import Grid, ScoreArrays
from otherwords.metrics.significance import Cells, nonzero_rows

Made = TypeVar("Made")
Bounds: TypeAlias = tuple[float, float] | None
"""The least and the most that a value could be if each missing score were anything from 0 to 1, and each
missing answer any answer; None where none is missing. All but those of accuracy and loss may be too wide."""
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
    """Set only where there is no `statistic`: a number that other items say nothing about."""
    if_missing: Bounds = None
    shared_wordings: bool = False
    """Whether some of its wordings are shared by items, so that its interval speaks for both by default."""

    def noting(self, note: str) -> Measure:
        """The same with one more note, which becomes part of the estimate's reason."""
        return replace(self, notes=(*self.notes, note))

    def target(self, generalize: Generalize | None) -> tuple[Generalize, int]:
        """For whom its interval is to speak, as asked or by default, and from how many shared wordings on."""
        if generalize is not None:
            return generalize, 2
        return "both" if self.shared_wordings else "items", FEWEST_WORDINGS


def estimates(
    measures: Iterable[Measure],
    resamples: int = RESAMPLES,
    seed: int = 0,
    *,
    generalize: Generalize | None = None,
    level: float = LEVEL,
    tested: bool = False,
) -> list[Estimate]:
    """Each measure with its interval, which is what it would be alone; with `tested`, that of its test."""
    check_generalize(generalize)
    return [_estimate(one, resamples, seed, generalize, level, tested) for one in measures]


def _estimate(
    measure: Measure, resamples: int, seed: int, generalize: Generalize | None, level: float, tested: bool
) -> Estimate:
    value, interval, notes = measure.value, Interval(None, None), list(measure.notes)
    if measure.statistic is not None:
        value = measure.statistic.value
        if value is None:
            notes.append(measure.undefined)
        else:
            target, fewest = measure.target(generalize)
            (interval,) = intervals(
                [measure.statistic], resamples, seed, level, target, fewest, tested=tested
            )
            notes += [interval.reason] if interval.reason else []
    least, most = measure.if_missing if measure.if_missing and value is not None else (None, None)
    return Estimate(
        metric=measure.metric,
        group=measure.group,
        value=value,
        low=interval.low,
        high=interval.high,
        n_items=measure.n_items,
        n_rows=measure.n_rows,
        n_missing=measure.n_missing,
        method=interval.method,
        reason="; ".join(notes),
        generalizes=interval.generalizes,
        low_if_missing=least,
        high_if_missing=most,
    )


_MOST_CELLS = 200_000


def once(grid: Grid, key: Hashable, make: Callable[[], Made]) -> Made:
    """What `make` gives, worked out once for a grid: several metrics and outputs ask for the same.

    Not for a large one, where what is kept would be larger than the table.
    """
    if len(grid.rows) > _MOST_CELLS:
        return make()
    made: dict[Hashable, Any] = grid.__dict__.setdefault("_made", {})
    return cast(Made, made[key] if key in made else made.setdefault(key, make()))


def as_share(estimate: Estimate) -> Estimate:
    """An unbiased estimate of a share, cut to what a share can be; below 0 it is no effect."""
    reason = estimate.reason
    if estimate.value is not None and estimate.value < 0:
        reason = "; ".join(part for part in ("no effect of wording found", reason) if part)
    return replace(estimate.cut_to_share(), reason=reason)


def p_value(
    measure: Measure, at: float = 0.0, *, generalize: Generalize | None = None, side: Side = "two"
) -> float | None:
    """P of the hypothesis that the true value is `at`, by Student's t as the interval is.

    Args:
        measure: The measure.
        at: The value in question.
        generalize: For whom it is to speak; by the measure's wordings if not given.
        side: `two`; or `above` (a small p says that the truth is above `at`), or `below`.

    Returns:
        The p; None where there is no interval. The two-sided one is below 0.05 where a 95% interval does not
        hold `at`; for a signed difference, whose interval allows for items that were not seen, sooner.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.measures import p_value
        >>> from otherwords.metrics.metric_registry import measures_of
        >>> wordings = (("orig", 1.0), ("para1", 0.0))
        >>> rows = [(str(n), name, score) for n in range(30) for name, score in wordings]
        >>> table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
        >>> (loss,) = measures_of(table, metrics=["delta_accuracy"])
        >>> p_value(loss) < 0.001, p_value(loss, at=1.0) > 0.05
        (True, True)
    """
    if measure.statistic is None or measure.statistic.value is None:
        return None
    target, fewest = measure.target(generalize)
    return chance(measure.statistic, at, target, side, fewest)


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
    tested_at: float = 1.0,
    reach: tuple[float, float] | None = None,
    at_each_end: int | None = None,
    scale: Scale | None = None,
    rows: IntArray | None = None,
    out_of: IntArray | None = None,
    cells: FloatArray | None = None,
    of_cells: BoolArray | None = None,
    against_original: bool = False,
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
        tested_at: How far out pseudo-items are in a test of a difference, as a share; see `Statistic`.
        reach: The least and the most that `values` can be of one item; 0 and 1 (or −1 and 1) if not given.
        at_each_end: Pseudo-items at each end of `reach`; 2, or 1 for a difference, if not given.
        scale: A rising function from the mean to what is reported, and the way back.
        rows: The usable rows of each group; those with a score if not given.
        out_of: The rows of each group that could have been usable; all if not given.
        cells: Where `values` is a mean over wordings, what each wording of each group says. Without it the
            interval speaks for other items only.
        of_cells: Which cells that mean is over; all if not given.
        against_original: Whether those cells are wordings compared with the original, so that another
            original would have moved all of them.

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
    least, most = reach or ((-1.0 if difference else 0.0), 1.0)

    def by_cell() -> list[FloatArray]:
        assert cells is not None
        used = enters[arrays.group] if of_cells is None else of_cells & enters[arrays.group]
        share = used / np.maximum(arrays.sum_cells(used), 1)[arrays.group]
        return [np.where(used, cells, 0.0) * share, share]

    return sums_over_groups(
        arrays,
        [np.where(enters, values, 0.0), enters],
        combine or ratio,
        enters,
        nothing=nothing,
        left_out=left_out,
        name=name,
        ends=((least, 1.0), (most, 1.0)),
        at_each_end=at_each_end or (1 if difference else 2),
        signed=difference,
        tested_at=tested_at,
        scale=scale,
        rows=rows,
        out_of=out_of,
        cells=None if cells is None else by_cell,
        against_original=against_original,
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
    ends: tuple[Sequence[float], Sequence[float]] | None = None,
    at_each_end: int = 2,
    signed: bool = False,
    tested_at: float = 1.0,
    scale: Scale | None = None,
    rows: IntArray | None = None,
    out_of: IntArray | None = None,
    cells: Callable[[], Sequence[FloatArray]] | None = None,
    against_original: bool = False,
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
        ends: The columns of a group that makes the value as low, and of one that makes it as high, as can be:
            pseudo-items for the interval. Without them none are added.
        at_each_end: How many pseudo-items: 2 for a level, 1 for a signed difference or a variance component.
        signed: Whether it is a signed difference, with an interval that is corrected for skewness.
        tested_at: How far out pseudo-items are in a test of a difference, as a share; see `Statistic`.
        scale: A rising function from what `combine` gives to what is reported, and the way back.
        rows: The usable rows of each group; those with a score if not given.
        out_of: The rows of each group that could have been usable; all if not given.
        cells: Gives for each column a number for each cell; the cells of a group sum to its number. Without
            it the interval speaks for other items only.
        against_original: Whether the cells are compared with the original; the last column is then the share
            of each in its group.

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
        notes.append(f"{n_out:,} of {arrays.n_groups:,} {what} left out: {left_out}")
    if arrays.controls:
        notes.append(f"{arrays.controls:,} rows of negative controls are not part of it")
    if arrays.faults:
        notes.append(f"{arrays.faults:,} rows under faults are not part of it")
    n_items = _count_items(arrays, enters, n_groups)
    statistic = None
    if n_groups:
        # a pseudo-item is asked of as many models as a real one is
        at_ends = ends and tuple(np.array(row, dtype=np.float64) * (n_groups / n_items) for row in ends)
        statistic = Statistic(
            np.column_stack([arrays.sum_groups(column) for column in columns]),
            combine,
            (at_ends[0], at_ends[1]) if at_ends else None,
            at_each_end,
            signed,
            tested_at,
            scale,
            None if cells is None else lambda: _cells(arrays, cells(), against_original),
        )
    return Measure(
        metric=name,
        group=arrays.label,
        statistic=statistic,
        n_items=n_items,
        n_rows=int(used[enters].sum()),
        n_missing=int((wanted - used).sum()),
        notes=tuple(notes),
        undefined=undefined,
        shared_wordings=arrays.shared_wordings,
    )


def _cells(arrays: ScoreArrays, columns: Sequence[FloatArray], against_original: bool) -> Cells:
    stacked, item, wording = np.column_stack(columns), arrays.cluster[arrays.group], arrays.wording
    used = nonzero_rows(stacked)
    original = arrays.original
    if not used.all():
        stacked, item, wording, original = stacked[used], item[used], wording[used], original[used]
    shares = stacked[:, -1] if against_original else None
    return Cells(item, wording, stacked, shares, bool(np.any(original & (wording >= 0))))


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


def lacks_scores(every: ScoreArrays) -> BoolArray:
    """Which cells of arrays that hold the unscored ones too have runs without a score."""
    lacks: BoolArray = every.grid.rows[every.chosen] > every.repeats
    return lacks


def means_if_missing(grid: Grid, cells: IntArray) -> tuple[FloatArray, FloatArray]:
    """The mean of each cell if its runs without a score had all scored 0, or 1."""
    planned, scored = np.maximum(grid.rows[cells], 1), grid.scored[cells]
    total = np.where(scored > 0, grid.mean[cells], 0.0) * scored
    return total / planned, (total + planned - scored) / planned
