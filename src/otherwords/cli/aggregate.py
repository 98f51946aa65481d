"""`otherwords aggregate`: Inspect logs and other result files → one table, as CSV and Parquet."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.console import console, print_salt_place, printable
from otherwords.cli.options import salt_option, scorer_option


@click.command("aggregate", short_help="Read Inspect logs into one table, as CSV and Parquet.")
@click.option("--logs", default="logs", show_default=True, help="A file, a folder, or an fsspec address.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("results"), show_default=True)
@click.option("--strict", is_flag=True, help="Refuse files that cannot be read instead of skipping them.")
@scorer_option
@click.option(
    "--column",
    "columns",
    multiple=True,
    metavar="OURS=THEIRS",
    help="In a CSV, Parquet or JSONL table of yours, which column is ours. Repeatable.",
)
@click.option(
    "--public",
    is_flag=True,
    help="Scores and names of wordings only, for sets that must not leak: ids and answers become salted "
    "hashes.",
)
@salt_option
def command(
    logs: str,
    out: Path,
    strict: bool,
    scorer: str | None,
    columns: tuple[str, ...],
    public: bool,
    salt_file: Path | None,
) -> None:
    """Write the one table of all --logs (one row a model, item, wording and repeat) to --out.

    \b
    otherwords aggregate --logs logs --out results
    otherwords aggregate --logs logs --out public --public
    otherwords aggregate --logs scores.csv --column score=acc --column id=question_id
    """
    if salt_file is not None and not public:
        raise click.UsageError("--salt-file is for --public")

    from otherwords.pipeline.publish import aggregate
    from otherwords.results.aggregate import parse_columns

    summary = aggregate(
        logs,
        out,
        strict=strict,
        scorer=scorer,
        columns=parse_columns(columns),
        public=public,
        salt_file=salt_file,
    )
    console().print(printable(str(summary)), markup=False, soft_wrap=True)
    if public:
        print_salt_place(salt_file, out)
