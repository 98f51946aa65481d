"""Tasks and a run's settings → the tasks as they are to run, with hashes that tell one run from another.

`fingerprint` has a hash for each part of a run (task, solver, scorer, …), and beside them one for each file,
package and argument, to name what changed; `sample_content` is one for all that a sample is.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from typing import Any

from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalLog
from inspect_ai.model import Model
from inspect_ai.solver import SolverSpec
from inspect_ai.util import SandboxEnvironmentSpec

from otherwords.core.contract import (
    CONTENT_KEY,
    FINGERPRINT_KEY,
    HOW_IT_IS_SENT,
    OWN_PREFIX,
    PLACES_KEY,
    SAMPLE_KEYS,
    SOURCES_KEY,
)
from otherwords.core.errors import InputError
from otherwords.core.types import stable_hash
from otherwords.runs.benchmarks.tau2_database import changes_only_the_log
from otherwords.runs.inspect_options import changing_answers
from otherwords.runs.logs import plain_name
from otherwords.runs.settings import LEFT_OUT, RunSettings, hidden
from otherwords.runs.source_code import Code, file_digest, package_version

PARTS = {
    "agent": "the agent's code or arguments",
    "scorer": "the scorer's code or arguments",
    "solver": "the solver's code or arguments",
    "task": "the task's code or arguments",
    "model_args": "the model's arguments",
    "generate": "the generation settings",
    "limits": "the limits of a sample",
    "roles": "the models of the task's roles",
    "inspect": "Inspect's options",
}
"""What each part of a fingerprint is called where it has changed."""

_LIMITS = {
    "message_limit": "messages",
    "token_limit": "tokens",
    "time_limit": "seconds",
    "working_limit": "working_seconds",
    "turn_limit": None,
    "cost_limit": None,
}
"""A task's limits, and what the run's own that overrule them are called."""
_SANDBOX_FILES = ("compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml", "Dockerfile")
_MEDIA = frozenset({"image", "audio", "video", "document"})
"""Fields of a message's content that may be a path."""
TASK_FILE = "__task_file__"
"""Where Inspect keeps the file that a task came from."""

Asked = tuple[str, int]
"""A sample by its id and epoch."""
_FOLDER = "__task_run_dir__"
"""Where Inspect keeps the folder of the file that a task came from."""


@dataclass(frozen=True)
class Fingerprint:
    """By what one run is told from another."""

    parts: dict[str, str]
    """A hash for each of `PARTS`; runs that share all of them asked in the same way."""
    sources: dict[str, str]
    """The files, packages and arguments behind them, with hashes or versions, to name what changed."""


def fingerprint(task: Task, settings: RunSettings) -> Fingerprint:
    """By what a run of `task` with these settings is known; its samples do not count."""
    code = Code()
    solver: Any = task.solver if settings.solver is None else settings.solver
    if isinstance(settings.solver, SolverSpec):
        solver = [_named_solver(settings.solver.solver), settings.solver.args]
    given = [settings.solver_id, dict(settings.agent_sources)]
    solver = inspect.unwrap(solver) if changes_only_the_log(solver) else solver
    asked = [code.plain(task.setup), *([] if settings.calls_no_model else [code.plain(solver), given])]
    scored = code.plain([inspect.unwrap(one) for one in task.scorer or []])
    sandbox = _sandbox(task.sandbox, task_folder(task))
    sources = {**code.files(), **settings.task_sources, **settings.agent_sources, **code.packages()}
    arguments = {k: v for k, v in hidden(settings.model_args).items() if not k.startswith(LEFT_OUT)}
    generate = task.config.merge(settings.config)
    parts = {
        "task": [dict(settings.task_sources), code.files(), sandbox],
        "solver": asked,
        "scorer": scored,
        "model_args": code.plain(arguments),
        "generate": code.plain(generate.model_dump(exclude_none=True, exclude=set(HOW_IT_IS_SENT))),
        "limits": [_limit(task, settings, name) for name in _LIMITS],
        "agent": given if settings.calls_no_model else [],
        "roles": {role: str(model) for role, model in _roles(task, settings).items()},
    }
    options = _eval_args(settings, task_folder(task))
    if options:  # so that logs of versions without it are still known
        parts["inspect"] = options
        sources |= {name: stable_hash(value) for name, value in options.items()}
    return Fingerprint({name: stable_hash(part) for name, part in parts.items()}, sources)


def _eval_args(settings: RunSettings, folder: Path) -> dict[str, Any]:
    """Inspect's options that change answers, as they may be given; files count by what is in them."""
    given = changing_answers(settings.eval_args)
    plain: dict[str, Any] = {name: _with_files(Code().plain(value)) for name, value in given.items()}
    if "sandbox" in given:
        plain["sandbox"] = _sandbox(given["sandbox"], folder)
    return {f"--inspect {name}": value for name, value in plain.items()}


def task_folder(task: Task) -> Path:
    """The folder of the file that the task came from, or the current one."""
    return Path(getattr(task, _FOLDER, "."))


def _limit(task: Task, settings: RunSettings, name: str) -> Any:
    given = _LIMITS[name]
    bound = None if given is None else getattr(settings.limits, given)
    return getattr(task, name, None) if bound is None else bound


def _roles(task: Task, settings: RunSettings) -> dict[str, Any]:
    return {**(task.model_roles or {}), **settings.model_roles}


