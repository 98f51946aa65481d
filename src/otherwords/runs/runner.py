"""`run_tasks`: Inspect tasks with models → run, resumed, stopped at a budget; hooks that count what it takes.

Inspect announces every hook that a process has, so `ProgressHooks` is here and not in a module that
`inspect eval` imports, too.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from inspect_ai import Task, eval_set
from inspect_ai.hooks import (
    BeforeModelGenerate,
    Hooks,
    ModelCacheUsageData,
    ModelUsageData,
    SampleEnd,
    SampleInit,
    SampleScoring,
    SampleStart,
    TaskStart,
    hooks,
)
from inspect_ai.log import EvalLog
from inspect_ai.model import GenerateConfig, Model, ModelCost
from inspect_ai.solver import Solver, SolverSpec

from otherwords.core.contract import AGENT_NAME_KEY, SCORER_KEY, SHARD_KEY
from otherwords.core.errors import OtherwordsError, RunError
from otherwords.core.files import unused_folder
from otherwords.runs.agents.hal import with_sample_files
from otherwords.runs.earlier_runs import FoundRuns
from otherwords.runs.fingerprint import identified, plan_tasks
from otherwords.runs.lease import hold_folder
from otherwords.runs.logs import (
    plain_name,
    problem_of,
)
from otherwords.runs.outcomes import telling_outcomes
from otherwords.runs.progress import (
    PATIENCE,
    OnProgress,
    Progress,
    Tally,
    active,
    counting,
    current_sample,
    prompt_not_delivered,
    repeated_error,
    same_error,
)
from otherwords.runs.resolve import suppress_output
from otherwords.runs.sample_costs import Budget
from otherwords.runs.settings import (
    Limits,
    RunSettings,
    load_solver,
    models_with_hidden_keys,
    require_servers,
)
from otherwords.runs.shared_texts import show_own_texts
from otherwords.runs.summary import RunSummary, summarise, summary_of_stopped

ASKED_AGAIN = "Inspect does not go on from this run's log, and asks again what has finished"
NO_MODEL = "none/"
"""Inspect's model for tasks that ask none."""
# For the one hooks object of the process, like the tally.
_finished: dict[Any, frozenset[tuple[str, int]]] = {}
"""What earlier runs finished, by task and model, and by Inspect's id of what is running."""
_asked: dict[str, str] = {}
"""The model or agent, by Inspect's id of what is running."""


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
    adopt: bool = False,
    keep_going: bool = False,
) -> RunSummary:
    """Run every task with every model, `repeats` times; run again, it finishes what is missing.

    More samples or repeats than before are added to what is there. A sample that fails is recorded with its
    error, the others go on, and the next run tries it again. A KeyboardInterrupt comes through with the logs
    intact. When the budget is spent, the summary says so, and what has finished is in the logs. With `adopt`,
    a run that version 0.1 began is continued.

    Raises:
        InputError: The folder holds another run of the same task, another process writes there, or an
            argument is wrong.
        RunError: Nothing can be run or written, no variant of the prompt reaches the model, or, without
            `keep_going`, five samples in a row end with the same error.
    """
    settings = settings or RunSettings()
    planned, names = plan_tasks(tasks, models, repeats, settings)
    with hold_folder(log_dir):
        found = FoundRuns.read(Path(log_dir), planned, names, adopt=adopt)
        return _run(found, max_connections, budget, prices, on_progress, keep_going)


