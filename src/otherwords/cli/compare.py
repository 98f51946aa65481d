"""`otherwords compare`: two runs → their metrics side by side, with interval and test of each change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import cell, console, new_table, print_json, speaks_for
from otherwords.cli.options import generalize_option, json_option, scorer_option

if TYPE_CHECKING:
    from otherwords.metrics import Comparison, Difference
    from otherwords.metrics.intervals import Generalize

FORMAT, VERSION = "otherwords-compare", 1


@click.command("compare", short_help="Two runs side by side, paired on the same items and wordings.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task, when the logs hold several.")
@click.option("--model-a", help="Which model of A, when it holds several.")
@click.option("--model-b", help="Which model of B, when it holds several.")
@generalize_option
@scorer_option
@json_option
def command(
    a: Path,
    b: Path,
    benchmark: str | None,
    model_a: str | None,
    model_b: str | None,
    generalize: Generalize | None,
    scorer: str | None,
    as_json: bool,
) -> None:
    """What changes from A to B (logs, folders or tables): every headline metric with interval and test.

    Only items and wordings that both have are compared, and what one side lacks is said. The interval of a
    change allows for items that were not seen and change wholly, so that it may hold 0 where p is small.

    \b
    otherwords compare logs-before logs-after
    otherwords compare logs logs --model-a openai/gpt-4o --model-b openai/gpt-4o-mini
    """
    from otherwords.metrics import compare
    from otherwords.results import read_results

    first, second = read_results(a, scorer=scorer), read_results(b, scorer=scorer)
    found = compare(
        first.outcomes, second.outcomes, benchmark, model_a=model_a, model_b=model_b, generalize=generalize
    )
    notes = list(dict.fromkeys([*first.notes, *second.notes, *found.notes]))
    if as_json:
        print_json(
            {
                "format": FORMAT,
                "version": VERSION,
                "a": found.a,
                "b": found.b,
                "n_items": found.n_items,
                "n_wordings": found.n_wordings,
                "differences": found.differences,
                "notes": notes,
            }
        )
        return
    _print(found, notes)


def _print(found: Comparison, notes: list[str]) -> None:
    from otherwords.report.formats import METRIC_NAMES, interval, p_value

    table = new_table(f"{found.n_items:,} items, {found.n_wordings:,} pairs of wordings")
    table.add_column("")
    table.add_column(cell(found.a), justify="right")
    table.add_column(cell(found.b), justify="right")
    table.add_column("change (95% interval)", justify="right")
    table.add_column("p", justify="right")
    shown = [one for one in found.differences if _says_something(one)]
    for one in shown:
        table.add_row(
            METRIC_NAMES.get(one.metric, one.metric),
            interval(one.metric, one.a),
            interval(one.metric, one.b),
            interval(one.metric, one.change),
            p_value(one.p),
        )
    screen = console()
    screen.print(table)
    tested = sum(one.p is not None for one in shown)
    screen.print(
        f"p: that nothing changed. {tested} are asked: where nothing changed, "
        f"one in twenty is below 0.05 by chance. Decide beforehand which one counts.",
        soft_wrap=True,
    )
    said = speaks_for(
        ((METRIC_NAMES.get(one.metric, one.metric), one.change.generalizes) for one in shown),
        (one.change.reason for one in shown),
    )
    if said:
        screen.print(said, soft_wrap=True)
    for one in shown:
        low, high = one.change.low_if_missing, one.change.high_if_missing
        if low is not None and high is not None:
            name = METRIC_NAMES.get(one.metric, one.metric)
            screen.print(
                f"If every run had a score, the change of {name} would be {low:+.3f} to {high:+.3f}.",
                soft_wrap=True,
            )
    for note in notes:
        screen.print(f"[yellow]Note:[/] {cell(note)}")


def _says_something(one: Difference) -> bool:
    """An outcome that neither side has is not shown."""
    return not one.metric.endswith("_rate") or bool(one.a.value) or bool(one.b.value)
