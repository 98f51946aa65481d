"""consistency_at_k: the share of items answered the same way in all wordings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups


def consistency_at_k(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Share of (item, model) groups whose canonical answers are identical over all wordings.

    With repeats: the mean chance that one run of each wording gives one and the same answer.
    """
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    consistent = cells.agreement.consistent
    enters = ~np.isnan(consistent)
    return mean_over_groups(
        "consistency_at_k",
        cells,
        consistent,
        enters,
        rows=cells.agreement.answered,
        nothing="no item has two wordings with an answer",
        left_out="fewer than two wordings with an answer",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("consistency_at_k", Metric(consistency_at_k, _measures))
