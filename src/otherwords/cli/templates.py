"""`otherwords rank`: logs of several templates → which is better; `repair`, `worst`: search for wordings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import WIDTH, print_json, print_lines, text_table, wrapped
from otherwords.cli.options import full_option, json_option, scorer_option

if TYPE_CHECKING:
    from otherwords.core.template_results import TemplateSummary

RANK_FORMAT, RANK_VERSION = "otherwords-rank", 1
_SHORT = ("template", "accuracy", "lost", "worst 5%")


@click.command("rank", short_help="Which of several templates is better, and how sure that is.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task.")
@click.option("--seed", default=0, show_default=True, help="Of what is drawn for intervals.")
@scorer_option
@full_option
@json_option
def rank_command(
    logs: tuple[Path, ...],
    benchmark: str | None,
    seed: int,
    scorer: str | None,
    full: bool,
    as_json: bool,
) -> None:
    """Rank the templates in LOGS: accuracy, loss when users reword, worst 5%, and which differences are real.

    Each pair of templates is compared on the items and user wordings that both were asked, and p values are
    corrected by Holm over all pairs: the template with the highest accuracy is often the luckiest. It also
    says how accuracy would be over many templates like these, and which part of the variance of scores comes
    from templates, other factors of a design, items and run-to-run noise.

    \b
    otherwords vary cases.jsonl --template a.txt --template b.txt -o variants.jsonl
    otherwords run cases.jsonl --variants variants.jsonl --model openai/gpt-4o-mini
    otherwords rank logs
    """
    from otherwords.core.errors import InputError
    from otherwords.metrics.template_ranking import template_summaries
    from otherwords.results import read_results

    results = read_results(list(logs), scorer=scorer)
    found = template_summaries(results.outcomes, benchmark, seed=seed)
    if not any(one.ranking is not None for one in found):
        raise InputError(
            "the logs do not have two templates to rank",
            hint="Ask through several: otherwords vary CASES --template a.txt --template b.txt -o "
            "variants.jsonl, then otherwords run CASES --variants variants.jsonl",
        )
    if as_json:
        agents = [one.to_json() for one in found]
        print_json({"format": RANK_FORMAT, "version": RANK_VERSION, "agents": agents, "notes": results.notes})
        return
    notes = results.notes if full else results.notes[:4]
    keep = [line for note in notes for line in wrapped(f"Note: {note}", "  ", "")]
    print_lines(rank_lines(found, full=full), full=full, keep=keep)


def rank_lines(found: tuple[TemplateSummary, ...], *, full: bool = False) -> list[str]:
    """The ranking of each agent, the sentence first; with `full` every real difference and every share."""
    from otherwords.core.texts import p_text, points_between, share_cells, template_cells, template_lines

    lines: list[str] = []
    for one in found:
        if one.ranking is None:
            continue
        about = one.model + (f" on {one.task}" if one.task else "")
        who = f"{about}: " if about and len(found) > 1 else ""
        lines += (
            ["", *wrapped(f"{who}{one.ranking.sentence}", "  ", "")]
            if lines
            else wrapped(f"{who}{one.ranking.sentence}", "  ", "")
        )
        rows = [template_cells(row) for row in one.ranking.templates]
        table = text_table([_SHORT, *rows])
        if max(map(len, table)) > WIDTH:  # names that are long
            told = [
                f"{name}: accuracy {right}, lost {lost}, worst 5% {low}" for name, right, lost, low in rows
            ]
            table = [line for text in told for line in wrapped(text, "    ", "  ")]
        lines += ["", *table, ""]
        for text in template_lines(one):
            lines += wrapped(text, "  ", "")
        if full:
            for pair in one.ranking.real:
                gap = pair.difference
                between = points_between(gap.value, gap.low, gap.high)
                lines += wrapped(f"{pair.a} − {pair.b}: {between}, {p_text(pair.p)}", "    ", "  ")
            shares = () if one.attribution is None else one.attribution.shares
            lines += ["", *text_table([("term", "share", "p"), *map(share_cells, shares)])] if shares else []
    return lines
