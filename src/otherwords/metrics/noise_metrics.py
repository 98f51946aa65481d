"""Metrics from repeats of one prompt: variance components, `s_corrected` (S_prompt without noise), `c_out`.

With one repeat, a model that answers at random and ignores the wording looks sensitive to it. Repeats of the
same wording show how much scores vary by themselves; what is left is the wording's effect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from otherwords.core.table import largest_variances
from otherwords.metrics.intervals import Combine
from otherwords.metrics.measures import Measure, check_ddof, mean_over_groups, ratio, sums_over_groups
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import BoolArray, FloatArray
from otherwords.metrics.score_arrays import ScoreArrays
from otherwords.metrics.sensitivity_metrics import NONE_HAS_TWO, TOO_FEW, variance_cells

ONE_REPEAT = "not identifiable with one repeat; rerun with --repeats 3"
NO_REPEATS = "no wording was run twice; rerun with --repeats 3"
NO_TWO_REPEATS = "no wording with two repeats"


@metric()
def variance_components(arrays: ScoreArrays) -> Iterator[Measure]:
    """The variance of scores, split into items, wordings and run-to-run noise.

    Unbiased, so that a small component may come out below zero, which means "about none".

    Returns:
        Estimates of `item` (variance between items), `phrasing` (between wordings of an item, beyond noise),
        `noise` (between repeats of a wording) and `phrasing_share`, phrasing / (phrasing + noise).

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import variance_components
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a"] * 4 + ["b"] * 4,
        ...         "variant": ["orig", "orig", "para1", "para1"] * 2,
        ...         "repeat": [1, 2] * 4,
        ...         "score": [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0],
        ...     }
        ... )
        >>> parts = variance_components(table)
        >>> parts["noise"].value, parts["phrasing"].value
        (0.25, 0.125)
    """
    yield item_variance(arrays)
    yield _beyond_noise(arrays, _phrasing, "phrasing")
    yield _beyond_noise(arrays, _phrasing_share, "phrasing_share")
    noise, n_noise = _noise(arrays)
    repeated = arrays.repeats >= 2
    wordings = _typical(n_noise)
    yield sums_over_groups(
        arrays,
        [noise, n_noise],
        ratio,
        n_noise > 0,
        name="noise",
        nothing=ONE_REPEAT,
        left_out=NO_TWO_REPEATS,
        ends=((0.0, wordings), (_largest_noise(arrays) * wordings, wordings)),
        cells=lambda: [np.where(repeated, arrays.noise, 0.0), repeated.astype(np.float64)],
    )


@metric()
def s_corrected(arrays: ScoreArrays) -> Measure:
    """S_prompt corrected for sampling variance: 1 − the phrasing component of the variance.

    Needs repeats. Unbiased, so that with no effect of wording it scatters around 1, above it too.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import s_corrected
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": "a",
        ...         "variant": ["orig", "orig", "para1", "para1"],
        ...         "repeat": [1, 2] * 2,
        ...         "score": [1.0, 1.0, 0.0, 0.0],
        ...     }
        ... )
        >>> s_corrected(table).value
        0.5
    """
    return _beyond_noise(arrays, _one_minus_phrasing)


@metric(also=[{"ddof": 1}])
def c_out(arrays: ScoreArrays, *, ddof: int = 0) -> Measure:
    """C_out, repeatability: whether the same prompt, asked again, has the same outcome.

    Mean over items of (2p − 1)², p the share of right outcomes over repeats of one wording.

    Args:
        arrays: The scores.
        ddof: 0 is the definition, which reads too high with few repeats: a fair coin tossed twice has ½. 1
            corrects it (`c_out_unbiased` in `summarise`); a single item may then come out below zero.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import c_out
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a", "a", "b", "b"],
        ...         "variant": "orig",
        ...         "repeat": [1, 2] * 2,
        ...         "score": [1.0, 0.0, 1.0, 1.0],
        ...     }
        ... )
        >>> c_out(table).value, c_out(table, ddof=1).value
        (0.5, 0.0)
    """
    check_ddof(ddof)
    values, enters = repeatability(arrays, ddof)
    rows = arrays.sum_cells(np.where(arrays.repeats >= 2, arrays.repeats, 0)).astype(np.int64)
    return mean_over_groups(
        arrays,
        values,
        enters,
        name="c_out_unbiased" if ddof else "",
        rows=rows,
        out_of=rows + arrays.rows - arrays.scored,
        nothing=NO_REPEATS,
        left_out=NO_TWO_REPEATS,
        reach=(1 - 4 * _largest_noise(arrays) if ddof else 0.0, 1.0),
        cells=_repeatability(arrays, ddof),
        of_cells=arrays.repeats >= 2,
    )


def repeatability(arrays: ScoreArrays, ddof: int = 0) -> tuple[FloatArray, BoolArray]:
    """Each group's C_out, the mean over its repeated wordings, and whether it has any."""
    n_repeated = arrays.sum_cells(arrays.repeats >= 2)
    consistency = arrays.sum_cells(_repeatability(arrays, ddof)) / np.maximum(n_repeated, 1)
    return consistency, n_repeated > 0


