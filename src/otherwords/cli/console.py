"""Terminal output of all commands: lines, tables, errors, JSON, progress, costs; asks before costly calls.

rich is imported only when something is printed.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.table import Table

    from otherwords.checks.judge import JudgeCounts
    from otherwords.pipeline.decisions import Coverage
    from otherwords.runs import Progress

LINE_EVERY_SECONDS = 15.0
"""Between two lines of progress where there is no terminal for a bar."""
ASK_ABOVE_CALLS = 1000
ASK_ABOVE_USD = 10.0
LISTED_ITEMS = 10
MOST_LINES, WIDTH = 40, 80
MORE = "… the rest with --full"


@cache
def console() -> Console:
    """Standard output."""
    from rich.console import Console

    return Console(highlight=False)


@cache
def error_console() -> Console:
    """Standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_error(message: str) -> None:
    from rich.markup import escape

    from otherwords.core.secret_patterns import redacted

    error_console().print(f"[bold red]Error:[/] {escape(printable(redacted(message)))}", soft_wrap=True)


def print_warning(message: str) -> None:
    from rich.markup import escape

    from otherwords.core.secret_patterns import redacted

    error_console().print(f"[bold yellow]Warning:[/] {escape(printable(redacted(message)))}", soft_wrap=True)


def printable(text: str) -> str:
    """`text` without terminal control characters: prompts and answers are data from models."""
    return "".join(c if c in "\n\t" or c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def wrapped(text: str, indent: str = "", first: str | None = None) -> list[str]:
    """Lines of at most 80 columns; words are broken only where one is longer than that."""
    line = " ".join(printable(text).split())
    start = indent if first is None else first
    return textwrap.wrap(
        line, WIDTH, initial_indent=start, subsequent_indent=indent, break_on_hyphens=False
    ) or [start]


def print_lines(lines: Sequence[str], *, full: bool = False, keep: Sequence[str] = ()) -> None:
    """At most 40 lines unless `full`; the lines of `keep` are the last ones, and always there."""
    room = MOST_LINES - len(keep)
    shown = list(lines)
    if not full and len(shown) > room:
        shown = [*shown[: room - 1], MORE]
    for place, line in enumerate([*shown, *keep]):
        click.secho(line, bold=place == 0)


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of a table without rules, the head first; all columns but the first on the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return [
        printable(
            "  ".join(
                text.ljust(width) if not place else text.rjust(width)
                for place, (text, width) in enumerate(zip(row, widths, strict=True))
            )
        ).rstrip()
        for row in rows
    ]


def excerpts(original: str, reworded: str, room: int) -> tuple[str, str]:
    """One line of each text around the first place where they differ."""
    first, second = (" ".join(printable(text).split()) for text in (original, reworded))
    alike = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))
    start = max(alike - room // 3, 0)
    if start:
        start = first.rfind(" ", 0, start) + 1
    return _cut(first, start, room), _cut(second, start, room)


def _cut(text: str, start: int, room: int) -> str:
    before = "…" if start else ""
    part = text[start:]
    if len(before) + len(part) <= room:
        return f"{before}{part}"
    kept = part[: room - len(before) - 1]
    whole = kept if part[len(kept)].isspace() else kept.rpartition(" ")[0] or kept
    return f"{before}{whole.rstrip()}…"


def cell(text: object) -> str:
    """`text` for a table or a line of rich: shown as it is, without markup and control characters."""
    from rich.markup import escape

    return escape(printable(str(text)))


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says what is done while it takes; where there is no terminal, a line now and then."""
    out = error_console()
    if out.is_terminal:
        with out.status(what):
            yield
        return
    began, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        while not ended.wait(min(LINE_EVERY_SECONDS, threading.TIMEOUT_MAX)):
            out.print(f"{what}: {time.monotonic() - began:.0f} seconds so far")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def new_table(title: str | None = None, *, show_lines: bool = False) -> Table:
    """An empty table, its title on the left."""
    from rich.table import Table

    return Table(title=title, title_justify="left", show_lines=show_lines)


def print_salt_places(salt_file: Path | None, public: Path, tasks: Iterable[str]) -> None:
    from otherwords.publish.pseudonyms import salt_place

    for place in dict.fromkeys(salt_place(salt_file, public, task) for task in tasks):
        console().print(
            f"Salt: {place} (keep it private: it makes the hashes guessable)", markup=False, soft_wrap=True
        )


def is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def asks_about(calls: int, usd: float | None) -> list[str]:
    """What is so much that one is asked first."""
    return [
        *([f"{calls:,} calls are more than {ASK_ABOVE_CALLS:,}"] if calls > ASK_ABOVE_CALLS else []),
        *([f"${usd:,.2f} is more than ${ASK_ABOVE_USD:,.0f}"] if usd and usd > ASK_ABOVE_USD else []),
    ]


def ask_to_go_on(calls: int, usd: float | None, *, yes: bool) -> None:
    """Ask before many calls or much money; refuse where nobody can be asked."""
    from otherwords.core.errors import InputError

    much = asks_about(calls, usd)
    if not much or yes:
        return
    if not is_interactive():
        raise InputError(", and ".join(much), hint="Add --yes to go on.")
    click.confirm("Go on?", abort=True)


SPOKEN_FOR = {
    "items": "other items",
    "wordings": "other wordings of these items",
    "both": "other items and other wordings",
}


def speaks_for(found: Iterable[tuple[str, str]], reasons: Iterable[str] = ()) -> str:
    """For whom intervals speak, in sentences.

    Args:
        found: Pairs of a metric and `items`, `wordings` or `both`.
        reasons: Of the estimates: where shared wordings are too few to speak for others, that is said.
    """
    from otherwords.metrics.intervals import TOO_FEW_SHARED

    by_target: dict[str, list[str]] = {}
    for metric, target in found:
        if target and metric not in by_target.setdefault(target, []):
            by_target[target].append(metric)
    parts = dict.fromkeys(part for reason in reasons for part in reason.split("; "))
    few = "".join(f" {part}." for part in parts if part.endswith(TOO_FEW_SHARED))
    if len(by_target) <= 1:
        return "".join(f"The intervals speak for {SPOKEN_FOR[target]}.{few}" for target in by_target)
    first, *others = sorted(by_target, key=lambda target: -len(by_target[target]))
    rest = "; ".join(f"of {', '.join(by_target[one])} for {SPOKEN_FOR[one]}" for one in others)
    return f"The intervals speak for {SPOKEN_FOR[first]}; those {rest}.{few}"


def print_json(value: Any) -> None:
    """Dataclasses as objects; nothing else is written to standard output."""
    click.echo(json_text(value))


def json_text(value: Any) -> str:
    """As `print_json` prints it."""
    return json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "to_dicts"):
        return _plain(value.to_dicts())
    return value


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


def print_coverage(covered: Coverage, file: object = "FILE") -> None:
    """How many variants were accepted, rejected, undecided and missing; `file` is where they are."""
    screen = console()
    table = new_table(f"{covered.items:,} items, {covered.accepted:,} variants")
    table.add_column("")
    table.add_column("", justify="right")
    for kind, count in covered.accepted_by_kind.items():
        table.add_row(f"accepted: {cell(kind)}", f"{count:,}")
    for check, count in covered.rejected_by_reason.items():
        table.add_row(f"[yellow]rejected: {cell(check)}[/]", f"{count:,}")
    for check, count in covered.undecided_by_flag.items():
        table.add_row(f"[yellow]undecided: {cell(check)}[/]", f"{count:,}")
    if covered.asked is not None:
        table.add_row("[yellow]missing: the model did not fill the slot[/]", f"{covered.missing:,}")
    table.add_row("items with none", f"{len(covered.items_without):,}")
    screen.print(table)
    for line in _after_table(covered, file):
        screen.print(cell(line), soft_wrap=True)


def _after_table(covered: Coverage, file: object) -> Iterator[str]:
    if covered.items_without:
        yield "None for:"
        for item in covered.items_without[:LISTED_ITEMS]:
            yield f"  {item} ({covered.reasons_without.get(item, '')})"
        more = len(covered.items_without) - LISTED_ITEMS
        if more > 0:
            yield f"  and {more:,} more"
    if covered.not_english:
        left_out = f" Left out there: {', '.join(covered.left_out)}." if covered.left_out else ""
        yield (
            f"{covered.not_english:,} of {covered.items:,} items are not in English, so that rules and "
            f"preambles in English were not used on them, only what needs no language.{left_out}"
        )
    if covered.distances is not None:
        yield str(covered.distances)
    for reason, count in covered.refused_by_rules.items():
        yield f"{count:,} of {covered.items:,} items are left as they are by the rules: {reason}"
    if covered.undecided:
        by_model = "" if covered.judged is not None else ", or let a model decide with --judge"
        yield f"{covered.undecided:,} undecided: look at them with `otherwords review {file}`{by_model}"
    if covered.asked is not None:
        asked = covered.asked
        yield (
            f"Paraphrasing: {asked.calls:,} calls, {asked.cached:,} from the cache, {asked.errors:,} failed; "
            f"{asked.input_tokens:,} tokens in, {asked.output_tokens:,} out"
        )
    if covered.judged is not None:
        yield judging(covered.judged)


def judging(counts: JudgeCounts) -> str:
    """What a judge was asked, as a sentence."""
    return (
        f"Judging: {counts.calls:,} calls, {counts.cached:,} from the cache, {counts.unreadable:,} "
        f"unreadable replies, {counts.contradictions:,} contradicting themselves; "
        f"{counts.input_tokens:,} tokens in, {counts.output_tokens:,} out"
    )


def dollars(usd: float) -> str:
    """In cents, or in hundredths of a cent where there is less than one."""
    return f"${usd:,.2f}" if usd >= 0.01 or usd == 0 else f"${max(usd, 0.0001):.4f}"
