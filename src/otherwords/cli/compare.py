"""`otherwords compare`: two runs → what changed, with tests; `rank`: logs of templates → which is better."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.console import WIDTH, print_json, print_lines, speaks_for, text_table, working, wrapped
from otherwords.cli.options import full_option, generalize_option, json_option, scorer_option
from otherwords.core.texts import percent

if TYPE_CHECKING:
    import polars as pl

    from otherwords.core.template_results import TemplateSummary
    from otherwords.metrics.intervals import Generalize
    from otherwords.report.comparison import Compared

FORMAT, VERSION = "otherwords-compare", 2
SHOWN = {
    "accuracy": "Accuracy, all wordings",
    "accuracy_orig": "Accuracy, original wording",
    "delta_accuracy": "Lost by rewording, points",
    "excess_flips": "Flips beyond noise, points",
    "consistency_at_k": "Same answer under every wording",
    "s_prompt": "S_prompt",
    "s_norm": "S_norm",
    "c_out": "Repeatability (C_out)",
}
"""What is shown without --full, by short names."""


@click.command("compare", short_help="Two runs side by side, paired on the same items and wordings.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task, when the logs hold several.")
@click.option("--model-a", help="Which model of A, when it holds several.")
@click.option("--model-b", help="Which model of B, when it holds several.")
@generalize_option
@scorer_option
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="DIR", help="Write a page into this folder too."
)
@full_option
@json_option
def compare_command(
    a: Path,
    b: Path,
    benchmark: str | None,
    model_a: str | None,
    model_b: str | None,
    generalize: Generalize | None,
    scorer: str | None,
    out: Path | None,
    full: bool,
    as_json: bool,
) -> None:
    """What changes from A to B (logs, folders or tables): what rewording costs, and the items that broke.

    Only items and wordings that both have are compared, and what one side lacks is said. The interval of a
    change allows for items that were not seen and change wholly, so that it may hold 0 where p is small.

    \b
    otherwords compare logs-before logs-after -o comparison
    otherwords compare logs logs --model-a openai/gpt-4o --model-b openai/gpt-4o-mini
    """
    from otherwords.metrics import changed_items, compare
    from otherwords.report.comparison import (
        CHANGE_NOTE,
        P_NOTE,
        Compared,
        comparison_page,
        comparison_sentence,
    )
    from otherwords.results import read_measured

    chosen: dict[str, Any] = {"model_a": model_a, "model_b": model_b}
    with working("reading and computing"):
        first, second = read_measured(a, scorer=scorer), read_measured(b, scorer=scorer)
        found = compare(first.outcomes, second.outcomes, benchmark, generalize=generalize, **chosen)
        items = changed_items(first.outcomes, second.outcomes, benchmark, **chosen)
    names = _names(a, b, model_a, model_b)
    measures = [Compared(one.metric, one.a, one.b, one.change, one.p) for one in found.differences]
    sentence = comparison_sentence(*names, measures, found.n_items)
    notes = list(dict.fromkeys([*first.notes, *second.notes, *found.notes]))
    page = None
    if out is not None:
        from otherwords.core.files import write_all

        text = comparison_page(*names, measures, items, found.n_items, notes)
        (page,) = write_all({out / "index.html": text})
    if as_json:
        print_json(
            {
                "format": FORMAT,
                "version": VERSION,
                "sentence": sentence,
                "a": names[0],
                "b": names[1],
                "n_items": found.n_items,
                "n_wordings": found.n_wordings,
                "differences": found.differences,
                "items": items,
                "notes": notes,
            }
        )
        return
    lines = _lines(names, measures, items, full=full)
    shown = [one for one in measures if one.said]
    said = speaks_for(
        ((one.name, one.change.generalizes) for one in shown), (one.change.reason for one in shown)
    )
    lines += [
        "",
        f"{found.n_items:,} items, {found.n_wordings:,} pairs of wordings.",
        *wrapped(f"{CHANGE_NOTE} {P_NOTE}"),
    ]
    lines += wrapped(said) if said else []
    for one in shown:
        low, high = one.change.low_if_missing, one.change.high_if_missing
        if low is not None and high is not None and (full or one.metric in SHOWN):
            lines += wrapped(
                f"If every run had a score, the change of {one.name} would be {low:+.3f} to {high:+.3f}."
            )
    keep = [line for note in notes[: None if full else 4] for line in wrapped(f"Note: {note}", "  ", "")]
    keep += wrapped(f"Page: {page}") if page is not None else []
    print_lines([*wrapped(sentence, "  ", ""), "", *lines], full=full, keep=keep)


def _names(a: Path, b: Path, model_a: str | None, model_b: str | None) -> tuple[str, str]:
    """The files' names; with their folders, or the models, where those are the same."""
    for one, other in (
        (a.name, b.name),
        ("/".join(a.parts[-2:]), "/".join(b.parts[-2:])),
        (model_a or "", model_b or ""),
    ):
        if one and other and one != other:
            return one, other
    return f"{a.name} (a)", f"{b.name} (b)"


def _lines(
    names: tuple[str, str], measures: Sequence[Compared], items: pl.DataFrame, *, full: bool
) -> list[str]:
    from otherwords.core.texts import p_number
    from otherwords.report.comparison import CHANGE, changed_line

    shown = [one for one in measures if one.said and (full or one.metric in SHOWN)]
    rows = [
        (
            SHOWN.get(one.metric, one.name),
            *(_number(one.metric, side.value) for side in (one.a, one.b)),
            one.change_text,
            p_number(one.p),
        )
        for one in shown
    ]
    lines = text_table([("", *names, CHANGE, "p"), *rows])
    if max(map(len, lines)) > WIDTH:
        lines = [
            line for which, name in zip("ab", names, strict=True) for line in wrapped(f"{which}: {name}")
        ]
        lines += text_table([("", "a", "b", CHANGE, "p"), *rows])
    lines += ["", f"{changed_line(items)}."]
    for change, title in (("broken", "Broke"), ("fixed", "Fixed")):
        some = items.filter(change=change)
        for item in some.head(some.height if full else 3).iter_rows(named=True):
            scores = f"{percent(item['score_a'])} → {percent(item['score_b'])}"
            sure = f"probability {percent(item['probability'])}"
            lines += wrapped(f"{title}: {item['id']}: {scores} ({sure})", "    ", "  ")
    return lines


def _number(metric: str, value: float | None) -> str:
    """Without the unit where the name has it."""
    from otherwords.core.texts import point_number
    from otherwords.report.formats import AS_POINTS, number

    return point_number(value) if value is not None and metric in AS_POINTS else number(metric, value)


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
    from otherwords.results import read_measured

    with working("reading and computing"):
        results = read_measured(list(logs), scorer=scorer)
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
        rows = [_SHORT, *(template_cells(row) for row in one.ranking.templates)]
        kept = [place for place, name in enumerate(_SHORT) if any(row[place] != "—" for row in rows[1:])]
        table = text_table([[row[place] for place in kept] for row in rows])
        if max(map(len, table)) > WIDTH:  # names that are long
            told = [", ".join(f"{_SHORT[place]} {row[place]}" for place in kept[1:]) for row in rows[1:]]
            named = (f"{row[0]}: {text}" for row, text in zip(rows[1:], told, strict=True))
            table = [line for text in named for line in wrapped(text, "    ", "  ")]
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
