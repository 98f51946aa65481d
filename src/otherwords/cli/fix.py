"""`otherwords fix`: logs → wordings that fail, what each change costs, and suggestions."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.console import cell, console, new_table, print_json


@click.command("fix", short_help="Wordings that fail, what each change costs, suggestions.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--benchmark", help="Only this task.")
@click.option("--most", type=click.IntRange(min=1), default=10, show_default=True, help="Items to show.")
@click.option("--json", "as_json", is_flag=True, help="For machines: JSON on standard output.")
def command(logs: tuple[Path, ...], benchmark: str | None, most: int, as_json: bool) -> None:
    """For each sensitive item the wording that fails beside one that passes; which changes cost accuracy.

    Costs are controlled for false discoveries (Benjamini–Hochberg): q is the share of such findings that
    would be wrong. How many wordings were enough is said at the end.

    \b
    otherwords fix logs
    """
    from otherwords.metrics import enough_variants, fix
    from otherwords.results import read_results

    results = read_results(list(logs))
    found = fix(results.outcomes, benchmark)
    if as_json:
        print_json(found)
        return
    from otherwords.report.formats import p_value

    screen = console()
    asked = {
        (row["task"], row["id"], row["variant"]): row["prompt"]
        for row in results.wordings.iter_rows(named=True)
    }
    table = new_table("Wordings that fail beside wordings that pass", show_lines=True)
    table.add_column("item")
    table.add_column("fails", ratio=2)
    table.add_column("passes", ratio=2)
    table.add_column("q", justify="right")
    for one in found.items[:most]:
        texts = [
            f"{asked.get((one.task, one.id, variant), '')} [{variant}: {score:.2f}]"
            for variant, score in ((one.failing, one.failing_score), (one.passing, one.passing_score))
        ]
        q = p_value(one.q)
        table.add_row(cell(one.id), *(cell(text) for text in texts), q)
    screen.print(table)
    if len(found.items) > most:
        screen.print(f"… and {len(found.items) - most} items more (--most).")
    costs = new_table("What each change costs")
    for name in ("model", "kind", "change", "accuracy lost (95% interval)", "items", "q"):
        costs.add_column(name)
    for row in found.costs.iter_rows(named=True):
        lost = "—" if row["delta"] is None else f"{100 * row['delta']:.1f} points"
        if row["delta_low"] is not None:
            lost += f" ({100 * row['delta_low']:.1f} to {100 * row['delta_high']:.1f})"
        q = p_value(row["q"])
        texts = [cell(row[name] or "") for name in ("model", "kind", "change")]
        costs.add_row(*texts, lost, str(row["n_items"]), q)
    screen.print(costs)
    for sentence in found.suggestions:
        screen.print(f"· {cell(sentence)}")
    settled = enough_variants(results.outcomes, benchmark)
    if settled.enough is not None:
        screen.print(f"· {settled.enough} wordings an item would have told nearly as much as all of them.")
