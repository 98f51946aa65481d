"""`otherwords report`: logs → tables, figures and one page; prints the summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from otherwords.cli.console import cell, console, new_table, print_salt_place, speaks_for
from otherwords.cli.options import generalize_option, salt_option, scorer_option
from otherwords.core.contract import ANSWERED, ORIG, OUTCOMES, UNREADABLE

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize
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


@click.command("report", short_help="Turn logs into tables, figures and one page.")
@click.argument("logs", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--results-dir",
    "--results_dir",
    "results_dir",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The same as LOGS.",
)
@click.option("--benchmark", metavar="NAME", help="Only this task.  [default: all]")
@click.option(
    "-o",
    "--out",
    "--output-dir",
    "--output_dir",
    "out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="A folder.",
)
@click.option("--title", default="Prompt robustness", show_default=True)
@click.option(
    "--public",
    is_flag=True,
    help="Without any prompt, answer or raw id, for sets that must not leak: items become salted hashes.",
)
@salt_option
@click.option(
    "--audit",
    "audit_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Which items are ambiguous, as `otherwords audit --json` wrote it.  [default: what the options in "
    "the logs show]",
)
@scorer_option
@click.option(
    "--readable-only",
    is_flag=True,
    help="A second view, named as such: only answers that could be read count.",
)
@generalize_option
@click.option(
    "--ddof",
    type=click.IntRange(0, 1),
    default=1,
    show_default=True,
    help="Variances over wordings divide by n − this; 0 as in HAL's code.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print every estimate as JSON and nothing else; the folder is written only if -o is given.",
)
@click.option(
    "--strict", is_flag=True, help="Refuse a file that cannot be read, instead of naming and skipping it."
)
@click.pass_context
def command(
    ctx: click.Context,
    logs: tuple[Path, ...],
    results_dir: tuple[Path, ...],
    benchmark: str | None,
    out: Path,
    title: str,
    public: bool,
    salt_file: Path | None,
    audit_file: Path | None,
    scorer: str | None,
    readable_only: bool,
    generalize: Generalize | None,
    ddof: int,
    as_json: bool,
    strict: bool,
) -> None:
    """Write index.html, sensitivity_report.md, two CSVs and the figures from LOGS (files or folders).

    LOGS are Inspect logs, tables (outcomes.parquet or .csv) or other result files. When several of them hold
    the same wordings of an agent, they are runs over time: the latest is reported, with the trend of all.
    Runs that differ in settings, scorer or code are reported apart, under labels that say in what.
    Where the options of some items are ambiguous, robustness is shown with and without them.

    \b
    otherwords report logs -o report
    otherwords report results/outcomes.parquet --json
    otherwords report runs/january runs/february -o report
    otherwords report logs --audit audit.json
    otherwords report logs --scorer grade.fluency --json
    otherwords report logs -o report --public
    """
    given = [*logs, *results_dir]
    if not given:
        raise click.UsageError("Missing argument 'LOGS...'.")
    if salt_file is not None and not public:
        raise click.UsageError("--salt-file is for --public")

    from otherwords.pipeline.write_report import write_report

    settings: dict[str, Any] = {
        "title": title,
        "strict": strict,
        "benchmark": benchmark,
        "public": public,
        "salt_file": salt_file,
        "audit_file": audit_file,
        "scorer": scorer,
        "readable_only": readable_only,
        "generalize": generalize,
        "ddof": ddof,
    }
    if as_json:
        from otherwords.report.json_output import report_json

        asked_for = ctx.get_parameter_source("out") is not ParameterSource.DEFAULT
        data, _ = write_report(given, out if asked_for else None, **settings)
        click.echo(report_json(data))
        return
    with console().status("computing and drawing"):
        data, written = write_report(given, out, **settings)
    print_summary(data)
    console().print(f"Report: [bold]{written[0]}[/]")
    if public:
        print_salt_place(salt_file, out)


def print_summary(data: ReportData) -> None:
    """The report's verdict in the terminal: every agent's numbers, then the items that wording breaks."""
    from otherwords.report import verdict
    from otherwords.report.formats import METRIC_NAMES, interval, level_text

    screen = console()
    table = new_table(cell(data.title))
    table.add_column("")
    for agent in data.agents:
        table.add_column(cell(data.name(agent)), justify="right")
    told = (ANSWERED, UNREADABLE)  # of these there is a row for every report
    seen = {outcome for agent in data.agents for outcome, count in agent.outcomes.items() if count}
    for metric in (*SHOWN, *(f"{one}_rate" for one in OUTCOMES if one in seen and one not in told)):
        name = METRIC_NAMES[metric]
        if data.ddof == 0 and metric == "s_prompt":
            name += " (ddof 0)"
        table.add_row(name, *(interval(metric, agent.estimates.get(metric)) for agent in data.agents))
        if metric == "s_prompt":
            floors = [data.floor(agent) for agent in data.agents]
            lowest = ["—" if floor is None else f"{floor:.2f}" for floor in floors]
            table.add_row("  lowest possible value", *lowest)
            bands = [verdict(data, agent).band for agent in data.agents]
            table.add_row("  sensitivity", *map(level_text, bands))
    screen.print(table)
    if data.audited:
        _print_audited(data)
    if data.history:
        _print_history(data)
    for agent in data.agents:
        said = verdict(data, agent)
        screen.print(f"[bold]{cell(data.name(agent))}[/]: {cell(said.headline)} {cell(said.numbers)}")
        for caution in said.cautions:
            screen.print(f"  · {cell(caution)}")
        _print_sensitive(data, agent)
    shown = [
        (metric, agent.estimates[metric])
        for agent in data.agents
        for metric in SHOWN
        if metric in agent.estimates
    ]
    for_whom = speaks_for(
        ((metric, one.generalizes) for metric, one in shown), (one.reason for _, one in shown)
    )
    if for_whom:
        screen.print(for_whom, soft_wrap=True)
    for note in data.notes:
        screen.print(f"[yellow]Note:[/] {cell(note)}")
    for one in data.skipped:
        screen.print(f"[yellow]skipped[/] {cell(f'{one.file}: {one.reason}')}")


def _print_audited(data: ReportData) -> None:
    from otherwords.report.audited import audit_sentences, audit_table

    head, rows = audit_table(data)
    table = new_table("With and without ambiguous items")
    table.add_column("")
    for agent, which, *_ in rows:
        table.add_column(cell(f"{agent}\n{which}"), justify="right")
    for place, title in enumerate(head[2:], start=2):
        table.add_row("items" if title == "n" else title, *(cell(row[place]) for row in rows))
    console().print(table)
    for line in audit_sentences(data):
        console().print(f"  · {cell(line)}")


def _print_history(data: ReportData) -> None:
    from otherwords.report.formats import interval

    table = new_table("Runs over time")
    table.add_column("run")
    table.add_column("agent")
    for title in ("accuracy", "S_prompt", "lowest possible", "items"):
        table.add_column(title, justify="right")
    for point in data.history:
        table.add_row(
            cell(point.label),
            cell(point.model),
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
    table = new_table("Most sensitive items", show_lines=True)
    table.add_column("item")
    table.add_column("original wording", ratio=2)
    table.add_column("wording that moved it most", ratio=2)
    table.add_column("score", justify="right")
    for row in rows:
        item = str(row["id"])
        found = breaking_wording(data, agent, item)
        if found is None:
            table.add_row(cell(item), _original(data, agent, item), "—", "—")
            continue
        wording = f"{found.prompt or ''} [{found.variant}]" + (f" → {found.answer}" if found.answer else "")
        table.add_row(
            cell(item),
            _original(data, agent, item),
            cell(wording),
            f"{found.orig_score:.2f} → {found.score:.2f}",
        )
    console().print(table)


def _original(data: ReportData, agent: AgentRow, item: str) -> str:
    for row in data.wordings.filter(task=agent.task, id=item, variant=ORIG).iter_rows(named=True):
        return cell(str(row["prompt"]))
    return "—"
