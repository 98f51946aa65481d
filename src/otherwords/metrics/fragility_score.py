"""fragility_score: how often another wording changes the answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups

NO_PAIR = "no item has an answer both to the original and to another wording"
LACKS_ONE = "no answer to the original or to any other wording"


def fragility_score(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean over (item, model) groups of the flip rate against the original's canonical answer.

    With repeats: flips are averaged over all pairs of a run of the original and a run of the wording.
    """
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    flipped = cells.agreement.flipped
    enters = ~np.isnan(flipped)
    return mean_over_groups(
        "fragility_score",
        cells,
        flipped,
        enters,
        rows=cells.agreement.answered,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("fragility_score", Metric(fragility_score, _measures))
