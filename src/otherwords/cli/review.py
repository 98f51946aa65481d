"""`otherwords review`: a variants file → one page of originals beside their variants."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.console import console


@click.command("review", short_help="See every original beside its variants, as word diffs, on one page.")
@click.argument("variants", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="[default: VARIANTS with the ending .html]"
)
def command(variants: Path, out: Path | None) -> None:
    """Write one HTML page: each original of VARIANTS, its variants as word diffs, check results, filters.

    \b
    otherwords review variants.jsonl
    """
    from otherwords.pipeline.write_report import review

    console().print(f"Review: [bold]{review(variants, out)}[/] (open it in a browser)", soft_wrap=True)