def _run(
    found: FoundRuns,
    max_connections: int | None,
    budget: Budget | None,
    prices: Mapping[str, ModelCost] | None,
    on_progress: OnProgress | None,
    keep_going: bool,
) -> RunSummary:
    settings, folder = found.settings, found.folder
    started = time.monotonic()
    tally = Tally(
        Progress(total=found.total, reused=found.reused),
        on_progress,
        budget=budget,
        prices=prices,
        samples_are_calls=settings.calls_no_model,
        # A sample that waits would run into its time limit, and be recorded as one that took too long.
        patience=0.0 if _have_time_limits([one.task for one in found.planned], settings.limits) else PATIENCE,
        keep_going=keep_going,
    )
    limits = settings.limits
    generate = _generate_args(settings.config, max_connections)
    for run in found.earlier.values():
        if not run.is_newest:  # Inspect goes on from the newest log, which a kill may have left unfilled
            os.utime(run.log)
    _finished.clear()
    _finished.update({key: run.finished for key, run in found.earlier.items()})
    before = set(folder.glob("*.eval"))
    logs: list[EvalLog] = []
    expected = 0
    for tasks, models in found.rounds():
        expected += len(tasks) * len(models)
        asked, model_args = models_with_hidden_keys(models, settings.model_args, generate)
        options: dict[str, Any] = dict(settings.eval_args)
        if not settings.calls_no_model:
            require_servers(models, settings.model_args)
        watched, solver = _telling_outcomes(
            [_with_files(identified(one, found.known_as[one.name]), settings) for one in tasks],
            settings,
            models,
        )
        with (
            counting(tally),
            suppress_output(),
            _disk_errors_as_run_errors(folder),
            _refused_options(settings),
            _until_stopped(tally),
            _interruptible(),
        ):
            _, ended = eval_set(
                watched,
                log_dir=str(folder),
                model=asked,  # type: ignore[arg-type]
                model_base_url=model_args.pop("base_url", None),
                model_args=model_args,
                model_roles=dict(settings.model_roles) or None,
                solver=solver,
                epochs=found.repeats,
                metadata={**options.pop("metadata", {}), **_named(settings)} or None,
                display="none",
                ctl_server=False,
                log_dir_allow_dirty=True,
                # Errors stay on their samples, the log ends as not successful, and the next run retries them.
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
                **options,
                **generate,
            )
            logs += ended
        if tally.stopped is not None or tally.repeated is not None:
            break
    seconds = time.monotonic() - started
    if tally.delivery.never_delivered():
        raise RunError(
            "no wording reached the model: in other words it was shown just what the original shows it\n"
            "The prompt must be elsewhere. Say where with --prompt-field."
        )
    if tally.repeated is not None:
        raise same_error(tally.repeated, tally.repeated_by, folder)
    if tally.stopped == ASKED_AGAIN:
        for log in set(folder.glob("*.eval")) - before:  # what was begun anew is no run of its own
            log.unlink()
        raise RunError(
            f"{folder}: stopped before anything was paid for twice: {ASKED_AGAIN}\n"
            "The logs are as they were. Go on from the folder and with the version of inspect_ai that it "
            f"began with, or begin another one: --log-dir {unused_folder(folder)}"
        )
    if tally.stopped is not None:
        return summary_of_stopped(found, tally, seconds)
    # Interrupted, Inspect may return as if it had finished, without the interrupted logs.
    if len(logs) < expected or any(log.status == "cancelled" for log in logs):
        raise KeyboardInterrupt
    return summarise(found, logs, tally, seconds)


def _telling_outcomes(
    tasks: list[Task], settings: RunSettings, models: Sequence[str | Model]
) -> tuple[list[Task], Solver | None]:
    solver = settings.solver
    return telling_outcomes(
        tasks,
        load_solver(solver) if isinstance(solver, SolverSpec) else solver,
        expect_model=not any(str(model).startswith(NO_MODEL) for model in models),
        is_undelivered=prompt_not_delivered,
        stopped=repeated_error,
    )


def _with_files(task: Task, settings: RunSettings) -> Task:
    return with_sample_files(task) if settings.calls_no_model else task


def _named(settings: RunSettings) -> dict[str, Any]:
    named = {AGENT_NAME_KEY: settings.agent_name, SCORER_KEY: settings.scorer, SHARD_KEY: settings.shard}
    return {key: name for key, name in named.items() if name is not None}


def _have_time_limits(tasks: list[Task], limits: Limits) -> bool:
    bounds = [limits.seconds, limits.working_seconds]
    bounds += [bound for task in tasks for bound in (task.time_limit, task.working_limit)]
    return any(bound is not None for bound in bounds)


