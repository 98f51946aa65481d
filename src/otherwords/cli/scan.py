from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from otherwords.cli.options import key_values

LISTED = 50


@click.command(
    "scan", short_help="Look for texts of a set, secrets and keys in what is about to be published."
)
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
@click.option(
    "-T",
    "task_args",
    multiple=True,
    callback=key_values,
    metavar="NAME=VALUE",
    help="An argument of the Inspect task.",
)
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
    from otherwords.cli.console import console, printable
    from otherwords.cli.progress import progress_bar
    from otherwords.core.errors import GateFailed
    from otherwords.pipeline.scanning import scan_for

    with progress_bar("looking", unit="files") as advance:
        seen, needles = scan_for(
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
    told = f"{needles.texts - needles.too_short:,} texts and for keys"
    if not (datasets or variants or secret_files):
        told = "keys only; name the set with --dataset"
    files = f"{seen.files:,} file{'' if seen.files == 1 else 's'}"
    screen.print(f"Looked through {files} ({seen.bytes:,} bytes) for {told}.", soft_wrap=True)
    if needles.too_short:
        screen.print(
            f"{needles.too_short:,} texts were not looked for: numbers, and words as common as 'yes'.",
            soft_wrap=True,
        )
    if seen.findings:
        hit = len({finding.file for finding in seen.findings})
        raise GateFailed(f"not to be published: what must not leak is in {hit} of {files}")
    screen.print("Nothing found.")
