"""Runs Inspect tasks with models: resumes what was interrupted, stops at a budget, counts what it spent.

Inspect announces every hook that a process has, so `ProgressHooks` is here and not in a module that
`inspect eval` imports, too.
"""

from __future__ import annotations

import copy
import signal
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval_set, task_with
from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelUsageData,
    SampleEnd,
    SampleScoring,
    SampleStart,
    hooks,
)
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelCost

from otherwords.core.contract import AGENT_NAME_KEY, SETTINGS_KEY
from otherwords.core.errors import InputError, RunError
from otherwords.core.hashing import stable_hash
from otherwords.runs.agents.hal_io import with_sample_files
from otherwords.runs.invalid_scores import mark_invalid
from otherwords.runs.logs import (
    count_reusable,
    local_path,
    own_headers,
    plain_name,
    recover_crashed,
    sample_errors,
)
from otherwords.runs.progress import (
    PATIENCE,
    Budget,
    OnProgress,
    Progress,
    Tally,
    active,
    counting,
    current_sample,
    prompt_not_delivered,
)
from otherwords.runs.secrets import models_with_hidden_keys
from otherwords.runs.settings import Limits, RunSettings
from otherwords.runs.terminal import suppress_output

__all__ = ["Limits", "RunSettings", "RunSummary", "count_finished", "run_tasks"]

NO_MODEL = "none/"
"""Inspect's model for tasks that ask none."""


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


def run_tasks(
    tasks: Task | Sequence[Task],
    models: str | Model | Sequence[str | Model],
    *,
    log_dir: str | Path,
    repeats: int = 1,
    settings: RunSettings | None = None,
    max_connections: int | None = None,
    budget: Budget | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    on_progress: OnProgress | None = None,
) -> RunSummary:
    """Run every task with every model, `repeats` times; run again, it finishes what is missing.

    A sample that fails is recorded with its error, the others go on, and the next run tries it again.
    A KeyboardInterrupt comes through with the logs intact. When the budget is spent, the summary says so,
    and what has finished is in the logs.

    Raises:
        InputError: The folder holds another run of the same task, or an argument is wrong.
        RunError: Nothing can be run or written, or no variant of the prompt reaches the model.
    """
    settings = settings or RunSettings()
    folder, planned, names = _planned(tasks, models, log_dir, repeats, settings)
    if budget is not None and threading.current_thread() is not threading.main_thread():
        raise InputError("a run with a budget must be started from the main thread")
    recover_crashed(folder)
    reused = count_reusable(folder, planned, names, settings, repeats)
    total = sum(len(task.dataset) for task in planned) * repeats * len(names)
    started = time.monotonic()
    tally = Tally(
        Progress(total=total, reused=reused),
        on_progress,
        budget=budget,
        prices=prices,
        samples_are_calls=settings.calls_no_model,
        # A sample that waits would run into its time limit, and be recorded as one that took too long.
        patience=0.0 if _have_time_limits(planned, settings.limits) else PATIENCE,
    )
    limits = settings.limits
    generate = _generate_args(settings.config, max_connections)
    asked, model_args = models_with_hidden_keys(names, settings.model_args, generate)
    with (
        counting(tally),
        suppress_output(),
        _disk_errors_as_run_errors(folder),
        _until_stopped(tally),
        _interruptible(budget),
    ):
        _, logs = eval_set(
            [_marking_invalid(_with_files(task, settings), names) for task in planned],
            log_dir=str(folder),
            model=asked,  # type: ignore[arg-type]
            model_args=model_args,
            model_roles=dict(settings.model_roles) or None,
            solver=settings.solver,
            epochs=repeats,
            metadata={SETTINGS_KEY: settings.hash} | _named(settings),
            display="none",
            ctl_server=False,
            log_dir_allow_dirty=True,
            # Errors stay on their samples, the log ends as not successful, and so the next run retries them.
            fail_on_error=True,
            continue_on_fail=True,
            retry_immediate=False,
            retry_attempts=1,
            # What has finished but is not in the file yet is in the realtime buffer, and survives a kill.
            log_realtime=True,
            message_limit=limits.messages,
            token_limit=limits.tokens,
            time_limit=limits.seconds,
            working_limit=limits.working_seconds,
            **generate,
        )
    seconds = time.monotonic() - started
    if tally.delivery.never_delivered():
        raise RunError(
            "no wording reached the model: in other words it was shown just what the original shows it\n"
            "The prompt must be elsewhere. Say where with --prompt-field."
        )
    if tally.stopped is not None:
        return _stopped(folder, planned, names, settings, repeats, tally, seconds)
    # Interrupted, Inspect may return as if it had finished, without the interrupted logs.
    if len(logs) < len(planned) * len(names) or any(log.status == "cancelled" for log in logs):
        raise KeyboardInterrupt
    return _summarise(logs, tally, seconds)


def count_finished(
    tasks: Task | Sequence[Task],
    models: str | Model | Sequence[str | Model],
    *,
    log_dir: str | Path,
    repeats: int = 1,
    settings: RunSettings | None = None,
) -> int:
    """Samples that `run_tasks` with these arguments would not run again."""
    settings = settings or RunSettings()
    folder, planned, names = _planned(tasks, models, log_dir, repeats, settings)
    recover_crashed(folder)
    return count_reusable(folder, planned, names, settings, repeats)


