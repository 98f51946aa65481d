"""mean_variance and std_variance: the spread over wordings as HAL's files report it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.answers import FloatArray
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.largest_variance import largest_of_any
from otherwords.metrics.measure import (
    METRICS,
    Measure,
    Metric,
    check_ddof,
    estimate,
    mean_over_groups,
    sums_over_groups,
)
from otherwords.metrics.s_prompt import NONE_HAS_TWO, TOO_FEW


def mean_variance(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    ddof: int = 1,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean over items of the variance over wordings: 1 − S_prompt."""
    return estimate(measure(read_cells(table, task, model), ddof), resamples, seed)


def std_variance(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    ddof: int = 1,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Standard deviation over items of the variance over wordings, both with `ddof`."""
    return estimate(_measure_std(read_cells(table, task, model), ddof), resamples, seed)


def measure(cells: Cells, ddof: int = 1) -> Measure:
    check_ddof(ddof)
    return mean_over_groups(
        "mean_variance",
        cells,
        cells.variance(ddof),
        cells.variants >= 2,
        reach=(0.0, largest_of_any(cells.variants, ddof)),
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


def _measure_std(cells: Cells, ddof: int = 1) -> Measure:
    check_ddof(ddof)
    enters = cells.variants >= 2
    variance = np.where(enters, cells.variance(ddof), 0.0)

    def spread(sums: FloatArray) -> FloatArray:
        total, squares, n = sums[..., 0], sums[..., 1], sums[..., 2]
        left = np.where(n > ddof, n - ddof, np.nan)
        found: FloatArray = np.sqrt(np.maximum(squares - total**2 / n, 0.0) / left)
        return found

    return sums_over_groups(
        "std_variance",
        cells,
        [variance, variance**2, enters],
        spread,
        enters,
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
        undefined="the spread of items takes at least two items",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


def _measures_std(cells: Cells) -> Iterator[Measure]:
    yield _measure_std(cells)


METRICS.add("mean_variance", Metric(mean_variance, _measures))
METRICS.add("std_variance", Metric(std_variance, _measures_std))
