from __future__ import annotations

from pathlib import Path

import click


@click.command("review", short_help="See every original beside its variants, as word diffs, on one page.")
@click.argument("variants", type=click.Path(path_type=Path))
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="[default: VARIANTS with the ending .html]"
)
def command(variants: Path, out: Path | None) -> None:
    """Write one HTML page with each original of VARIANTS, its variants as word diffs, verdicts and filters.

    \b
    otherwords review variants.jsonl
    """
    from otherwords.cli.console import console
    from otherwords.pipeline import review

    console().print(f"Review: [bold]{review(variants, out)}[/] (open it in a browser)", soft_wrap=True)
