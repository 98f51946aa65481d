"""A log folder and a run's settings → the logs that are parts of the same run, and what is finished there."""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from inspect_ai import Task
from inspect_ai.log import (
    EvalLog,
    RecoveryNotAvailable,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    recover_eval_log,
    recoverable_eval_logs,
)
from inspect_ai.model import Model

from otherwords.core.contract import AGENT_NAME_KEY, SETTINGS_KEY
from otherwords.core.errors import InputError
from otherwords.core.zips import DAMAGE, read_member
from otherwords.runs.settings import RunSettings

_BEFORE_DRIVE = re.compile(r"^/(?=[A-Za-z]:)")


def recover_crashed(folder: Path) -> None:
    """Put what a killed run left in Inspect's buffer into its log, in place and all or nothing."""
    if not folder.is_dir():
        return
    # In a folder of its own, as Inspect recovers nothing beside a finished log of fewer repeats.
    recovery_folder = folder / ".recovering"
    shutil.rmtree(recovery_folder, ignore_errors=True)
    _refuse_damaged(folder)
    for crashed in recoverable_eval_logs(str(folder)):
        log = local_path(crashed.log.name)
        recovery_folder.mkdir(exist_ok=True)
        try:
            # The buffer stays until Inspect sweeps it: were it removed here, a kill now would lose it.
            recover_eval_log(str(log), output=str(recovery_folder / log.name), cleanup=False)
        except RecoveryNotAvailable:
            continue  # nothing was in the buffer that is not in the log
        os.replace(recovery_folder / log.name, log)
    shutil.rmtree(recovery_folder, ignore_errors=True)


def count_reusable(
    folder: Path,
    tasks: list[Task],
    models: Sequence[str | Model],
    settings: RunSettings,
    repeats: int,
) -> int:
    """Samples of this very run that are finished already; another run's logs in its place are refused."""
    finished: dict[str, int] = {}
    for header in own_headers(folder, tasks, models, settings):
        samples = read_eval_log_sample_summaries(header.location)
        done = sum(1 for one in samples if one.completed and one.error is None and one.epoch <= repeats)
        finished[header.eval.task_id] = max(done, finished.get(header.eval.task_id, 0))
    return sum(finished.values())


def own_headers(
    folder: Path, tasks: list[Task], models: Sequence[str | Model], settings: RunSettings
) -> Iterator[EvalLog]:
    """The logs of this very run in `folder`, read without their samples.

    Raises:
        InputError: The folder holds another run of the same task with the same model or agent.
    """
    versions = {plain_name(task.name): str(task.version) for task in tasks}
    names = {str(model) for model in models}
    for header in _headers(folder):
        task, model = plain_name(header.eval.task), header.eval.model
        metadata = header.eval.metadata or {}
        if task not in versions or model not in names or metadata.get(AGENT_NAME_KEY) != settings.agent_name:
            continue
        if metadata.get(SETTINGS_KEY) != settings.hash or str(header.eval.task_version) != versions[task]:
            who = f"agent '{settings.agent_name}'" if settings.agent_name else f"model '{model}'"
            raise InputError(
                f"the folder holds a run of task '{task}' with {who} that used other wordings, "
                "settings or arguments",
                file=folder,
                hint="Choose another log folder, or remove that run's logs.",
            )
        yield header


def sample_errors(log: EvalLog) -> list[str]:
    """What happened to each of the samples that failed."""
    return [str(one.error) for one in read_eval_log_sample_summaries(log.location) if one.error is not None]


def _headers(folder: Path) -> Iterator[EvalLog]:
    if folder.is_dir():
        for info in list_eval_logs(str(folder)):
            yield read_eval_log(info, header_only=True)


def _refuse_damaged(folder: Path) -> None:
    for info in list_eval_logs(str(folder)):
        try:
            _require_sane(local_path(info.name))
            read_eval_log(info, header_only=True)
        except (ValueError, KeyError, OSError, RecursionError, *DAMAGE) as error:
            raise InputError(
                "cannot be read as an Inspect log, and the run would be resumed from it",
                file=local_path(info.name),
                hint="Move it away and run again.",
            ) from error


def _require_sane(log: Path) -> None:
    """Inspect unpacks a log's header whatever its size; a bomb is refused first."""
    if zipfile.is_zipfile(log):
        with zipfile.ZipFile(log) as archive:
            for name in ("header.json", "_journal/start.json"):
                if name in archive.NameToInfo:
                    read_member(archive, name)


def plain_name(task: str) -> str:
    return task.rsplit("/", 1)[-1]


def local_path(location: str) -> Path:
    """Inspect's `file:///logs/a.eval` as a path; on Windows `file:///C:/logs/a.eval` as `C:/logs/a.eval`."""
    path = location.removeprefix("file://")
    return Path(_BEFORE_DRIVE.sub("", path) if sys.platform == "win32" else path)
