"""Logs and counts of a run (ended, stopped, in rounds, in shards) → `RunSummary`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Task
from inspect_ai.log import EvalLog

from otherwords.core.errors import RunError
from otherwords.runs.earlier_runs import FoundRuns
from otherwords.runs.fingerprint import plan_tasks
from otherwords.runs.logs import OutcomeCounts, count_outcomes, local_path, plain_name, sample_errors
from otherwords.runs.progress import Tally
from otherwords.runs.sample_costs import CostPerSample
from otherwords.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: its logs, how many samples finished or failed, and what it spent."""

    logs: tuple[Path, ...]
    total: int
    """Samples of the run: wordings times repeats times models."""
    finished: int
    """Samples that are now in the logs without an error."""
    errored: int
    reused: int
    """Samples that an earlier run had finished; they were not run again."""
    calls: int
    tokens: int
    """Calls and tokens of this run alone, as are the money and the seconds."""
    seconds: float
    usd: float = 0.0
    first_error: str | None = None
    """What happened to the first of the samples that failed."""
    stopped: str | None = None
    """The part of the budget that ended the run, such as `calls=100`; None when nothing is left to do."""
    self_scored: int = 0
    """Samples of this run whose score is what the agent says of itself."""
    unjudged: int = 0
    """Samples of this run without a score, as the agent's answer could not be judged."""
    first_unjudged: str | None = None
    outcomes: OutcomeCounts = field(default_factory=OutcomeCounts)
    """What became of the samples in the logs, by wording."""
    costs: CostPerSample | None = None
    """What a sample of this run cost; None where none has ended."""
    goals: tuple[str, ...] = ()
    """Of a run that may stop early: what the last look said of each model."""
    missed: tuple[str, ...] = ()
    """Models that missed the gate at which the run was to stop, or of which it cannot be told."""


def summary_of_stopped(before: FoundRuns, tally: Tally, seconds: float) -> RunSummary:
    """What a run did until its budget ended it."""
    now = tally.progress
    found = FoundRuns.read(before.folder, before.planned, before.models, adopt=True)
    logs = tuple(run.log for run in found.earlier.values())
    return RunSummary(
        logs=logs,
        total=now.total,
        finished=found.reused,
        errored=now.errors,
        reused=now.reused,
        calls=now.calls,
        tokens=now.tokens,
        seconds=seconds,
        usd=now.usd,
        stopped=tally.stopped,
        outcomes=count_outcomes(logs, found.settings.scorer),
        costs=tally.costs.per_sample(),
        **_judged(tally),
    )


def summary_of_rounds(
    tasks: Mapping[str, Task],
    rounds: Sequence[RunSummary],
    *,
    log_dir: Path,
    repeats: int,
    settings: RunSettings,
    adopt: bool,
) -> RunSummary:
    """What a run did that asked in rounds; `tasks` is what each model was asked in its last one."""
    logs: list[Path] = []
    total = finished = 0
    for model, task in tasks.items():
        found = FoundRuns.read(log_dir, *plan_tasks(task, model, repeats, settings), adopt=adopt)
        logs += [run.log for run in found.earlier.values()]
        total, finished = total + found.total, finished + found.reused
    last = rounds[-1] if rounds else None
    return RunSummary(
        logs=tuple(logs),
        total=total,
        finished=finished,
        errored=last.errored if last is not None and last.stopped else total - finished,
        reused=finished - sum(one.finished - one.reused for one in rounds),
        calls=sum(one.calls for one in rounds),
        tokens=sum(one.tokens for one in rounds),
        seconds=sum(one.seconds for one in rounds),
        usd=sum(one.usd for one in rounds),
        first_error=last.first_error if last is not None else None,
        stopped=last.stopped if last is not None else None,
        self_scored=sum(one.self_scored for one in rounds),
        unjudged=sum(one.unjudged for one in rounds),
        first_unjudged=next((one.first_unjudged for one in rounds if one.first_unjudged), None),
        outcomes=count_outcomes(logs, settings.scorer),
    )


