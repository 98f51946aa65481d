"""Metrics of how often scores are right, and how much is lost by rewording or under injected faults."""

from __future__ import annotations

import numpy as np

from otherwords.metrics.bootstrap import Combine
from otherwords.metrics.measures import Measure, mean_over_groups, ratio, sums_over_groups
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, Role
from otherwords.metrics.score_arrays import ScoreArrays

NO_PAIR = "no item has a score both for the original and for another wording"
LACKS_ONE = "no score for the original or for any other wording"


@metric()
def accuracy(arrays: ScoreArrays) -> Measure:
    """Mean score over all wordings; every wording of an item, and every item, counts the same.

    Read it first: a model that is always wrong is perfectly robust.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import accuracy
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b"], "variant": ["orig", "para1", "orig"], "score": [1.0, 0.0, 1.0]}
        ... )
        >>> accuracy(table).value
        0.75
    """
    return mean_over_groups(
        arrays, arrays.group_mean, arrays.variants >= 1, nothing="no row has a score", left_out="no score"
    )


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
    return mean_over_groups(
        arrays,
        arrays.sum_cells(arrays.mean * arrays.original),
        arrays.sum_cells(arrays.original) > 0,
        rows=arrays.sum_cells(arrays.repeats * arrays.original).astype(arrays.rows.dtype),
        out_of=arrays.orig_rows,
        nothing="no original wording has a score",
        left_out="no score for the original",
    )


@metric()
def format_failure_rate(arrays: ScoreArrays) -> Measure:
    """Share of replies whose answer could not be read: unscored rows with the reason `format`.

    Errors, limits and missing rows are no replies.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import format_failure_rate
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "b"], "variant": "orig", "score": [1.0, None], "reason": [None, "format"]}
        ... )
        >>> format_failure_rate(table).value
        0.5
    """
    return sums_over_groups(
        arrays,
        [arrays.format_failed, arrays.replied],
        ratio,
        arrays.replied > 0,
        rows=arrays.replied,
        nothing="no row has a reply",
        left_out="no reply",
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
    return mean_over_groups(
        arrays, original - others, both, difference=True, nothing=NO_PAIR, left_out=LACKS_ONE
    )


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
        arrays, _share_up_to_one if clamp else _share, name="r_prompt_hal" if clamp else ""
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
        _share_up_to_one if clamp else _share,
        name="r_fault_hal" if clamp else "",
        nothing="no item has a score both under a fault and without",
        left_out="no score under a fault or none without",
        undefined="the scores without faults are 0, and nothing can be a share of that",
    )


def _share_of_original(arrays: ScoreArrays, combine: Combine, name: str = "") -> Measure:
    return _relative(
        arrays,
        arrays.original,
        combine,
        name=name,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        undefined="the original wordings score 0, and nothing can be a share of that",
    )


def _relative(
    arrays: ScoreArrays,
    baseline: BoolArray,
    combine: Combine,
    *,
    name: str,
    nothing: str,
    left_out: str,
    undefined: str,
) -> Measure:
    """`combine` gets the sums over items of the mean score elsewhere and of the mean score at baseline."""
    at_baseline, elsewhere, both = arrays.split(arrays.mean, baseline)
    return sums_over_groups(
        arrays,
        [np.where(both, elsewhere, 0.0), np.where(both, at_baseline, 0.0), both],
        combine,
        both,
        name=name,
        nothing=nothing,
        left_out=left_out,
        undefined=undefined,
    )


def _share(sums: FloatArray) -> FloatArray:
    baseline = sums[..., 1]
    quotient: FloatArray = sums[..., 0] / np.where(baseline > 1e-12, baseline, np.nan)
    return quotient


def _share_up_to_one(sums: FloatArray) -> FloatArray:
    return np.minimum(_share(sums), 1.0)


def _lost_share(sums: FloatArray) -> FloatArray:
    return 1.0 - _share(sums)
