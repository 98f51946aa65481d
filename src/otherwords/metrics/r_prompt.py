"""R_prompt and PDR: how much of the original's accuracy is left under other wordings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES, Combine
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.delta_accuracy import LACKS_ONE, NO_PAIR
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate
from otherwords.metrics.relative_accuracy import lost_share, measure_relative, share, share_up_to_one

NOTHING_RIGHT = "the original wordings score 0, and nothing can be a share of that"


def r_prompt(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    clamp: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Accuracy under other wordings ÷ accuracy on the original. `clamp`: HAL's min(·, 1)."""
    return estimate(measure(read_cells(table, task, model), clamp), resamples, seed)


def pdr(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Performance drop rate, 1 − Σ score(variants) / Σ score(original); below 0 when rewording helps."""
    return estimate(_measure_pdr(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells, clamp: bool = False) -> Measure:
    if clamp:
        return _measure("r_prompt_hal", cells, share_up_to_one)
    return _measure("r_prompt", cells, share)


def _measure_pdr(cells: Cells) -> Measure:
    return _measure("pdr", cells, lost_share)


def _measure(metric: str, cells: Cells, combine: Combine) -> Measure:
    return measure_relative(
        metric,
        cells,
        cells.original,
        combine,
        nothing=NO_PAIR,
        left_out=LACKS_ONE,
        undefined=NOTHING_RIGHT,
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)
    yield measure(cells, clamp=True)


def _measures_pdr(cells: Cells) -> Iterator[Measure]:
    yield _measure_pdr(cells)


METRICS.add("r_prompt", Metric(r_prompt, _measures))
METRICS.add("pdr", Metric(pdr, _measures_pdr))
