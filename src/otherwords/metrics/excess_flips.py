"""excess_flips: how often another wording changes the answer beyond what asking again changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.fragility_score import LACKS_ONE, NO_PAIR
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups

NO_REPEATS = "no original was answered twice; rerun with --repeats 3"


def excess_flips(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Flip rate against the original − flip rate between repeats of the original, on the same items."""
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    flipped, rerun = cells.agreement.flipped, cells.agreement.rerun_flipped
    enters = ~np.isnan(flipped) & ~np.isnan(rerun)
    return mean_over_groups(
        "excess_flips",
        cells,
        np.where(enters, flipped - rerun, 0.0),
        enters,
        difference=True,
        rows=cells.agreement.answered,
        nothing=NO_REPEATS if np.isnan(rerun).all() and not np.isnan(flipped).all() else NO_PAIR,
        left_out=f"{LACKS_ONE}, or the original was answered once",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("excess_flips", Metric(excess_flips, _measures))
