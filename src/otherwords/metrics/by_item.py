"""by_item: what every metric says of each item by itself, to find the ones worth reading."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from otherwords.metrics.answers import FloatArray
from otherwords.metrics.c_out import per_group as c_out_of
from otherwords.metrics.cells import FAULT, Cells, read_cells
from otherwords.metrics.largest_variance import largest_variance

KEY = ["task", "model", "id"]


def by_item(table: Any, task: str | None = None, *, model: str | None = None) -> pl.DataFrame:
    """One row for each task, model and item; null where an item has too little for a column."""
    return item_values(read_cells(table, task, model))


def item_values(cells: Cells) -> pl.DataFrame:
    agreement, several = cells.agreement, cells.variants >= 2
    orig, rest, both = cells.orig_and_rest(cells.mean)
    c_out, repeated = c_out_of(cells)
    noise, n_noise = _mean_noise(cells)
    columns: dict[str, FloatArray] = {
        "accuracy": np.where(cells.variants >= 1, cells.group_mean, np.nan),
        "variance": np.where(several, cells.variance(), np.nan),
        "s_task": np.where(several, 1 - cells.variance(), np.nan),
        "s_norm": np.where(several, 1 - cells.variance() / largest_variance(cells.variants), np.nan),
        "min_max_gap": np.where(several, cells.gap, np.nan),
        "delta_accuracy": np.where(both, orig - rest, np.nan),
        "consistent": agreement.consistent,
        "flip_rate": agreement.flipped,
        "excess_flips": agreement.flipped - agreement.rerun_flipped,
        "agreement": agreement.pairwise,
        "c_out": np.where(repeated, c_out, np.nan),
        "noise": np.where(n_noise > 0, noise, np.nan),
    }
    found = cells.names.with_columns(
        pl.Series("n_variants", cells.variants.astype(np.int64)),
        *(pl.Series(name, values, nan_to_null=True) for name, values in columns.items()),
    )
    for column in (_r_fault(cells), _responsiveness(cells)):
        found = found.join(column, on=KEY, how="left", maintain_order="left")
    return found.with_columns(
        pl.Series("n_rows", cells.scored), pl.Series("n_missing", cells.rows - cells.scored)
    )


def _mean_noise(cells: Cells) -> tuple[FloatArray, FloatArray]:
    repeated = cells.repeats >= 2
    count = cells.sum_cells(repeated)
    return cells.sum_cells(np.where(repeated, cells.noise, 0.0)) / np.maximum(count, 1), count


def _r_fault(cells: Cells) -> pl.DataFrame:
    view = cells.with_faults
    without, under, both = view.split(view.mean, view.role != FAULT)
    share = np.where(both & (without > 0), under / np.where(without > 0, without, 1.0), np.nan)
    return view.names.with_columns(pl.Series("r_fault", share, nan_to_null=True))


def _responsiveness(cells: Cells) -> pl.DataFrame:
    view = cells.with_controls
    changed = view.agreement.flipped
    return view.names.with_columns(pl.Series("responsiveness", changed, nan_to_null=True))
