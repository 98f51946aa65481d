from __future__ import annotations

from pathlib import Path

import click


@click.command("aggregate", short_help="Read Inspect logs into one table, as CSV and Parquet.")
@click.option("--logs", default="logs", show_default=True, help="A file, a folder, or an fsspec address.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--strict", is_flag=True, help="Refuse files that cannot be read instead of skipping them.")
@click.option("--scorer", help="Which scorer, when a log has several.")
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="In a CSV, Parquet or JSONL table of yours, which column is ours. Repeatable.",
)
def command(logs: str, out: Path, strict: bool, scorer: str | None, columns: tuple[str, ...]) -> None:
    """Write the one table of all --logs (one row a model, item, wording and repeat) to --out.

    \b
    otherwords aggregate --logs logs --out results
    otherwords aggregate --logs scores.csv --column score=acc --column id=question_id
    """
    from otherwords.cli.console import console, printable
    from otherwords.results.aggregate import aggregate, parse_columns

    console().print(
        printable(str(aggregate(logs, out, strict=strict, scorer=scorer, columns=parse_columns(columns)))),
        markup=False,
        soft_wrap=True,
    )
