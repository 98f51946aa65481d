"""What the commands show at their end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from otherwords.cli.console import console, printable

if TYPE_CHECKING:
    from otherwords.pipeline import Coverage
    from otherwords.report import AgentRow, ReportData

SHOWN = (
    "accuracy",
    "accuracy_orig",
    "s_prompt",
    "s_norm",
    "fragility_score",
    "excess_flips",
    "consistency_at_k",
    "c_out",
    "delta_accuracy",
    "format_failure_rate",
    "phrasing_share",
)
LISTED_ITEMS = 10


def print_coverage(covered: Coverage) -> None:
    screen = console()
    table = Table(title=f"{covered.items:,} items, {covered.accepted:,} variants", title_justify="left")
    table.add_column("")
    table.add_column("", justify="right")
    for kind, count in covered.accepted_by_kind.items():
        table.add_row(f"accepted: {escape(kind)}", f"{count:,}")
    for check, count in covered.rejected_by_reason.items():
        table.add_row(f"[yellow]rejected: {escape(check)}[/]", f"{count:,}")
    if covered.asked is not None:
        table.add_row("[yellow]missing: the model did not fill the slot[/]", f"{covered.missing:,}")
    table.add_row("items with none", f"{len(covered.items_without):,}")
    screen.print(table)
    if covered.items_without:
        names = ", ".join(covered.items_without[:LISTED_ITEMS])
        more = len(covered.items_without) - LISTED_ITEMS
        screen.print(f"None for: {escape(printable(names))}{f' and {more:,} more' if more > 0 else ''}")
    if covered.asked is not None:
        asked = covered.asked
        screen.print(
            f"Paraphrasing: {asked.calls:,} calls, {asked.cached:,} from the cache, {asked.errors:,} failed; "
            f"{asked.input_tokens:,} tokens in, {asked.output_tokens:,} out"
        )


def print_summary(data: ReportData) -> None:
    """The report's verdict in the terminal: every agent's numbers, then the items that wording breaks."""
    from otherwords.report import verdict
    from otherwords.report.words import METRIC_NAMES, interval

    screen = console()
    table = Table(title=escape(printable(data.title)), title_justify="left")
    table.add_column("")
    for agent in data.agents:
        table.add_column(escape(printable(data.name(agent))), justify="right")
    for metric in SHOWN:
        table.add_row(
            METRIC_NAMES[metric], *(interval(metric, agent.estimates.get(metric)) for agent in data.agents)
        )
        if metric == "s_prompt":
            floors = [data.floor(agent) for agent in data.agents]
            table.add_row("  its floor", *("—" if floor is None else f"{floor:.2f}" for floor in floors))
            table.add_row("  its band", *(verdict(data, agent).band or "—" for agent in data.agents))
    screen.print(table)
    if data.audited:
        _print_audited(data)
    if data.history:
        _print_history(data)
    for agent in data.agents:
        said = verdict(data, agent)
        screen.print(
            f"[bold]{escape(printable(data.name(agent)))}[/]: {escape(printable(said.headline))} "
            f"{escape(printable(said.numbers))}"
        )
        for caution in said.cautions:
            screen.print(f"  · {escape(printable(caution))}")
        _print_sensitive(data, agent)
    for one in data.skipped:
        screen.print(f"[yellow]skipped[/] {escape(printable(f'{one.file}: {one.reason}'))}")


def _print_audited(data: ReportData) -> None:
    from otherwords.report.audited import audit_sentences, audit_table

    head, rows = audit_table(data)
    table = Table(title="With and without ambiguous items", title_justify="left")
    table.add_column("")
    for agent, which, *_ in rows:
        table.add_column(escape(printable(f"{agent}\n{which}")), justify="right")
    for place, title in enumerate(head[2:], start=2):
        table.add_row("items" if title == "n" else title, *(escape(printable(row[place])) for row in rows))
    console().print(table)
    for line in audit_sentences(data):
        console().print(f"  · {escape(printable(line))}")


def _print_history(data: ReportData) -> None:
    from otherwords.report.words import interval

    table = Table(title="Runs over time", title_justify="left")
    table.add_column("run")
    table.add_column("agent")
    for title in ("accuracy", "S_prompt", "floor", "items"):
        table.add_column(title, justify="right")
    for point in data.history:
        table.add_row(
            escape(printable(point.label)),
            escape(printable(point.model)),
            *(interval(name, point.estimates.get(name)) for name in ("accuracy", "s_prompt")),
            "—" if point.floor is None else f"{point.floor:.2f}",
            f"{point.n_items:,}",
        )
    console().print(table)


def _print_sensitive(data: ReportData, agent: AgentRow, count: int = 3) -> None:
    from otherwords.report import breaking_wording, most_sensitive

    rows = most_sensitive(data, agent, count)
    if not rows:
        return
    table = Table(title="Most sensitive items", title_justify="left", show_lines=True)
    table.add_column("item")
    table.add_column("original wording", ratio=2)
    table.add_column("wording that moved it most", ratio=2)
    table.add_column("score", justify="right")
    for row in rows:
        item = str(row["id"])
        found = breaking_wording(data, agent, item)
        if found is None:
            table.add_row(escape(printable(item)), _original(data, agent, item), "—", "—")
            continue
        wording = f"{found.prompt or ''} [{found.variant}]" + (f" → {found.answer}" if found.answer else "")
        table.add_row(
            escape(printable(item)),
            _original(data, agent, item),
            escape(printable(wording)),
            f"{found.orig_score:.2f} → {found.score:.2f}",
        )
    console().print(table)


def _original(data: ReportData, agent: AgentRow, item: str) -> str:
    for row in data.wordings.filter(task=agent.task, id=item, variant="orig").iter_rows(named=True):
        return escape(printable(str(row["prompt"])))
    return "—"
