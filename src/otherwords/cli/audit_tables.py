"""What `otherwords audit` says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from otherwords.audit import REASONS, Audit, findings
from otherwords.cli.console import console, printable
from otherwords.core.letters import letter_of
from otherwords.core.types import Item

if TYPE_CHECKING:
    from otherwords.pipeline import RunEstimate

LONGEST_OPTION = 40
MOST_OPTIONS = 6
_MEANING = {
    "clean": "no reason was found",
    "ambiguous": "more than one option may be right, or they cannot be told apart",
    "unanswerable": "no option can be chosen and be right",
}


def print_audit(audit: Audit, items: Sequence[Item], *, worst: int) -> None:
    screen = console()
    total = len(audit.decisions)
    table = Table(
        title=escape(printable(f"{audit.name}: {total:,} items with options")), title_justify="left"
    )
    table.add_column("")
    table.add_column("items", justify="right")
    table.add_column("", justify="right")
    table.add_column("", ratio=1)
    for label, count in audit.labels.items():
        table.add_row(f"[bold]{label}[/]", f"{count:,}", _share(count, total), _MEANING[label])
    if audit.without_options:
        table.add_row("not audited", f"{audit.without_options:,}", "", "they have no options")
    if audit.reasons:
        table.add_section()
    for code, count in audit.reasons.items():
        table.add_row(code, f"{count:,}", _share(count, total), REASONS[code])
    screen.print(table)
    for name, said in findings(audit):
        screen.print(f"[bold]{name[0].upper()}{name[1:]}[/]: {escape(printable(said))}.")
    _print_worst(audit, items, worst)


def _print_worst(audit: Audit, items: Sequence[Item], count: int) -> None:
    rows = audit.worst(count)
    if not rows:
        return
    by_id = {item.id: item for item in items}
    shown = f"{len(rows):,} of {len(audit.flagged):,}" if len(audit.flagged) > len(rows) else f"{len(rows):,}"
    table = Table(title=f"The worst items ({shown})", title_justify="left", show_lines=True)
    table.add_column("item", overflow="fold")
    table.add_column("label")
    table.add_column("reasons", overflow="fold")
    table.add_column("options", ratio=1)
    for one in rows:
        table.add_row(
            escape(printable(one.id)), one.label, "\n".join(one.reasons), _options(by_id[one.id].choices)
        )
    console().print(table)


def _options(choices: Sequence[str]) -> str:
    lines = []
    for place, choice in enumerate(choices[:MOST_OPTIONS]):
        text = " ".join(choice.split())
        if len(text) > LONGEST_OPTION:
            text = text[: LONGEST_OPTION - 1] + "…"
        lines.append(f"{letter_of(place)}) {text}".rstrip())
    if len(choices) > MOST_OPTIONS:
        lines.append(f"and {len(choices) - MOST_OPTIONS:,} more")
    return escape(printable("\n".join(lines)))


def _share(count: int, total: int) -> str:
    return f"{100 * count / total:.0f}%" if total else "—"


def tell_calls(taken: Sequence[tuple[str, RunEstimate]]) -> tuple[int, float | None]:
    """What the models will take; gives the calls and their price, where it is known."""
    out = console()
    calls, usd = 0, 0.0
    unpriced: list[str] = []
    for what, one in taken:
        before = f", {one.finished:,} have finished before" if one.finished else ""
        out.print(
            f"For {what}: [bold]{one.calls:,} calls[/]{before}; about {one.input_tokens:,} tokens in and "
            f"{one.output_tokens:,} out",
            soft_wrap=True,
        )
        calls += one.calls
        usd += one.usd or 0.0
        unpriced += one.unpriced
    if unpriced:
        names = escape(printable(", ".join(dict.fromkeys(unpriced))))
        out.print(f"The price of {names} is not known, give it with --price", soft_wrap=True)
        return calls, None
    out.print(f"About ${usd:,.2f}")
    return calls, usd
