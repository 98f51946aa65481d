"""Every metric of every model from one pass over the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from otherwords.core.table import as_outcomes
from otherwords.core.types import ORIG, Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import CONTROL, Cells, read_cells
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
    makers = [maker for maker in (METRICS.get(name).measures for name in wanted) if maker is not None]
    measures: list[Measure] = []
    for cells in _groups(table, task, by_kind):
        for maker in makers:
            measures.extend(maker(cells))
    found: dict[str, dict[str, Estimate]] = {}
    for estimate in estimates(measures, resamples, seed):
        found.setdefault(estimate.group, {})[estimate.metric] = estimate
    return found


def _groups(table: Any, task: str | None, by_kind: bool) -> Iterator[Cells]:
    frame = as_outcomes(table)
    yield from _by_model(read_cells(frame, task))
    if by_kind:
        kinds = frame.filter(pl.col("variant") != ORIG)["kind"].drop_nulls().unique().sort()
        for kind in kinds:
            if kind not in ("", ORIG, CONTROL):
                for cells in _by_model(read_cells(frame, task, kind=kind)):
                    if cells.n_groups:
                        yield replace(cells, label=f"{cells.label} / {kind}")


def _by_model(cells: Cells) -> Iterator[Cells]:
    models = cells.models
    if len(models) <= 1:
        yield cells
    else:
        for model in models:
            yield cells.of_model(model)
