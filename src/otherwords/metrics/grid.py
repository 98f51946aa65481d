"""One pass over the outcome table: every wording of every item of every model, once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.table import as_outcomes
from otherwords.metrics.answers import Answers, BoolArray, FloatArray, IntArray
from otherwords.metrics.cells import ALL, CONTROL, FAULT, NAMELESS, WORDING, Cells
from otherwords.metrics.rows import Rows, read_rows

ROLE_NAMES = {"control": CONTROL, "fault": FAULT}


@dataclass(frozen=True)
class Grid:
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
    format_failed: IntArray
    mean: FloatArray
    noise: FloatArray
    correct: FloatArray
    answers: Answers

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

    def require_model(self, model: str) -> None:
        if model not in self.models:
            raise unknown("model", model, set(self.models))

    def select(
        self,
        *,
        model: str | None = None,
        role: int = WORDING,
        kind: str | None = None,
        change: str | None = None,
    ) -> Cells:
        """The original and its wordings; of one model, of one kind and change, or of another role."""
        about = None
        if model is not None and self.models != [model]:
            about = self._is(self.models, model, self.model)[self.group]
        wanted = self.role == role
        if kind is not None:
            wanted &= self._is(self.kinds, kind, self.kind) | self.original
        if change is not None:
            wanted &= self._is(self.changes, change, self.change) | self.original
        if role != WORDING:
            has_role = np.bincount(self.group[wanted], minlength=self.n_groups) > 0
            wanted |= (self.role == WORDING) & has_role[self.group] & (self.original | (role == FAULT))
        aside = [0, 0]
        if role == WORDING and kind is None and change is None:
            for place, other in enumerate((CONTROL, FAULT)):
                beside = self.role == other if about is None else (self.role == other) & about
                aside[place] = int(self.rows[beside].sum())
        if about is not None:
            wanted &= about
        return self._view(wanted, model, aside[0], aside[1])

    def _is(self, names: list[str], name: str, codes: IntArray) -> BoolArray:
        found: BoolArray = codes == (names.index(name) if name in names else -1)
        return found

    def _view(self, wanted: BoolArray, model: str | None, controls: int, faults: int) -> Cells:
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
        return Cells(
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
            format_failed=count(self.format_failed),
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


def read_grid(table: Any, task: str | None = None) -> Grid:
    """A grid that was read before is taken as it is: several metrics then read their table once."""
    if isinstance(table, Grid) and task is None:
        return table
    frame = as_outcomes(table)
    if task is not None:
        frame = frame.filter(pl.col("task").is_in(matching_tasks(frame, task)))
    return _grid(read_rows(frame))


def matching_tasks(frame: pl.DataFrame, task: str) -> list[str]:
    """The table's tasks of this name: exactly, or else without their package prefix."""
    known = {name for name in frame["task"].unique() if name}
    if task in known:
        return [task]
    matches = sorted(name for name in known if name.rpartition("/")[2] == task)
    if not matches:
        raise unknown("task", task, known)
    return matches


def unknown(what: str, name: str, known: set[str]) -> InputError:
    if not known - {""} and not (name == "" and known):
        return InputError(f"unknown {what} '{name}': the table names no {what}")
    return UnknownNameError(what, name, known)


def _grid(rows: Rows) -> Grid:
    starts = rows.cell_starts
    counted = np.diff(np.r_[starts, len(rows.cell)])
    usable = rows.usable

    def total(values: npt.ArrayLike) -> FloatArray:
        if not len(starts):
            return np.empty(0)
        sums: FloatArray = np.add.reduceat(np.asarray(values, dtype=np.float64), starts)
        return sums

    scored = total(usable)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = total(np.where(usable, rows.score, 0.0)) / scored
        apart = np.where(usable, rows.score - np.repeat(mean, counted), 0.0)
        noise = np.where(scored >= 2, total(apart**2) / (scored - 1), np.nan)
        correct = total(np.where(usable, rows.right, 0.0)) / scored
    group_of_cell = rows.group[starts] if len(starts) else np.empty(0, np.int64)
    return Grid(
        names=rows.names,
        cluster=rows.cluster,
        variants=rows.variants,
        kinds=rows.kinds,
        changes=rows.changes,
        group=group_of_cell,
        variant=rows.variant[starts],
        kind=rows.kind[starts],
        change=rows.change[starts],
        role=roles_of(rows)[starts],
        original=rows.original[starts],
        rows=counted.astype(np.int64),
        scored=scored.astype(np.int64),
        replied=total(rows.replied).astype(np.int64),
        format_failed=total(rows.format_failed).astype(np.int64),
        mean=mean,
        noise=noise,
        correct=correct,
        answers=_answers(rows),
    )


def roles_of(rows: Rows) -> IntArray:
    by_kind = np.array([ROLE_NAMES.get(name, WORDING) for name in rows.kinds] or [WORDING])
    by_name = np.array([ROLE_NAMES.get(name.partition(":")[0], WORDING) for name in rows.variants] or [0])
    roles: IntArray = np.maximum(by_kind[rows.kind], by_name[rows.variant])
    return np.where(rows.original, WORDING, roles)


def _answers(rows: Rows) -> Answers:
    kept = np.flatnonzero(rows.answer >= 0)
    cell, answer = rows.cell[kept], rows.answer[kept]
    if len(rows.cell_starts) == len(rows.cell):
        return Answers(cell, answer, np.ones(len(cell), np.int64))
    width = int(answer.max()) + 1 if len(answer) else 1
    keys, counts = np.unique(cell * width + answer, return_counts=True)
    return Answers(keys // width, keys % width, counts.astype(np.int64))
