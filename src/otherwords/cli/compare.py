"""`otherwords compare`: two runs → their metrics side by side, with interval and test of each change."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.console import cell, console, new_table, print_json


@click.command("compare", short_help="Two runs side by side, paired on the same items and wordings.")
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task, when the logs hold several.")
@click.option("--model-a", help="Which model of A, when it holds several.")
@click.option("--model-b", help="Which model of B, when it holds several.")
@click.option("--json", "as_json", is_flag=True, help="For machines: JSON on standard output.")
def command(
    a: Path, b: Path, benchmark: str | None, model_a: str | None, model_b: str | None, as_json: bool
) -> None:
    """What changes from A to B (logs, folders or tables): every headline metric with interval and test.

    Only items and wordings that both have are compared, and what one side lacks is said.

    \b
    otherwords compare logs-before logs-after
    otherwords compare logs logs --model-a openai/gpt-4o --model-b openai/gpt-4o-mini
    """
    from otherwords.metrics import compare
    from otherwords.results import load_all_results

    found = compare(load_all_results(a), load_all_results(b), benchmark, model_a=model_a, model_b=model_b)
    if as_json:
        print_json(found)
        return
    from otherwords.report.formats import METRIC_NAMES, interval, p_value

    table = new_table(f"{found.n_items:,} items, {found.n_wordings:,} pairs of wordings")
    table.add_column("")
    table.add_column(cell(found.a), justify="right")
    table.add_column(cell(found.b), justify="right")
    table.add_column("change (95% interval)", justify="right")
    table.add_column("p", justify="right")
    for one in found.differences:
        table.add_row(
            METRIC_NAMES.get(one.metric, one.metric),
            interval(one.metric, one.a),
            interval(one.metric, one.b),
            interval(one.metric, one.change),
            p_value(one.p),
        )
    screen = console()
    screen.print(table)
    screen.print("p: sign-flip test on the items' differences.")
    for note in found.notes:
        screen.print(f"[yellow]Note:[/] {cell(note)}")
