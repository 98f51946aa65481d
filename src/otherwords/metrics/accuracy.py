"""accuracy: the mean score. A model that is always wrong is perfectly robust, so read it first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups


def accuracy(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean score over all wordings; every wording of an item, and every item, counts the same."""
    return estimate(measure(read_cells(table, task, model)), resamples, seed)


def accuracy_orig(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean score on the original wordings alone: what the benchmark itself would report."""
    return estimate(_measure_orig(read_cells(table, task, model)), resamples, seed)


def measure(cells: Cells) -> Measure:
    return mean_over_groups(
        "accuracy",
        cells,
        cells.group_mean,
        cells.variants >= 1,
        nothing="no row has a score",
        left_out="no score",
    )


def _measure_orig(cells: Cells) -> Measure:
    return mean_over_groups(
        "accuracy_orig",
        cells,
        cells.sum_cells(cells.mean * cells.original),
        cells.sum_cells(cells.original) > 0,
        rows=cells.sum_cells(cells.repeats * cells.original).astype(cells.rows.dtype),
        out_of=cells.orig_rows,
        nothing="no original wording has a score",
        left_out="no score for the original",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


def _measures_orig(cells: Cells) -> Iterator[Measure]:
    yield _measure_orig(cells)


METRICS.add("accuracy", Metric(accuracy, _measures))
METRICS.add("accuracy_orig", Metric(accuracy_orig, _measures_orig))
