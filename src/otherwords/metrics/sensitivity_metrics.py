"""Metrics over an item's wordings: S_prompt, S_norm, variance, gap, and whether all or any of k are right."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from math import comb
from typing import Literal

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.table import largest_variances
from otherwords.metrics.intervals import Combine, Scale
from otherwords.metrics.measures import (
    Bounds,
    Measure,
    check_ddof,
    lacks_scores,
    mean_over_groups,
    means_if_missing,
    one_minus_ratio,
)
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import FloatArray, IntArray
from otherwords.metrics.score_arrays import ScoreArrays

TOO_FEW = "fewer than two wordings with a score"
NONE_HAS_TWO = "no item has two wordings with a score"
K = 3
_CENTRES = np.linspace(0.0, 1.0, 41)
_BETWEEN = 0.0125
"""Half of what is between two of them."""


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
    spread = _mean_variance(arrays, ddof, combine=one_minus_ratio)
    return replace(spread, if_missing=_one_minus(_variance_bounds(arrays, ddof)))


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
    largest = largest_variances(arrays.variants)
    found = mean_over_groups(
        arrays,
        arrays.variance(ddof=1) / largest,
        arrays.variants >= 2,
        combine=one_minus_ratio,
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
        cells=variance_cells(arrays) / largest[arrays.group],
    )
    return replace(found, if_missing=_one_minus(_variance_bounds(arrays, as_share=True)))


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
    return replace(_mean_variance(arrays, ddof), if_missing=_variance_bounds(arrays, ddof))


def _mean_variance(arrays: ScoreArrays, ddof: int, combine: Combine | None = None) -> Measure:
    check_ddof(ddof)
    return mean_over_groups(
        arrays,
        arrays.variance(ddof),
        arrays.variants >= 2,
        combine=combine,
        reach=(0.0, _largest_of_any(arrays.variants, ddof)),
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
        cells=variance_cells(arrays, ddof),
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
    variance = arrays.variance(ddof)
    n = int(enters.sum())
    if 0 < n <= ddof:
        lone = mean_over_groups(arrays, variance, enters, nothing=NONE_HAS_TWO, left_out=TOO_FEW)
        return replace(lone, statistic=None).noting("the spread of items takes at least two items")
    apart = np.square(variance - variance[enters].mean()) if n else variance
    return mean_over_groups(
        arrays,
        apart * n / max(n - ddof, 1),
        enters,
        reach=(0.0, _largest_of_any(arrays.variants, ddof) ** 2),
        at_each_end=1,
        scale=Scale(_root, _square),
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


def _root(variance: float) -> float:
    return math.sqrt(max(variance, 0.0))


def _square(deviation: float) -> float:
    return deviation**2


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
    mean = mean_over_groups(
        arrays, arrays.gap, enters, nothing=NONE_HAS_TWO, left_out=TOO_FEW, cells=gap_cells(arrays)
    )
    if over_items == "mean":
        return mean
    gaps = arrays.gap[enters]
    notes = mean.notes
    if len(gaps):
        notes += ("no interval: other items say nothing of a largest value",)
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
    chance, cells = _all_of_k(arrays, arrays.correct, k)
    return _at_k(arrays, chance, cells, k)


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
    none, cells = _all_of_k(arrays, 1 - arrays.correct, k)
    return _at_k(arrays, 1 - none, 1 - cells, k)


def _at_k(arrays: ScoreArrays, chance: FloatArray, cells: FloatArray, k: int) -> Measure:
    found = mean_over_groups(
        arrays,
        chance,
        arrays.variants >= k,
        nothing=f"no item has {k} wordings with a score",
        left_out=f"fewer than {k} wordings with a score",
        cells=cells,
    )
    return found if found.statistic is None else found.noting(f"k = {k}")


def _all_of_k(arrays: ScoreArrays, chances: FloatArray, k: int) -> tuple[FloatArray, FloatArray]:
    """For each group: the mean, over all choices of k wordings, of the product of their chances.

    With chances of 0 and 1 it is C(c, k) / C(V, k). With repeats a wording's chance is its share of runs.
    Beside it what each cell says of it: its jackknife pseudo-value, which has the same mean.
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
    chance: FloatArray = np.clip(sums[k] / np.maximum(choices[arrays.variants], 1), 0.0, 1.0)
    # choices of the others, one wording fewer at a time
    others = np.ones(len(chances))
    for size in range(1, k):
        others = sums[size][arrays.group] - chances * others
    fewer = np.array([comb(max(v - 1, 0), k - 1) for v in range(most + 1)], dtype=float)
    with_it = chances * others / np.maximum(fewer[arrays.variants], 1)[arrays.group]
    n, whole = arrays.variants[arrays.group], chance[arrays.group]
    return chance, whole + (with_it - whole) * k * (n - 1) / np.maximum(n - k, 1)


