"""A name such as `react` or `file.py@mine` → the solver or agent of Inspect that it is, or an error."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from inspect_ai.agent import as_solver, is_agent
from inspect_ai.solver import Solver, SolverSpec
from inspect_ai.util import registry_create

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.runs.resolve import own_info, plain_name, run_file, working_in

__all__ = ["load_solver", "resolve_solver"]

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
                return _as_solver(registry_create(kind, spec.solver, **spec.args_passed))
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
            return _as_solver(here[chosen](**spec.args_passed))
        except TypeError as error:
            raise InputError(
                f"solver '{chosen}' could not be made: {error}",
                file=Path(file),
                hint=_ARGUMENTS,
            ) from error


def _as_solver(made: Any) -> Solver:
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
