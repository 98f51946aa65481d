"""`otherwords selftest`: runs the metrics on test models whose robustness is known beforehand."""

from __future__ import annotations

import click

from otherwords.cli.console import console, new_table


@click.command("selftest", short_help="Check the metrics on test models whose robustness is known.")
@click.option("--seed", default=0, show_default=True)
def command(seed: int) -> None:
    """Run the metrics on four test models whose robustness is known beforehand.

    oracle picks the right option under any order; always A picks the first one shown; random guesses;
    ignore-the-question does not read the question. Exit code 1 if any metric says something else than it
    must.
    """
    from otherwords.core.errors import GateFailed
    from otherwords.metrics import selftest

    found = selftest(seed)
    table = new_table()
    for name in ("test model", "metric", "must be", "is", "", "because"):
        table.add_column(name)
    for one in found:
        value = "—" if one.value is None else f"{one.value:.4g}"
        mark = "[green]ok[/]" if one.ok else "[bold red]WRONG[/]"
        table.add_row(one.model, one.metric, one.expected, value, mark, one.why)
    console().print(table)
    wrong = sum(not one.ok for one in found)
    if wrong:
        raise GateFailed(f"{wrong} of {len(found)} values are not what they must be")
    console().print(f"All {len(found)} values are what they must be.")
