"""s_corrected: S_prompt with luck taken out, one minus the phrasing component."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate
from otherwords.metrics.variance_components import measure_corrected


def s_corrected(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """1 − phrasing. Needs repeats; unbiased, so that with no effect it scatters around 1, above it too."""
    return estimate(measure_corrected(read_cells(table, task, model)), resamples, seed)


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure_corrected(cells)


METRICS.add("s_corrected", Metric(s_corrected, _measures))
