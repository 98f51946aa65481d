"""`otherwords scan`: files, a dataset, secret texts → exit code 1 if any of these, or keys, are in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from otherwords.cli.console import console, printable, progress_bar
from otherwords.cli.options import task_args_option

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
def command(
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
