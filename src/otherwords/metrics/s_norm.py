"""S_norm: S_prompt on the scale that its scores can really reach, from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.largest_variance import largest_variance
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
