"""`RunSettings`, `Limits`, the solver of a run; API keys loaded, hidden or refused; model servers checked.

Inspect writes the arguments of models, tasks and solvers into its logs. It leaves out a model's `api_key` and
`aws_…`; other keys are hidden here where that is possible, and refused where it is not.
"""

from __future__ import annotations

import http.client
import inspect
import os
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path, PurePath
from typing import Any

from inspect_ai.agent import as_solver, is_agent
from inspect_ai.model import GenerateConfig, Model, ModelAPI, get_model
from inspect_ai.solver import Solver, SolverSpec
from inspect_ai.util import registry_create

from otherwords.core.contract import HOW_IT_IS_SENT
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.files import read_input, require_input
from otherwords.core.secret_patterns import REDACTED, find_keys, hide_keys_in, without_keys
from otherwords.core.types import stable_hash
from otherwords.runs.inspect_options import changing_answers
from otherwords.runs.resolve import own_info, plain_name, run_file, working_in


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one sample."""

    messages: int | None = None
    tokens: int | None = None
    seconds: int | None = None
    working_seconds: int | None = None


@dataclass(frozen=True)
class RunSettings:
    """How a run asks."""

    config: GenerateConfig = field(default_factory=GenerateConfig)
    limits: Limits = field(default_factory=Limits)
    model_args: Mapping[str, Any] = field(default_factory=dict)
    """With the address of the model as `base_url`."""
    eval_args: Mapping[str, Any] = field(default_factory=dict)
    """Other arguments of Inspect's eval(), such as `sandbox`, as `inspect_arguments` gives them."""
    model_roles: Mapping[str, str] = field(default_factory=dict)
    """Models that tasks ask for by a role, such as `user` or `grader`."""
    solver: Solver | SolverSpec | None = None
    """In place of the tasks' own."""
    solver_id: str = ""
    """Tells one solver from another that Inspect gives the same name and arguments."""
    calls_no_model: bool = False
    """The solver's calls are not Inspect's, and so each sample counts as one."""
    agent_name: str | None = None
    """What solver and model together are called in tables; runs of two agents may share a folder."""
    scorer: str | None = None
    """Which of several scores counts, `name` or `name.key`; it is written into the logs."""
    shard: str | None = None
    """Which part of the items is asked, such as `3/40`; it is written into the logs."""
    task_sources: Mapping[str, str] = field(default_factory=dict)
    """The task's files, packages and arguments, with hashes or versions."""
    agent_sources: Mapping[str, str] = field(default_factory=dict)
    """The files of the solver or agent, with hashes."""
    notes: tuple[str, ...] = ()
    """What the user is told before it runs."""

    @property
    def hash(self) -> str:
        """As version 0.1 knew a run, without the task's code; its logs are continued by it."""
        generate = self.config.model_dump(mode="json", exclude_none=True, exclude=set(HOW_IT_IS_SENT))
        bounds = [getattr(self.limits, name) for name in self.limits.__slots__]
        arguments = {name: repr(value) for name, value in self.model_args.items()}
        named = []
        if isinstance(self.solver, SolverSpec):  # its file by name alone, so that a folder may be moved
            named = [PurePath(self.solver.solver).name, repr(sorted(self.solver.args.items()))]
        roles = dict(self.model_roles)
        others = [repr(sorted(changing_answers(self.eval_args).items()))] if self.eval_args else []
        return stable_hash([generate, bounds, arguments, roles, named, self.solver_id, *others])


_ARGUMENTS = "Its arguments: -S name=value"


def resolve_solver(name: str, arguments: Mapping[str, Any] | None = None) -> SolverSpec:
    """`generate`, `react`, `pkg/solver`, `file.py@solver`: refused here when it cannot be made."""
    given = dict(arguments or {})
    file, _, inside = name.partition("@")
    if Path(file).suffix == ".py":
        if not Path(file).is_file():
            raise InputError("no such file", file=file)
        # Absolute, because a task's file may change the working folder.
        name = f"{Path(file).resolve()}{'@' if inside else ''}{inside}"
    else:
        _require_registered(name, given)
    return SolverSpec(name, given, given)


