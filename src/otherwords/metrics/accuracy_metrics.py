"""Metrics of how often scores are right, and how much is lost by rewording or under injected faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from otherwords.core.contract import ANSWERED, OUTCOMES, UNREADABLE
from otherwords.metrics.intervals import Combine, Scale
from otherwords.metrics.measures import (
    Bounds,
    Measure,
    lacks_scores,
    mean_over_groups,
    means_if_missing,
    ratio,
    sums_over_groups,
)
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray, Role
from otherwords.metrics.score_arrays import Grid, ScoreArrays

NO_PAIR = "no item has a score both for the original and for another wording"
LACKS_ONE = "no score for the original or for any other wording"
LOSS_TESTED_AT, ACCURACY_TESTED_AT = 0.7, 0.5
"""See `Statistic.tested_at`. Chosen in simulation: false alarms stay below 5%, under skew as well."""


@metric()
def accuracy(arrays: ScoreArrays) -> Measure:
    """Mean score over all wordings of all items, as Inspect computes it: every wording counts the same.

    Repeats of a wording are one score, by the reducer that its log names: their mean, if it names none.
    Read it first: a model that is always wrong is perfectly robust.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import accuracy
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b"], "variant": ["orig", "para1", "orig"], "score": [1.0, 0.0, 0.5]}
        ... )
        >>> accuracy(table).value
        0.5
    """
    scores, count = arrays.reduced
    found = _rate(
        arrays,
        scores,
        count,
        arrays.scored,
        nothing="no row has a score",
        left_out="no score",
        tested_at=ACCURACY_TESTED_AT,
    )
    return replace(found, if_missing=_accuracy_bounds(arrays))


@metric()
def accuracy_orig(arrays: ScoreArrays) -> Measure:
    """Mean score on the original wordings alone: what the benchmark itself would report.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import accuracy_orig
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b"], "variant": ["orig", "para1", "orig"], "score": [1.0, 0.0, 1.0]}
        ... )
        >>> accuracy_orig(table).value
        1.0
    """
    scores, count = (values * arrays.original for values in arrays.reduced)
    total, whole = arrays.sum_cells(scores), arrays.sum_cells(count)
    found = mean_over_groups(
        arrays,
        total / np.maximum(whole, 1),
        whole > 0,
        rows=arrays.sum_cells(arrays.repeats * arrays.original).astype(arrays.rows.dtype),
        out_of=arrays.orig_rows,
        nothing="no original wording has a score",
        left_out="no score for the original",
    )
    return replace(found, if_missing=_accuracy_bounds(arrays, of_original=True))


@metric()
def format_failure_rate(arrays: ScoreArrays) -> Measure:
    """Share of replies whose answer could not be read, whatever score they have: outcome `unreadable`.

    Errors, and rows without a score that hit a limit or were not run, are no replies: `outcome_rates` has
    the share of all runs.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import format_failure_rate
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "b"], "variant": "orig", "score": [1.0, None], "reason": [None, "format"]}
        ... )
        >>> format_failure_rate(table).value
        0.5
    """
    every = arrays.with_unscored
    failed, replied = every.runs_with(UNREADABLE), every.grid.replied[every.chosen].astype(np.float64)
    failed = np.minimum(failed, replied)
    return _rate(every, failed, replied, arrays.replied, nothing="no row has a reply", left_out="no reply")


@metric()
def outcome_rates(arrays: ScoreArrays) -> Iterator[Measure]:
    """Share of all planned runs with each outcome but `answered`, whatever their score.

    Planned are all rows of the table, also those that were never run or have no score.

    Returns:
        Estimates of `unreadable_rate`, `refused_rate`, `filtered_rate`, `truncated_rate`, `limit_rate`,
        `agent_error_rate`, `provider_error_rate` and `missing_rate`.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import outcome_rates
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "b"], "variant": "orig", "score": [1.0, 0.0], "outcome": ["answered", "refused"]}
        ... )
        >>> outcome_rates(table)["refused_rate"].value
        0.5
    """
    every = arrays.with_unscored
    planned = every.grid.rows[every.chosen].astype(np.float64)
    for outcome in OUTCOMES:
        if outcome != ANSWERED:
            yield _rate(
                every,
                every.runs_with(outcome),
                planned,
                arrays.rows,
                name=f"{outcome}_rate",
                nothing="no run was planned",
                left_out="no run was planned",
            )


@metric()
def delta_accuracy(arrays: ScoreArrays) -> Measure:
    """Mean over items of score(original) − mean score(other wordings); above 0, rewording costs accuracy.

    Gains and losses cancel: a model can flip on every item and have a delta of zero.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import delta_accuracy
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1", "para2"], "score": [1.0, 0.0, 1.0]})
        >>> delta_accuracy(table).value
        0.5
    """
    original, others, both = arrays.orig_and_rest(arrays.mean)
    found = mean_over_groups(
        arrays,
        original - others,
        both,
        difference=True,
        tested_at=LOSS_TESTED_AT,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        cells=original[arrays.group] - arrays.mean,
        of_cells=~arrays.original,
        against_original=True,
    )
    return replace(found, if_missing=_loss_bounds(arrays))


@metric(also=[{"clamp": True}])
def r_prompt(arrays: ScoreArrays, *, clamp: bool = False) -> Measure:
    """R_prompt: accuracy under other wordings ÷ accuracy on the original, on the same items.

    Args:
        arrays: The scores.
        clamp: HAL's min(·, 1), which hides that another wording does better; `r_prompt_hal` in `summarise`.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import r_prompt
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1", "para2"], "score": [0.5, 1.0, 1.0]})
        >>> r_prompt(table).value, r_prompt(table, clamp=True).value
        (2.0, 1.0)
    """
    return _share_of_original(
        arrays, _share, _UP_TO_ONE if clamp else None, name="r_prompt_hal" if clamp else ""
    )


@metric()
def pdr(arrays: ScoreArrays) -> Measure:
    """Performance drop rate, 1 − Σ score(variants) / Σ score(original); below 0 when rewording helps.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import pdr
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1", "para2"], "score": [1.0, 0.0, 1.0]})
        >>> pdr(table).value
        0.5
    """
    return _share_of_original(arrays, _lost_share)


@metric(by_kind=False, also=[{"clamp": True}])
def r_fault(arrays: ScoreArrays, *, clamp: bool = False) -> Measure:
    """R_fault: accuracy under faults (rows of kind `fault`) ÷ accuracy of the same items without.

    Args:
        arrays: The scores.
        clamp: HAL's min(·, 1); `r_fault_hal` in `summarise`.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import r_fault
        >>> table = pl.DataFrame(
        ...     {"id": "a", "variant": ["orig", "fault:slow"], "kind": ["orig", "fault"], "score": [1.0, 0.5]}
        ... )
        >>> r_fault(table).value
        0.5
    """
    view = arrays.with_faults
    return _relative(
        view,
        view.role != Role.FAULT,
        _share,
        _UP_TO_ONE if clamp else None,
        name="r_fault_hal" if clamp else "",
        nothing="no item has a score both under a fault and without",
        left_out="no score under a fault or none without",
        undefined="the scores without faults are 0, and nothing can be a share of that",
    )


def _rate(
    every: ScoreArrays,
    counted: FloatArray,
    out_of: FloatArray,
    rows: IntArray,
    *,
    nothing: str,
    left_out: str,
    name: str = "",
    tested_at: float = 1.0,
) -> Measure:
    """The share of runs, over all runs: an item with more of them counts for more."""
    whole = every.sum_cells(out_of)
    typical = float(whole.sum() / max(int((whole > 0).sum()), 1))
    return sums_over_groups(
        every,
        [every.sum_cells(counted), whole],
        ratio,
        whole > 0,
        name=name,
        rows=rows,
        nothing=nothing,
        left_out=left_out,
        ends=((0.0, typical), (typical, typical)),
        tested_at=tested_at,
        cells=(lambda: [counted, out_of]) if counted.any() else None,
    )


def _share_of_original(
    arrays: ScoreArrays, combine: Combine, scale: Scale | None = None, name: str = ""
) -> Measure:
    return _relative(
        arrays,
        arrays.original,
        combine,
        scale,
        name=name,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        undefined="the original wordings score 0, and nothing can be a share of that",
    )


def _relative(
    arrays: ScoreArrays,
    baseline: BoolArray,
    combine: Combine,
    scale: Scale | None,
    *,
    name: str,
    nothing: str,
    left_out: str,
    undefined: str,
) -> Measure:
    """`combine` gets the sums over items of the mean score elsewhere and of the mean score at baseline."""
    at_baseline, elsewhere, both = arrays.split(arrays.mean, baseline)

    def cells() -> list[FloatArray]:
        used = both[arrays.group] & ~baseline
        share = used / np.maximum(arrays.sum_cells(used), 1)[arrays.group]
        return [arrays.mean * share, at_baseline[arrays.group] * share, share]

    ends = ((0.0, 1.0, 1.0), (1.0, 0.0, 1.0))
    return sums_over_groups(
        arrays,
        [np.where(both, elsewhere, 0.0), np.where(both, at_baseline, 0.0), both],
        combine,
        both,
        name=name,
        nothing=nothing,
        left_out=left_out,
        undefined=undefined,
        ends=ends[::-1] if combine is _lost_share else ends,
        at_each_end=1,
        signed=True,
        scale=scale,
        cells=cells if np.array_equal(baseline, arrays.original) else None,
        against_original=True,
    )


def _share(sums: FloatArray) -> FloatArray:
    baseline = sums[..., 1]
    quotient: FloatArray = sums[..., 0] / np.where(baseline > 1e-12, baseline, np.nan)
    return quotient


def _at_most_one(share: float) -> float:
    return min(share, 1.0)


def _as_it_is(share: float) -> float:
    return share


_UP_TO_ONE = Scale(_at_most_one, _as_it_is)


def _lost_share(sums: FloatArray) -> FloatArray:
    return 1.0 - _share(sums)


def _accuracy_bounds(arrays: ScoreArrays, *, of_original: bool = False) -> Bounds:
    """Of accuracy over all wordings, or on the original alone."""
    every = arrays.with_unscored
    lacks = lacks_scores(every)
    used = every.original if of_original else np.ones(len(lacks), np.bool_)
    if not np.any(lacks[used]):
        return None
    least, most = means_if_missing(every.grid, every.chosen)
    reduced, by_rule = every.grid.reduced[every.chosen], every.grid.by_rule[every.chosen]
    # By another rule than the mean, what is missing may decide all of the wording's score.
    least = np.where(by_rule, np.where(lacks, 0.0, reduced), least)
    most = np.where(by_rule, np.where(lacks, 1.0, reduced), most)
    return float(least[used].mean()), float(most[used].mean())


def _loss_bounds(arrays: ScoreArrays) -> Bounds:
    """Of the loss by rewording: what is missing is right on one side, and wrong on the other."""
    every = arrays.with_unscored
    if not lacks_scores(every).any():
        return None
    (low_orig, low_rest, both), (high_orig, high_rest, _) = (
        every.orig_and_rest(one) for one in means_if_missing(every.grid, every.chosen)
    )
    if not both.any():
        return None
    return float((low_orig - high_rest)[both].mean()), float((high_orig - low_rest)[both].mean())


def cost_bounds(grid: Grid, cells: IntArray, originals: IntArray, share: FloatArray) -> Bounds:
    """Of what some cells lose against their originals, each cell counting as its share."""
    both = np.concatenate([cells, originals])
    if not np.any(grid.rows[both] > grid.scored[both]):
        return None
    (low, high), (low_orig, high_orig) = means_if_missing(grid, cells), means_if_missing(grid, originals)
    least, most = (float(np.average(one, weights=share)) for one in (low_orig - high, high_orig - low))
    return least, most
