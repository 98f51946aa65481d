"""Logs → runs to report, or a history; estimates of each model, also of clean items only; users' errors."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from otherwords.core.contract import AUDIT_LABELS, CLEAN, ORIG, SCORED
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.registry import traits_of
from otherwords.core.table import by_task, lowest_s_prompt
from otherwords.core.texts import points_between, user_error_counts
from otherwords.core.types import Estimate
from otherwords.metrics import delta_accuracy, mean_variance, s_prompt, s_task, std_variance, summarise
from otherwords.metrics.measures import estimates
from otherwords.metrics.metric_registry import measures_of
from otherwords.metrics.score_arrays import read_grid
from otherwords.report import AuditedRow, RunPoint
from otherwords.report.messages import COLUMNS
from otherwords.results import Results, read_measured
from otherwords.results.run_identity import told_apart

if TYPE_CHECKING:
    from otherwords.audit.decide import Decision
    from otherwords.audit.result import AuditLabels
    from otherwords.metrics.intervals import Generalize
    from otherwords.metrics.score_arrays import Grid


_TREND_METRICS = ("accuracy", "s_prompt", "s_norm", "fragility_score", "c_out")
AGENT = ["task", "model"]
ASKED = [*AGENT, "id", "variant"]
TOGETHER = (
    "{runs} runs of the same wordings were found together and count as repeats; the trend shows them apart. "
    "Name each run's folder by itself to report the latest alone."
)
LATEST = "The report is about the latest of {runs} runs; the trend shows them all."

# Inspect begins a log's name with its time; HAL's names have the seconds since 1970.
_INSPECT_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)")
_UNIX_TIME = re.compile(r"_(1\d{9})(?=_|\.|$)")


@dataclass(frozen=True)
class Run:
    """The outcomes of one run, named by its time or folder."""

    label: str
    outcomes: pl.DataFrame


@dataclass(frozen=True)
class Runs:
    """What to report, and the runs over time that it is part of; one run or none is no history."""

    results: Results
    history: tuple[Run, ...] = ()
    note: str = ""


def read_runs(
    paths: str | Path | Sequence[str | Path], *, strict: bool = False, scorer: str | None = None
) -> Runs:
    """Read `paths`, and see whether they hold runs over time.

    Where two of the paths ask an agent the same wordings, each path is a run and the latest of every agent is
    reported. Within one path, Inspect's logs are never repeats of each other; files of other tools may be.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    parts = [read_measured(one, strict=strict, scorer=scorer) for one in given]
    if len(parts) > 1 and _ask_the_same([part.outcomes for part in parts]):
        return _latest(given, parts)
    if len(parts) > 1 and _share_agents([part.outcomes for part in parts]):
        # Only together it shows whether they are parts of one run.
        parts = [read_measured(given, strict=strict, scorer=scorer)]
    whole = parts[0] if len(parts) == 1 else _joined(parts)
    runs = _runs_within(whole.outcomes)
    return Runs(whole, runs, TOGETHER.format(runs=len(runs)) if runs else "")


def history_of(
    runs: Sequence[Run], *, generalize: Generalize | None = None, ddof: int = 1
) -> Iterator[RunPoint]:
    """Each agent in each run, in order of time."""
    for run in runs:
        for task, of_task in by_task(run.outcomes):
            grid = read_grid(of_task)
            estimates = estimates_of(grid, _TREND_METRICS, generalize=generalize, ddof=ddof)
            every = s_task(grid)
            for (model,), items in every.group_by("model", maintain_order=True):
                yield RunPoint(
                    model=str(model),
                    task=str(task),
                    label=run.label,
                    estimates=estimates[str(model)],
                    n_items=items.height,
                    floor=lowest_s_prompt(items["n_variants"], ddof),
                )


