from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.options import DATASET, variant_options


@click.command("vary", short_help="Reword a dataset, vet every rewording, freeze them in a file.")
@DATASET
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("variants.jsonl"),
    show_default=True,
    help="Where the variants are written.",
)
@variant_options
def command(
    dataset: Path, out: Path, families: tuple[str, ...] | None, k: int, seed: int, max_items: int | None
) -> None:
    """Reword every item of DATASET (.jsonl, .json or .csv) and keep what passes all checks.

    The file holds one JSON line for each candidate, accepted or rejected, with the reasons. Read it, then
    give it to every run, so that all models are asked the very same wordings.

    \b
    otherwords vary questions.jsonl -o variants.jsonl
    otherwords vary questions.csv --families paraphrase,options -k 4 --seed 7
    """
    from otherwords.cli.console import console
    from otherwords.cli.progress import progress_bar
    from otherwords.cli.tables import coverage_table
    from otherwords.pipeline import freeze
    from otherwords.variants import DEFAULT_FAMILIES

    with progress_bar("rewording", unit="items") as advance:
        covered = freeze(
            dataset,
            out,
            families if families is not None else DEFAULT_FAMILIES,
            k=k,
            seed=seed,
            max_items=max_items,
            on_item=advance,
        )
    console().print(coverage_table(covered))
    console().print(f"Written: [bold]{out}[/]\nNext: otherwords run {dataset} --variants {out} --model MODEL")
