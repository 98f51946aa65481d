"""Names of tasks, models, scorers as users type them → Inspect's, or one clear error; its errors as ours."""

from __future__ import annotations

import difflib
import importlib.util
import inspect
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import click
import rich
from inspect_ai import Task, list_tasks
from inspect_ai.model import get_model
from inspect_ai.util import RegistryInfo, registry_create, registry_info
from rich.errors import MarkupError
from rich.text import Text

from otherwords.core.errors import (
    InputError,
    MissingDependencyError,
    OtherwordsError,
    RunError,
    UnknownNameError,
)
from otherwords.core.table import score_labels
from otherwords.core.types import stable_hash

Factory = Callable[..., Task]
_SOURCES = (".py", ".ipynb")
_LONGEST_REASON = 500
HEAVY_PROVIDERS = ("hf/", "nnterp/", "transformer_lens/", "llama-cpp-python/", "ollama/", "vllm/", "sglang/")
"""Providers whose models are loaded, or whose server is started, as soon as a model is made."""
_MODEL_FORM = "Name a model as PROVIDER/MODEL, such as openai/gpt-4o-mini or gguf/smollm2."


def resolve_task(spec: str, task_args: Mapping[str, Any] | None = None) -> Task:
    """The task that `inspect_evals/gaia`, `file.py@task`, `file.py` or a registered name stands for."""
    arguments = dict(task_args or {})
    file, _, name = spec.partition("@")
    if Path(file).suffix in _SOURCES or Path(file).is_file():
        return _from_file(Path(file), name, spec, arguments)
    if Path(file).is_dir():
        _raise_folder(Path(file))
    if "/" in spec:
        return _from_package(spec, arguments)
    return _from_registry(spec, arguments)


def registered_tasks(package: str | None = None) -> list[str]:
    """The tasks that installed packages offer by name, or those of one; a broken package offers none."""
    names: list[str] = []
    for point in entry_points(group="inspect_ai"):
        if package in (None, point.name):
            with suppress(MissingDependencyError):
                names += _factories(_load(point, point.name))
    return sorted(names)


def require_models(names: Iterable[str], model_args: Mapping[str, Any] | None = None) -> None:
    """Refuse names that no provider has, and arguments that it does not take."""
    for name in names:
        if "/" not in name:
            raise InputError(f"the model '{name}' is named without its provider", hint=_MODEL_FORM)
        if name.startswith(HEAVY_PROVIDERS):
            continue
        try:
            with suppress_output():
                get_model(name, **(model_args or {}))
        except TypeError as error:
            if not model_args:
                continue
            raise InputError(
                f"the model '{name}' does not take its arguments: {error}", hint="They are given with -M."
            ) from error
        except Exception as error:  # a missing key or package is reported when the run begins
            if f"of model '{name}' not recognized" in str(error):
                provider = name.split("/", 1)[0]
                raise InputError(
                    f"no provider of models is called '{provider}', as in '{name}'", hint=_MODEL_FORM
                ) from error


def require_scorer(task: Task, name: str) -> None:
    """Refuse a name, or a `name.key`, that none of the task's scorers has."""
    known: dict[str, list[str]] = {}
    for scorer in task.scorer or []:
        info = own_info(scorer)
        plain = unique = "scorer" if info is None else plain_name(info.name)
        while unique in known:  # as Inspect tells scorers of the same name apart
            unique = f"{plain}{len([other for other in known if other.startswith(plain)])}"
        metrics: Any = (
            task.metrics if task.metrics is not None else (info.metadata if info else {}).get("metrics")
        )
        parts = [metrics] if isinstance(metrics, Mapping) else metrics or ()
        known[unique] = [str(key) for part in parts if isinstance(part, Mapping) for key in part]
    if name in known:
        return
    scorer_name, _, key = name.rpartition(".")
    if scorer_name in known and any(fnmatchcase(key, pattern) for pattern in known[scorer_name]):
        return
    raise InputError(
        f"the task '{plain_name(task.name)}' has no score '{name}'",
        hint=f"It has: {', '.join(score_labels(known)) or 'none'}.",
    )


def _from_registry(spec: str, arguments: dict[str, Any]) -> Task:
    def make(**given: Any) -> Task:
        try:
            return registry_create("task", spec, **given)
        except LookupError as error:
            if str(error) == f"{spec} was not found in the registry":
                _unknown(spec)
            raise

    return _made(spec, make, arguments, None)


