"""`otherwords fix`: logs → what rewording breaks beyond noise, wordings that fail, and suggestions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from otherwords.cli.console import cell, console, new_table, print_json, printable, speaks_for
from otherwords.cli.options import full_option, generalize_option, json_option, scorer_option
from otherwords.cli.verdict_lines import WIDTH, excerpts, print_lines, wrapped
from otherwords.core.texts import count_text, of_things, p_text
from otherwords.core.wording_names import change_name, kind_name, wording_name

if TYPE_CHECKING:
    from otherwords.metrics import Recommendations
    from otherwords.metrics.findings import Finding
    from otherwords.metrics.intervals import Generalize

FORMAT, VERSION = "otherwords-fix", 1


@click.command("fix", short_help="What rewording breaks beyond noise, wordings that fail, suggestions.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task.")
@click.option("--most", type=click.IntRange(min=1), default=5, show_default=True, help="Items to show.")
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
@full_option
@json_option
def command(
    logs: tuple[Path, ...],
    benchmark: str | None,
    most: int,
    confirm_logs: tuple[Path, ...],
    split: bool,
    generalize: Generalize | None,
    scorer: str | None,
    full: bool,
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
        (row["task"], row["id"], row["variant"]): _Asked(
            wording_name(row["kind"], row["change"] or "") if row["kind"] else row["variant"], row["prompt"]
        )
        for row in results.wordings.iter_rows(named=True)
    }
    settled = enough_variants(results.outcomes, benchmark)
    lines = _lines(found, asked, most)
    if settled.enough is not None:
        lines += wrapped(
            f"{settled.enough} wordings an item would have told nearly as much as all.", "  ", "· "
        )
    said = speaks_for((kind_name(one.kind), one.generalizes) for one in found.findings)
    lines += wrapped(said) if said else []
    keep = [line for note in results.notes for line in wrapped(f"Note: {note}", "  ", "")]
    print_lines(lines, full=full, keep=keep if full else keep[:4])
    if full and found.findings:
        _print_findings(found)


class _Asked(NamedTuple):
    """One wording of an item."""

    name: str
    prompt: str | None


def _lines(found: Recommendations, asked: Mapping[tuple[str, str, str], _Asked], most: int) -> list[str]:
    """What to do, then the items: a line around the change of a wording that fails and of one that passes."""
    lines = [*wrapped(_answer(found), "  ", "")]
    for sentence in found.suggestions:
        lines += wrapped(sentence, "  ", "· ")
    if found.items:
        lines += ["", "Wordings that fail beside wordings that pass:"]
    for one in found.items[:most]:
        sure = f", q {p_text(one.q).removeprefix('p ')}" if one.q is not None else ""
        lines += wrapped(f"{one.id} ({one.evidence}{sure})", "    ", "  ")
        pair = ((one.failing, one.failing_score), (one.passing, one.passing_score))
        wordings = [asked.get((one.task, one.id, variant), _Asked(variant, None)) for variant, _ in pair]
        heads = [
            f"    {printable(wording.name)} {score:.2f}"
            for wording, (_, score) in zip(wordings, pair, strict=True)
        ]
        first, second = (wording.prompt for wording in wordings)
        if first is None or second is None:
            lines += heads
            continue
        cut = excerpts(first, second, max(WIDTH - 2 - max(map(len, heads)), 20))
        lines += [f"{head}: {text}"[:WIDTH] for head, text in zip(heads, cut, strict=True)]
    if len(found.items) > most:
        lines.append(f"… and {count_text(len(found.items) - most)} items more (--most).")
    return lines


def _answer(found: Recommendations) -> str:
    asked = of_things(found.n_tests, "question")
    losses = [one for one in found.findings if one.effect > 0]
    if not losses:
        return f"Nothing to fix: no loss by rewording survives of {asked}."
    agents = of_things(len({(one.task, one.model) for one in losses}), "agent")
    return f"{of_things(len(losses), 'effect')} of rewording to fix, {agents}, of {asked}."


def _print_findings(found: Recommendations) -> None:
    from otherwords.report.formats import p_value

    screen = console()
    again = any(one.confirmation for one in found.findings)
    tasks = len({one.task for one in found.findings}) > 1
    table = new_table(f"What survives of {found.n_tests:,} questions")
    names = ["model", "kind", "change", "what", "shrunk (95%)", "seen", "items", "q"]
    for name in [*(["task"] if tasks else []), *names]:
        table.add_column(name)
    if again:
        table.add_column("again")
    for one in found.findings:
        what = "accuracy lost" if one.what == "accuracy" else f"{one.what} more often"
        shrunk = f"{100 * one.shrunk:.1f} ({100 * one.shrunk_low:.1f} to {100 * one.shrunk_high:.1f})"
        row = [
            cell(one.model),
            cell(kind_name(one.kind)),
            cell(change_name(one.change)),
            what,
            shrunk,
            f"{100 * one.effect:.1f}",
        ]
        row = [cell(one.task), *row] if tasks else row
        table.add_row(*row, str(one.n_items), p_value(one.q), *([_again(one)] if again else []))
    screen.print(table)
    screen.print("In points. Seen sizes read too large, since the largest are picked; shrunk ones do not.")


def _again(one: Finding) -> str:
    again = one.confirmation
    if again is None:
        return ""
    if again.effect is None:
        return "[yellow]not tested[/]: no such wordings"
    verdict = "[green]confirmed[/]" if again.confirmed else "[yellow]not confirmed[/]"
    where = "other items" if again.on == "items" else "items, run again"
    return f"{verdict}: {100 * again.effect:.1f} on {again.n_items:,} {where}"
