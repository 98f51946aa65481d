"""Context managers around Inspect: no output, its complaints as our RunError, our errors as click's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click
import rich
from rich.text import Text

from otherwords.core.errors import InputError, MissingDependencyError, RunError

__all__ = ["click_errors", "suppress_output"]


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
