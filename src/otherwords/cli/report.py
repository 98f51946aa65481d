from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from otherwords.cli.options import salt_option


@click.command("report", short_help="Turn logs into tables, figures and one page.")
@click.argument("logs", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--results-dir",
    "--results_dir",
    "results_dir",
    multiple=True,
    type=click.Path(path_type=Path),
    help="The same as LOGS.",
)
@click.option("--benchmark", metavar="NAME", help="Only this task.  [default: all]")
@click.option(
    "-o",
    "--out",
    "--output-dir",
    "--output_dir",
    "out",
    type=click.Path(path_type=Path),
    default=Path("report"),
    show_default=True,
    help="A folder.",
)
@click.option("--title", default="Prompt robustness", show_default=True)
@click.option(
    "--public",
    is_flag=True,
    help="Without any prompt, answer or raw id, for sets that must not leak: items become salted hashes.",
)
@salt_option
@click.option(
    "--audit",
    "audit_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Which items are ambiguous, as `otherwords audit --json` wrote it.  [default: what the options in "
    "the logs show]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print every estimate as JSON and nothing else; the folder is written only if -o is given.",
)
@click.option(
    "--strict", is_flag=True, help="Refuse a file that cannot be read, instead of naming and skipping it."
)
@click.pass_context
def command(
    ctx: click.Context,
    logs: tuple[Path, ...],
    results_dir: tuple[Path, ...],
    benchmark: str | None,
    out: Path,
    title: str,
    public: bool,
    salt_file: Path | None,
    audit_file: Path | None,
    as_json: bool,
    strict: bool,
) -> None:
    """Write index.html, sensitivity_report.md, two CSVs and the figures from LOGS (files or folders).

    LOGS are Inspect logs, tables (outcomes.parquet or .csv) or other result files. When several of them hold
    the same wordings of an agent, they are runs over time: the latest is reported, with the trend of all.
    Where the options of some items are ambiguous, robustness is shown with and without them.

    \b
    otherwords report logs -o report
    otherwords report results/outcomes.parquet --json
    otherwords report runs/january runs/february -o report
    otherwords report logs --audit audit.json
    otherwords report logs -o report --public
    """
    given = [*logs, *results_dir]
    if not given:
        raise click.UsageError("Missing argument 'LOGS...'.")
    if salt_file is not None and not public:
        raise click.UsageError("--salt-file is for --public")

    from otherwords.cli.console import console
    from otherwords.pipeline import report

    if as_json:
        from otherwords.report.machine import report_json

        asked_for = ctx.get_parameter_source("out") is not ParameterSource.DEFAULT
        folder = out if asked_for else None
        data, _ = report(
            given,
            folder,
            title=title,
            strict=strict,
            benchmark=benchmark,
            public=public,
            salt_file=salt_file,
            audit_file=audit_file,
        )
        click.echo(report_json(data))
        return

    from otherwords.cli.console import tell_salt
    from otherwords.cli.tables import print_summary

    screen = console()
    with screen.status("computing and drawing"):
        data, written = report(
            given,
            out,
            title=title,
            strict=strict,
            benchmark=benchmark,
            public=public,
            salt_file=salt_file,
            audit_file=audit_file,
        )
    print_summary(data)
    screen.print(f"Report: [bold]{written[0]}[/]")
    if public:
        tell_salt(salt_file, out)
