"""format_failure_rate: how often the model answered in a form that could not be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, ratio, sums_over_groups


def format_failure_rate(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Share of replies unscored with reason `format`; errors, limits and missing rows are no replies."""
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    return sums_over_groups(
        "format_failure_rate",
        cells,
        [cells.format_failed, cells.replied],
        ratio,
        cells.replied > 0,
        rows=cells.replied,
        nothing="no row has a reply",
        left_out="no reply",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("format_failure_rate", Metric(format_failure_rate, _measures))
