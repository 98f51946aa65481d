"""The exceptions and the warning of otherwords, as one tree; `first_cause` of an exception group.

OtherwordsError
├── InputError              a file, an item or an argument is wrong (also a ValueError)
│   └── UnknownNameError    a name that no registry knows, with the nearest ones that it does
├── MissingDependencyError  an optional package or the model's weights are absent; says what to type
├── RunError                the run itself could not go on (not: one sample failed)
└── GateFailed              everything worked and the answer is no (exit code 1)

The command line turns each of them into one message without a traceback and `exit_code`, and an
OtherwordsWarning into one line.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from otherwords.core.secret_patterns import redacted


class OtherwordsError(Exception):
    """Its message never holds a key, whatever it quotes."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(redacted(message))

    def __reduce__(self) -> tuple[Any, ...]:
        """So that it comes whole from a worker process: subclasses take other arguments than the message."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[OtherwordsError], args: tuple[Any, ...], state: dict[str, Any]) -> OtherwordsError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class OtherwordsWarning(UserWarning):
    """Something that people must know of, and that does not stop what they asked for."""


class InputError(OtherwordsError, ValueError):
    """Bad input, told with as much of `file`, `line` and `item` as is known."""

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        line: int | None = None,
        item: str | None = None,
        hint: str | None = None,
    ) -> None:
        self.problem, self.file, self.line, self.item, self.hint = problem, file, line, item, hint
        where = "" if file is None else str(file)
        if line is not None:
            where += f":{line}" if where else f"line {line}"
        if item is not None:
            where += f", item '{item}'" if where else f"item '{item}'"
        message = f"{where}: {problem}" if where else problem
        super().__init__(f"{message}\n{hint}" if hint else message)


_KNOWN_SHOWN = 60


class UnknownNameError(InputError):
    """A name that no registry knows, told with the nearest ones that it does."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        self.what, self.name, self.known = what, name, sorted(known)
        near = difflib.get_close_matches(name, self.known, n=3, cutoff=0.5)
        if near:
            hint = f"Did you mean: {', '.join(near)}?"
        elif self.known:
            more = len(self.known) - _KNOWN_SHOWN
            hint = f"Known: {', '.join(self.known[:_KNOWN_SHOWN])}{f' and {more} more' if more > 0 else ''}."
        else:
            hint = "None are registered."
        super().__init__(f"unknown {what} '{name}'. {hint}")


class MissingDependencyError(OtherwordsError):
    """`need` is what was wanted, `command` what a person types to have it."""

    def __init__(self, need: str, command: str) -> None:
        self.need, self.command = need, command
        super().__init__(f"{need}\nInstall it with: {command}")


class RunError(OtherwordsError):
    """The run itself could not go on."""


class GateFailed(OtherwordsError):
    """Everything worked, and a threshold is not met."""

    exit_code = 1


_LONGEST_CAUSE = 200


def first_cause(error: BaseException, what_failed: str) -> BaseException:
    """Of an exception group the first one, as one sentence; ours and interruptions as they are."""
    while inner := getattr(error, "exceptions", ()):  # an exception group, which Python 3.10 does not know
        error = inner[0]
    if isinstance(error, OtherwordsError) or not isinstance(error, Exception):
        return error
    return RunError(f"{what_failed}: {said_by(error)}")


def said_by(error: BaseException) -> str:
    """An error's kind and its words on one line, without the markup that Inspect writes for its console."""
    words = str(error)
    if type(error).__name__ == "PrerequisiteError":
        from rich.text import Text

        words = Text.from_markup(words).plain.removeprefix("ERROR: ")
    said = " ".join(words.split())
    if len(said) > _LONGEST_CAUSE:
        said = said[: _LONGEST_CAUSE - 1] + "…"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
