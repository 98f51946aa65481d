"""What every command prints with. rich is imported only when something is printed."""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console


@cache
def console() -> Console:
    from rich.console import Console

    return Console(highlight=False)


@cache
def error_console() -> Console:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_error(message: str) -> None:
    from rich.markup import escape

    from otherwords.core.keys import redacted

    error_console().print(f"[bold red]Error:[/] {escape(printable(redacted(message)))}", soft_wrap=True)


def print_warning(message: str) -> None:
    from rich.markup import escape

    from otherwords.core.keys import redacted

    error_console().print(f"[bold yellow]Warning:[/] {escape(printable(redacted(message)))}", soft_wrap=True)


def printable(text: str) -> str:
    """`text` without terminal control characters: prompts and answers are data from models."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def tell_salt(salt_file: Path | None, public: Path) -> None:
    from otherwords.core.pseudonyms import salt_place

    place = salt_place(salt_file, public)
    console().print(
        f"Salt: {place} (keep it private: it makes the hashes guessable)", markup=False, soft_wrap=True
    )


def is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()
