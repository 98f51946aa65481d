"""Runs tasks with Inspect's `eval_set`: what had finished before is never run again."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import rich
from inspect_ai import Task, eval_set
from inspect_ai.log import (
    EvalLog,
    RecoveryNotAvailable,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    recover_eval_log,
    recoverable_eval_logs,
)
from inspect_ai.model import GenerateConfig, Model
from rich.text import Text

from otherwords.core.errors import InputError, RunError
from otherwords.core.hashing import stable_hash
from otherwords.runs.progress import OnProgress, Progress, counting

__all__ = ["Limits", "RunSummary", "run_tasks"]

SETTINGS = "otherwords_settings"
"""Metadata of a log: a hash of what must be equal for two runs to be parts of one."""
_HARMLESS_CONFIG = {"max_connections", "max_retries", "timeout", "attempt_timeout", "adaptive_connections"}


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sample."""

    messages: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    working_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class RunSummary:
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
    """Calls and tokens of this run alone, as are the seconds."""
    seconds: float


def run_tasks(
    tasks: Task | Sequence[Task],
    models: str | Model | Sequence[str | Model],
    *,
    log_dir: str | Path,
    repeats: int = 1,
    max_connections: int | None = None,
    limits: Limits | None = None,
    config: GenerateConfig | None = None,
    model_args: Mapping[str, Any] | None = None,
    on_progress: OnProgress | None = None,
) -> RunSummary:
    """Run every task with every model, `repeats` times; run again, it finishes what is missing.

    A sample that fails is recorded with its error, the others go on, and the next run tries it again.
    A KeyboardInterrupt comes through with the logs intact.
    """
    planned = [tasks] if isinstance(tasks, Task) else list(tasks)
    names = [models] if isinstance(models, str | Model) else list(models)
    if not planned or not names:
        raise InputError("a run needs at least one task and one model")
    if repeats < 1:
        raise InputError(f"repeats must be at least 1, got {repeats}")
    folder = Path(log_dir)
    limits = limits or Limits()
    config = config or GenerateConfig()
    settings = _settings_hash(config, limits, model_args or {})

    _recover_crashed(folder)
    reused = _count_reusable(folder, planned, names, settings, repeats)
    total = sum(len(task.dataset) for task in planned) * repeats * len(names)
    started = time.monotonic()
    with counting(Progress(total=total, reused=reused), on_progress) as tally, _quiet_inspect():
        _, logs = eval_set(
            planned,
            log_dir=str(folder),
            model=names,  # type: ignore[arg-type]
            model_args=dict(model_args or {}),
            epochs=repeats,
            metadata={SETTINGS: settings},
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
            **_generate_args(config, max_connections),
        )
    # Interrupted, Inspect may come back as if all were well, with the interrupted logs left out.
    if len(logs) < len(planned) * len(names) or any(log.status == "cancelled" for log in logs):
        raise KeyboardInterrupt
    return _summarise(logs, tally.progress, time.monotonic() - started)


def _generate_args(config: GenerateConfig, max_connections: int | None) -> Any:
    given = config.model_dump(exclude_none=True)
    return given if max_connections is None else {**given, "max_connections": max_connections}


def _settings_hash(config: GenerateConfig, limits: Limits, model_args: Mapping[str, Any]) -> str:
    generate = config.model_dump(mode="json", exclude_none=True, exclude=_HARMLESS_CONFIG)
    bounds = [limits.messages, limits.tokens, limits.seconds, limits.working_seconds]
    return stable_hash([generate, bounds, {name: repr(value) for name, value in model_args.items()}])


def _recover_crashed(folder: Path) -> None:
    """Put what a killed run left in Inspect's buffer into its log, in place and all or nothing."""
    if not folder.is_dir():
        return
    # In a folder of its own, as Inspect recovers nothing beside a finished log of fewer repeats.
    workshop = folder / ".recovering"
    shutil.rmtree(workshop, ignore_errors=True)
    _refuse_damaged(folder)
    for crashed in recoverable_eval_logs(str(folder)):
        log = _local(crashed.log.name)
        workshop.mkdir(exist_ok=True)
        try:
            # The buffer stays until Inspect sweeps it: were it removed here, a kill now would lose it.
            recover_eval_log(str(log), output=str(workshop / log.name), cleanup=False)
        except RecoveryNotAvailable:
            continue  # nothing was in the buffer that is not in the log
        os.replace(workshop / log.name, log)
    shutil.rmtree(workshop, ignore_errors=True)


def _count_reusable(
    folder: Path, tasks: list[Task], models: Sequence[str | Model], settings: str, repeats: int
) -> int:
    """Samples of this very run that are finished already; another run's logs in its place are refused."""
    versions = {_plain(task.name): str(task.version) for task in tasks}
    names = {str(model) for model in models}
    finished: dict[str, int] = {}
    for header in _headers(folder):
        task, model = _plain(header.eval.task), header.eval.model
        if task not in versions or model not in names:
            continue
        metadata = header.eval.metadata or {}
        if metadata.get(SETTINGS) != settings or str(header.eval.task_version) != versions[task]:
            raise InputError(
                f"the folder holds a run of task '{task}' with model '{model}' that used other wordings, "
                "settings or model arguments",
                file=folder,
                hint="Choose another log folder, or remove that run's logs.",
            )
        samples = read_eval_log_sample_summaries(header.location)
        done = sum(1 for one in samples if one.completed and one.error is None and one.epoch <= repeats)
        finished[header.eval.task_id] = max(done, finished.get(header.eval.task_id, 0))
    return sum(finished.values())


def _headers(folder: Path) -> Iterator[EvalLog]:
    if folder.is_dir():
        for info in list_eval_logs(str(folder)):
            yield read_eval_log(info, header_only=True)


def _refuse_damaged(folder: Path) -> None:
    for info in list_eval_logs(str(folder)):
        try:
            read_eval_log(info, header_only=True)
        except (ValueError, KeyError, OSError, EOFError) as error:
            raise InputError(
                "cannot be read as an Inspect log, and the run would be resumed from it",
                file=_local(info.name),
                hint="Move it away and run again.",
            ) from error


@contextmanager
def _quiet_inspect() -> Iterator[None]:
    """Keep Inspect's closing message off the terminal, and its complaints about arguments in our words."""
    console = rich.get_console()
    was_quiet, console.quiet = console.quiet, True
    try:
        yield
    except Exception as error:
        # Inspect's own class for "the user must change something" is not public.
        if type(error).__name__ != "PrerequisiteError":
            raise
        raise RunError(Text.from_markup(str(getattr(error, "message", error))).plain.strip()) from error
    finally:
        console.quiet = was_quiet


def _summarise(logs: list[EvalLog], progress: Progress, seconds: float) -> RunSummary:
    total = finished = 0
    for log in logs:
        if log.results is None:
            problem = log.error.message if log.error else f"it ended as '{log.status}'"
            raise RunError(f"task '{_plain(log.eval.task)}' with model '{log.eval.model}' failed: {problem}")
        total += log.results.total_samples
        finished += log.results.completed_samples
    return RunSummary(
        logs=tuple(_local(log.location) for log in logs),
        total=total,
        finished=finished,
        errored=total - finished,
        reused=progress.reused,
        calls=progress.calls,
        tokens=progress.tokens,
        seconds=seconds,
    )


def _plain(task: str) -> str:
    return task.rsplit("/", 1)[-1]


def _local(location: str) -> Path:
    return Path(location.removeprefix("file://"))
