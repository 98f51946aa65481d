"""`otherwords check`: logs, and thresholds or a baseline's logs → pass or fail with the reasons, for CI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from otherwords.cli.console import cell, console, new_table

if TYPE_CHECKING:
    from otherwords.metrics import Decision

_LIMITS = (
    ("min_accuracy", "Accuracy over all wordings."),
    ("min_s_prompt", "S_prompt."),
    ("min_s_norm", "S_norm."),
    ("min_consistency", "Share of items answered alike under every wording."),
    ("max_flip_rate", "Share of answers that differ from the original wording's."),
    ("max_accuracy_drop", "Accuracy lost by rewording."),
    ("max_format_failure_rate", "Share of answers that cannot be read."),
)


@click.command("check", short_help="For CI: exit code 1 when a threshold is not met.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--min-accuracy", type=float, metavar="X", help=_LIMITS[0][1])
@click.option("--min-s-prompt", type=float, metavar="X", help=_LIMITS[1][1])
@click.option("--min-s-norm", type=float, metavar="X", help=_LIMITS[2][1])
@click.option("--min-consistency", type=float, metavar="X", help=_LIMITS[3][1])
@click.option("--max-flip-rate", type=float, metavar="X", help=_LIMITS[4][1])
@click.option("--max-accuracy-drop", type=float, metavar="X", help=_LIMITS[5][1])
@click.option("--max-format-failure-rate", type=float, metavar="X", help=_LIMITS[6][1])
@click.option("--benchmark", help="Only this task.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path),
    help="Logs of an earlier run: fail when accuracy or S_prompt fell.",
)
@click.option(
    "--max-fall",
    type=float,
    default=0.0,
    show_default=True,
    metavar="X",
    help="How far they may fall below the baseline.",
)
@click.option(
    "--on",
    type=click.Choice(["bound", "value"]),
    default="bound",
    show_default=True,
    help="Decide on the interval's worse end, or on the estimate itself.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML here.")
@click.option("--github", is_flag=True, help="Print GitHub annotations for what failed.")
def command(
    logs: tuple[Path, ...],
    benchmark: str | None,
    baseline: Path | None,
    max_fall: float,
    on: Literal["bound", "value"],
    junit: Path | None,
    github: bool,
    **limits: float | None,
) -> None:
    """Hold every model in LOGS to thresholds, and say why it passes or fails.

    By default a threshold is met only when the interval's worse end meets it: a result that run-to-run noise
    may explain does not pass.
    With --baseline the fall of accuracy and S_prompt is judged the same way: it fails when the fall is
    larger than --max-fall beyond doubt.

    \b
    otherwords check logs --min-s-prompt 0.85 --max-flip-rate 0.1
    otherwords check logs --baseline logs-main --junit gate.xml
    """
    from otherwords.core.errors import GateFailed, InputError
    from otherwords.metrics.thresholds import check_table
    from otherwords.results import load_all_results

    thresholds = {name: value for name, value in limits.items() if value is not None}
    if not thresholds and baseline is None:
        raise InputError("there is nothing to check", hint="For example: --min-s-prompt 0.85")
    decisions, notes = check_table(
        load_all_results(list(logs)),
        thresholds,
        benchmark=benchmark,
        baseline=None if baseline is None else load_all_results(baseline),
        max_fall=max_fall,
        on=on,
    )
    table = new_table()
    for name in ("", "model", "threshold", "why"):
        table.add_column(name)
    for one in decisions:
        mark = "[green]pass[/]" if one.passed else "[bold red]FAIL[/]"
        table.add_row(mark, cell(one.group), one.name.replace("_", "-"), cell(one.why))
    screen = console()
    screen.print(table)
    for note in notes:
        screen.print(f"[yellow]Note:[/] {cell(note)}")
    if junit is not None:
        from otherwords.core.files import write_whole

        write_whole(junit, junit_xml(decisions))
    failed = [one for one in decisions if not one.passed]
    if github:
        for one in failed:
            click.echo(_annotation(f"{one.group}: {one.name.replace('_', '-')}", one.why))
    if failed:
        raise GateFailed(f"{len(failed)} of {len(decisions)} thresholds are not met")


def _annotation(title: str, message: str) -> str:
    """GitHub reads `::` lines; what comes from data may not begin a new one."""

    def escaped(text: str, also: str) -> str:
        codes = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
        return "".join(codes[c] if c in "%\r\n" + also else c for c in text)

    return f"::error title={escaped(title, ':,')}::{escaped(message, '')}"


def junit_xml(decisions: Sequence[Decision]) -> bytes:
    """One test case for each decision, as CI systems read them."""
    from xml.etree import ElementTree

    failed = sum(not one.passed for one in decisions)
    suite = ElementTree.Element(
        "testsuite", name="otherwords check", tests=str(len(decisions)), failures=str(failed), errors="0"
    )
    for one in decisions:
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(one.group), name=one.name.replace("_", "-")
        )
        if not one.passed:
            ElementTree.SubElement(case, "failure", message=_xml(one.why)).text = _xml(one.why)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _xml(text: str) -> str:
    """XML has no place for control characters."""
    return "".join(c if c in "\t\n" or ord(c) >= 32 else "\N{REPLACEMENT CHARACTER}" for c in text)
