"""A sample's files, laid into the folder that an agent works in.

Inspect copies them into the sample's sandbox, which an agent in a process of its own does not see. A solver
is not told of them either, so the task is given a first step that keeps them at hand while its sample runs.
"""

from __future__ import annotations

import base64
import copy
import re
import shutil
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path, PurePosixPath
from urllib.parse import unquote_to_bytes

from inspect_ai import Task, task_with
from inspect_ai.solver import Generate, Solver, TaskState, solver

from otherwords.runs.agents.errors import AgentError

__all__ = ["files_at_hand", "lay_out", "with_files_at_hand"]

BESIDE = "task_files"
"""The folder for them where one has the name of a file of the agent's."""
_at_hand: ContextVar[Mapping[str, str]] = ContextVar("otherwords_sample_files")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DATA = re.compile(r"data:[^,]*?(?P<base64>;base64)?,", re.IGNORECASE)
_SANDBOX = re.compile(r"[\w-]+:(?=/)")


def with_files_at_hand(task: Task) -> Task:
    """The same task where no sample has files; else a copy whose solver can ask for `files_at_hand`."""
    files = {sample.id: dict(sample.files) for sample in task.dataset if sample.files}
    if not files:
        return task

    @solver
    def sample_files() -> Solver:
        async def keep(state: TaskState, generate: Generate) -> TaskState:
            _at_hand.set(files.get(state.sample_id, {}))
            return state

        return keep

    own = task.setup or []
    return task_with(copy.copy(task), setup=[sample_files(), *(own if isinstance(own, list) else [own])])


def files_at_hand() -> Mapping[str, str]:
    """Of the sample that runs: where each belongs, and its source, which may be the text itself."""
    return _at_hand.get({})


def lay_out(files: Mapping[str, str], folder: Path) -> list[str]:
    """Put the files into `folder`, without the folders that they have in common; their paths in it."""
    places = _places(files)
    if any((folder / place).exists() for place in places.values()):
        places = {given: PurePosixPath(BESIDE) / place for given, place in places.items()}
    for given, place in places.items():
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _put(files[given], target)
        except (OSError, ValueError, ImportError) as error:
            raise AgentError(f"could not be given the sample's file '{given}': {error}") from error
    return [str(place) for place in places.values()]


def _places(files: Mapping[str, str]) -> dict[str, PurePosixPath]:
    plain = {given: PurePosixPath("/" + _SANDBOX.sub("", given).lstrip("/")) for given in files}
    for given, path in plain.items():
        if ".." in path.parts:
            raise AgentError(f"could not be given the sample's file '{given}': it leads out of its folder")
    parents = [path.parents for path in plain.values()]
    shared = next(one for one in parents[0] if all(one in others for others in parents))
    return {given: path.relative_to(shared) for given, path in plain.items()}


def _put(source: str, target: Path) -> None:
    inline = _DATA.match(source)
    if inline:
        rest = source[inline.end() :]
        target.write_bytes(base64.b64decode(rest) if inline["base64"] else unquote_to_bytes(rest))
    elif _ADDRESS.match(source):
        import fsspec  # type: ignore[import-untyped]

        with fsspec.open(source, "rb") as there:
            target.write_bytes(there.read())
    elif _is_path(source) and Path(source).is_dir():
        shutil.copytree(source, target)
    elif _is_path(source):
        shutil.copyfile(source, target)
    else:
        target.write_text(source, encoding="utf-8")


def _is_path(source: str) -> bool:
    """A text that stands for itself may be too long for a path, or have a character that no path has."""
    try:
        return bool(source) and Path(source).exists()
    except (OSError, ValueError):
        return False
