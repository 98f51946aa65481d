"""Verdicts → lines of plain text for a terminal: at most 40 of 80 columns for any data, or all of them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import takewhile

import click

from otherwords.cli.console import printable
from otherwords.core.texts import (
    agent_cells,
    by_severity,
    count_text,
    of_things,
    percent,
    points_between,
    reason_text,
)
from otherwords.core.verdict import MOST_UNSCORED, Verdict

MOST_LINES, WIDTH = 40, 80
_SENTENCES, _AGENTS, _CHANGES, _REASONS = 3, 5, 4, 3
_COLUMNS = ("accuracy", "points lost", "flips beyond noise", "share", "no score", "effect")
_WIDTHS = (9, 18, 19, 11, 9)
MORE = "… the rest with --full"


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


def verdict_lines(verdicts: Iterable[Verdict], *, full: bool = False) -> list[str]:
    """What was found, what to do, the agents, what breaks them, why runs have no score."""
    ordered = by_severity(verdicts)
    lines = _sentences(ordered, full)
    if ordered and ordered[0].actions:
        lines += ["", "What to do:"]
        for action in ordered[0].actions:
            lines += wrapped(action, "    ", "  ")
    lines += ["", *agent_table(ordered, full)]
    for part in (change_lines(ordered, full), unscored_lines(ordered, full)):
        lines += ["", *part] if part else []
    return lines


def _sentences(ordered: Sequence[Verdict], full: bool) -> list[str]:
    shown = ordered if full else ordered[:_SENTENCES]
    lines = [line for one in shown for line in wrapped(one.sentence, "  ", "")]
    if full:
        return lines
    # a caution of the first is worth more than the headline of the fourth
    for caution in [] if len(shown) > 1 else shown[0].cautions[:2]:
        lines += wrapped(caution, "    ", "  · ")
    left = len(ordered) - len(shown)
    return [*lines, f"{of_things(left, 'more verdict')} in the table below."] if left else lines


def agent_table(ordered: Sequence[Verdict], full: bool = False) -> list[str]:
    """Agents and benchmarks as rows: the name whole, the numbers below it."""
    shown = ordered if full else ordered[:_AGENTS]
    lines = [_row(_COLUMNS)]
    for one in shown:
        lines += [*wrapped(one.name), _row(agent_cells(one))]
    left = len(ordered) - len(shown)
    return [*lines, f"{of_things(left, 'more row')}: --full"] if left else lines


def _row(cells: Sequence[str]) -> str:
    padded = [f"{text:<{width}}" for text, width in zip(cells, (*_WIDTHS, 0), strict=True)]
    return f"  {''.join(padded)}".rstrip()


def change_lines(ordered: Sequence[Verdict], full: bool = False) -> list[str]:
    """Kinds of change with an effect, the largest first; the others are counted."""
    found = [(one, change) for one in ordered for change in one.changes if change.loss.excludes_zero]
    asked = sum(len(one.changes) for one in ordered)
    if not asked:
        return []
    if not found:
        return [f"What breaks it: no kind of change has a detectable effect ({count_text(asked)} asked)."]
    found.sort(key=lambda pair: -abs(pair[1].loss.value or 0.0))
    shown = found if full else found[:_CHANGES]
    lines = ["What breaks it (points lost, intervals corrected for all that was asked):"]
    for one, change in shown:
        loss = change.loss
        size = points_between(loss.value, loss.corrected_low, loss.corrected_high)
        who = f", {one.name}" if len(ordered) > 1 else ""
        lines += wrapped(f"{change.name}: {size}{who}", "    ", "  ")
    rest = f"  {of_things(asked - len(found), 'other change')} without a detectable effect"
    more = f"; {count_text(len(found) - len(shown))} more with one" if len(found) > len(shown) else ""
    return [*lines, f"{rest}{more}."] if asked > len(shown) else lines


def unscored_lines(ordered: Sequence[Verdict], full: bool = False) -> list[str]:
    """Why runs have no score: reason × count × one example, and what to do."""
    found = [(one, reason) for one in ordered for reason in one.unscored.reasons]
    if not found:
        return []
    found.sort(key=lambda pair: -pair[1].count)
    without, runs = sum(one.unscored.count for one in ordered), sum(one.n_runs for one in ordered)
    mark = "[!] " if without > MOST_UNSCORED * runs else ""
    lines = [
        f"{mark}{count_text(without)} of {of_things(runs, 'run')} ({percent(without / runs)}) have no score:"
    ]
    for one, reason in found if full else found[:_REASONS]:
        who = f"{one.name}: " if len(ordered) > 1 else ""
        text = f"{count_text(reason.count)} {who}{reason_text(reason)} ({reason.example}); {reason.advice}"
        lines += wrapped(text, "      ", "    ") if full else wrapped(text, "      ", "    ")[:3]
    return lines


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
