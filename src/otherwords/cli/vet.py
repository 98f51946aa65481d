from __future__ import annotations

from pathlib import Path

import click


@click.command("vet", short_help="Run the checks again on a variants file that you have edited.")
@click.argument("variants", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="Write here instead of back to VARIANTS.")
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="NAME[=MODEL]",
    help="A meaning check beside the usual ones: embedding, entailment, judge=MODEL. Repeatable.",
)
def command(variants: Path, out: Path | None, checks: tuple[str, ...]) -> None:
    """Check every line of VARIANTS again and write the new verdicts.

    Edit a wording, add one with a name of its own, or delete a line; the originals must stay as they are. A
    file that was edited and not vetted is refused by `otherwords run`.

    \b
    otherwords vet variants.jsonl
    """
    from otherwords.checks import make_check
    from otherwords.cli.console import console
    from otherwords.cli.tables import print_coverage
    from otherwords.pipeline import vet_again

    print_coverage(vet_again(variants, out, checks=[make_check(spec) for spec in checks]))
    console().print(f"Written: [bold]{out or variants}[/]", soft_wrap=True)
