"""`otherwords vet`: an edited variants file → the same file, checked again."""

from __future__ import annotations

from pathlib import Path

import click

from otherwords.cli.options import check_option, jobs_option


@click.command("vet", short_help="Run the checks again on a variants file that you have edited.")
@click.argument("variants", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Write here instead of back to VARIANTS.")
@check_option
@jobs_option
def command(variants: Path, out: Path | None, checks: tuple[str, ...], jobs: int | None) -> None:
    """Check every line of VARIANTS again and write the new results.

    Edit a wording, add one with a name of its own, or delete a line; the originals must stay as they are. A
    file that was edited and not vetted is refused by `otherwords run`.

    \b
    otherwords vet variants.jsonl
    """
    from otherwords.checks import make_check
    from otherwords.cli.console import console, print_coverage, progress_bar
    from otherwords.core import cores
    from otherwords.pipeline.vet import vet_file

    with progress_bar("vetting", unit="items") as advance:
        covered = vet_file(
            variants,
            out,
            checks=[make_check(spec) for spec in checks],
            jobs=jobs or cores(),
            on_item=advance,
        )
    print_coverage(covered)
    console().print(f"Written: [bold]{out or variants}[/]", soft_wrap=True)
