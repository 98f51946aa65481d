from __future__ import annotations

from pathlib import Path

import click


@click.command("aggregate", short_help="Read Inspect logs into one table, as CSV and Parquet.")
@click.option("--logs", type=click.Path(path_type=Path), default=Path("logs"), show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--strict", is_flag=True, help="Refuse files that cannot be read instead of skipping them.")
def command(logs: Path, out: Path, strict: bool) -> None:
    """Write the one table of all --logs (one row a model, item, wording and repeat) to --out.

    \b
    otherwords aggregate --logs logs --out results
    """
    from otherwords.cli.console import console, printable
    from otherwords.results.aggregate import aggregate

    console().print(printable(str(aggregate(logs, out, strict=strict))), markup=False, soft_wrap=True)