def _from_package(spec: str, arguments: dict[str, Any]) -> Task:
    package = spec.split("/", 1)[0]
    if package == "hf":
        raise InputError(
            f"the task '{spec}' lies on the Hugging Face Hub, which cannot be varied by name",
            hint="Write it down as a task in a .py file, and give that file.",
        )
    points = {point.name: point for point in entry_points(group="inspect_ai")}
    if package not in points:
        if difflib.get_close_matches(package, points, n=1, cutoff=0.75):
            raise UnknownNameError("package of Inspect tasks", package, points)
        raise MissingDependencyError(
            f"no installed package offers Inspect tasks as '{package}/…' "
            f"(installed: {', '.join(sorted(points))})",
            f"pip install {package}",
        )
    point = points[package]
    factory = _factories(_load(point, spec)).get(spec)
    if factory is None:
        _unknown(spec)
    _require_arguments(spec, factory, arguments)
    return _made(spec, factory, arguments, point.dist)


def _from_file(path: Path, name: str, spec: str, arguments: dict[str, Any]) -> Task:
    if not path.is_file():
        raise InputError("no such file", file=path)
    if path.suffix != ".py":
        raise InputError("a task is read from a .py file; save it as one", file=path)
    whole = path.resolve()  # before the folder is changed, from which a relative path would lead elsewhere
    with working_in(whole.parent):
        here = {plain_name(known): made for known, made in _own_factories(run_file(whole, path)).items()}
        if not here:
            raise InputError("has no task: no function in it is marked with @task", file=path)
        if not name and len(here) > 1:
            raise InputError(
                f"has {len(here)} tasks: {', '.join(sorted(here))}",
                file=path,
                hint=f"Say which, such as {path}@{sorted(here)[0]}",
            )
        chosen = name or next(iter(here))
        if chosen not in here:
            raise UnknownNameError(f"task in {path}", chosen, here)
        _require_arguments(spec, here[chosen], arguments)
        return _made(spec, here[chosen], arguments, None)


def _raise_folder(folder: Path) -> NoReturn:
    found = [
        f"{folder / task.file}@{task.name}" for task in list_tasks(root_dir=folder.resolve(), absolute=False)
    ]
    raise InputError(
        "is a folder; a run takes one task",
        file=folder,
        hint=f"Tasks in it: {', '.join(found)}" if found else "It has no tasks.",
    )


def _unknown(spec: str) -> NoReturn:
    known = registered_tasks(spec.split("/", 1)[0] if "/" in spec else None)
    same = [name for name in known if plain_name(name) == spec]
    plain = {plain_name(name) for name in known}
    close = difflib.get_close_matches(plain_name(spec), plain, n=3, cutoff=0.5)
    near = same or [name for one in close for name in known if plain_name(name) == one]
    if near:
        raise InputError(f"unknown task '{spec}'. Did you mean: {', '.join(near)}?")
    raise UnknownNameError("task", spec, known)


def plain_name(name: str) -> str:
    return name.split("/", 1)[-1]


def _load(point: EntryPoint, spec: str) -> ModuleType:
    try:
        loaded = point.load()
    except ModuleNotFoundError as error:
        _raise_missing(spec, error, point.dist)
    return loaded if isinstance(loaded, ModuleType) else sys.modules[point.module]


def _factories(registry: ModuleType) -> dict[str, Factory]:
    """The tasks that a package's registry module has brought in, by their full names."""
    package = registry.__name__.split(".", 1)[0]
    found: dict[str, Factory] = {}
    for name, module in list(sys.modules.items()):
        if name.split(".", 1)[0] == package:
            found.update(_own_factories(module))
    found.update(_tasks_among(vars(registry).values()))
    return found


def _own_factories(module: ModuleType) -> dict[str, Factory]:
    return {
        name: thing
        for name, thing in _tasks_among(vars(module).values()).items()
        if thing.__module__ == module.__name__
    }


def _tasks_among(things: Any) -> dict[str, Factory]:
    found = {}
    for thing in list(things):
        info = own_info(thing) if inspect.isfunction(thing) else None
        if info is not None and info.type == "task":
            found[info.name] = thing
    return found


def own_info(thing: Any) -> RegistryInfo | None:
    try:
        return registry_info(thing)
    except ValueError:
        return None


def run_file(whole: Path, path: Path | None = None) -> ModuleType:
    """The file as a module of its own name, so that Inspect knows which folder its tasks come from.

    `path` is what the user calls it.
    """
    path = path or whole
    name = f"otherwords_task_file_{stable_hash(str(whole))}"
    spec = importlib.util.spec_from_file_location(name, whole)
    if spec is None or spec.loader is None:
        raise InputError("cannot be read as Python", file=path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, SyntaxError):
            raise InputError(f"is not valid Python: {error.msg}", file=path, line=error.lineno) from error
        if isinstance(error, ModuleNotFoundError):
            _raise_missing(str(path), error, None)
        if isinstance(error, OtherwordsError) or not isinstance(error, Exception):
            raise
        raise InputError(f"could not be run: {_reason(error)}", file=path) from error
    return module