def _generate_args(config: GenerateConfig, max_connections: int | None) -> Any:
    given = config.model_dump(exclude_none=True)
    return given if max_connections is None else {**given, "max_connections": max_connections}


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
def _refused_options(settings: RunSettings) -> Iterator[None]:
    """Inspect looks at some of its options only when it runs."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if not settings.eval_args or isinstance(error, OtherwordsError):
            raise
        raise RunError(f"Inspect cannot run with {', '.join(sorted(settings.eval_args))}: {error}") from error


@contextmanager
def _interruptible() -> Iterator[None]:
    """A shell starts background jobs with interrupts ignored, and a run that is to stop ends by one.

    Ray starts its workers with interrupts held back.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if in_main and hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _until_stopped(tally: Tally) -> Iterator[None]:
    """The interruption by which a spent budget ends a run is no one's Ctrl-C."""
    try:
        yield
    except (KeyboardInterrupt, asyncio.CancelledError):  # the latter in a thread of its own
        if tally.stopped is None:
            raise


@hooks(name="otherwords_progress", description="Counts samples, calls, tokens and money of a run.")
class ProgressHooks(Hooks):
    def enabled(self) -> bool:
        return bool(active)

    async def on_task_start(self, data: TaskStart) -> None:
        known = _finished.get((plain_name(data.spec.task), data.spec.model), frozenset())
        _finished[data.eval_id] = known
        _asked[data.eval_id] = str((data.spec.metadata or {}).get(AGENT_NAME_KEY) or data.spec.model)

    async def on_sample_init(self, data: SampleInit) -> None:
        # before its time limit begins
        await active[-1].sample_asks(data.sample_id, _asked.get(data.eval_id, ""))

    async def on_sample_start(self, data: SampleStart) -> None:
        if (str(data.summary.id), data.summary.epoch) in _finished.get(data.eval_id, ()):
            await active[-1].stop(ASKED_AGAIN)
        current_sample.set(data.sample_id)
        active[-1].delivery.begins(data.sample_id, data.eval_id, data.summary.metadata)
        await active[-1].sample_begins(data.sample_id)

    async def on_sample_scoring(self, data: SampleScoring) -> None:
        active[-1].scoring_begins(data.sample_id)

    async def on_sample_end(self, data: SampleEnd) -> None:
        sample, error = data.sample, data.sample.error
        active[-1].judged((sample.scores or {}).values())
        problem = problem_of(sample.id, sample.metadata, sample.scores, error.message if error else None)
        await active[-1].sample_ends(
            data.sample_id,
            failed=error is not None,
            asked=_asked.get(data.eval_id, ""),
            problem=problem,
            seconds=sample.total_time or 0.0,
        )

    async def on_before_model_generate(self, data: BeforeModelGenerate) -> None:
        show_own_texts(data)
        active[-1].delivery.shows(current_sample.get(), data.input, data.tools)
        await active[-1].call_begins(current_sample.get())

    async def on_model_cache_usage(self, data: ModelCacheUsageData) -> None:
        active[-1].call_was_cached()

    async def on_model_usage(self, data: ModelUsageData) -> None:
        active[-1].call_ends(current_sample.get(), data.model_name, data.usage)


Result = TypeVar("Result")


def beside_a_running_loop(call: Callable[[], Result]) -> Result:
    """In a notebook an event loop runs already, and Inspect starts its own: in another thread."""
    with _without_widgets():
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return call()
        with ThreadPoolExecutor(1, thread_name_prefix="otherwords") as thread:
            return thread.submit(call).result()


@contextmanager
def _without_widgets() -> Iterator[None]:
    """In a notebook Inspect refuses to work without ipywidgets, for a display that is off here."""
    platform: Any = sys.modules.get("inspect_ai._util.platform")
    found = getattr(platform, "running_in_notebook", None)
    if found is None:  # an Inspect that asks otherwise
        yield
        return
    platform.running_in_notebook = lambda: False
    try:
        yield
    finally:
        platform.running_in_notebook = found
