"""A view of the grid in which every metric is arithmetic on dense arrays.

A *cell* is one wording of one item for one model: its mean over repeats is `m[t, v]`. A *group* is
(task, model, item), what the metrics average over. A *cluster* is (task, item), what the bootstrap
resamples: the models and the wordings of an item move together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.metrics.answers import Agreement, Answers, BoolArray, FloatArray, IntArray

if TYPE_CHECKING:
    from otherwords.metrics.grid import Grid

ALL = "all"
NAMELESS = "(no model)"
WORDING, CONTROL, FAULT = 0, 1, 2
"""Roles: a wording that must not change the answer, one that must, and a run under faults."""


@dataclass(frozen=True)
class Cells:
    """Arrays with one entry a group, then arrays with one entry a cell; unscored rows are only counted."""

    grid: Grid
    label: str
    model: str | None
    """Set when the view was asked to be of one model."""
    groups: IntArray
    """Which groups of the grid these are; sorted, so that the order of the table's rows does not matter."""
    cluster: IntArray
    cluster_ids: IntArray
    """What the clusters 0, 1, … of this view are called in the grid."""
    rows: IntArray
    orig_rows: IntArray
    scored: IntArray
    replied: IntArray
    """Rows with status `scored` or `unscored`: the model said something."""
    format_failed: IntArray
    chosen: IntArray
    """Which cells of the grid these are."""
    group: IntArray
    original: BoolArray
    role: IntArray
    repeats: IntArray
    mean: FloatArray
    noise: FloatArray
    """Variance over repeats, ddof=1; NaN for a cell with one repeat."""
    correct: FloatArray
    answers: Answers
    controls: int = 0
    """Rows of negative controls, which are no part of this view."""
    faults: int = 0
    """Rows under faults, which are no part of this view."""

    @property
    def n_groups(self) -> int:
        return len(self.cluster)

    @cached_property
    def names(self) -> pl.DataFrame:
        """`task`, `model`, `id` of each group."""
        return self.grid.names if self.n_groups == self.grid.n_groups else self.grid.names[self.groups]

    @cached_property
    def models(self) -> list[str]:
        return [self.grid.models[place] for place in np.unique(self.grid.model[self.groups])]

    @cached_property
    def n_clusters(self) -> int:
        return int(self.cluster.max()) + 1 if self.n_groups else 0

    @cached_property
    def agreement(self) -> Agreement:
        return Agreement(self.answers, self.group, self.original, self.n_groups)

    @cached_property
    def variants(self) -> IntArray:
        """V: wordings of each group that have a score."""
        return np.bincount(self.group, minlength=self.n_groups)

    @cached_property
    def group_mean(self) -> FloatArray:
        """Mean over wordings of `m[t, v]`; 0 where nothing is scored."""
        return self.sum_cells(self.mean) / np.maximum(self.variants, 1)

    @cached_property
    def squares(self) -> FloatArray:
        """Sum over wordings of (m[t, v] − group mean)²."""
        return self.sum_cells((self.mean - self.group_mean[self.group]) ** 2)

    def variance(self, ddof: int = 1) -> FloatArray:
        """Over wordings, of `m[t, v]`; 0 where there are too few wordings."""
        return self.squares / np.maximum(self.variants - ddof, 1)

    @cached_property
    def gap(self) -> FloatArray:
        low, high = np.full(self.n_groups, np.inf), np.full(self.n_groups, -np.inf)
        np.minimum.at(low, self.group, self.mean)
        np.maximum.at(high, self.group, self.mean)
        return np.where(self.variants > 0, high - low, 0.0)

    def sum_cells(self, values: npt.ArrayLike) -> FloatArray:
        """Sum over the cells of each group."""
        weights = np.asarray(values, dtype=np.float64)
        return np.bincount(self.group, weights=weights, minlength=self.n_groups).astype(np.float64)

    def sum_groups(self, values: npt.ArrayLike) -> FloatArray:
        """Sum over the groups (models) of each cluster."""
        weights = np.asarray(values, dtype=np.float64)
        return np.bincount(self.cluster, weights=weights, minlength=self.n_clusters).astype(np.float64)

    def orig_and_rest(self, values: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """For each group: the original's value, the mean of the other wordings', whether both exist."""
        return self.split(values, self.original)

    def split(self, values: FloatArray, first: BoolArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """For each group: the mean over the cells of `first`, over the others, whether both exist."""
        n_first, n_rest = self.sum_cells(first), self.sum_cells(~first)
        of_first = self.sum_cells(np.where(first, values, 0.0)) / np.maximum(n_first, 1)
        rest = self.sum_cells(np.where(first, 0.0, values)) / np.maximum(n_rest, 1)
        return of_first, rest, (n_first > 0) & (n_rest > 0)

    def of_model(self, model: str) -> Cells:
        """The part that is about one model, with clusters counted anew."""
        return self if self.models == [model] else self.grid.select(model=model)

    @cached_property
    def with_controls(self) -> Cells:
        """The negative controls and the originals that they are compared with."""
        return self._beside(CONTROL)

    @cached_property
    def with_faults(self) -> Cells:
        """The runs under faults and those without that they are compared with."""
        return self._beside(FAULT)

    def _beside(self, role: int) -> Cells:
        return replace(self.grid.select(model=self.model, role=role), label=self.label)


def read_cells(table: Any, task: str | None = None, model: str | None = None) -> Cells:
    """The cells of `table`, of one task, of one model."""
    from otherwords.metrics.grid import read_grid

    grid = read_grid(table, task)
    if model is not None:
        grid.require_model(model)
    return grid.select(model=model)
