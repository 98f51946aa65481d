"""`otherwords aggregate`: logs → one table, also a public one; `scan`: files → what in them must not leak."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from otherwords.cli.console import console, print_salt_place, printable, progress_bar
from otherwords.cli.options import salt_option, scorer_option, task_args_option


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
def aggregate_command(
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


LISTED = 50


@click.command("scan", short_help="Look for texts of a dataset, secrets and keys in files before publishing.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--dataset",
    "datasets",
    multiple=True,
    metavar="DATASET_OR_TASK",
    help="The set that must not leak. Repeatable.",
)
@click.option(
    "--variants",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file of its wordings, as `otherwords vary` writes it. Repeatable.",
)
@click.option(
    "--secret-file",
    "secret_files",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Other texts that must not be there, one a line. Repeatable.",
)
@task_args_option
def scan_command(
    paths: tuple[Path, ...],
    datasets: tuple[str, ...],
    variants: tuple[Path, ...],
    secret_files: tuple[Path, ...],
    task_args: dict[str, Any],
) -> None:
    """Refuse (exit code 1) a file or folder that holds any text of a set, a secret, or a key.

    Texts are found in any case, spacing and escaping; of a long one, eight words in a row are enough. It
    looks into Inspect logs, archives, Parquet, pages, pictures' notes and names of files. Keys and tokens are
    always looked for. What it finds is named by file and kind and never printed.

    \b
    otherwords scan public --dataset questions.jsonl --variants variants.jsonl
    otherwords scan report/index.html --dataset inspect_evals/gpqa_diamond
    """
    from otherwords.core.errors import GateFailed
    from otherwords.pipeline.publish import scan_for

    with progress_bar("looking", unit="files") as advance:
        seen, searched = scan_for(
            paths,
            datasets=datasets,
            variants=variants,
            secret_files=secret_files,
            task_args=task_args,
            on_file=advance,
        )
    screen = console()
    for finding in seen.findings[:LISTED]:
        screen.print(printable(str(finding)), markup=False, soft_wrap=True)
    if len(seen.findings) > LISTED:
        screen.print(f"and {len(seen.findings) - LISTED:,} more")
    what = f"{searched.texts - searched.too_short:,} texts and for keys"
    if not (datasets or variants or secret_files):
        what = "keys only; name the set with --dataset"
    files = f"{seen.files:,} file{'' if seen.files == 1 else 's'}"
    screen.print(f"Looked through {files} ({seen.bytes:,} bytes) for {what}.", soft_wrap=True)
    if searched.too_short:
        screen.print(
            f"{searched.too_short:,} texts were not looked for: numbers, and words as common as 'yes'.",
            soft_wrap=True,
        )
    if seen.findings:
        hit = len({finding.file for finding in seen.findings})
        raise GateFailed(f"not to be published: what must not leak is in {hit} of {files}")
    screen.print("Nothing found.")
