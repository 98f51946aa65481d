"""`otherwords plan`: a goal and variances → how many items, wordings and repeats it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.console import SPOKEN_FOR, cell, console, new_table, print_json
from otherwords.cli.options import generalize_option, json_option, scorer_option

if TYPE_CHECKING:
    from otherwords.metrics import Plan, PlanOption
    from otherwords.metrics.intervals import Generalize

FORMAT, VERSION = "otherwords-plan", 1
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
def command(
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
        print_json(_as_json(found, notes, per_call, price))
        return
    _print(found, notes, per_call, price)


def _print(found: Plan, notes: tuple[str, ...], per_call: float | None, price: float | None) -> None:
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


def _as_json(
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
        "format": FORMAT,
        "version": VERSION,
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
