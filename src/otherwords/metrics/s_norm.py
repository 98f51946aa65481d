"""S_norm: S_prompt on the scale that its scores can really reach, from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.answers import IntArray
from otherwords.metrics.bootstrap import RESAMPLES, FloatArray
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups, one_minus_ratio
from otherwords.metrics.s_prompt import NONE_HAS_TWO, TOO_FEW


def s_norm(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """1 − mean over items of variance / M(V). The ddof cancels, so there is none to choose."""
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def largest_variance(variants: IntArray) -> FloatArray:
    """M(V): the largest variance (ddof=1) that V scores in [0, 1] can have; 1 where V < 2, to divide by."""
    v = variants.astype(np.float64)
    largest: FloatArray = np.floor(v / 2) * np.ceil(v / 2) / np.maximum(v * (v - 1), 1)
    return np.where(variants >= 2, largest, 1.0)


def measure(cells: Cells) -> Measure:
    return mean_over_groups(
        "s_norm",
        cells,
        cells.variance(ddof=1) / largest_variance(cells.variants),
        cells.variants >= 2,
        combine=one_minus_ratio,
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("s_norm", Metric(s_norm, _measures))