def _ask_the_same(tables: Sequence[pl.DataFrame]) -> bool:
    """Whether two of them hold different results of one agent for the same wording."""
    results = [*ASKED, "repeat", "status", "score", "answer", "log"]
    every = pl.concat(
        [table.select(results).with_columns(part=pl.lit(place)) for place, table in enumerate(tables)]
    )
    # the same rows in two places are one result that was named twice
    every = every.unique(results, keep="first")
    return bool((every.group_by(ASKED).agg(pl.col("part").n_unique())["part"] > 1).any())


def _share_agents(tables: Sequence[pl.DataFrame]) -> bool:
    """Whether an agent is in more than one of them."""
    agents = pl.concat([table.select(AGENT).unique() for table in tables])
    return agents.height > agents.unique().height


def _latest(given: Sequence[str | Path], parts: Sequence[Results]) -> Runs:
    times = [_time_of(part.outcomes) for part in parts]
    order = list(range(len(parts)))
    if all(times):
        order.sort(key=lambda place: str(times[place]))
    labels = _labels(given, times)
    history = tuple(Run(labels[place], parts[place].outcomes) for place in order)
    newest = pl.concat(
        [run.outcomes.with_columns(run=pl.lit(place)) for place, run in enumerate(history)]
    ).filter(pl.col("run") == pl.col("run").max().over(AGENT))
    joined = _joined([parts[place] for place in reversed(order)])
    differences: list[str] = []
    told_apart(joined.runs, differences)
    joined = replace(joined, outcomes=newest.drop("run"), notes=(*joined.notes, *differences))
    return Runs(joined, history, LATEST.format(runs=len(history)))


def _joined(parts: Sequence[Results]) -> Results:
    """All of them; of a wording that several describe, what the first says."""
    outcomes = pl.concat([part.outcomes for part in parts])
    wordings = pl.concat([part.wordings for part in parts])
    return Results(
        outcomes=outcomes.unique(maintain_order=True),
        wordings=wordings.unique(["task", "id", "variant"], keep="first", maintain_order=True),
        skipped=tuple(dict.fromkeys(skipped for part in parts for skipped in part.skipped)),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        logs=tuple(dict.fromkeys(log for part in parts for log in part.logs)),
        runs=tuple(run for part in parts for run in part.runs),
    )


def _runs_within(outcomes: pl.DataFrame) -> tuple[Run, ...]:
    """Logs in order of time; one that asks an agent again what the run so far has asked begins a new run."""
    logs = outcomes["log"].unique(maintain_order=True).drop_nulls().to_list()
    timed = sorted((time, log) for log in logs if (time := _time(log)))
    if len(timed) < 2 or len(timed) < len(logs):
        return ()
    by_log = {str(log): part for (log,), part in outcomes.group_by("log")}
    runs: list[tuple[str, list[str]]] = []
    asked = outcomes.clear().select(ASKED)
    for time, log in timed:
        new = by_log[log].select(ASKED).unique()
        if not runs or not new.join(asked, on=ASKED, how="semi", nulls_equal=True).is_empty():
            runs.append((time, []))
            asked = asked.clear()
        runs[-1][1].append(log)
        asked = pl.concat([asked, new])
    if len(runs) < 2:
        return ()
    return tuple(Run(time, outcomes.filter(pl.col("log").is_in(logs))) for time, logs in runs)


def _labels(given: Sequence[str | Path], times: Sequence[str]) -> list[str]:
    """Times where all have one and they differ, else the shortest ends of the paths that differ."""
    if all(times) and len(set(times)) == len(times):
        return list(times)
    split = [PurePosixPath(Path(one).as_posix()).parts for one in given]
    for length in range(1, max(map(len, split)) + 1):
        names = ["/".join(parts[-length:]) for parts in split]
        if len(set(names)) == len(names):
            return names
    return [f"{one} ({place})" for place, one in enumerate(given, start=1)]


def _time_of(outcomes: pl.DataFrame) -> str:
    """The earliest time in the names of its logs; empty when one has none."""
    times = [_time(log) for log in outcomes["log"].unique().to_list()]
    return min(times) if times and all(times) else ""


