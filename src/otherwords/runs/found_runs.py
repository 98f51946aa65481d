"""Tasks, models and a log folder → what is finished and what is left, and the tasks as they are to run."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from inspect_ai import Task, task_with
from inspect_ai.dataset import MemoryDataset
from inspect_ai.model import Model

from otherwords.core.contract import CONTENT_KEY, FINGERPRINT_KEY, SOURCES_KEY
from otherwords.core.errors import InputError
from otherwords.core.types import stable_hash
from otherwords.runs.earlier_runs import TASK_FILE, Asked, EarlierRun, KnownAs, LogFolder, PlannedTask
from otherwords.runs.logs import mended_copies, recover_crashed
from otherwords.runs.settings import RunSettings

__all__ = ["FoundRuns", "identified", "plan_tasks", "require_same_run", "samples_left"]


@dataclass(frozen=True)
class FoundRuns:
    """What is to be run, and what of it a log folder has."""

    folder: Path
    planned: list[PlannedTask]
    models: list[str | Model]
    earlier: dict[tuple[str, str], EarlierRun]
    """By task and model."""
    known_as: dict[str, KnownAs]
    """By task."""

    @classmethod
    def read(
        cls,
        folder: Path,
        planned: list[PlannedTask],
        models: list[str | Model],
        *,
        adopt: bool,
        write: bool = True,
    ) -> FoundRuns:
        """With `write`, what a killed run left is mended in its place, and else elsewhere."""
        with TemporaryDirectory() as elsewhere:
            mended: Mapping[Path, Path] = {}
            if write:
                recover_crashed(folder)
            else:
                mended = mended_copies(folder, Path(elsewhere))
            logs = LogFolder.read(folder, mended)
            earlier, known_as = {}, {}
            for one in planned:
                runs = {str(model): logs.earlier(one, model, adopt=adopt) for model in models}
                known = {(one.name, model): run for model, run in runs.items() if run is not None}
                earlier.update(known)
                known_as[one.name] = logs.known_as(one, known.values())
        return cls(folder, planned, models, earlier, known_as)

    @property
    def settings(self) -> RunSettings:
        return self.planned[0].settings

    @property
    def repeats(self) -> int:
        return self.planned[0].repeats

    @property
    def total(self) -> int:
        return sum(len(one.contents) for one in self.planned) * self.repeats * len(self.models)

    @property
    def reused(self) -> int:
        return sum(self.count(one, model) for one in self.planned for model in self.models)

    def finished(self, planned: PlannedTask, model: str | Model) -> frozenset[Asked]:
        known = self.earlier.get((planned.name, str(model)))
        return frozenset() if known is None else known.finished

    def count(self, planned: PlannedTask, model: str | Model) -> int:
        """How much of what is asked is finished."""
        finished = self.finished(planned, model)
        return sum(one in finished for one in planned.asked) if finished else 0

    def is_complete(self, planned: PlannedTask, model: str | Model) -> bool:
        return self.count(planned, model) == len(planned.contents) * planned.repeats

    def rounds(self) -> list[tuple[list[PlannedTask], list[str | Model]]]:
        """Tasks and the models that have something left to do in each of them."""
        by_models: dict[tuple[str, ...], tuple[list[PlannedTask], list[str | Model]]] = {}
        for one in self.planned:
            left = [model for model in self.models if not self.is_complete(one, model)]
            if left:
                by_models.setdefault(tuple(map(str, left)), ([], left))[0].append(one)
        return list(by_models.values())

    def complete(self) -> list[tuple[PlannedTask, EarlierRun]]:
        """What need not be run, with its log."""
        return [
            (one, self.earlier[one.name, str(model)])
            for one in self.planned
            for model in self.models
            if self.is_complete(one, model)
        ]


def require_same_run(
    task: Task,
    models: Sequence[str | Model],
    *,
    log_dir: str | Path,
    settings: RunSettings,
) -> None:
    """Refuse a task, whatever its samples, whose code or settings are not those of the run in the folder."""
    folder = LogFolder.read(Path(log_dir))
    for planned in plan_tasks(task, models, 1, settings)[0]:
        for model in models:
            folder.require_same(planned, model)


def samples_left(
    task: Task,
    models: str | Model | Sequence[str | Model],
    *,
    log_dir: str | Path,
    repeats: int = 1,
    settings: RunSettings | None = None,
    adopt: bool = False,
    write: bool = False,
) -> dict[str, dict[str, int]]:
    """For each model, how often each sample is still to be asked by `run_tasks` with these arguments.

    Nothing is written, unless `write` allows to mend in its place what a killed run left.
    """
    planned, names = plan_tasks(task, models, repeats, settings or RunSettings())
    found = FoundRuns.read(Path(log_dir), planned, names, adopt=adopt, write=write)
    left: dict[str, dict[str, int]] = {}
    for model in names:
        finished = found.finished(planned[0], model)
        missing = Counter(sample for sample, epoch in planned[0].asked if (sample, epoch) not in finished)
        left[str(model)] = dict(missing)
    return left


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
