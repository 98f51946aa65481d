"""variance_components: phrasing apart from luck.

With one repeat, a model that answers by a coin and ignores the wording looks sensitive to it. Repeats of
the same wording show the coin, and what is left is the wording.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES, Combine, FloatArray
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimates, ratio, sums_over_groups
from otherwords.metrics.s_prompt import NONE_HAS_TWO, TOO_FEW

ONE_REPEAT = "not identifiable with one repeat; rerun with --repeats 3"


def variance_components(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Estimate]:
    """`item`, `phrasing`, `noise` and `phrasing_share`. Unbiased, so small ones may come out below zero."""
    found = estimates(list(measures(read_cells(table, task, model))), resamples, seed)
    return {estimate.metric: estimate for estimate in found}


def measures(cells: Cells) -> Iterator[Measure]:
    two_wordings = cells.variants >= 2
    mean = np.where(two_wordings, cells.group_mean, 0.0)
    n_wordings = np.maximum(cells.variants, 1)
    yield sums_over_groups(
        "item",
        cells,
        [mean, mean**2, two_wordings, np.where(two_wordings, cells.variance() / n_wordings, 0.0)],
        _item,
        two_wordings,
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
        undefined="the spread of items takes at least two items",
    )
    yield _beyond_luck("phrasing", cells, _phrasing)
    yield _beyond_luck("phrasing_share", cells, _share)
    noise, n_noise = _luck(cells)
    yield sums_over_groups(
        "noise",
        cells,
        [noise, n_noise],
        ratio,
        n_noise > 0,
        nothing=ONE_REPEAT,
        left_out="no wording with two repeats",
    )


def measure_corrected(cells: Cells) -> Measure:
    return _beyond_luck("s_corrected", cells, _one_minus_phrasing)


def _luck(cells: Cells) -> tuple[FloatArray, FloatArray]:
    """For each group: the sum of the variances over repeats, and of how many wordings."""
    repeated = cells.repeats >= 2
    return cells.sum_cells(np.where(repeated, cells.noise, 0.0)), cells.sum_cells(repeated)


def _beyond_luck(metric: str, cells: Cells, combine: Combine) -> Measure:
    two_wordings = cells.variants >= 2
    repeated = cells.repeats >= 2
    n_wordings = np.maximum(cells.variants, 1)
    # a cell's own noise in its mean; a cell run once borrows the mean noise of the others
    own = cells.sum_cells(np.where(repeated, cells.noise / cells.repeats, 0.0)) / n_wordings
    borrowed = cells.sum_cells(~repeated) / n_wordings
    never_repeated = cells.n_groups > 0 and not repeated.any()
    columns = [
        np.where(two_wordings, cells.variance() - own, 0.0),
        np.where(two_wordings, borrowed, 0.0),
        two_wordings,
        *_luck(cells),
    ]
    return sums_over_groups(
        metric,
        cells,
        columns,
        combine,
        two_wordings & (not never_repeated),
        nothing=ONE_REPEAT if never_repeated else NONE_HAS_TWO,
        left_out=TOO_FEW,
        undefined="neither phrasing nor noise is above zero, so there is nothing to share",
    )


def _item(sums: FloatArray) -> FloatArray:
    total, squares, n, wording = (sums[..., place] for place in range(4))
    spread = (squares - total**2 / n) / np.where(n > 1, n - 1, np.nan)
    item: FloatArray = spread - wording / n
    return item


def _phrasing(sums: FloatArray) -> FloatArray:
    corrected, borrowed, n, noise, n_noise = (sums[..., place] for place in range(5))
    luck = np.where(borrowed > 0, borrowed * noise / n_noise, 0.0)
    phrasing: FloatArray = (corrected - luck) / n
    return phrasing


def _one_minus_phrasing(sums: FloatArray) -> FloatArray:
    return 1.0 - _phrasing(sums)


def _share(sums: FloatArray) -> FloatArray:
    phrasing = _phrasing(sums)
    both = phrasing + sums[..., 3] / sums[..., 4]
    share: FloatArray = phrasing / np.where(both > 1e-12, both, np.nan)
    return share


METRICS.add("variance_components", Metric(variance_components, measures))
