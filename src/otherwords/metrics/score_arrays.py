"""Outcome table → one cell for each model, item and wording, averaged over repeats, in flat arrays.

A *cell* is one wording of one item for one model: its mean over repeats is `m[t, v]`. A *group* is
(task, model, item), what the metrics average over. A *cluster* is (task, item), what intervals take to be
independent. `ScoreArrays` are the cells of one selection (a model, a kind of wording) as metrics take them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.registry import FAMILIES, traits_of
from otherwords.metrics.answer_agreement import Agreement, Answers, answers_of
from otherwords.metrics.outcome_rows import (
    BoolArray,
    FloatArray,
    IntArray,
    Role,
    Rows,
    read_rows,
    reduced_cells,
    select_outcomes,
    unknown_name,
)

ALL = "all"
NAMELESS = "(no model)"


@dataclass(frozen=True)
class ScoreArrays:
    """Arrays with one entry for each group, then one for each cell; rows without a score are only counted."""

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
    planned: IntArray
    """Which cells of the grid are of this view, with a score or without."""
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

    @property
    def with_unscored(self) -> ScoreArrays:
        """The same with a cell for each wording that was planned; one without a score has the mean NaN."""
        # what keeps itself is freed late: half a gigabyte where a large table is read twice
        return self if len(self.planned) == len(self.chosen) else self._as_planned

    @cached_property
    def _as_planned(self) -> ScoreArrays:
        grid, cells = self.grid, self.planned
        return replace(
            self,
            chosen=cells,
            group=np.searchsorted(self.groups, grid.group[cells]),
            original=grid.original[cells],
            role=grid.role[cells],
            repeats=grid.scored[cells],
            mean=grid.mean[cells],
            noise=grid.noise[cells],
            correct=grid.correct[cells],
            answers=grid.answers.of_cells(cells, len(grid.group)),
        )

    @cached_property
    def reduced(self) -> tuple[FloatArray, FloatArray]:
        """The sum of scores that each cell counts for in accuracy, and their number (0 where it has none)."""
        value, weight = self.grid.reduced[self.chosen], self.grid.weight[self.chosen]
        weight = np.where(np.isnan(value), 0.0, weight)
        return np.where(weight > 0, value * weight, 0.0), weight

    def runs_with(self, outcome: str) -> FloatArray:
        """How many runs of each cell had this outcome."""
        counts = self.grid.outcomes.get(outcome)
        return np.zeros(len(self.chosen)) if counts is None else counts[self.chosen].astype(np.float64)

    @cached_property
    def wording(self) -> IntArray:
        """Which wording shared by items each cell has; −1 where each item has its own.

        The original is one of the shared ones where there are others: it has the layout that they change.
        """
        crossed = self.grid.crossed[self.chosen]
        if not crossed.any():
            return np.full(len(self.chosen), -1)
        return np.where(crossed | self.original, self.grid.variant[self.chosen], -1)

    @cached_property
    def shared_wordings(self) -> bool:
        """Whether some wordings are shared by items."""
        return bool(self.grid.shared[self.chosen].any())

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
        """Highest minus lowest `m[t, v]` of each group."""
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

    @cached_property
    def with_controls(self) -> ScoreArrays:
        """The negative controls and the originals that they are compared with."""
        return self._beside(Role.CONTROL)

    @cached_property
    def with_faults(self) -> ScoreArrays:
        """The runs under faults and those without that they are compared with."""
        return self._beside(Role.FAULT)

    def _beside(self, role: Role) -> ScoreArrays:
        return replace(self.grid.select(model=self.model, role=role), label=self.label)


@dataclass(frozen=True)
class Grid:
    """Every wording of every item of every model of a table, once."""

    names: pl.DataFrame
    """`task`, `model`, `id` of each group."""
    cluster: IntArray
    variants: list[str]
    kinds: list[str]
    changes: list[str]
    group: IntArray
    """From here on one entry a cell; cells of a group are neighbours."""
    variant: IntArray
    kind: IntArray
    change: IntArray
    role: IntArray
    original: BoolArray
    rows: IntArray
    scored: IntArray
    replied: IntArray
    outcomes: dict[str, IntArray]
    """For each outcome but `answered` that occurs: how many runs of each cell have it."""
    mean: FloatArray
    noise: FloatArray
    correct: FloatArray
    answers: Answers
    reduced: FloatArray
    """The one score of each cell's repeats by its log's own reducer: their mean, if it names no other."""
    weight: FloatArray
    """As how many scores that one counts: 1, or the number of repeats where the log does not reduce them."""
    by_rule: BoolArray
    """Whether that reducer is another than the mean."""
    runs: Rows | None = None
    """The rows themselves, of a table that has trajectories."""

    @property
    def n_groups(self) -> int:
        return len(self.cluster)

    @cached_property
    def models(self) -> list[str]:
        return sorted(self.names["model"].unique().to_list())

    @cached_property
    def model(self) -> IntArray:
        """Which of `models` each group is about."""
        place = {name: number for number, name in enumerate(self.models)}
        codes = self.names["model"].replace_strict(place, return_dtype=pl.Int64) if place else pl.Series([0])
        return codes.to_numpy().astype(np.int64)[: self.n_groups]

    @cached_property
    def shared(self) -> BoolArray:
        """Whether each cell's wording is made in the same way for all items, by what its family declares."""
        by_kind = np.array([traits_of(kind).shared_by_items for kind in self.kinds] or [False])
        return by_kind[self.kind]

    @cached_property
    def crossed(self) -> BoolArray:
        """`shared`, or of a kind that no family has: there the same name may be the same wording."""
        unknown = np.array([FAMILIES.find(kind) is None for kind in self.kinds] or [False])
        return np.asarray((self.shared | unknown[self.kind]) & ~self.original)

    def require_model(self, model: str) -> None:
        """Raise an error that names the table's models when `model` is none of them."""
        if model not in self.models:
            raise unknown_name("model", model, set(self.models))

    def label_of(self, model: str) -> str:
        """The group under which `summarise` lists `model`."""
        if len(self.models) > 1:
            return model or NAMELESS
        return (self.models[0] if self.models else "") or ALL

    def select(
        self,
        *,
        model: str | None = None,
        role: Role = Role.WORDING,
        kind: str | None = None,
        change: str | None = None,
    ) -> ScoreArrays:
        """The original and its wordings; of one model, of one kind and change, or of another role."""
        about = np.ones(len(self.group), np.bool_)
        if model is not None and self.models != [model]:
            about = self._is(self.models, model, self.model)[self.group]
        wanted = self.role == role
        if kind is not None:
            wanted &= self._is(self.kinds, kind, self.kind) | self.original
        if change is not None:
            wanted &= self._is(self.changes, change, self.change) | self.original
        if role != Role.WORDING:
            has_role = np.bincount(self.group[wanted], minlength=self.n_groups) > 0
            baseline = self.original | (role == Role.FAULT)
            wanted |= (self.role == Role.WORDING) & has_role[self.group] & baseline
        aside = [0, 0]
        if role == Role.WORDING and kind is None and change is None:
            for place, other in enumerate((Role.CONTROL, Role.FAULT)):
                aside[place] = int(self.rows[(self.role == other) & about].sum())
        return self._view(wanted & about, model, aside[0], aside[1])

    def _is(self, names: list[str], name: str, codes: IntArray) -> BoolArray:
        return np.asarray(codes == (names.index(name) if name in names else -1))

    def _view(self, wanted: BoolArray, model: str | None, controls: int, faults: int) -> ScoreArrays:
        present = np.bincount(self.group[wanted], minlength=self.n_groups) > 0
        place = np.cumsum(present) - 1
        groups = np.flatnonzero(present)
        in_group = place[self.group[wanted]] if self.n_groups else np.empty(0, np.int64)

        def count(values: npt.NDArray[Any]) -> IntArray:
            weights = values[wanted].astype(np.float64)
            return np.bincount(in_group, weights=weights, minlength=len(groups)).astype(np.int64)

        cluster_ids, cluster = np.unique(self.cluster[groups], return_inverse=True)
        chosen = np.flatnonzero(wanted & (self.scored > 0))
        models = np.unique(self.model[groups]) if len(groups) else np.arange(len(self.models))
        label = (self.models[models[0]] if len(models) == 1 else "") or ALL
        return ScoreArrays(
            grid=self,
            label=label if model is None or self.models == [model] else model or NAMELESS,
            model=model,
            groups=groups,
            cluster=cluster.reshape(-1),
            cluster_ids=cluster_ids,
            rows=count(self.rows),
            orig_rows=count(self.rows * self.original),
            scored=count(self.scored),
            replied=count(self.replied),
            planned=np.flatnonzero(wanted),
            chosen=chosen,
            group=place[self.group[chosen]] if len(chosen) else np.empty(0, np.int64),
            original=self.original[chosen],
            role=self.role[chosen],
            repeats=self.scored[chosen],
            mean=self.mean[chosen],
            noise=self.noise[chosen],
            correct=self.correct[chosen],
            answers=self.answers.of_cells(chosen, len(self.group)),
            controls=controls,
            faults=faults,
        )


