"""`otherwords fix`: logs → what rewording breaks beyond noise, wordings that fail, and suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import cell, console, new_table, print_json, speaks_for
from otherwords.cli.options import generalize_option, json_option, scorer_option

if TYPE_CHECKING:
    from otherwords.metrics import Recommendations
    from otherwords.metrics.findings import Finding
    from otherwords.metrics.intervals import Generalize

FORMAT, VERSION = "otherwords-fix", 1


@click.command("fix", short_help="What rewording breaks beyond noise, wordings that fail, suggestions.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task.")
@click.option("--most", type=click.IntRange(min=1), default=10, show_default=True, help="Items to show.")
@click.option(
    "--confirm",
    "confirm_logs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="LOGS",
    help="Test the findings again in these logs: other items, or other runs of the same. Repeatable.",
)
@click.option("--split", is_flag=True, help="Find in one half of the items, and test in the other half.")
@generalize_option
@scorer_option
@json_option
def command(
    logs: tuple[Path, ...],
    benchmark: str | None,
    most: int,
    confirm_logs: tuple[Path, ...],
    split: bool,
    generalize: Generalize | None,
    scorer: str | None,
    as_json: bool,
) -> None:
    """The changes that cost accuracy or bring refusals, with wordings that fail beside those that pass.

    Everything that is asked of the logs, over all models and kinds of change, is controlled for false
    discoveries (Benjamini–Hochberg), and only what survives is listed. Sizes are shrunk: what is picked for
    being large reads too large. --confirm or --split test on data that did not pick.

    \b
    otherwords fix logs
    otherwords fix logs --confirm logs-of-other-items
    otherwords fix logs --split
    """
    from otherwords.metrics import enough_variants, fix
    from otherwords.results import read_results

    if split and confirm_logs:
        raise click.UsageError("--split and --confirm cannot be used together")
    results = read_results(list(logs), scorer=scorer)
    other = read_results(list(confirm_logs), scorer=scorer).outcomes if confirm_logs else None
    found = fix(results.outcomes, benchmark, confirm_table=other, split=split, generalize=generalize)
    if as_json:
        print_json(
            {
                "format": FORMAT,
                "version": VERSION,
                "n_tests": found.n_tests,
                "findings": found.findings,
                "items": found.items,
                "costs": found.costs,
                "by_distance": found.by_distance,
                "suggestions": found.suggestions,
                "notes": list(results.notes),
            }
        )
        return
    asked = {
        (row["task"], row["id"], row["variant"]): row["prompt"]
        for row in results.wordings.iter_rows(named=True)
    }
    _print(found, asked, most)
    settled = enough_variants(results.outcomes, benchmark)
    screen = console()
    if settled.enough is not None:
        screen.print(f"· {settled.enough} wordings an item would have told nearly as much as all of them.")
    for note in results.notes:
        screen.print(f"[yellow]Note:[/] {cell(note)}")


def _print(found: Recommendations, asked: Mapping[tuple[str, str, str], str], most: int) -> None:
    from otherwords.report.formats import p_value

    screen = console()
    if found.findings:
        _print_findings(found)
    if found.items:
        table = new_table("Wordings that fail beside wordings that pass", show_lines=True)
        table.add_column("item")
        table.add_column("fails", ratio=2)
        table.add_column("passes", ratio=2)
        table.add_column("evidence")
        for one in found.items[:most]:
            texts = [
                f"{asked.get((one.task, one.id, variant), '')} [{variant}: {score:.2f}]"
                for variant, score in ((one.failing, one.failing_score), (one.passing, one.passing_score))
            ]
            evidence = one.evidence if one.q is None else f"{one.evidence}, q = {p_value(one.q)}"
            table.add_row(cell(one.id), *(cell(text) for text in texts), cell(evidence))
        screen.print(table)
        if len(found.items) > most:
            screen.print(f"… and {len(found.items) - most} items more (--most).")
    for sentence in found.suggestions:
        screen.print(f"· {cell(sentence)}", soft_wrap=True)


def _print_findings(found: Recommendations) -> None:
    from otherwords.report.formats import p_value

    screen = console()
    again = any(one.confirmation for one in found.findings)
    tasks = len({one.task for one in found.findings}) > 1
    table = new_table(f"What survives of {found.n_tests} questions")
    names = ["model", "kind", "change", "what", "shrunk (95%)", "seen", "items", "q"]
    for name in [*(["task"] if tasks else []), *names]:
        table.add_column(name)
    if again:
        table.add_column("again")
    for one in found.findings:
        what = "accuracy lost" if one.what == "accuracy" else f"{one.what} more often"
        shrunk = f"{100 * one.shrunk:.1f} ({100 * one.shrunk_low:.1f} to {100 * one.shrunk_high:.1f})"
        row = [cell(one.model), cell(one.kind), cell(one.change), what, shrunk, f"{100 * one.effect:.1f}"]
        row = [cell(one.task), *row] if tasks else row
        table.add_row(*row, str(one.n_items), p_value(one.q), *([_again(one)] if again else []))
    screen.print(table)
    screen.print("In points. Seen sizes read too large, since the largest are picked; shrunk ones do not.")
    said = speaks_for((one.kind, one.generalizes) for one in found.findings)
    if said:
        screen.print(said, soft_wrap=True)


def _again(one: Finding) -> str:
    again = one.confirmation
    if again is None:
        return ""
    verdict = "[green]confirmed[/]" if again.confirmed else "[yellow]not confirmed[/]"
    where = "other items" if again.on == "items" else "items, run again"
    return f"{verdict}: {100 * again.effect:.1f} on {again.n_items} {where}"
