"""Logs → the results to report (the latest of several runs), and each agent's estimates in each run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import polars as pl

from otherwords.core.table import lowest_s_prompt
from otherwords.metrics import s_task
from otherwords.metrics.score_arrays import read_grid
from otherwords.pipeline.stratify import estimates_of
from otherwords.report import RunPoint
from otherwords.results import Results, read_results
from otherwords.results.run_identity import told_apart

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize

METRICS = ("accuracy", "s_prompt", "s_norm", "fragility_score", "c_out")
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
    parts = [read_results(one, strict=strict, scorer=scorer) for one in given]
    if len(parts) > 1 and _ask_the_same([part.outcomes for part in parts]):
        return _latest(given, parts)
    if len(parts) > 1 and _share_agents([part.outcomes for part in parts]):
        # Only together it shows whether they are parts of one run.
        parts = [read_results(given, strict=strict, scorer=scorer)]
    whole = parts[0] if len(parts) == 1 else _joined(parts)
    runs = _runs_within(whole.outcomes)
    return Runs(whole, runs, TOGETHER.format(runs=len(runs)) if runs else "")


def history_of(
    runs: Sequence[Run], *, generalize: Generalize | None = None, ddof: int = 1
) -> Iterator[RunPoint]:
    """Each agent in each run, in order of time."""
    for run in runs:
        for (task,), of_task in run.outcomes.group_by("task", maintain_order=True):
            grid = read_grid(of_task)
            estimates = estimates_of(grid, METRICS, generalize=generalize, ddof=ddof)
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
