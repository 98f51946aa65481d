"""S_prompt: one minus the mean over items of the variance of scores over wordings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.largest_variance import largest_of_any
from otherwords.metrics.measure import (
    METRICS,
    Measure,
    Metric,
    check_ddof,
    estimate,
    mean_over_groups,
    one_minus_ratio,
)

TOO_FEW = "fewer than two wordings with a score"
NONE_HAS_TWO = "no item has two wordings with a score"


def s_prompt(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    ddof: int = 1,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """1 − mean over items of the variance of `m[t, ·]`. It cannot reach 0: see `s_norm`."""
    return estimate(measure(read_cells(table, task, model), ddof), resamples, seed)


def measure(cells: Cells, ddof: int = 1) -> Measure:
    check_ddof(ddof)
    return mean_over_groups(
        "s_prompt",
        cells,
        cells.variance(ddof),
        cells.variants >= 2,
        combine=one_minus_ratio,
        reach=(1 - largest_of_any(cells.variants, ddof), 1.0),
        nothing=NONE_HAS_TWO,
        left_out=TOO_FEW,
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


METRICS.add("s_prompt", Metric(s_prompt, _measures))
