"""delta_accuracy: what rewording costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups

NO_PAIR = "no item has a score both for the original and for another wording"
LACKS_ONE = "no score for the original or for any other wording"


def delta_accuracy(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean over items of score(original) − mean score(other wordings); above 0, rewording costs accuracy."""
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    orig, rest, both = cells.orig_and_rest(cells.mean)
    return mean_over_groups(
        "delta_accuracy", cells, orig - rest, both, difference=True, nothing=NO_PAIR, left_out=LACKS_ONE
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("delta_accuracy", Metric(delta_accuracy, _measures))