def read_score_arrays(table: Any, task: str | None = None, model: str | None = None) -> ScoreArrays:
    """The arrays of `table`, of one task, of one model."""
    grid = read_grid(table, task)
    if model is not None:
        grid.require_model(model)
    return grid.select(model=model)


def read_grid(table: Any, task: str | None = None) -> Grid:
    """All cells of `table`. A grid that was read before is taken as it is, so that it is read once."""
    if isinstance(table, Grid) and task is None:
        return table
    return grid_of(read_rows(select_outcomes(table, task)))


def grid_of(rows: Rows) -> Grid:
    starts, usable = rows.cell_starts, rows.usable
    counted = np.diff(np.r_[starts, len(rows.cell)])

    def total(values: npt.ArrayLike) -> FloatArray:
        if not len(starts):
            return np.empty(0)
        return np.asarray(np.add.reduceat(np.asarray(values, dtype=np.float64), starts))

    scored = total(usable)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total(np.where(usable, rows.score, 0.0)) / scored
        apart = np.where(usable, rows.score - np.repeat(mean, counted), 0.0)
        noise = np.where(scored >= 2, total(apart**2) / (scored - 1), np.nan)
        correct = total(np.where(usable, rows.right, 0.0)) / scored
    return Grid(
        names=rows.names,
        cluster=rows.cluster,
        variants=rows.variants,
        kinds=rows.kinds,
        changes=rows.changes,
        group=rows.group[starts] if len(starts) else np.empty(0, np.int64),
        variant=rows.variant[starts],
        kind=rows.kind[starts],
        change=rows.change[starts],
        role=rows.role[starts],
        original=rows.original[starts],
        rows=counted.astype(np.int64),
        scored=scored.astype(np.int64),
        replied=total(rows.replied).astype(np.int64),
        outcomes={name: total(has).astype(np.int64) for name, has in rows.outcomes.items()},
        mean=mean,
        noise=noise,
        correct=correct,
        answers=answers_of(rows),
        **reduced_cells(rows, mean, scored),
        runs=None if rows.trajectories is None else rows,
    )