def _named_solver(name: str) -> list[str]:
    file = name.partition("@")[0]
    if file.endswith(".py"):  # by its own name alone, so that a folder may be moved
        return [PurePath(file).name, name.partition("@")[2]]
    package, inside, _ = name.partition("/")
    return [name, package_version(package if inside else "inspect_ai")]


def _sandbox(spec: SandboxEnvironmentSpec | None, folder: Path) -> Any:
    """With the content of its file, and of those that Docker looks for beside it or in the task's folder."""
    if spec is None:
        return None
    named = folder / spec.config if isinstance(spec.config, str) else folder / _SANDBOX_FILES[0]
    files = {path.name: path for path in (named, *map(named.with_name, _SANDBOX_FILES))}
    contents = {name: file_digest(path) for name, path in files.items() if path.is_file()}
    return [spec.type, named.name if isinstance(spec.config, str) else Code().plain(spec.config), contents]


# ---- samples


def sample_content(sample: Sample, folder: Path | None = None) -> str:
    """A hash of what is asked, what is right, and everything that the sample brings along.

    Files count by what is in them. Our own metadata are left out: those of an original also tell which kinds
    of wordings the run has. `folder` is the task's, in which its sandbox is looked for.
    """
    theirs = {
        name: value
        for name, value in (sample.metadata or {}).items()
        if name == PLACES_KEY or (name not in SAMPLE_KEYS and not name.startswith(OWN_PREFIX))
    }
    plain = Code().plain
    asked = sample.input if isinstance(sample.input, str) else _with_media(plain(sample.input))
    brought = [_with_files(plain([sample.files, sample.setup])), _sandbox(sample.sandbox, folder or Path())]
    return stable_hash([asked, sample.choices, sample.target, brought, plain(theirs)])


def _with_media(value: Any) -> Any:
    """Messages, with the content of each image, sound or document that is a file."""
    if isinstance(value, Mapping):
        return {
            name: _with_files(inner) if name in _MEDIA else _with_media(inner)
            for name, inner in value.items()
        }
    return [_with_media(inner) for inner in value] if isinstance(value, list) else value


def _with_files(value: Any) -> Any:
    """`value`, with the content of each file or folder in place of its path."""
    if isinstance(value, Mapping):
        return {name: _with_files(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_with_files(inner) for inner in value]
    if not isinstance(value, str) or not 0 < len(value) < 1024 or "\n" in value:
        return value
    path = Path(value.removeprefix("file://"))
    try:
        if path.is_file():
            return file_digest(path)
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.is_file())
            return {one.relative_to(path).as_posix(): file_digest(one) for one in inside}
    except (OSError, ValueError):
        pass  # a text that cannot be a path, or a file that may not be read
    return value


# ---- tasks that are about to run


@dataclass(frozen=True)
class PlannedTask:
    """A task that is about to be run, with what tells it from others."""

    task: Task
    settings: RunSettings
    repeats: int

    @cached_property
    def fingerprint(self) -> Fingerprint:
        return fingerprint(self.task, self.settings)

    @cached_property
    def contents(self) -> dict[str, str]:
        """What each sample is, by its id."""
        folder = task_folder(self.task)
        return {
            str(place if sample.id is None else sample.id): sample_content(sample, folder)
            for place, sample in enumerate(self.task.dataset, start=1)
        }

    @property
    def name(self) -> str:
        return plain_name(self.task.name)

    @property
    def asked(self) -> Iterator[Asked]:
        return ((sample, epoch) for sample in self.contents for epoch in range(1, self.repeats + 1))


@dataclass(frozen=True)
class KnownAs:
    """By what Inspect finds the log of a task again; it stays as it was, however the run grows."""

    version: int | str
    file: str | None = None
    """Of the task. A new run has its name alone, so that it may be gone on with from any folder."""

    @classmethod
    def in_log(cls, header: EvalLog) -> KnownAs:
        return cls(header.eval.task_version, header.eval.task_file)

    @classmethod
    def of_new(cls, task: Task) -> KnownAs:
        file = getattr(task, TASK_FILE, None)
        return cls(task.version, None if file is None else PurePath(file).name)


def plan_tasks(
    tasks: Task | Sequence[Task],
    models: str | Model | Sequence[str | Model],
    repeats: int,
    settings: RunSettings,
) -> tuple[list[PlannedTask], list[str | Model]]:
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
    return [PlannedTask(task, settings, repeats) for task in planned], names


def identified(planned: PlannedTask, known_as: KnownAs) -> Task:
    """The task with what its log and its samples are to be known by."""
    task = planned.task
    samples = [
        sample.model_copy(update={"metadata": {**(sample.metadata or {}), CONTENT_KEY: content}})
        for sample, content in zip(task.dataset, planned.contents.values(), strict=True)
    ]
    whole = task.dataset
    dataset = MemoryDataset(samples, name=whole.name, location=whole.location, shuffled=whole.shuffled)
    known = planned.fingerprint
    metadata = {**(task.metadata or {}), FINGERPRINT_KEY: known.parts, SOURCES_KEY: known.sources}
    made = task_with(copy.copy(task), dataset=dataset, version=known_as.version, metadata=metadata)
    if known_as.file is not None:
        setattr(made, TASK_FILE, known_as.file)
    return made


def _versioned(task: Task, agent_name: str) -> Task:
    """Inspect knows a run by the task's version, so that two agents never share a log."""
    return task_with(copy.copy(task), version=stable_hash([task.version, agent_name]))