def _time(log: str | None) -> str:
    name = PurePosixPath(str(log or "").replace("\\", "/")).name
    if found := _INSPECT_TIME.search(name):
        return f"{found[1]} {found[2]}:{found[3]}:{found[4]}"
    if found := _UNIX_TIME.search(name):
        return datetime.fromtimestamp(int(found[1]), timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    return ""


_AUDITED_METRICS = [name for _, name in COLUMNS]
NOT_AUDITED = "not audited"
Labels: TypeAlias = "Mapping[str, Decision]"
"""By an item's id."""


def report_labels(
    outcomes: pl.DataFrame, wordings: pl.DataFrame, audit: AuditLabels | None
) -> Mapping[str, Labels]:
    """What the audit, or else the options, say of the items; imports no audit where there are no options."""
    if audit is None and (wordings.is_empty() or not (wordings["choices"].list.len() > 0).any()):
        return {}
    return labels_by_task(outcomes, wordings, audit)


def stratified(
    outcomes: pl.DataFrame, labels: Mapping[str, Labels], generalize: Generalize | None, ddof: int
) -> list[AuditedRow]:
    """Each agent without ambiguous items."""
    if not labels:
        return []
    return [
        row
        for task, part in by_task(outcomes)
        for row in audited_rows(str(task), part, labels.get(str(task), {}), generalize=generalize, ddof=ddof)
    ]


def labels_by_task(
    outcomes: pl.DataFrame, wordings: pl.DataFrame, audit: AuditLabels | None = None
) -> dict[str, Labels]:
    """The audit's labels for its benchmark; without one, what the options in the logs say themselves."""
    if audit is None:
        return _labels_in(wordings)
    tasks = outcomes["task"].unique(maintain_order=True).to_list()
    named = [task for task in tasks if task.rpartition("/")[2] == audit.name.rpartition("/")[2]]
    chosen = tasks if len(tasks) == 1 else named
    known = outcomes.filter(pl.col("task").is_in(chosen))["id"].unique().to_list()
    if not audit.decisions.keys() & set(known):
        problem = (
            "none of its items is in the logs"
            if chosen
            else f"it is of '{audit.name}', and the logs are of {', '.join(tasks)}"
        )
        raise InputError(
            f"is of other items: {problem}",
            file=audit.path,
            hint="Audit the dataset that was run: `otherwords audit DATASET --json FILE`.",
        )
    return dict.fromkeys(chosen, audit.decisions)


def _labels_in(wordings: pl.DataFrame) -> dict[str, Labels]:
    from otherwords.audit.decide import audit_choices  # not needed where the logs have no options

    found: dict[str, dict[str, Decision]] = {}
    if wordings.is_empty():
        return {}
    controls = [kind for kind in wordings["kind"].unique().drop_nulls() if traits_of(kind).is_control]
    is_control = pl.col("kind").is_in(controls).fill_null(value=False)
    one_each = (
        wordings.filter((pl.col("choices").list.len() > 0) & ~is_control)
        .sort(pl.col("variant") != ORIG, maintain_order=True)
        .unique(["task", "id"], keep="first", maintain_order=True)
    )
    for task, id_, choices in one_each.select("task", "id", "choices").iter_rows():
        texts = [choice for choice in choices if choice is not None]
        if texts:
            found.setdefault(task, {})[id_] = audit_choices(texts, id=id_)
    return dict(found)


def audited_rows(
    task: str,
    outcomes: pl.DataFrame,
    labels: Labels,
    *,
    generalize: Generalize | None = None,
    ddof: int = 1,
) -> Iterator[AuditedRow]:
    """Each agent of one benchmark without its items that are not clean."""
    flagged = [id_ for id_, one in labels.items() if one.label != CLEAN]
    left = outcomes.filter(~pl.col("id").is_in(flagged))
    estimates: dict[str, dict[str, Estimate]] = {}
    floors = {}
    if flagged and not left.is_empty():
        grid = read_grid(left)
        estimates = estimates_of(grid, _AUDITED_METRICS, generalize=generalize, ddof=ddof)
        per_item = s_task(grid)
        for model in estimates:
            floors[model] = lowest_s_prompt(per_item.filter(pl.col("model") == model)["n_variants"], ddof)
    for (model,), part in outcomes.group_by("model", maintain_order=True):
        found = [labels.get(id_) for id_ in part["id"].unique(maintain_order=True)]
        counted = Counter(NOT_AUDITED if one is None else one.label for one in found)
        why = Counter(code for one in found if one is not None for code in one.reasons)
        yield AuditedRow(
            model=str(model),
            task=task,
            labels={name: counted[name] for name in (*AUDIT_LABELS, NOT_AUDITED) if counted[name]},
            reasons=dict(why.most_common()),
            estimates=estimates.get(str(model), {}),
            floor=floors.get(str(model)),
        )


_OF_VARIANCE = (s_prompt, mean_variance, std_variance)


def estimates_of(
    grid: Grid,
    metrics: Iterable[str],
    *,
    generalize: Generalize | None = None,
    ddof: int = 1,
    levels: Mapping[str, float] | None = None,
) -> dict[str, dict[str, Estimate]]:
    """By model, as `summarise` has them; with `ddof` 0 variances over wordings divide by their number.

    `levels` are those of models whose run was stopped at a look.
    """
    metrics = list(metrics)
    summary = summarise(grid, metrics=metrics, generalize=generalize)
    found = {model: dict(summary.get(grid.label_of(model), {})) for model in grid.models}
    for model, level in (levels or {}).items():
        own = [one for one in measures_of(grid, metrics=metrics) if one.group == grid.label_of(model)]
        found[model] |= {one.metric: one for one in estimates(own, generalize=generalize, level=level)}
    if ddof == 1:
        return found
    for model, of_model in found.items():
        for metric in _OF_VARIANCE:
            if metric.__name__ in of_model:
                of_model[metric.__name__] = metric(grid, model=model, generalize=generalize, ddof=ddof)
    return found


def only_benchmark(outcomes: pl.DataFrame, benchmark: str) -> pl.DataFrame:
    """The rows of one task, by its name or the last part of it."""
    known = outcomes["task"].unique(maintain_order=True).drop_nulls().to_list()
    wanted = [task for task in known if task == benchmark]
    wanted = wanted or [task for task in known if task.rpartition("/")[2] == benchmark]
    if not wanted:
        raise UnknownNameError("benchmark", benchmark, known)
    return outcomes.filter(pl.col("task").is_in(wanted))


def user_error_notes(outcomes: pl.DataFrame) -> list[str]:
    """Of each agent how often a simulated user erred, by wording, and whether rewording makes it err more."""
    notes = []
    known = outcomes.filter(pl.col("user_errors").is_not_null())
    for (task, model), rows in known.group_by(AGENT, maintain_order=True):
        erred = rows.with_columns(score=(pl.col("user_errors") != "").cast(pl.Float64), status=pl.lit(SCORED))
        if not erred["score"].sum():
            continue
        counts = erred.group_by("variant", maintain_order=True).agg(pl.col("score").sum(), of=pl.len())
        each = {str(name): (int(errors), int(of)) for name, errors, of in counts.rows()}
        fewer = delta_accuracy(erred)
        ends = [None if end is None else -end for end in (fewer.value, fewer.high, fewer.low)]
        compared = "" if ends[0] is None else f"; reworded less original: {points_between(*ends)}"
        notes.append(
            f"In {task} with {model} the simulated user itself erred in {user_error_counts(each)}{compared}. "
            "It said what it cannot know, or ended too early; such a conversation says little of the agent."
        )
    return notes
