"""A log folder → its logs, mended where a run was killed; what cannot be read as a log is refused."""

from __future__ import annotations

import os
import re
import shutil
import sys
import zipfile
from pathlib import Path

from inspect_ai.log import (
    EvalLog,
    RecoveryNotAvailable,
    list_eval_logs,
    read_eval_log,
    read_eval_log_sample_summaries,
    recover_eval_log,
    recoverable_eval_logs,
)

from otherwords.core.errors import InputError
from otherwords.core.zips import DAMAGE, read_member

_BEFORE_DRIVE = re.compile(r"^/(?=[A-Za-z]:)")


def recover_crashed(folder: Path) -> None:
    """Put what a killed run left in Inspect's buffer into its log, in place and all or nothing."""
    if not folder.is_dir():
        return
    # In a folder of its own, as Inspect recovers nothing beside a finished log of fewer repeats.
    recovery_folder = folder / ".recovering"
    shutil.rmtree(recovery_folder, ignore_errors=True)
    refuse_damaged(folder)
    for log, mended in mended_copies(folder, recovery_folder).items():
        os.replace(mended, log)
    shutil.rmtree(recovery_folder, ignore_errors=True)


def mended_copies(folder: Path, out: Path) -> dict[Path, Path]:
    """Each log that a killed run left, with a copy in `out` that has what is still in Inspect's buffer."""
    mended = {}
    for crashed in recoverable_eval_logs(str(folder)) if folder.is_dir() else ():
        log = local_path(crashed.log.name)
        out.mkdir(exist_ok=True)
        try:
            # The buffer stays until Inspect sweeps it: were it removed here, a kill now would lose it.
            recover_eval_log(str(log), output=str(out / log.name), cleanup=False)
        except RecoveryNotAvailable:
            continue  # nothing was in the buffer that is not in the log
        mended[log] = out / log.name
    return mended


def sample_errors(log: EvalLog) -> list[str]:
    """What happened to each of the samples that failed."""
    return [str(one.error) for one in read_eval_log_sample_summaries(log.location) if one.error is not None]


def refuse_damaged(folder: Path) -> None:
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
