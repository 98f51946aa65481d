"""Inspect without its own messages on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import rich
from rich.text import Text

from otherwords.core.errors import RunError


@contextmanager
def quiet_inspect() -> Iterator[None]:
    """Keep Inspect's messages off the terminal, and say its complaints about arguments in our way."""
    console = rich.get_console()
    was_quiet, console.quiet = console.quiet, True
    try:
        yield
    except Exception as error:
        # Inspect's own class for "the user must change something" is not public.
        if type(error).__name__ != "PrerequisiteError":
            raise
        told = Text.from_markup(str(getattr(error, "message", error))).plain.strip()
        raise RunError(told.removeprefix("ERROR: ")) from error
    finally:
        console.quiet = was_quiet
