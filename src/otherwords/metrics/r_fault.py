"""R_fault: how much of the accuracy is left when tools and services fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import FAULT, Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate
from otherwords.metrics.relative_accuracy import measure_relative, share, share_up_to_one


def r_fault(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    clamp: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Accuracy under faults (kind `fault`) ÷ accuracy of the same items without; `clamp`: HAL's min(·, 1)."""
    return estimate(measure(read_cells(table, task, model), clamp), resamples, seed)


def measure(cells: Cells, clamp: bool = False) -> Measure:
    view = cells.with_faults
    return measure_relative(
        "r_fault_hal" if clamp else "r_fault",
        view,
        view.role != FAULT,
        share_up_to_one if clamp else share,
        nothing="no item has a score both under a fault and without",
        left_out="no score under a fault or none without",
        undefined="the scores without faults are 0, and nothing can be a share of that",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)
    yield measure(cells, clamp=True)


METRICS.add("r_fault", Metric(r_fault, _measures, by_kind=False))
