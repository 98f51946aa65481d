"""responsiveness: does the answer change where it must? Robustness without it is deafness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups


def responsiveness(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Share of negative controls (kind `control`) whose answer differs from the original's, over items."""
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    view = cells.with_controls
    changed = view.agreement.flipped
    return mean_over_groups(
        "responsiveness",
        view,
        changed,
        ~np.isnan(changed),
        rows=view.agreement.answered,
        nothing="no item has an answer both to the original and to a negative control",
        left_out="no answer to the original or to any negative control",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("responsiveness", Metric(responsiveness, _measures, by_kind=False))
