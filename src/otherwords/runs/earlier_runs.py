"""Planned tasks and a log folder → what is finished there and what is left to run, or what has changed.

A run is continued only with the code, the settings and the samples that it began with. It may grow: more
items, wordings or repeats than before are added to what is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, list_eval_logs, read_eval_log, read_eval_log_sample_summaries
from inspect_ai.model import Model

from otherwords.core.contract import (
    AGENT_NAME_KEY,
    CONTENT_KEY,
    FINGERPRINT_KEY,
    HOW_IT_IS_SENT,
    ITEM_ID,
    OWN_PREFIX,
    SETTINGS_KEY,
    SOURCES_KEY,
    VARIANT,
)
from otherwords.core.errors import InputError
from otherwords.core.files import unused_folder
from otherwords.runs.fingerprint import PARTS, Asked, KnownAs, PlannedTask, plan_tasks
from otherwords.runs.logs import local_path, mended_copies, plain_name, recover_crashed, refuse_damaged
from otherwords.runs.settings import RunSettings

_IMPLIED = {"agent": ("solver", "task"), "scorer": ("task",), "solver": ("task",)}
"""Parts that change along with another, since they are in the same file or hold it."""

_SOURCES_SHOWN = 5


@dataclass(frozen=True)
class EarlierRun:
    """What a log folder has of one task with one model."""

    log: Path
    """The fullest of its logs; others are attempts that it has gone on from."""
    is_newest: bool
    known_as: KnownAs
    finished: frozenset[Asked]


@dataclass(frozen=True)
class LogFolder:
    """The logs of a folder, read without their samples."""

    path: Path
    headers: Mapping[Path, EvalLog]
    """By where they can be read: a log that a killed run left may be a mended copy elsewhere."""

    @classmethod
    def read(cls, path: Path, mended: Mapping[Path, Path] | None = None) -> LogFolder:
        found: dict[Path, EvalLog] = {}
        if path.is_dir():
            refuse_damaged(path)
            for info in list_eval_logs(str(path)):
                place = (mended or {}).get(local_path(info.name), local_path(info.name))
                found[place] = read_eval_log(str(place), header_only=True)
        return cls(path, found)

    def earlier(self, planned: PlannedTask, model: str | Model, *, adopt: bool = False) -> EarlierRun | None:
        """What is finished of this very run.

        Raises:
            InputError: The folder holds another run of the task with this model, or this one was begun with
                more than is asked now, and what is asked now is not all there.
        """
        own = self._own(planned, model)
        if not own:
            return None
        if len({header.eval.task_id for header in own.values()}) > 1:
            names = " and ".join(sorted(place.name for place in own)[:2])
            raise InputError(
                f"the folder holds two runs of {_whose(planned, str(model))}: {names}",
                file=self.path,
                hint="Move the logs of one of them away, or begin another one: --log-dir "
                f"{unused_folder(self.path)}",
            )
        self.require_same(planned, model)
        if not any(FINGERPRINT_KEY in (header.eval.metadata or {}) for header in own.values()):
            for header in own.values():
                self._require_adopted(planned, header, adopt)
        done = {place: self._finished(planned, place, str(model)) for place in own}
        best = max(own, key=lambda place: (len(done[place]), own[place].eval.created))
        newest = max(own, key=lambda place: place.stat().st_mtime)
        self._require_no_less(planned, own[best], done[best])
        return EarlierRun(best, best == newest, KnownAs.in_log(own[best]), done[best])

    def known_as(self, planned: PlannedTask, earlier: Iterable[EarlierRun]) -> KnownAs:
        """Of the task in this folder. Inspect knows a run by it, and so it stays when the run grows."""
        known = {run.known_as for run in earlier}
        if len(known) > 1:
            raise InputError(
                f"the models of task '{planned.name}' were asked other wordings when their runs began",
                file=self.path,
                hint="Go on with one model at a time.",
            )
        for header in self._of_agent(planned).values():
            if not known and (header.eval.metadata or {}).get(FINGERPRINT_KEY) == planned.fingerprint.parts:
                known = {KnownAs.in_log(header)}
        return next(iter(known), KnownAs.of_new(planned.task))

    def require_same(self, planned: PlannedTask, model: str | Model) -> None:
        """Refuse code, arguments or settings other than those that the run was begun with."""
        for header in self._own(planned, model).values():
            metadata = header.eval.metadata or {}
            parts = metadata.get(FINGERPRINT_KEY)
            if parts is None:
                continue
            changed = [part for part in PARTS if parts.get(part) != planned.fingerprint.parts.get(part)]
            implied = {other for part in changed for other in _IMPLIED.get(part, ())}
            what = [PARTS[part] + _which(part, planned, header) for part in changed if part not in implied]
            if what:
                whose = _whose(planned, str(model))
                names = _changed_sources(metadata.get(SOURCES_KEY) or {}, planned.fingerprint.sources)
                raise InputError(
                    f"{' and '.join(what)} changed since the run of {whose} began{names}",
                    file=self.path,
                    hint=_undo_or_go_elsewhere(self.path),
                )

    def _require_adopted(self, planned: PlannedTask, header: EvalLog, adopt: bool) -> None:
        """A run of version 0.1 is known by its settings and wordings, and not by its code."""
        metadata, whose = header.eval.metadata or {}, _whose(planned, header.eval.model)
        same_settings = metadata.get(SETTINGS_KEY) == planned.settings.hash
        if not same_settings or str(header.eval.task_version) != str(planned.task.version):
            raise InputError(
                f"the folder holds a run of {whose} that used other wordings, settings or arguments",
                file=self.path,
                hint=f"Begin another one: --log-dir {unused_folder(self.path)}",
            )
        if not adopt:
            raise InputError(
                f"the run of {whose} was begun by version 0.1, which kept no trace of its code: whether "
                "that has changed since cannot be told",
                file=self.path,
                hint="If it has not, go on with --adopt; else begin another run: --log-dir "
                f"{unused_folder(self.path)}",
            )

    def _own(self, planned: PlannedTask, model: str | Model) -> dict[Path, EvalLog]:
        logs = self._of_agent(planned)
        return {place: header for place, header in logs.items() if header.eval.model == str(model)}

    def _of_agent(self, planned: PlannedTask) -> dict[Path, EvalLog]:
        """The logs of the task with any model, or with this agent."""
        return {
            place: header
            for place, header in self.headers.items()
            if plain_name(header.eval.task) == planned.name
            and (header.eval.metadata or {}).get(AGENT_NAME_KEY) == planned.settings.agent_name
        }

    def _finished(self, planned: PlannedTask, log: Path, model: str) -> frozenset[Asked]:
        finished, changed = set(), dict[str, None]()
        for one in read_eval_log_sample_summaries(str(log)):
            if not one.completed or one.error is not None:
                continue
            name = str(one.id)
            before, now = (one.metadata or {}).get(CONTENT_KEY), planned.contents.get(name)
            if before is not None and now is not None and before != now:
                changed[name] = None
            finished.add((name, one.epoch))
        if changed:
            first = next(sample for sample in planned.task.dataset if str(sample.id) in changed)
            more = f" and of {len(changed) - 1} more" if len(changed) > 1 else ""
            raise InputError(
                f"the sample of {_wording(first)}{more} changed since the run of {_whose(planned, model)} "
                "began",
                file=self.path,
                hint=_undo_or_go_elsewhere(self.path),
            )
        return frozenset(finished)

    def _require_no_less(self, planned: PlannedTask, header: EvalLog, finished: frozenset[Asked]) -> None:
        """Inspect continues a log only with all that it was to ask; less would drop what was paid for."""
        if finished.issuperset(planned.asked):
            return
        more = [str(one) for one in header.eval.dataset.sample_ids or [] if str(one) not in planned.contents]
        repeats = header.eval.config.epochs or 1
        if more or repeats > planned.repeats:
            began = (
                f"--repeats {repeats}" if repeats > planned.repeats else f"more samples, such as '{more[0]}'"
            )
            raise InputError(
                f"the run of {_whose(planned, header.eval.model)} was begun with {began}, and not all that "
                "is asked now has finished",
                file=self.path,
                hint="Ask for as many items, wordings and repeats as it was begun with, or more; or begin "
                f"another one: --log-dir {unused_folder(self.path)}",
            )


def _whose(planned: PlannedTask, model: str) -> str:
    agent = planned.settings.agent_name
    return f"task '{planned.name}' with " + (f"agent '{agent}'" if agent else f"model '{model}'")


def _undo_or_go_elsewhere(folder: Path) -> str:
    return f"Undo the change to go on with that run, or begin another one: --log-dir {unused_folder(folder)}"


def _changed_sources(before: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Such as `: quiz.py, inspect_ai 0.3.280 → 0.3.285`."""
    changed = [name for name in sorted({*before, *now}) if before.get(name) != now.get(name)]
    versions = {name: (before.get(name), now.get(name)) for name in changed if name.isidentifier()}
    told = [
        f"{name} {' → '.join(one or 'none' for one in versions[name])}" if name in versions else name
        for name in changed
    ]
    more = f" and {len(told) - _SOURCES_SHOWN} more" if len(told) > _SOURCES_SHOWN else ""
    return f": {', '.join(told[:_SOURCES_SHOWN])}{more}" if told else ""


def _which(part: str, planned: PlannedTask, header: EvalLog) -> str:
    """The names of the generation settings that differ."""
    if part != "generate":
        return ""
    before, now = header.eval.model_generate_config, planned.settings.config
    names = [
        name
        for name in type(now).model_fields
        if name not in HOW_IT_IS_SENT and getattr(before, name) != getattr(now, name)
    ]
    return f" ({', '.join(names)})" if names else ""


def _wording(sample: Sample) -> str:
    known: dict[str, Any] = sample.metadata or {}
    item = known.get(OWN_PREFIX + ITEM_ID, known.get(ITEM_ID, sample.id))
    variant = known.get(OWN_PREFIX + VARIANT, known.get(VARIANT))
    return f"item '{item}'" + (f" (wording '{variant}')" if variant else "")


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