def _layers(arrays: ScoreArrays) -> Iterator[tuple[IntArray, IntArray]]:
    """The first wording of every group, then the second of every group that has one, and so on."""
    starts = np.cumsum(arrays.variants) - arrays.variants
    for place in range(int(arrays.variants.max(initial=0))):
        groups = np.flatnonzero(arrays.variants > place)
        yield groups, starts[groups] + place


def variance_cells(arrays: ScoreArrays, ddof: int = 1) -> FloatArray:
    """What each wording says of its group's variance: its jackknife pseudo-value, which has the same mean."""
    n = arrays.variants[arrays.group]
    apart = np.square(arrays.mean - arrays.group_mean[arrays.group]) * n / np.maximum(n - ddof, 1)
    variance = arrays.variance(ddof)[arrays.group]
    cells: FloatArray = variance + (apart - variance) * (n - 1) / np.maximum(n - 2, 1)
    return cells


def gap_cells(arrays: ScoreArrays) -> FloatArray:
    """What each wording says of its group's gap: its jackknife pseudo-value, which has the same mean."""
    mean, group, variants = arrays.mean, arrays.group, arrays.variants
    order = np.lexsort((mean, group))
    ends = np.cumsum(variants)
    starts = ends - variants
    several = np.flatnonzero(variants >= 2)
    without = arrays.gap[group]
    low, next_low = order[starts[several]], order[starts[several] + 1]
    high, next_high = order[ends[several] - 1], order[ends[several] - 2]
    without[low] -= mean[next_low] - mean[low]
    without[high] -= mean[high] - mean[next_high]
    centre = arrays.sum_cells(without) / np.maximum(variants, 1)
    others = np.maximum(variants - 1, 0)[group]
    return arrays.gap[group] - others * (without - centre[group])


def _largest_of_any(variants: IntArray, ddof: int) -> float:
    """The largest variance that any of the items with two wordings or more could have had."""
    several = variants[variants >= 2]
    if not len(several):
        return 1.0
    largest = largest_variances(several)
    return float(np.max(largest if ddof else largest * (several - 1) / several))


def _variance_bounds(arrays: ScoreArrays, ddof: int = 1, *, as_share: bool = False) -> Bounds:
    """Of the mean variance over wordings; `as_share` of the largest that each item could have."""
    every = arrays.with_unscored
    lacks = lacks_scores(every)
    enters = every.variants >= 2
    if not lacks.any() or not enters.any():
        return None
    in_doubt = every.sum_cells(lacks) > 0
    known = np.where(in_doubt, 0.0, replace(every, mean=np.nan_to_num(every.mean)).squares)
    least, most = known.copy(), known.copy()
    cells = in_doubt[every.group]
    group, (low, high) = (
        every.group[cells],
        (one[cells] for one in means_if_missing(every.grid, every.chosen)),
    )
    smallest, largest = np.full(every.n_groups, np.inf), np.full(every.n_groups, np.inf)
    for centre in _CENTRES:
        # around no centre are the squares smaller than around their own mean
        far = np.maximum(np.abs(low - centre), np.abs(high - centre))
        near = np.maximum(np.maximum(low - centre, centre - high), 0.0)
        for squares, best in ((far, largest), (near, smallest)):
            np.minimum(best, np.bincount(group, weights=squares**2, minlength=every.n_groups), out=best)
    n = every.variants
    least[in_doubt] = np.maximum(np.sqrt(smallest) - np.sqrt(n) * _BETWEEN, 0.0)[in_doubt] ** 2
    most[in_doubt] = np.minimum(largest, largest_variances(n) * np.maximum(n - 1, 1))[in_doubt]
    divided = largest_variances(n) * (n - 1) if as_share else n - ddof
    shares = [one[enters] / divided[enters] for one in (least, most)]
    return float(shares[0].mean()), float(shares[1].mean())


def _one_minus(bounds: Bounds) -> Bounds:
    """Of one minus the value."""
    return None if bounds is None else (1 - bounds[1], 1 - bounds[0])
