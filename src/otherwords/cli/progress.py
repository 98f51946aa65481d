"""A live progress bar on a terminal; a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from otherwords.cli.console import error_console

if TYPE_CHECKING:
    from otherwords.runs import Progress

LINE_EVERY_SECONDS = 15.0


@contextmanager
def progress_bar(what: str, *, unit: str) -> Iterator[Callable[..., None]]:
    """Gives `advance(done, total, note="")`."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    out = error_console()
    last_line = time.monotonic()
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f}/{task.total:.0f} " + unit),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=out,
        disable=not out.is_terminal,
        transient=False,
    ) as bar:
        row = bar.add_task(what, total=1, note="", visible=False)  # until there is something to do

        def advance(done: int, total: int, note: str = "") -> None:
            nonlocal last_line
            bar.update(row, completed=done, total=total, note=note, visible=True)
            if not out.is_terminal and time.monotonic() - last_line >= LINE_EVERY_SECONDS:
                last_line = time.monotonic()
                out.print(f"{what}: {done}/{total} {unit} {note}".rstrip())

        yield advance


@contextmanager
def run_progress(what: str) -> Iterator[Callable[[Progress], None]]:
    """For `on_progress` of a run: samples done, calls, tokens, failures, what an earlier run had finished."""
    with progress_bar(what, unit="samples") as advance:

        def show(now: Progress) -> None:
            parts = [f"{now.tokens:,} tokens"]
            if now.reused:
                parts.append(f"{now.reused} from before")
            if now.errors:
                parts.append(f"{now.errors} failed")
            advance(now.done, max(now.total, 1), " · ".join(parts))

        yield show
