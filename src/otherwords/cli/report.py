from __future__ import annotations

from pathlib import Path

import click


@click.command("report", short_help="Turn logs into tables, figures and one page.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="A folder.",
)
@click.option("--title", default="Prompt robustness", show_default=True)
@click.option(
    "--strict", is_flag=True, help="Refuse a file that cannot be read, instead of naming and skipping it."
)
def command(logs: tuple[Path, ...], out: Path, title: str, strict: bool) -> None:
    """Write index.html, sensitivity_report.md, two CSVs and three figures from LOGS (files or folders).

    \b
    otherwords report logs -o report
    """
    from otherwords.cli.console import console
    from otherwords.cli.tables import print_summary
    from otherwords.pipeline import report

    with console().status("computing and drawing"):
        data, written = report(list(logs), out, title=title, strict=strict)
    print_summary(data)
    console().print(f"Report: [bold]{written[0]}[/]")