def _repeatability(arrays: ScoreArrays, ddof: int) -> FloatArray:
    """Of each cell; 0 where it has one repeat."""
    spread = arrays.correct * (1 - arrays.correct)
    if ddof:
        spread = spread * arrays.repeats / np.maximum(arrays.repeats - ddof, 1)
    return np.where(arrays.repeats >= 2, 1 - 4 * spread, 0.0)


def _noise(arrays: ScoreArrays) -> tuple[FloatArray, FloatArray]:
    """For each group: the sum of the variances over repeats, and of how many wordings."""
    repeated = arrays.repeats >= 2
    return arrays.sum_cells(np.where(repeated, arrays.noise, 0.0)), arrays.sum_cells(repeated)


def _beyond_noise(arrays: ScoreArrays, combine: Combine, name: str = "") -> Measure:
    """`combine` of the sums that the phrasing component is made of."""
    two_wordings = arrays.variants >= 2
    repeated = arrays.repeats >= 2
    n_wordings = np.maximum(arrays.variants, 1)
    # a cell's own noise in its mean; a cell run once borrows the mean noise of the others
    of_cell = np.where(repeated, arrays.noise / arrays.repeats, 0.0)
    own = arrays.sum_cells(of_cell) / n_wordings
    borrowed = arrays.sum_cells(~repeated) / n_wordings
    never_repeated = arrays.n_groups > 0 and not repeated.any()
    noise, n_noise = _noise(arrays)
    columns = [
        np.where(two_wordings, arrays.variance() - own, 0.0),
        np.where(two_wordings, borrowed, 0.0),
        two_wordings,
        noise,
        n_noise,
    ]

    def cells() -> list[FloatArray]:
        share = (two_wordings / n_wordings)[arrays.group]
        says = variance_cells(arrays) - of_cell
        noises = np.where(repeated, arrays.noise, 0.0)
        return [says * share, ~repeated * share, share, noises, repeated.astype(np.float64)]

    most_noise, wordings = _largest_noise(arrays), _typical(n_noise)
    by_noise = most_noise / max(float(arrays.repeats[repeated].min(initial=2)), 2.0)
    most = float(largest_variances(arrays.variants)[two_wordings].max(initial=0.0))
    # a share is already between its ends where few items vary; pseudo-items of half the size are enough
    size = 0.5 if combine is _phrasing_share else 1.0
    return sums_over_groups(
        arrays,
        columns,
        combine,
        two_wordings & (not never_repeated),
        name=name,
        nothing=ONE_REPEAT if never_repeated else NONE_HAS_TWO,
        left_out=TOO_FEW,
        undefined="neither phrasing nor noise is above zero, so there is nothing to share",
        ends=(
            (-by_noise * size, 0.0, 1.0, most_noise * wordings * size, wordings),
            (most * size, 0.0, 1.0, 0.0, wordings),
        ),
        at_each_end=1,
        cells=cells,
    )


def item_variance(arrays: ScoreArrays) -> Measure:
    """The variance of items' means, less what the variance of their wordings brings into it."""
    enters = arrays.variants >= 2
    mean, n = arrays.group_mean, int(enters.sum())
    centre = float(mean[enters].mean()) if n else 0.0
    apart = np.square(mean - centre) * n / max(n - 1, 1)
    found = mean_over_groups(
        arrays,
        apart - arrays.variance() / np.maximum(arrays.variants, 1),
        enters,
        name="item",
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
        reach=(0.0, max(centre, 1 - centre) ** 2),
        at_each_end=1,
    )
    if n == 1:
        return replace(found, statistic=None).noting("the spread of items takes at least two items")
    if found.statistic is None:
        return found
    # the mean that items are apart from is itself uncertain, by their variance divided by their number
    of_mean = float(np.var(mean[enters], ddof=1)) / n
    return replace(found, statistic=replace(found.statistic, second_order=2 * of_mean**2))


def _typical(counts: FloatArray) -> float:
    """The mean of the counts that are not zero; 1 where there are none."""
    entering = counts[counts > 0]
    return float(entering.mean()) if len(entering) else 1.0


def _largest_noise(arrays: ScoreArrays) -> float:
    """The largest variance over repeats that a wording could have had."""
    repeats = arrays.repeats[arrays.repeats >= 2]
    return float(largest_variances(repeats).max(initial=0.0)) if len(repeats) else 0.5


def _phrasing(sums: FloatArray) -> FloatArray:
    corrected, borrowed, n, noise, n_noise = (sums[..., place] for place in range(5))
    not_seen = np.where(borrowed > 0, borrowed * noise / n_noise, 0.0)
    phrasing: FloatArray = (corrected - not_seen) / n
    return phrasing


def _one_minus_phrasing(sums: FloatArray) -> FloatArray:
    return 1.0 - _phrasing(sums)


def _phrasing_share(sums: FloatArray) -> FloatArray:
    phrasing = _phrasing(sums)
    both = phrasing + sums[..., 3] / sums[..., 4]
    share: FloatArray = phrasing / np.where(both > 1e-12, both, np.nan)
    return share
