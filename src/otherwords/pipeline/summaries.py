"""A grid of scores → the estimates that a report shows of each model, by the report's settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from otherwords.core.types import Estimate
from otherwords.metrics import mean_variance, s_prompt, std_variance, summarise

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize
    from otherwords.metrics.score_arrays import Grid

_OF_VARIANCE = (s_prompt, mean_variance, std_variance)


def estimates_of(
    grid: Grid, metrics: Iterable[str], *, generalize: Generalize | None = None, ddof: int = 1
) -> dict[str, dict[str, Estimate]]:
    """By model, as `summarise` has them; with `ddof` 0 variances over wordings divide by their number."""
    summary = summarise(grid, metrics=metrics, generalize=generalize)
    found = {model: dict(summary.get(grid.label_of(model), {})) for model in grid.models}
    if ddof == 1:
        return found
    for model, estimates in found.items():
        for metric in _OF_VARIANCE:
            if metric.__name__ in estimates:
                estimates[metric.__name__] = metric(grid, model=model, generalize=generalize, ddof=ddof)
    return found
