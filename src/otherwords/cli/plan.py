"""`otherwords plan`: a goal and variances → how many items, wordings and repeats it takes."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.console import cell, console, new_table

SHOWN = 12


@click.command("plan", short_help="How many items, wordings and repeats it takes to know something.")
@click.option("--half-width", type=float, metavar="H", help="Accuracy to ± H, such as 0.05.")
@click.option("--drop", type=float, metavar="D", help="See a loss of D by rewording, such as 0.05.")
@click.option("--power", type=float, default=0.8, show_default=True, help="The chance to see that loss.")
@click.option(
    "--pilot", type=click.Path(path_type=Path), help="Logs of a small run to take the variances from."
)
@click.option("--benchmark", help="Which task of the pilot.")
@click.option("--model", help="Which model of the pilot.")
@click.option("--accuracy", type=float, default=0.7, show_default=True, help="Assumed, without a pilot.")
@click.option("--items", type=click.IntRange(min=2), help="At most so many items.")
@click.option("--tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of a call, for the cost.")
@click.option("--price", type=float, metavar="USD", help="Dollars for a million tokens.")
def command(
    half_width: float | None,
    drop: float | None,
    power: float,
    pilot: Path | None,
    benchmark: str | None,
    model: str | None,
    accuracy: float,
    items: int | None,
    tokens: int | None,
    price: float | None,
) -> None:
    """The cheapest ways to reach a goal, from a pilot's variances or from assumed ones.

    \b
    otherwords plan --half-width 0.05 --pilot logs
    otherwords plan --drop 0.05 --power 0.9 --accuracy 0.8 --tokens 600 --price 0.4
    """
    from otherwords.metrics import pilot_components, plan, prior_components

    tokens_of_a_call: float | None = tokens
    if pilot is None:
        components = prior_components(accuracy)
    else:
        from otherwords.results import load_all_results

        results = load_all_results(pilot)
        components = pilot_components(results, benchmark, model=model)
        if tokens_of_a_call is None and results["tokens"].count():
            tokens_of_a_call = float(results["tokens"].mean())  # type: ignore[arg-type]
    found = plan(half_width=half_width, drop=drop, power=power, components=components, items=items)
    table = new_table(f"Goal: {found.goal}")
    priced = price is not None and tokens_of_a_call is not None
    for name in ("items", "wordings", "repeats", "calls", "half-width", "smallest detectable loss"):
        table.add_column(name, justify="right")
    if priced:
        table.add_column("cost", justify="right")
    for option in found.options[:SHOWN]:
        row = [
            f"{option.items:,}",
            str(option.variants),
            str(option.repeats),
            f"{option.calls:,}",
            f"± {option.half_width:.3f}",
            "—" if option.detectable is None else f"{option.detectable:.3f}",
        ]
        if price is not None and tokens_of_a_call is not None:
            row.append(f"${option.calls * tokens_of_a_call * price / 1e6:,.2f}")
        table.add_row(*row)
    screen = console()
    screen.print(table)
    screen.print(f"Variances: {cell(found.components.source)}. Wordings count the original.")
    for note in found.notes:
        screen.print(f"[yellow]Note:[/] {cell(note)}")