def load_solver(spec: SolverSpec) -> Solver:
    """The solver, or the agent as a solver, that `resolve_solver` has found."""
    file, _, inside = spec.solver.partition("@")
    if Path(file).suffix != ".py":
        for kind in ("solver", "agent"):
            with suppress(LookupError):
                return inspects_solver(registry_create(kind, spec.solver, **spec.args_passed))
        raise InputError(f"Inspect knows no solver or agent '{spec.solver}'")
    path = Path(file).resolve()
    with working_in(path.parent):
        module = run_file(path)
        here = {
            plain_name(info.name): thing
            for thing in vars(module).values()
            if inspect.isfunction(thing) and thing.__module__ == module.__name__
            if (info := own_info(thing)) is not None and info.type in ("solver", "agent")
        }
        if not here:
            raise InputError(
                "has no solver: no function in it is marked with @solver or @agent", file=Path(file)
            )
        if not inside and len(here) > 1:
            raise InputError(
                f"has {len(here)} solvers: {', '.join(sorted(here))}",
                file=Path(file),
                hint=f"Say which, such as {Path(file).name}@{sorted(here)[0]}",
            )
        chosen = inside or next(iter(here))
        if chosen not in here:
            raise UnknownNameError(f"solver in {file}", chosen, here)
        try:
            return inspects_solver(here[chosen](**spec.args_passed))
        except TypeError as error:
            raise InputError(
                f"solver '{chosen}' could not be made: {error}",
                file=Path(file),
                hint=_ARGUMENTS,
            ) from error


def inspects_solver(made: Any) -> Solver:
    """A solver as it is, an agent as a solver."""
    return as_solver(made) if is_agent(made) else made


def _require_registered(name: str, arguments: dict[str, Any]) -> None:
    problems: list[Exception] = []
    for kind in ("solver", "agent"):
        try:
            registry_create(kind, name, **arguments)
        except LookupError:
            continue
        except Exception as error:  # noqa: BLE001  raised below, as one message
            problems.append(error)
        else:
            return
    if problems:
        reason = f"{type(problems[0]).__name__}: {problems[0]}"
        raise InputError(f"solver '{name}' could not be made: {reason}", hint=_ARGUMENTS)
    raise InputError(
        f"Inspect knows no solver or agent '{name}'",
        hint="Name one that is installed, such as generate or react, or one of yours as file.py@name.",
    )


LEFT_OUT = ("api_key", "aws_")
"""How the names of a model's arguments begin that Inspect leaves out of its logs."""


class Hidden(str):
    """A text that reads as redacted wherever it is written; `real` is what it is."""

    real: str

    def __new__(cls, real: str) -> Hidden:
        made = super().__new__(cls, REDACTED)
        made.real = real
        return made

    def __deepcopy__(self, _memo: Any) -> Hidden:
        return self

    def __reduce__(self) -> Any:
        return str, (REDACTED,)


def hidden(arguments: Any) -> Any:
    """`arguments`, however nested, with each key in it as `Hidden`."""
    if isinstance(arguments, Mapping):
        return {
            name: Hidden(value) if isinstance(value, str) and is_key(name, value) else hidden(value)
            for name, value in arguments.items()
        }
    if isinstance(arguments, list | tuple):
        return [hidden(value) for value in arguments]
    return Hidden(arguments) if isinstance(arguments, str) and is_key("", arguments) else arguments


def revealed(arguments: Any) -> Any:
    """`arguments` as they were before `hidden`."""
    if isinstance(arguments, Hidden):
        return arguments.real
    if isinstance(arguments, Mapping):
        return {name: revealed(value) for name, value in arguments.items()}
    if isinstance(arguments, list | tuple):
        return [revealed(value) for value in arguments]
    return arguments


def is_key(name: str, value: Any) -> bool:
    return any(True for text in (f"{name}={value}", str(value)) for _ in find_keys(text))


def refuse_keys(arguments: Mapping[str, Any], option: str) -> None:
    """Raise an InputError where an argument that Inspect records as it is looks like a key."""
    for name, value in arguments.items():
        if is_key(name, value):
            raise InputError(
                f"{option} {name}=… looks like a key, and Inspect writes these arguments into its logs",
                hint="Give it in a variable of the environment.",
            )


def refuse_written_keys(arguments: Mapping[str, Any], where: str) -> None:
    """Raise an InputError where an argument holds a key, however nested, that would be written to `where`."""
    for name, value in arguments.items():
        if hidden({name: value}) != {name: value}:
            raise InputError(
                f"the argument {name}=… looks like a key, and would be written to {where}",
                hint="Give it in a variable of the environment, or with --keys-file.",
            )


