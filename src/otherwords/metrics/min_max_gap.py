"""min_max_gap: how far apart the best and the worst wording of an item are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups
from otherwords.metrics.s_prompt import NONE_HAS_TWO, TOO_FEW


def min_max_gap(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    over_items: Literal["mean", "max"] = "mean",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean (or largest) over items of max − min of `m[t, ·]`. It can only grow with more wordings."""
    if over_items not in ("mean", "max"):
        raise InputError(f"over_items must be 'mean' or 'max', got '{over_items}'")
    cells = read_cells(table, task, model)
    return estimate(measure(cells) if over_items == "mean" else _largest(cells), resamples, seed)


def measure(cells: Cells) -> Measure:
    return mean_over_groups(
        "min_max_gap", cells, cells.gap, cells.variants >= 2, nothing=NONE_HAS_TWO, left_out=TOO_FEW
    )


def _largest(cells: Cells) -> Measure:
    mean = measure(cells)
    gaps = cells.gap[cells.variants >= 2]
    notes = mean.notes
    if len(gaps):
        notes += ("no interval: resampling items says nothing of a largest value",)
    return Measure(
        metric="min_max_gap_max",
        group=mean.group,
        statistic=None,
        n_items=mean.n_items,
        n_rows=mean.n_rows,
        n_missing=mean.n_missing,
        notes=notes,
        value=float(np.max(gaps)) if len(gaps) else None,
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)
    yield _largest(cells)


METRICS.add("min_max_gap", Metric(min_max_gap, _measures))
