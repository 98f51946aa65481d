"""`otherwords fix` and `plan`: logs → what rewording breaks and what may help; a goal → the size of a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from otherwords.cli.console import (
    SPOKEN_FOR,
    WIDTH,
    cell,
    console,
    excerpts,
    new_table,
    print_json,
    print_lines,
    printable,
    speaks_for,
    working,
    wrapped,
)
from otherwords.cli.options import full_option, generalize_option, json_option, scorer_option
from otherwords.core.texts import count_text, of_things, p_text
from otherwords.core.wording_names import change_name, kind_name, wording_name

if TYPE_CHECKING:
    from otherwords.metrics import Plan, PlanOption, Recommendations
    from otherwords.metrics.findings import Finding
    from otherwords.metrics.intervals import Generalize


FIX_FORMAT, FIX_VERSION = "otherwords-fix", 1


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
def fix_command(
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
    from otherwords.results import read_measured, with_logged_calls

    if split and confirm_logs:
        raise click.UsageError("--split and --confirm cannot be used together")
    with working("reading and computing"):
        results = read_measured(list(logs), scorer=scorer)
        other = read_measured(list(confirm_logs), scorer=scorer).outcomes if confirm_logs else None
        outcomes = with_logged_calls(results.outcomes)
        found = fix(outcomes, benchmark, confirm_table=other, split=split, generalize=generalize)
    if as_json:
        print_json(
            {
                "format": FIX_FORMAT,
                "version": FIX_VERSION,
                "n_tests": found.n_tests,
                "findings": found.findings,
                "items": found.items,
                "costs": found.costs,
                "by_distance": found.by_distance,
                "suggestions": found.suggestions,
                "trajectories": [one.to_json() for one in found.trajectories],
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
    lines = _fix_lines(found, asked, most)
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


def _fix_lines(found: Recommendations, asked: Mapping[tuple[str, str, str], _Asked], most: int) -> list[str]:
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
    if not losses and any(one.worst for one in found.trajectories):
        return f"No loss by rewording survives of {asked}, but rewording changes the tool calls."
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


PLAN_FORMAT, PLAN_VERSION = "otherwords-plan", 1
SHOWN = 10
GOALS = ("accuracy", "loss", "s_prompt", "flips", "phrasing_share", "compare", "gate")


@click.command("plan", short_help="How many items, wordings and repeats it takes to know something.")
@click.option(
    "--goal",
    type=click.Choice(GOALS),
    help="What is to be known.  [default: by the numbers given, accuracy with --half-width alone]",
)
@click.option("--half-width", type=float, metavar="H", help="The goal to ± H, such as 0.05.")
@click.option("--drop", type=float, metavar="D", help="See a loss of D by rewording, such as 0.05.")
@click.option("--difference", type=float, metavar="D", help="See a difference of D between two runs.")
@click.option("--threshold", type=float, metavar="X", help="Pass a gate that wants X: see --metric.")
@click.option(
    "--metric",
    type=click.Choice(["accuracy", "s_prompt", "flips"]),
    default="accuracy",
    show_default=True,
    help="What the gate is about.",
)
@click.option(
    "--truth",
    type=float,
    metavar="Y",
    help="What you expect it to be truly.  [default: the careful end of the pilot's value]",
)
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="The chance to see that, or to pass."
)
@click.option(
    "--pilot", type=click.Path(path_type=Path), help="Logs of a small run to take the variances from."
)
@click.option("--benchmark", help="Which task of the pilot.")
@click.option("--model", help="Which model of the pilot.")
@click.option("--model-b", help="Another model of the pilot, for the goal compare.")
@scorer_option
@click.option("--accuracy", type=float, default=0.7, show_default=True, help="Assumed, without a pilot.")
@click.option("--items", type=click.IntRange(min=2), help="At most so many items.")
@generalize_option
@click.option("--tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of a call, for the cost.")
@click.option("--price", type=float, metavar="USD", help="Dollars for a million tokens.")
@json_option
def plan_command(
    pilot: Path | None,
    benchmark: str | None,
    model: str | None,
    model_b: str | None,
    scorer: str | None,
    accuracy: float,
    generalize: Generalize | None,
    tokens: int | None,
    price: float | None,
    as_json: bool,
    **goal: Any,
) -> None:
    """The cheapest ways to reach a goal, from a pilot's variances or from assumed ones.

    What a pilot does not know for sure is planned for: nine of ten runs planned from one reach the promised
    width.

    \b
    otherwords plan --half-width 0.05 --pilot logs
    otherwords plan --goal s_prompt --half-width 0.02 --pilot logs
    otherwords plan --drop 0.05 --power 0.9 --accuracy 0.8 --tokens 600 --price 0.4
    otherwords plan --difference 0.05 --pilot logs --model openai/gpt-4o --model-b openai/gpt-4o-mini
    otherwords plan --threshold 0.85 --metric s_prompt --truth 0.9
    """
    from otherwords.core.errors import InputError
    from otherwords.metrics import pilot_components, plan, prior_components

    if all(goal[name] is None for name in ("goal", "half_width", "drop", "difference", "threshold")):
        raise InputError(
            "a plan needs a goal", hint="Give --half-width, --drop, --difference or --threshold."
        )
    if model_b is not None and (pilot is None or model is None):
        raise click.UsageError("--model-b is for --pilot with --model")
    per_call: float | None = tokens
    notes: tuple[str, ...] = ()
    if pilot is None:
        components = prior_components(accuracy, generalize=generalize or "items")
    else:
        from otherwords.results import read_results

        results = read_results(pilot, scorer=scorer)
        notes = tuple(results.notes)
        components = pilot_components(
            results.outcomes, benchmark, model=model, model_b=model_b, generalize=generalize
        )
        if per_call is None and results.outcomes["tokens"].count():
            per_call = float(results.outcomes["tokens"].mean())  # type: ignore[arg-type]
    found = plan(components=components, **goal)
    if as_json:
        print_json(_plan_json(found, notes, per_call, price))
        return
    _print_plan(found, notes, per_call, price)


def _print_plan(found: Plan, notes: tuple[str, ...], per_call: float | None, price: float | None) -> None:
    screen = console()
    best = found.recommended
    if best is not None:
        usd = _cost(best, per_call, price)
        cost = "" if usd is None else f", ${usd:,.2f}"
        screen.print(f"[bold]Recommended: {cell(_words(best))}{cost}.[/]", soft_wrap=True)
    else:
        screen.print("[bold]No run of this size reaches the goal.[/]")
    screen.print(f"Goal: {found.goal}", soft_wrap=True)
    table = new_table()
    for name in ("items", "wordings", "repeats", "calls", "half-width", "smallest detectable loss"):
        table.add_column(name, justify="right")
    priced = price is not None and per_call is not None
    if priced:
        table.add_column("cost", justify="right")
    for option in found.options[:SHOWN]:
        row = [
            f"{option.items:,}",
            str(option.variants),
            str(option.repeats),
            f"{option.calls:,}",
            f"± {option.half_width:.3f}",
            "—" if option.detectable is None else f"{100 * option.detectable:.1f} points",
        ]
        if priced:
            row.append(f"${_cost(option, per_call, price):,.2f}")
        table.add_row(*row)
    if found.options:
        screen.print(table)
    screen.print(
        f"Variances: {cell(found.components.source)}. Wordings count the original. It will speak for "
        f"{SPOKEN_FOR[found.generalize]}.",
        soft_wrap=True,
    )
    for note in (*notes, *found.notes):
        screen.print(f"[yellow]Note:[/] {cell(note)}")


def _words(option: PlanOption) -> str:
    wordings = "1 wording" if option.variants == 1 else f"{option.variants} wordings"
    repeats = "1 repeat" if option.repeats == 1 else f"{option.repeats} repeats"
    return f"{option.items:,} items, {wordings} each, {repeats}: {option.calls:,} calls"


def _cost(option: PlanOption, per_call: float | None, price: float | None) -> float | None:
    return None if per_call is None or price is None else option.calls * per_call * price / 1e6


def _plan_json(
    found: Plan, notes: tuple[str, ...], per_call: float | None, price: float | None
) -> dict[str, Any]:
    parts = found.components

    def option(one: PlanOption) -> dict[str, Any]:
        return {
            "items": one.items,
            "variants": one.variants,
            "repeats": one.repeats,
            "calls": one.calls,
            "half_width": one.half_width,
            "detectable": one.detectable,
            "power": one.power,
            "usd": _cost(one, per_call, price),
        }

    return {
        "format": PLAN_FORMAT,
        "version": PLAN_VERSION,
        "goal": found.goal,
        "generalize": found.generalize,
        "recommended": None if found.recommended is None else option(found.recommended),
        "options": [option(one) for one in found.options],
        "components": {
            "item": parts.item,
            "phrasing": parts.phrasing,
            "noise": parts.noise,
            "shared": parts.shared,
            "accuracy": parts.accuracy,
            "source": parts.source,
        },
        "notes": [*notes, *found.notes],
    }
