"""What a report is drawn from. Every number in it was computed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import WORDING_COLUMNS
from otherwords.core.types import Estimate

ITEM_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "n_variants": pl.Int64,  # wordings with at least one score, the original included
    "mean_score": pl.Float64,
    "variance": pl.Float64,
    "s_task": pl.Float64,
    "min_max_gap": pl.Float64,
    "band": pl.String,  # high · medium · low; null when there is no variance
    "n_rows": pl.Int64,
    "n_missing": pl.Int64,
}
KIND_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "kind": pl.String,
    "change": pl.String,  # empty for a whole family
    "accuracy": pl.Float64,
    "accuracy_low": pl.Float64,
    "accuracy_high": pl.Float64,
    "delta": pl.Float64,  # accuracy on the original − accuracy here, on the same items: positive is a loss
    "delta_low": pl.Float64,
    "delta_high": pl.Float64,
    "n_items": pl.Int64,
    "n_rows": pl.Int64,
}
CELL_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "score": pl.Float64,  # mean over the scored repeats
    "n": pl.Int64,  # scored repeats
    "status": pl.String,  # `scored`, or a summary such as `scored 1, error 1`
    "answer": pl.String,
    "log": pl.String,
}
OPTIONAL_COLUMNS = frozenset({"log", "n_rows", "n_missing", "accuracy_low", "accuracy_high", "change"})
BANDS = ("high", "medium", "low")


@dataclass(frozen=True)
class AgentRow:
    """One model or agent on one benchmark."""

    model: str
    task: str
    estimates: Mapping[str, Estimate]
    """By name: accuracy, accuracy_orig, s_prompt, s_norm, mean_variance, std_variance, min_max_gap (mean),
    max_min_max_gap, consistency_at_k, fragility_score, delta_accuracy, format_failure_rate, phrasing, noise,
    phrasing_share. A name that is absent is shown as not computed."""
    statuses: Mapping[str, int]
    """Rows by status: scored, unscored, error, limit, missing."""
    repeats: int
    """Runs of the same wording. With 1, phrasing and luck cannot be told apart."""

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.model


@dataclass(frozen=True)
class SkippedFile:
    file: str
    reason: str


@dataclass(frozen=True)
class ReportData:
    title: str
    agents: tuple[AgentRow, ...]
    items: pl.DataFrame
    kinds: pl.DataFrame
    cells: pl.DataFrame
    wordings: pl.DataFrame
    skipped: tuple[SkippedFile, ...] = ()
    notes: tuple[str, ...] = ()
    """Plain sentences shown at the top."""
    level: float = 0.95
    """Of every interval."""
    _by_agent: dict[tuple[str, str], pl.DataFrame] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.agents:
            raise InputError("a report needs at least one agent with results")
        keys = [agent.key for agent in self.agents]
        for task, model in keys:
            if keys.count((task, model)) > 1:
                raise InputError(f"agent '{model}' appears twice on benchmark '{task}'")
        set_ = object.__setattr__
        set_(self, "agents", tuple(self.agents))
        set_(self, "skipped", tuple(self.skipped))
        set_(self, "notes", tuple(self.notes))
        for name, columns in _FRAMES.items():
            set_(self, name, _with_columns(name, getattr(self, name), columns))
        ranked = self.items.sort(
            ["variance", "min_max_gap", "task", "id"],
            descending=[True, True, False, False],
            nulls_last=True,
            maintain_order=True,
        )
        parts = ranked.partition_by("task", "model", as_dict=True, maintain_order=True)
        set_(self, "_by_agent", {(str(task), str(model)): part for (task, model), part in parts.items()})

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(agent.task for agent in self.agents))

    def name(self, agent: AgentRow) -> str:
        """How the agent is called in this report: the benchmark is added when there are several."""
        return agent.model if len(self.tasks) == 1 else f"{agent.model} · {agent.task}"

    def items_of(self, agent: AgentRow) -> pl.DataFrame:
        """The agent's items, most sensitive first."""
        return self._by_agent.get(agent.key, self.items.clear())

    def variants_of(self, task: str) -> list[str]:
        """Every wording's name on a benchmark, the original first, then in the order of the frames."""
        names: dict[str, None] = {}
        for frame in (self.wordings, self.cells):
            seen = frame.filter(pl.col("task") == task)["variant"].unique(maintain_order=True)
            names.update(dict.fromkeys(name for name in seen if name is not None))
        return sorted(names, key=lambda name: name != "orig")

    def wordings_range(self, agent: AgentRow) -> tuple[int, int] | None:
        """Fewest and most scored wordings of an item, over items that have a variance."""
        counts = self.items_of(agent).filter(pl.col("n_variants") >= 2)["n_variants"]
        if counts.is_empty():
            return None
        return int(counts.min()), int(counts.max())  # type: ignore[arg-type]

    def floor(self, agent: AgentRow) -> float | None:
        """The lowest S_prompt that scores in [0, 1] allow with this many wordings."""
        counts = self.items_of(agent).filter(pl.col("n_variants") >= 2)["n_variants"].to_list()
        if not counts:
            return None
        return 1 - sum(largest_variance(count) for count in counts) / len(counts)


def largest_variance(wordings: int) -> float:
    """M(V): the sample variance when half of `wordings` scores are 0 and half are 1."""
    half = wordings // 2
    return half * (wordings - half) / (wordings * (wordings - 1))


def is_uninformative() -> pl.Expr:
    """All right or all wrong: an item that cannot show what wording does."""
    mean = pl.col("mean_score")
    return (pl.col("min_max_gap") == 0) & ((mean <= 0) | (mean >= 1))


def differs() -> pl.Expr:
    return pl.col("min_max_gap") > 0


_FRAMES: dict[str, dict[str, Any]] = {
    "items": ITEM_COLUMNS,
    "kinds": KIND_COLUMNS,
    "cells": CELL_COLUMNS,
    "wordings": WORDING_COLUMNS,
}


def _with_columns(what: str, frame: pl.DataFrame, columns: Mapping[str, Any]) -> pl.DataFrame:
    if frame.width == 0:
        return pl.DataFrame(schema=dict(columns))
    absent = [name for name in columns if name not in frame.columns and name not in OPTIONAL_COLUMNS]
    if absent:
        noun = "column" if len(absent) == 1 else "columns"
        raise InputError(
            f"the report's frame '{what}' lacks the {noun} {', '.join(absent)}",
            hint=f"It has: {', '.join(frame.columns) or 'none'}.",
        )
    return frame.select(
        pl.col(name).cast(kind) if name in frame.columns else pl.lit(None, dtype=kind).alias(name)
        for name, kind in columns.items()
    )