def joined(summaries: Sequence[tuple[str, RunSummary]]) -> RunSummary:
    """One summary for those of a run's shards, each given with the model that it asked."""
    parts = [one for _, one in summaries]
    by_wording: dict[str, Counter[str]] = {}
    unscored: Counter[str] = Counter()
    worked: dict[str, bool] = {}
    erred: dict[str, tuple[int, int]] = {}
    for model, one in summaries:
        for wording, (errors, known) in one.outcomes.user_errors.items():
            before = erred.get(wording, (0, 0))
            erred[wording] = (before[0] + errors, before[1] + known)
        worked[model] = worked.get(model, False) or not one.outcomes.failed_models
        unscored.update(one.outcomes.unscored)
        for outcome, counts in one.outcomes.by_wording.items():
            by_wording.setdefault(outcome, Counter()).update(counts)
    failed = [name for model, one in summaries if not worked[model] for name in one.outcomes.failed_models]
    return RunSummary(
        logs=tuple(log for one in parts for log in one.logs),
        total=sum(one.total for one in parts),
        finished=sum(one.finished for one in parts),
        errored=sum(one.errored for one in parts),
        reused=sum(one.reused for one in parts),
        calls=sum(one.calls for one in parts),
        tokens=sum(one.tokens for one in parts),
        seconds=sum(one.seconds for one in parts),
        usd=math.fsum(one.usd for one in parts),
        first_error=next((one.first_error for one in parts if one.first_error), None),
        stopped=next((one.stopped for one in parts if one.stopped), None),
        self_scored=sum(one.self_scored for one in parts),
        unjudged=sum(one.unjudged for one in parts),
        first_unjudged=next((one.first_unjudged for one in parts if one.first_unjudged), None),
        outcomes=OutcomeCounts(
            runs=sum(one.outcomes.runs for one in parts),
            by_wording=by_wording,
            unscored=unscored,
            first={name: why for one in reversed(parts) for name, why in one.outcomes.first.items()},
            no_model=sum(one.outcomes.no_model for one in parts),
            failed_models=tuple(dict.fromkeys(failed)),
            notes=tuple(dict.fromkeys(note for one in parts for note in one.outcomes.notes)),
            user_errors=erred,
            first_user_error=next((told for one in parts if (told := one.outcomes.first_user_error)), ""),
        ),
    )


def _judged(tally: Tally) -> Any:
    return {
        "self_scored": tally.self_scored,
        "unjudged": len(tally.unjudged),
        "first_unjudged": next(iter(tally.unjudged), None),
    }


def summarise(found: FoundRuns, logs: list[EvalLog], tally: Tally, seconds: float) -> RunSummary:
    """What a run did that came to its end.

    Raises:
        RunError: A log has no results, and not because every sample failed.
    """
    progress = tally.progress
    complete = found.complete()
    total = finished = sum(len(one.contents) * one.repeats for one, _ in complete)
    errors: list[str] = []
    for log in logs:
        failed = [] if log.status == "success" else sample_errors(log)
        if log.results is not None:
            total += log.results.total_samples
            finished += log.results.completed_samples
        elif failed:  # Inspect has no results where every sample failed, and each is recorded all the same
            total += len(failed)
        else:
            problem = log.error.message if log.error else f"it ended as '{log.status}'"
            raise RunError(
                f"task '{plain_name(log.eval.task)}' with model '{log.eval.model}' failed: {problem}"
            )
        errors += failed
    written = (*(run.log for _, run in complete), *(local_path(log.location) for log in logs))
    return RunSummary(
        logs=written,
        total=total,
        finished=finished,
        errored=total - finished,
        reused=progress.reused,
        calls=progress.calls,
        tokens=progress.tokens,
        seconds=seconds,
        usd=progress.usd,
        first_error=next(iter(errors), None),
        outcomes=count_outcomes(written, found.settings.scorer),
        costs=tally.costs.per_sample(),
        **_judged(tally),
    )
