"""`otherwords selftest`: runs the metrics on test models whose robustness is known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from otherwords.cli.console import console, new_table
from otherwords.cli.options import full_option

if TYPE_CHECKING:
    from otherwords.metrics import SelfTest


@click.command("selftest", short_help="Check the metrics on test models whose robustness is known.")
@click.option("--seed", default=0, show_default=True)
@full_option
def command(seed: int, full: bool) -> None:
    """Run the metrics on four test models whose robustness is known beforehand.

    oracle picks the right option under any order; always A picks the first one shown; random guesses;
    ignore-the-question does not read the question. Exit code 1 if any metric says something else than it
    must.
    """
    from otherwords.core.errors import GateFailed
    from otherwords.metrics import selftest

    found = selftest(seed)
    wrong = [one for one in found if not one.ok]
    screen = console()
    if wrong:
        said = f"[bold red]{len(wrong)} of {len(found)} values are not what they must be.[/]"
        screen.print(said)
    else:
        screen.print(f"[bold]All {len(found)} values are what they must be.[/]")
    models = dict.fromkeys(one.model for one in found)
    for model in models:
        mine = [one for one in found if one.model == model]
        right = sum(one.ok for one in mine)
        screen.print(f"  {model}: {right} of {len(mine)} values right")
    if wrong or full:
        _print_table(found if full else wrong)
    else:
        screen.print("Each value, what it must be and why: --full")
    if wrong:
        raise GateFailed(f"{len(wrong)} of {len(found)} values are not what they must be")


def _print_table(found: Sequence[SelfTest]) -> None:
    table = new_table()
    for name in ("test model", "metric", "must be", "is", "", "because"):
        table.add_column(name)
    for one in found:
        value = "—" if one.value is None else f"{one.value:.4g}"
        mark = "[green]ok[/]" if one.ok else "[bold red]WRONG[/]"
        table.add_row(one.model, one.metric, one.expected, value, mark, one.why)
    console().print(table)
