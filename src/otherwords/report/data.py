"""`ReportData`, a report's input: rows of agents, runs, baseline and logs; frames with checked columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from otherwords.core.contract import AMBIGUOUS, ORIG, UNANSWERABLE
from otherwords.core.errors import InputError
from otherwords.core.table import WORDING_COLUMNS, lowest_s_prompt
from otherwords.core.template_results import TemplateSummary
from otherwords.core.trajectory_results import TrajectorySummary
from otherwords.core.types import Estimate
from otherwords.core.verdict import Verdict
from otherwords.report.formats import Provenance

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
    "probability": pl.Float64,  # that wording matters for the item; null where no wording was run twice
    "audit": pl.String,  # clean · ambiguous · unanswerable, by the item's options; null when not audited
    "moved": pl.Int64,  # against the baseline: −1 newly broken, 1 newly fixed, else 0; null without one
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
    "q": pl.Float64,  # of the test that delta is zero, corrected for how many were tried
    "n_items": pl.Int64,
    "n_rows": pl.Int64,
    "n_missing": pl.Int64,  # rows without a score
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
    "kind": pl.String,
    "change": pl.String,
}
SAMPLE_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "repeat": pl.Int64,
    "score": pl.Float64,  # null without one
    "outcome": pl.String,
    "answer": pl.String,
    "reason": pl.String,  # why there is no score
    "log": pl.String,
    "tools": pl.String,  # the tools that it called, in order, with blanks between them; null where not known
    "parting": pl.String,  # where this parts from what the original usually does; empty where it does not
    "parts_at": pl.Int64,  # the number of that call
    "arguments": pl.String,  # of that call, for a reader; null where they were not looked up
    "usual_arguments": pl.String,  # of the original's call at that place
}
OPTIONAL_COLUMNS: dict[str, frozenset[str]] = {
    "items": frozenset({"n_rows", "n_missing", "probability", "audit", "moved"}),
    "samples": frozenset("reason log tools parting parts_at arguments usual_arguments".split()),
    "kinds": frozenset({"accuracy_low", "accuracy_high", "change", "q", "n_rows", "n_missing"}),
    "cells": frozenset({"log", "kind", "change"}),
    "wordings": frozenset({"change"}),
}


@dataclass(frozen=True)
class AgentRow:
    """One model or agent on one benchmark."""

    model: str
    task: str
    estimates: Mapping[str, Estimate]
    """By name, as in `formats.METRIC_NAMES`. A name that is absent is shown as not computed."""
    statuses: Mapping[str, int]
    """Rows by status: scored, unscored, error, limit, missing."""
    repeats: int
    """Runs of the same wording. With 1, phrasing and run-to-run noise cannot be told apart."""
    verdict: Verdict
    """What wording does to it."""
    flips: Mapping[str, Estimate] = field(default_factory=dict)
    """Flip rate against the original, by kind of change."""
    outcomes: Mapping[str, int] = field(default_factory=dict)
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Rows by outcome (answered, unreadable, refused, …): all, and those without a score."""
    stopped: Mapping[str, Any] | None = None
    """Of a run that was to stop at a goal: the goal, and what its last look says; see docs/json.md."""

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.model


@dataclass(frozen=True)
class RunPoint:
    """One agent in one of several runs over time."""

    model: str
    task: str
    label: str
    """The run's time or name; the same for all agents of a run."""
    estimates: Mapping[str, Estimate]
    n_items: int
    floor: float | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.model


@dataclass(frozen=True)
class AuditedRow:
    """One agent without the items that an audit of their options did not find clean."""

    model: str
    task: str
    labels: Mapping[str, int]
    """The agent's items by label: clean, ambiguous, unanswerable; `not audited` without options."""
    reasons: Mapping[str, int]
    """Items that are not clean by reason code; an item may have several."""
    estimates: Mapping[str, Estimate]
    """Of what is left; empty when nothing is."""
    floor: float | None = None

    @property
    def key(self) -> tuple[str, str]:
        return self.task, self.model

    @property
    def flagged(self) -> int:
        return self.labels.get(AMBIGUOUS, 0) + self.labels.get(UNANSWERABLE, 0)

    @property
    def total(self) -> int:
        return sum(self.labels.values())


@dataclass(frozen=True)
class BaselineRow:
    """One agent against the baseline, on the items that both have."""

    model: str
    task: str
    broken: tuple[str, ...]
    """Items that worked in the baseline and do not now, the surest first."""
    fixed: tuple[str, ...]
    unchanged: int
    went_wrong: int
    """Items of which most runs were right in the baseline and are not now, noise included."""
    went_right: int
    change: Estimate
    """Of accuracy over all wordings, now − baseline."""
    p: float | None = None
    """That the change of accuracy is none."""


