"""Metrics over an item's wordings: S_prompt, S_norm, variance, gap, and whether all or any of k are right."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Literal

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.score_variance import largest_variance
from otherwords.metrics.measures import (
    Measure,
    check_ddof,
    mean_over_groups,
    one_minus_ratio,
    sums_over_groups,
)
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import FloatArray, IntArray
from otherwords.metrics.score_arrays import ScoreArrays

TOO_FEW = "fewer than two wordings with a score"
NONE_HAS_TWO = "no item has two wordings with a score"
K = 3


@metric()
def s_prompt(arrays: ScoreArrays, *, ddof: int = 1) -> Measure:
    """S_prompt: 1 − mean over items of the variance of scores over wordings.

    It cannot reach 0 (with right-or-wrong scores and five wordings, 0.7 is the lowest): see `s_norm`.

    Args:
        arrays: The scores.
        ddof: 1 for the sample variance, 0 for the population variance that some tools report.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import s_prompt
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> s_prompt(table).value, s_prompt(table, ddof=0).value
        (0.5, 0.75)
    """
    check_ddof(ddof)
    return mean_over_groups(
        arrays,
        arrays.variance(ddof),
        arrays.variants >= 2,
        combine=one_minus_ratio,
        reach=(1 - _largest_of_any(arrays.variants, ddof), 1.0),
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


@metric()
def s_norm(arrays: ScoreArrays) -> Measure:
    """S_norm: S_prompt on the scale that scores can reach, 1 − mean over items of variance / M(V).

    M(V) is the largest variance that V scores in [0, 1] can have. 0 is as sensitive as can be, 1 not at all.
    The ddof cancels, so there is none to choose.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import s_norm
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> s_norm(table).value
        0.0
    """
    return mean_over_groups(
        arrays,
        arrays.variance(ddof=1) / largest_variances(arrays.variants),
        arrays.variants >= 2,
        combine=one_minus_ratio,
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


@metric()
def mean_variance(arrays: ScoreArrays, *, ddof: int = 1) -> Measure:
    """Mean over items of the variance of scores over wordings, as HAL's files have it: 1 − S_prompt.

    Args:
        arrays: The scores.
        ddof: 1 for the sample variance, 0 for the population variance.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import mean_variance
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> mean_variance(table).value
        0.5
    """
    check_ddof(ddof)
    return mean_over_groups(
        arrays,
        arrays.variance(ddof),
        arrays.variants >= 2,
        reach=(0.0, _largest_of_any(arrays.variants, ddof)),
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


@metric()
def std_variance(arrays: ScoreArrays, *, ddof: int = 1) -> Measure:
    """Standard deviation over items of the variance over wordings, as HAL's files have it.

    Args:
        arrays: The scores.
        ddof: Of both: 1 for the sample, 0 for the population.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import std_variance
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b", "b"], "variant": ["orig", "para1"] * 2, "score": [1.0, 0.0, 1.0, 1.0]}
        ... )
        >>> round(std_variance(table).value, 4)
        0.3536
    """
    check_ddof(ddof)
    enters = arrays.variants >= 2
    variance = np.where(enters, arrays.variance(ddof), 0.0)

    def spread(sums: FloatArray) -> FloatArray:
        total, squares, n = sums[..., 0], sums[..., 1], sums[..., 2]
        left = np.where(n > ddof, n - ddof, np.nan)
        found: FloatArray = np.sqrt(np.maximum(squares - total**2 / n, 0.0) / left)
        return found

    return sums_over_groups(
        arrays,
        [variance, variance**2, enters],
        spread,
        enters,
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
        undefined="the spread of items takes at least two items",
    )


@metric(also=[{"over_items": "max"}])
def min_max_gap(arrays: ScoreArrays, *, over_items: Literal["mean", "max"] = "mean") -> Measure:
    """Score of the best wording minus that of the worst, averaged over items.

    It can only grow with more wordings: compare it at the same number of them.

    Args:
        arrays: The scores.
        over_items: `max` for the largest gap of any item, without interval; `min_max_gap_max` in `summarise`.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import min_max_gap
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b", "b"], "variant": ["orig", "para1"] * 2, "score": [1.0, 0.0, 1.0, 1.0]}
        ... )
        >>> min_max_gap(table).value, min_max_gap(table, over_items="max").value
        (0.5, 1.0)
    """
    if over_items not in ("mean", "max"):
        raise InputError(f"over_items must be 'mean' or 'max', got '{over_items}'")
    enters = arrays.variants >= 2
    mean = mean_over_groups(arrays, arrays.gap, enters, nothing=NONE_HAS_TWO, left_out=TOO_FEW)
    if over_items == "mean":
        return mean
    gaps = arrays.gap[enters]
    notes = mean.notes
    if len(gaps):
        notes += ("no interval: resampling items says nothing of a largest value",)
    return Measure(
        metric="min_max_gap_max",
        group=mean.group,
        statistic=None,
        n_items=mean.n_items,
        n_rows=mean.n_rows,
        n_missing=mean.n_missing,
        notes=notes,
        value=float(np.max(gaps)) if len(gaps) else None,
    )


@metric()
def robust_at_k(arrays: ScoreArrays, *, k: int = K) -> Measure:
    """Chance that k wordings of an item, drawn at random, are all answered rightly: C(c, k) / C(V, k).

    c of the V wordings are right; unlike a raw minimum it does not fall with every wording tried.

    Args:
        arrays: The scores.
        k: How many wordings are drawn.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import robust_at_k
        >>> table = pl.DataFrame(
        ...     {"id": "a", "variant": ["orig", "para1", "para2", "para3"], "score": [1.0, 1.0, 1.0, 0.0]}
        ... )
        >>> robust_at_k(table, k=2).value
        0.5
    """
    return _at_k(arrays, _all_of_k(arrays, arrays.correct, k), k)


@metric()
def best_at_k(arrays: ScoreArrays, *, k: int = K) -> Measure:
    """Chance that at least one of k wordings drawn at random is right: 1 − C(V − c, k) / C(V, k).

    Args:
        arrays: The scores.
        k: How many wordings are drawn.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import best_at_k
        >>> table = pl.DataFrame(
        ...     {"id": "a", "variant": ["orig", "para1", "para2", "para3"], "score": [1.0, 0.0, 0.0, 0.0]}
        ... )
        >>> best_at_k(table, k=2).value
        0.5
    """
    return _at_k(arrays, 1 - _all_of_k(arrays, 1 - arrays.correct, k), k)


def _at_k(arrays: ScoreArrays, chance: FloatArray, k: int) -> Measure:
    found = mean_over_groups(
        arrays,
        chance,
        arrays.variants >= k,
        nothing=f"no item has {k} wordings with a score",
        left_out=f"fewer than {k} wordings with a score",
    )
    return found if found.statistic is None else found.noting(f"k = {k}")


def _all_of_k(arrays: ScoreArrays, chances: FloatArray, k: int) -> FloatArray:
    """For each group: the mean, over all choices of k wordings, of the product of their chances.

    With chances of 0 and 1 it is C(c, k) / C(V, k). With repeats a wording's chance is its share of runs.
    """
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    sums = np.zeros((k + 1, arrays.n_groups))
    sums[0] = 1.0
    for groups, places in _layers(arrays):
        # each wording either adds itself to a choice of one fewer, or stays out
        sums[1:, groups] += sums[:-1, groups] * chances[places]
    most = int(arrays.variants.max(initial=0))
    choices = np.array([comb(v, k) for v in range(most + 1)], dtype=float)
    chance: FloatArray = sums[k] / np.maximum(choices[arrays.variants], 1)
    return np.clip(chance, 0.0, 1.0)


def _layers(arrays: ScoreArrays) -> Iterator[tuple[IntArray, IntArray]]:
    """The first wording of every group, then the second of every group that has one, and so on."""
    starts = np.cumsum(arrays.variants) - arrays.variants
    for place in range(int(arrays.variants.max(initial=0))):
        groups = np.flatnonzero(arrays.variants > place)
        yield groups, starts[groups] + place


def largest_variances(variants: IntArray) -> FloatArray:
    """M(V): the largest variance (ddof=1) that V scores in [0, 1] can have; 1 where V < 2, to divide by."""
    most = int(variants.max(initial=0))
    by_number = np.array([1.0, 1.0, *(largest_variance(number) for number in range(2, most + 1))])
    largest: FloatArray = by_number[variants]
    return largest


def _largest_of_any(variants: IntArray, ddof: int) -> float:
    """The largest variance that any of the items with two wordings or more could have had."""
    several = variants[variants >= 2]
    if not len(several):
        return 1.0
    largest = largest_variances(several)
    return float(np.max(largest if ddof else largest * (several - 1) / several))