def load_keys(path: str | Path) -> None:
    """Put the keys of a file, `NAME=value` on each line, into the environment of this process.

    Raises:
        InputError: The file cannot be read, others than its owner can read it, or a line is wrong.
    """
    file = require_input(path)
    if os.name == "posix" and file.stat().st_mode & 0o077:
        raise InputError(
            "holds keys, and others than its owner can read it", file=path, hint=f"Type: chmod 600 {path}"
        )
    for number, line in enumerate(read_input(file).decode("utf-8", "replace").splitlines(), start=1):
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals or not name.strip().isidentifier():
            raise InputError("expected NAME=value", file=path, line=number)
        os.environ[name.strip()] = value.strip().strip("'\"")


def hide_keys_in_errors() -> None:
    """From now on, what a provider's error quotes has no key in it: Inspect writes errors into its logs.

    The provider of each model that is made is asked through a function that redacts what it raises.
    """
    if hasattr(Model.__init__, "hides_keys"):
        return
    make = Model.__init__

    @wraps(make)
    def made(self: Model, api: ModelAPI, *args: Any, **kwargs: Any) -> None:
        make(self, api, *args, **kwargs)
        if not hasattr(api.generate, "hides_keys"):
            api.generate = _hiding_keys(api.generate)  # type: ignore[method-assign]

    made.hides_keys = True  # type: ignore[attr-defined]
    Model.__init__ = made  # type: ignore[method-assign]


def _hiding_keys(generate: Any) -> Any:
    @wraps(generate)
    async def asked(*args: Any, **kwargs: Any) -> Any:
        try:
            given = await generate(*args, **kwargs)
        except Exception as error:
            hidden = hide_keys_in(error)
            if hidden is error:
                raise
            raise hidden from None
        if isinstance(given, tuple) and isinstance(given[0], Exception):
            return (hide_keys_in(given[0]), *given[1:])
        return given

    asked.hides_keys = True  # type: ignore[attr-defined]
    return asked


hide_keys_in_errors()


def models_with_hidden_keys(
    models: Sequence[str | Model], arguments: Mapping[str, Any], generate: Mapping[str, Any]
) -> tuple[list[str | Model], dict[str, Any]]:
    """The models, and the arguments that Inspect may write into its logs.

    With keys among the arguments they are made here, and what they tell of themselves has none.
    """
    address = arguments.get("base_url")
    if address is not None:
        refuse_keys({"base_url": address}, "-M")
    secret = [name for name, value in arguments.items() if is_key(name, value)]
    if all(name.startswith(LEFT_OUT) for name in secret):
        return list(models), dict(arguments)
    made: list[str | Model] = []
    for model in models:
        if isinstance(model, str):
            model = get_model(model, config=GenerateConfig(**generate), memoize=False, **arguments)  # noqa: PLW2901
            model.model_args = without_keys(model.model_args)
        made.append(model)
    return made, {}


# ---- servers

SERVERS = {"ollama": "http://localhost:11434/v1"}
"""Where Inspect looks for a provider's server that nobody says the address of."""
_PATIENCE = 10
"""Seconds."""


def require_servers(models: Sequence[str | Model], arguments: Mapping[str, Any]) -> None:
    """Refuse models whose address, so far as it is given, does not answer: Inspect would wait for ever."""
    for model in dict.fromkeys(map(str, models)):
        address = _address(model, arguments)
        if address is None:
            continue
        try:
            urllib.request.urlopen(f"{address.rstrip('/')}/models", timeout=_PATIENCE).close()
        except (urllib.error.HTTPError, TimeoutError):
            pass  # it is there, and wants a key or is busy; one that is not there is a URLError
        except (OSError, ValueError, http.client.HTTPException) as error:
            if isinstance(getattr(error, "reason", None), ssl.SSLError):
                continue  # Inspect's client may know other certificates
            raise InputError(
                f"nothing answers at {address}, where the model '{model}' is to be: "
                f"{getattr(error, 'reason', None) or error}",
                hint="Start its server, or give its address with --model-base-url.",
            ) from error


def _address(model: str, arguments: Mapping[str, Any]) -> str | None:
    """As Inspect finds it: in NAME_BASE_URL for `openai-api/NAME/…`, else in PROVIDER_BASE_URL."""
    provider, _, rest = model.partition("/")
    if provider == "gguf":  # in this process; it refuses an address itself
        return None
    named = rest.partition("/")[0] if provider == "openai-api" else provider
    variable = f"{named}_BASE_URL".upper().replace("-", "_")
    address = arguments.get("base_url") or os.environ.get(variable) or SERVERS.get(provider)
    return None if address is None else str(address)