@dataclass(frozen=True)
class LogRow:
    """One Inspect log, with its accuracy over all of its samples."""

    log: str
    model: str
    task: str
    scorer: str | None
    reducer: str | None
    samples: int
    scored: int
    accuracy: float | None
    """As Inspect computes it, from the samples."""
    inspect_accuracy: float | None
    """What Inspect wrote into the log."""
    names_wordings: bool = False
    """Whether the ids of its samples are those of wordings; else they are those of items."""


@dataclass(frozen=True)
class SkippedFile:
    """A file that was not used, and why."""

    file: str
    reason: str


@dataclass(frozen=True)
class ReportData:
    """Everything that a report shows; a notebook shows it as a table and a figure."""

    title: str
    agents: tuple[AgentRow, ...]
    items: pl.DataFrame
    kinds: pl.DataFrame
    cells: pl.DataFrame
    wordings: pl.DataFrame
    samples: pl.DataFrame = field(default_factory=pl.DataFrame)
    """Every run of every wording."""
    skipped: tuple[SkippedFile, ...] = ()
    notes: tuple[str, ...] = ()  # plain sentences shown at the top
    level: float = 0.95
    """Of every interval."""
    history: tuple[RunPoint, ...] = ()
    """Runs over time, oldest first; empty when there is one."""
    audited: tuple[AuditedRow, ...] = ()
    """Agents without their ambiguous items; empty when no item is known to be one."""
    logs: tuple[LogRow, ...] = ()
    """The Inspect logs that it is of."""
    outcome_rates: pl.DataFrame = field(default_factory=pl.DataFrame)
    """By kind and change of wording, how often each outcome but `answered` is, as `by_outcome` gives it."""
    baseline: tuple[BaselineRow, ...] = ()
    """Agents that the baseline has too."""
    baseline_name: str = ""
    provenance: Provenance | None = None
    """How the report was made."""
    templates: tuple[TemplateSummary, ...] = ()
    """Agents that were asked through several templates, or in a design of crossed factors."""
    trajectories: tuple[TrajectorySummary, ...] = ()
    """Agents that call tools; none in a public report."""
    ddof: int = 1
    """What variances divide by: n − 1, or with 0, as in HAL's code, n."""
    public: bool = False
    """Redacted for publication: without prompts, answers, log addresses and raw ids."""
    _by_agent: dict[tuple[str, str], pl.DataFrame] = field(init=False, repr=False, compare=False)
    _cells_by_agent: dict[tuple[str, str], pl.DataFrame] = field(init=False, repr=False, compare=False)
    _samples_by_agent: dict[tuple[str, str], pl.DataFrame] = field(init=False, repr=False, compare=False)
    _variants: dict[str, list[str]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.agents:
            raise InputError("a report needs at least one agent with results")
        keys = [agent.key for agent in self.agents]
        for task, model in keys:
            if keys.count((task, model)) > 1:
                raise InputError(f"agent '{model}' appears twice on benchmark '{task}'")
        set_ = object.__setattr__
        for name in ("agents", "skipped", "notes", "history", "audited", "logs", "baseline"):
            set_(self, name, tuple(getattr(self, name)))
        for name, columns in _FRAMES.items():
            set_(self, name, _with_columns(name, getattr(self, name), columns))
        ranked = self.items.join(
            _worst_losses(self.agents, self.cells), on=_ITEM, how="left", maintain_order="left"
        ).sort(
            pl.col("probability").round(2),
            *("worst_loss", "probability", "variance", "min_max_gap", "task", "id"),
            descending=[True, True, True, True, True, False, False],
            nulls_last=True,
            maintain_order=True,
        )
        set_(self, "_by_agent", _by_agent(ranked))
        set_(self, "_cells_by_agent", _by_agent(self.cells))
        set_(self, "_samples_by_agent", _by_agent(self.samples))
        set_(self, "_variants", {})

    @property
    def tasks(self) -> list[str]:
        return list(dict.fromkeys(agent.task for agent in self.agents))

    def name(self, agent: AgentRow | TemplateSummary | TrajectorySummary) -> str:
        """How the agent is called in this report: the benchmark is added when there are several."""
        return agent.model if len(self.tasks) == 1 else f"{agent.model} · {agent.task}"

    def items_of(self, agent: AgentRow) -> pl.DataFrame:
        """The agent's items by evidence: those for which wording matters most likely first.

        Of those equal to a percent, the ones that lose most under the worst change: `worst_loss`.
        """
        return self._by_agent.get(agent.key, _NO_ITEMS)

    def cells_of(self, agent: AgentRow) -> pl.DataFrame:
        return self._cells_by_agent.get(agent.key, self.cells.clear())

    def samples_of(self, agent: AgentRow) -> pl.DataFrame:
        """Every run of the agent."""
        return self._samples_by_agent.get(agent.key, self.samples.clear())

    def colour(self, agent: AgentRow) -> int:
        """The place of the agent's model among all models: its colour and shape, on every benchmark."""
        return list(dict.fromkeys(one.model for one in self.agents)).index(agent.model)

    def kinds_of(self, agent: AgentRow) -> pl.DataFrame:
        """The agent's kinds of change, costliest first."""
        mine = self.kinds.filter(task=agent.task, model=agent.model)
        return mine.sort("delta", descending=True, nulls_last=True, maintain_order=True)

    def outcome_rates_of(self, agent: AgentRow) -> pl.DataFrame:
        """How often each kind of change ends otherwise than with an answer."""
        rates = self.outcome_rates
        return rates if rates.is_empty() else rates.filter(task=agent.task, model=agent.model)

    @property
    def flip_kinds(self) -> list[str]:
        return sorted({kind for agent in self.agents for kind in agent.flips})

    @property
    def runs(self) -> list[str]:
        """The labels of the runs over time, in order."""
        return list(dict.fromkeys(point.label for point in self.history))

    def variants_of(self, task: str) -> list[str]:
        """Every wording's name on a benchmark, the original first, then in the order of the frames."""
        if task not in self._variants:
            frames = [frame.filter(task=task).select("variant") for frame in (self.wordings, self.cells)]
            names = pl.concat(frames)["variant"].drop_nulls().unique(maintain_order=True)
            self._variants[task] = sorted(names, key=lambda name: name != ORIG)
        return list(self._variants[task])

    def wordings_range(self, agent: AgentRow) -> tuple[int, int] | None:
        """Fewest and most scored wordings of an item, over items that have a variance."""
        counts = self.items_of(agent).filter(pl.col("n_variants") >= 2)["n_variants"]
        if counts.is_empty():
            return None
        return int(counts.min()), int(counts.max())  # type: ignore[arg-type]

    def floor(self, agent: AgentRow) -> float | None:
        """The lowest S_prompt that scores in [0, 1] allow with this many wordings."""
        return lowest_s_prompt(self.items_of(agent)["n_variants"], self.ddof)

    def _repr_html_(self) -> str:
        # only here: the notebook's view imports figures, which most users of the data do not need
        from otherwords.report.page_verdict import summary_html

        return summary_html(self)


_ITEM = ["task", "model", "id"]
_NO_ITEMS = pl.DataFrame(schema={**ITEM_COLUMNS, "worst_loss": pl.Float64})


def _worst_losses(agents: Sequence[AgentRow], cells: pl.DataFrame) -> pl.DataFrame:
    """What each item loses under the change that its agent's verdict calls the worst, where there is one."""
    frames = [pl.DataFrame(schema={**dict.fromkeys(_ITEM, pl.String), "worst_loss": pl.Float64})]
    for agent in agents:
        worst = agent.verdict.worst
        if worst is None:
            continue
        mine = cells.filter(task=agent.task, model=agent.model)
        under = mine.filter(kind=worst.kind)
        under = under.filter(change=worst.change) if worst.change else under
        means = under.group_by(_ITEM).agg(pl.col("score").mean().alias("under"))
        lost = mine.filter(variant=ORIG).join(means, on=_ITEM)
        frames.append(lost.select(*_ITEM, worst_loss=pl.col("score") - pl.col("under")))
    return pl.concat(frames).unique(_ITEM)


def _by_agent(frame: pl.DataFrame) -> dict[tuple[str, str], pl.DataFrame]:
    parts = frame.partition_by("task", "model", as_dict=True, maintain_order=True)
    return {(str(task), str(model)): part for (task, model), part in parts.items()}


_FRAMES: dict[str, dict[str, Any]] = {
    "items": ITEM_COLUMNS,
    "kinds": KIND_COLUMNS,
    "cells": CELL_COLUMNS,
    "wordings": WORDING_COLUMNS,
    "samples": SAMPLE_COLUMNS,
}


def _with_columns(what: str, frame: pl.DataFrame, columns: Mapping[str, Any]) -> pl.DataFrame:
    if frame.width == 0:
        return pl.DataFrame(schema=dict(columns))
    optional = OPTIONAL_COLUMNS[what]
    absent = [name for name in columns if name not in frame.columns and name not in optional]
    if absent:
        raise InputError(
            f"the report's frame '{what}' lacks the column{'s' * (len(absent) > 1)} {', '.join(absent)}",
            hint=f"It has: {', '.join(frame.columns) or 'none'}.",
        )
    return frame.select(
        _cast(name, kind) if name in frame.columns else pl.lit(None, dtype=kind).alias(name)
        for name, kind in columns.items()
    )


def _cast(name: str, kind: Any) -> pl.Expr:
    """What is no number is null: it can be neither drawn nor written."""
    column = pl.col(name).cast(kind)
    return pl.when(column.is_finite()).then(column).alias(name) if kind == pl.Float64 else column