def _planned(
    tasks: Task | Sequence[Task],
    models: str | Model | Sequence[str | Model],
    log_dir: str | Path,
    repeats: int,
    settings: RunSettings,
) -> tuple[Path, list[Task], list[str | Model]]:
    planned = [tasks] if isinstance(tasks, Task) else list(tasks)
    names = [models] if isinstance(models, str | Model) else list(models)
    if not planned or not names:
        raise InputError("a run needs at least one task and one model")
    if repeats < 1:
        raise InputError(f"repeats must be at least 1, got {repeats}")
    if settings.agent_name is not None and len(names) > 1:
        raise InputError(
            f"the agent '{settings.agent_name}' cannot have {len(names)} models, since tables tell agents "
            "apart by their name",
            hint="Run it once for each model, each time under another name.",
        )
    if settings.agent_name is not None:
        planned = [_versioned(task, settings.agent_name) for task in planned]
    return Path(log_dir), planned, names


def _versioned(task: Task, agent_name: str) -> Task:
    """Inspect knows a run by the task's version, so that two agents never share a log."""
    return task_with(copy.copy(task), version=stable_hash([task.version, agent_name]))


def _marking_invalid(task: Task, models: Sequence[str | Model]) -> Task:
    if task.scorer is None:
        return task
    expect_model = not any(str(model).startswith(NO_MODEL) for model in models)
    marked = mark_invalid(task.scorer, expect_model=expect_model, is_undelivered=prompt_not_delivered)
    return task_with(copy.copy(task), scorer=marked)


def _with_files(task: Task, settings: RunSettings) -> Task:
    return with_sample_files(task) if settings.calls_no_model else task


def _named(settings: RunSettings) -> dict[str, Any]:
    return {} if settings.agent_name is None else {AGENT_NAME_KEY: settings.agent_name}


def _have_time_limits(tasks: list[Task], limits: Limits) -> bool:
    bounds = [limits.seconds, limits.working_seconds]
    bounds += [bound for task in tasks for bound in (task.time_limit, task.working_limit)]
    return any(bound is not None for bound in bounds)


def _generate_args(config: GenerateConfig, max_connections: int | None) -> Any:
    given = config.model_dump(exclude_none=True)
    return given if max_connections is None else {**given, "max_connections": max_connections}


@contextmanager
def _interruptible(budget: Budget | None) -> Iterator[None]:
    """A shell starts background jobs with interrupts ignored, and a spent budget ends the run by one."""
    if budget is None or signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _disk_errors_as_run_errors(folder: Path) -> Iterator[None]:
    """A full disk or a folder that may not be written to; what has finished is in the logs."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{error.filename or folder}: cannot write: {error.strerror or error}") from error
    except sqlite3.Error as error:  # Inspect keeps what is not yet in a log in a database
        raise RunError(f"{folder}: cannot write the log's buffer: {error}") from error


@contextmanager
def _until_stopped(tally: Tally) -> Iterator[None]:
    """The interruption by which a spent budget ends a run is no one's Ctrl-C."""
    try:
        yield
    except KeyboardInterrupt:
        if tally.stopped is None:
            raise


def _stopped(
    folder: Path,
    tasks: list[Task],
    models: Sequence[str | Model],
    settings: RunSettings,
    repeats: int,
    tally: Tally,
    seconds: float,
) -> RunSummary:
    now = tally.progress
    return RunSummary(
        logs=tuple(local_path(header.location) for header in own_headers(folder, tasks, models, settings)),
        total=now.total,
        finished=count_reusable(folder, tasks, models, settings, repeats),
        errored=now.errors,
        reused=now.reused,
        calls=now.calls,
        tokens=now.tokens,
        seconds=seconds,
        usd=now.usd,
        stopped=tally.stopped,
        **_judged(tally),
    )


def _judged(tally: Tally) -> Any:
    return {
        "self_scored": tally.self_scored,
        "unjudged": len(tally.unjudged),
        "first_unjudged": next(iter(tally.unjudged), None),
    }


def _summarise(logs: list[EvalLog], tally: Tally, seconds: float) -> RunSummary:
    progress = tally.progress
    total = finished = 0
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
    return RunSummary(
        logs=tuple(local_path(log.location) for log in logs),
        total=total,
        finished=finished,
        errored=total - finished,
        reused=progress.reused,
        calls=progress.calls,
        tokens=progress.tokens,
        seconds=seconds,
        usd=progress.usd,
        first_error=next(iter(errors), None),
        **_judged(tally),
    )


@hooks(name="otherwords_progress", description="Counts samples, calls, tokens and money of a run.")
class ProgressHooks(Hooks):
    def enabled(self) -> bool:
        return bool(active)

    async def on_sample_start(self, data: SampleStart) -> None:
        current_sample.set(data.sample_id)
        active[-1].delivery.begins(data.sample_id, data.eval_id, data.summary.metadata)
        await active[-1].sample_begins(data.sample_id)

    async def on_sample_scoring(self, data: SampleScoring) -> None:
        active[-1].scoring_begins(data.sample_id)

    async def on_sample_end(self, data: SampleEnd) -> None:
        active[-1].judged((data.sample.scores or {}).values())
        await active[-1].sample_ends(data.sample_id, failed=data.sample.error is not None)

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        active[-1].delivery.shows(current_sample.get(), data.input, data.tools)
        await active[-1].call_begins(current_sample.get())

    async def on_model_usage(self, data: ModelUsageData) -> None:
        active[-1].call_ends(data.model_name, data.usage)