@contextmanager
def working_in(folder: Path) -> Iterator[None]:
    """In the task file's folder, as Inspect does, since tasks name their data and modules from there."""
    came_from, searched = Path.cwd(), list(sys.path)
    os.chdir(folder)
    sys.path.insert(0, str(Path.cwd()))
    try:
        yield
    finally:
        os.chdir(came_from)
        sys.path[:] = searched


def _require_arguments(spec: str, factory: Factory, arguments: Mapping[str, Any]) -> None:
    parameters = inspect.signature(factory).parameters.values()
    takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters)
    named = {one.name: one for one in parameters if one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL)}
    for name in arguments:
        if name not in named and not takes_any:
            raise UnknownNameError(f"argument of task '{spec}'", name, named)
    for name, one in named.items():
        if one.default is one.empty and name not in arguments:
            raise InputError(f"task '{spec}' needs the argument '{name}'", hint=f"Give it with -T {name}=…")


def _made(spec: str, factory: Factory, arguments: dict[str, Any], dist: Distribution | None) -> Task:
    try:
        made = factory(**arguments)
    except OtherwordsError:
        raise
    except ModuleNotFoundError as error:
        _raise_missing(spec, error, dist)
    except Exception as error:
        extra = _extra_named_like(dist, plain_name(spec))
        raise InputError(
            f"task '{spec}' could not be made: {_reason(error)}",
            hint=f"What it needs beside its data: pip install '{extra}'" if extra else None,
        ) from error
    if not isinstance(made, Task):
        raise InputError(f"'{spec}' made no Inspect task but {type(made).__name__}")
    return made


def _raise_missing(spec: str, error: ModuleNotFoundError, dist: Distribution | None) -> NoReturn:
    missing = (error.name or str(error)).split(".", 1)[0]
    raise MissingDependencyError(
        f"task '{spec}' needs the Python package '{missing}', which is not installed",
        f"pip install '{_extra_with(dist, missing, plain_name(spec)) or missing}'",
    ) from error


def _reason(error: Exception) -> str:
    """The error's own words, without the markup that Inspect writes into some of them."""
    message = str(getattr(error, "message", error)).strip()
    with suppress(MarkupError):
        message = Text.from_markup(message).plain if type(error).__name__ == "PrerequisiteError" else message
    reason = f"{type(error).__name__}: {message[:_LONGEST_REASON]}" if message else type(error).__name__
    return f"{reason} ({_reason(error.__cause__)})" if isinstance(error.__cause__, Exception) else reason


def _extra_named_like(dist: Distribution | None, task: str) -> str | None:
    """`inspect_evals[swe-bench]` for `swe_bench_verified`."""
    extras = [] if dist is None else dist.metadata.get_all("Provides-Extra") or []
    fitting = [extra for extra in extras if _canonical(task).startswith(_canonical(extra))]
    return f"{dist.name}[{max(fitting, key=len)}]" if dist is not None and fitting else None


def _extra_with(dist: Distribution | None, package: str, task: str) -> str | None:
    """The extra that brings `package`: the one named like the task if it does, else the first that does."""
    if dist is None:
        return None
    bringing = []
    for requirement in dist.requires or []:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w.-]+)['\"]", requirement)
        if name and extra and _canonical(name.group()) == _canonical(package):
            bringing.append(f"{dist.name}[{extra[1]}]")
    alike = _extra_named_like(dist, task)
    return alike if alike in bringing else next(iter(bringing), None)


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@contextmanager
def suppress_output() -> Iterator[None]:
    """Keep Inspect's messages off the terminal, and raise its complaints about arguments as a RunError."""
    console = rich.get_console()
    was_quiet, console.quiet = console.quiet, True
    try:
        yield
    except Exception as error:
        # Inspect's own class for "the user must change something" is not public.
        if type(error).__name__ != "PrerequisiteError":
            raise
        message = Text.from_markup(str(getattr(error, "message", error))).plain.strip()
        raise RunError(message.removeprefix("ERROR: ")) from error
    finally:
        console.quiet = was_quiet


class ClickInputError(InputError, click.ClickException):
    """An InputError that `inspect eval`, being a click program, prints without a traceback."""

    def __init__(self, error: InputError) -> None:
        InputError.__init__(
            self, error.problem, file=error.file, line=error.line, item=error.item, hint=error.hint
        )
        click.ClickException.__init__(self, str(error))


class ClickMissingError(MissingDependencyError, click.ClickException):
    """A MissingDependencyError that `inspect eval` prints without a traceback."""

    def __init__(self, error: MissingDependencyError) -> None:
        MissingDependencyError.__init__(self, error.need, error.command)
        click.ClickException.__init__(self, str(error))


@contextmanager
def click_errors() -> Iterator[None]:
    """Raise our input and dependency errors as errors that a click program prints as one message."""
    try:
        yield
    except InputError as error:
        raise ClickInputError(error) from error
    except MissingDependencyError as error:
        raise ClickMissingError(error) from error
