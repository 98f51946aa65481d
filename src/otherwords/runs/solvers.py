"""A name → the Inspect solver or agent that answers in place of the task's own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai.solver import SolverSpec
from inspect_ai.util import registry_create

from otherwords.core.errors import InputError

__all__ = ["solver_named"]


def solver_named(name: str, arguments: Mapping[str, Any] | None = None) -> SolverSpec:
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


def _require_registered(name: str, arguments: dict[str, Any]) -> None:
    problems: list[Exception] = []
    for kind in ("solver", "agent"):
        try:
            registry_create(kind, name, **arguments)
        except LookupError:
            continue
        except Exception as error:  # noqa: BLE001  told below, in one message
            problems.append(error)
        else:
            return
    if problems:
        told = f"{type(problems[0]).__name__}: {problems[0]}"
        raise InputError(f"solver '{name}' could not be made: {told}", hint="Its arguments: -S name=value")
    raise InputError(
        f"Inspect knows no solver or agent '{name}'",
        hint="Name one that is installed, such as generate or react, or one of yours as file.py@name.",
    )
