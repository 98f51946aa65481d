"""`otherwords aggregate`: logs → a table; `scan`: leaks in files; `salt`; options that go with `--public`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherwords.cli.console import cell, console, print_salt_places, printable, progress_bar, working
from otherwords.cli.options import scorer_option, task_args_option

if TYPE_CHECKING:
    from otherwords.pipeline.publish import Publishing

_salt_option = click.option(
    "--salt-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keeps the salt of what is public; made if it is not there.  [default: the variable "
    "OTHERWORDS_SALT, else the dataset's own in your configuration folder]",
)
_model_names_option = click.option(
    "--public-model-names",
    "model_names",
    is_flag=True,
    help="Keep the whole names of models in what is public.  [default: only the last part]",
)


def public_options(command: Any) -> Any:
    """What can be said of all that is made public."""
    return _salt_option(_model_names_option(command))


def require_public(*, public: bool, salt_file: Path | None, model_names: bool) -> None:
    """Refuses options of what is public where nothing is."""
    if salt_file is not None and not public:
        raise click.UsageError("--salt-file is for --public")
    if model_names and not public:
        raise click.UsageError("--public-model-names is for --public")


def prepare_public(options: Mapping[str, Any], log_dir: Path) -> Publishing | None:
    if options["public"] is None:
        return None
    from otherwords.pipeline.publish import prepare_publishing

    return prepare_publishing(
        options["public"],
        salt_file=options["salt_file"],
        private=[log_dir],
        model_names=options["model_names"],
    )


def publish(public: Publishing, logs: Sequence[Path], salt_file: Path | None, part: str = "") -> None:
    written = public.logs(logs, part)
    folder = public.salts.public
    console().print(f"Public: [bold]{cell(folder / part)}[/] ({len(written)} logs)", soft_wrap=True)
    print_salt_places(salt_file, folder, public.salts.tasks)


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
@public_options
def aggregate_command(
    logs: str,
    out: Path,
    strict: bool,
    scorer: str | None,
    columns: tuple[str, ...],
    public: bool,
    salt_file: Path | None,
    model_names: bool,
) -> None:
    """Write the one table of all --logs (one row a model, item, wording and repeat) to --out.

    \b
    otherwords aggregate --logs logs --out results
    otherwords aggregate --logs logs --out public --public
    otherwords aggregate --logs scores.csv --column score=acc --column id=question_id
    """
    require_public(public=public, salt_file=salt_file, model_names=model_names)

    from otherwords.pipeline.publish import aggregate
    from otherwords.results.aggregate import parse_columns

    with working("reading and writing"):
        summary = aggregate(
            logs,
            out,
            strict=strict,
            scorer=scorer,
            columns=parse_columns(columns),
            public=public,
            salt_file=salt_file,
            model_names=model_names,
        )
    console().print(printable(str(summary)), markup=False, soft_wrap=True)
    if public:
        import polars as pl

        print_salt_places(salt_file, out, pl.read_parquet(summary.files[-1])["task"].unique().drop_nulls())


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
@click.option(
    "--allow",
    multiple=True,
    metavar="GLOB",
    help="Files that need not be readable, such as 'fonts/*'. Repeatable.",
)
@click.option(
    "--allow-word",
    "allow_words",
    multiple=True,
    metavar="TEXT",
    help="A short text of the set that may be there. Repeatable.",
)
@task_args_option
def scan_command(
    paths: tuple[Path, ...],
    datasets: tuple[str, ...],
    variants: tuple[Path, ...],
    secret_files: tuple[Path, ...],
    allow: tuple[str, ...],
    allow_words: tuple[str, ...],
    task_args: dict[str, Any],
) -> None:
    """Refuse (exit code 1) what holds a text of a set, a secret, a key, a salt, or what cannot be read.

    Texts are found in any case, spacing, escaping and encoding; of a long one, eight words in a row are
    enough, or all but two of its words. It looks into Inspect logs, archives, git's history, tables,
    databases, documents, pages, pictures' notes and names of files. A file that it cannot read whole is
    refused. What it finds is named by file and kind and never printed.

    \b
    otherwords scan public --dataset questions.jsonl --variants variants.jsonl
    otherwords scan report/index.html --dataset inspect_evals/gpqa_diamond
    """
    from otherwords.core.errors import GateFailed
    from otherwords.pipeline.publish import scan_for

    with progress_bar("looking", unit="files") as advance:
        advance(0, 1, "reading what must not leak")
        seen, searched = scan_for(
            paths,
            datasets=datasets,
            variants=variants,
            secret_files=secret_files,
            allow=allow,
            allow_words=allow_words,
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
            f"{searched.too_short:,} texts were not looked for: numbers, words as common as 'yes', and words "
            "of our own pages.",
            soft_wrap=True,
        )
    if seen.findings:
        hit = len({finding.file for finding in seen.findings})
        raise GateFailed(f"not to be published: what must not leak is in {hit} of {files}")
    screen.print("Nothing found.")


@click.group("salt", short_help="Carry the salt of a dataset to another machine.")
def salt_command() -> None:
    """The salts that make the hashes in what is public; each dataset has one, kept by its name.

    \b
    otherwords salt export questions -o questions.salt
    """


@salt_command.command("export")
@click.argument("dataset")
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path, dir_okay=False), help="The file to write."
)
def salt_export(dataset: str, out: Path) -> None:
    """Write the salt of DATASET to a file, which another machine takes with --salt-file."""
    from otherwords.core.errors import InputError
    from otherwords.publish.pseudonyms import kept_salt, read_salt, write_salt

    kept = kept_salt(dataset)
    if not kept.is_file():
        known = ", ".join(sorted(path.stem for path in kept.parent.glob("*.salt"))) or "none"
        raise InputError(f"no salt is kept for '{dataset}'. Known: {known}")
    if out.exists():
        raise InputError("is there already", file=out)
    write_salt(out, read_salt(kept))
    console().print(f"Salt: {out} (keep it private: it makes the hashes guessable)", markup=False)
