"""Every metric of every model from one pass over the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from otherwords.core.types import ORIG, Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import WORDING, Cells
from otherwords.metrics.grid import Grid, read_grid
from otherwords.metrics.measure import METRICS, Measure, estimates


def summarise(
    table: Any,
    task: str | None = None,
    *,
    metrics: Iterable[str] | None = None,
    by_kind: bool = False,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, dict[str, Estimate]]:
    """For each model (`by_kind`: also for each `model / kind` of variant) each metric's estimate.

    Each is exactly what the metric's own function gives with `model=`. Metrics that are no estimates
    (`s_task`, `mcnemar_orig_vs_variants`) are not in it.
    """
    wanted = METRICS.names() if metrics is None else list(metrics)
    chosen = [METRICS.get(name) for name in wanted]
    grid = read_grid(table, task)
    measures: list[Measure] = []
    for cells in _by_model(grid, None):
        for metric in chosen:
            measures.extend(metric.measures(cells) if metric.measures else ())
    for cells in _by_kind(grid) if by_kind else ():
        for metric in chosen:
            measures.extend(metric.measures(cells) if metric.measures and metric.by_kind else ())
    found: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates(measures, resamples, seed):
        found.setdefault(estimate.group, {})[estimate.metric] = estimate
    return found


def _by_kind(grid: Grid) -> Iterator[Cells]:
    for kind in wording_kinds(grid):
        for cells in _by_model(grid, kind):
            if not cells.original.all():
                yield replace(cells, label=f"{cells.label} / {kind}")


def wording_kinds(grid: Grid) -> list[str]:
    """Kinds of wordings that must not change the answer, the original's apart."""
    found = np.unique(grid.kind[(grid.role == WORDING) & ~grid.original])
    return [grid.kinds[place] for place in found if grid.kinds[place] not in ("", ORIG)]


def _by_model(grid: Grid, kind: str | None) -> Iterator[Cells]:
    if len(grid.models) <= 1:
        yield grid.select(kind=kind)
    else:
        for model in grid.models:
            yield grid.select(model=model, kind=kind)
