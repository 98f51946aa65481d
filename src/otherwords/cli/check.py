"""`otherwords check`: logs, and thresholds or a baseline's logs → pass or fail with the reasons, for CI."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from otherwords.cli.console import cell, console, new_table, print_json, speaks_for
from otherwords.cli.options import generalize_option, json_option, scorer_option
from otherwords.core.contract import ANSWERED, OUTCOMES, UNREADABLE

if TYPE_CHECKING:
    from otherwords.metrics import Decision
    from otherwords.metrics.gate import Gate, Unscored
    from otherwords.metrics.intervals import Generalize

FORMAT, VERSION = "otherwords-check", 1
_LIMITS = (
    ("min_accuracy", "Accuracy over all wordings."),
    ("min_s_prompt", "S_prompt."),
    ("min_s_norm", "S_norm."),
    ("min_consistency", "Share of items answered alike under every wording."),
    ("max_flip_rate", "Share of answers that differ from the original wording's."),
    ("max_accuracy_drop", "Accuracy lost by rewording."),
)


def _rates(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, float]:
    """`refused=0.02` as the threshold of a rate."""
    from otherwords.core.errors import InputError

    rates: dict[str, float] = {}
    for text in values:
        outcome, _, number = text.partition("=")
        known = [one for one in OUTCOMES if one != ANSWERED]
        if outcome not in known:
            raise InputError(
                f"--max-rate: there is no outcome '{outcome}'", hint=f"Outcomes: {', '.join(known)}."
            )
        try:
            rates[f"max_{outcome}_rate"] = float(number)
        except ValueError:
            raise InputError(
                f"--max-rate {text}: the rate is not a number", hint=f"For example: --max-rate {outcome}=0.02"
            ) from None
    return rates


@click.command("check", short_help="For CI: exit code 1 when a threshold is not met.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--min-accuracy", type=float, metavar="X", help=_LIMITS[0][1])
@click.option("--min-s-prompt", type=float, metavar="X", help=_LIMITS[1][1])
@click.option("--min-s-norm", type=float, metavar="X", help=_LIMITS[2][1])
@click.option("--min-consistency", type=float, metavar="X", help=_LIMITS[3][1])
@click.option("--max-flip-rate", type=float, metavar="X", help=_LIMITS[4][1])
@click.option("--max-accuracy-drop", type=float, metavar="X", help=_LIMITS[5][1])
@click.option(
    "--max-rate",
    "rates",
    multiple=True,
    callback=_rates,
    metavar="OUTCOME=X",
    help=f"Share of runs with that outcome: {', '.join(OUTCOMES[1:])}. Repeatable.",
)
@click.option(
    "--max-format-failure-rate", "unreadable", type=float, metavar="X", help="As --max-rate unreadable=X."
)
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
@click.option(
    "--cannot-tell",
    type=click.Choice(["fail", "pass"]),
    default="fail",
    show_default=True,
    help="What to end with when the interval, or runs without a score, leave a threshold open.",
)
@generalize_option
@scorer_option
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML here.")
@click.option("--github", is_flag=True, help="Print GitHub annotations for what failed.")
@json_option
def command(
    logs: tuple[Path, ...],
    rates: dict[str, float],
    unreadable: float | None,
    benchmark: str | None,
    baseline: Path | None,
    max_fall: float,
    on: Literal["bound", "value"],
    cannot_tell: str,
    generalize: Generalize | None,
    scorer: str | None,
    junit: Path | None,
    github: bool,
    as_json: bool,
    **limits: float | None,
) -> None:
    """Hold every model in LOGS to thresholds, and say why it passes or fails.

    By default a threshold is met only when the interval's worse end meets it: a result that run-to-run noise
    may explain does not pass. It FAILS when the whole interval misses it, by Holm over all that is asked;
    in between, and where runs without a score could change it, it is CANNOT TELL, which ends with 1 as well
    unless --cannot-tell pass.
    With --baseline it fails when accuracy or S_prompt fell by more than --max-fall beyond doubt.

    \b
    otherwords check logs --min-s-prompt 0.85 --max-flip-rate 0.1 --max-rate refused=0.02
    otherwords check logs --baseline logs-main --junit gate.xml
    """
    from otherwords.core.errors import GateFailed, InputError
    from otherwords.metrics.gate import check_table
    from otherwords.results import read_results

    thresholds = {name: value for name, value in limits.items() if value is not None} | rates
    if unreadable is not None:
        if f"max_{UNREADABLE}_rate" in rates:
            raise click.UsageError("--max-format-failure-rate is the same as --max-rate unreadable=…")
        thresholds[f"max_{UNREADABLE}_rate"] = unreadable
    if not thresholds and baseline is None:
        raise InputError("there is nothing to check", hint="For example: --min-s-prompt 0.85")
    results = read_results(list(logs), scorer=scorer)
    gate = check_table(
        results.outcomes,
        thresholds,
        benchmark=benchmark,
        baseline=None if baseline is None else read_results(baseline, scorer=scorer).outcomes,
        max_fall=max_fall,
        on=on,
        generalize=generalize,
    )
    lenient = cannot_tell == "pass"
    if as_json:
        print_json(_as_json(gate, lenient, results.notes))
    else:
        _print(gate, results.notes)
    if junit is not None:
        from otherwords.core.files import write_whole

        write_whole(junit, junit_xml(gate, lenient=lenient))
    if github and not as_json:
        for one in gate.decisions:
            if not one.passed:
                click.echo(_annotation(_title(one), one.why, "error" if _counts(one, lenient) else "warning"))
    said = _verdict(gate, lenient)
    if said:
        raise GateFailed(said)


def _counts(one: Decision, lenient: bool) -> bool:
    """Whether it fails the gate."""
    return one.status == "fail" or (one.status == "cannot tell" and not lenient)


def _verdict(gate: Gate, lenient: bool) -> str:
    """Why the gate fails; empty when it does not."""
    failed = sum(one.status == "fail" for one in gate.decisions)
    left_open = 0 if lenient else sum(one.status == "cannot tell" for one in gate.decisions)
    total = len(gate.decisions)
    if failed and left_open:
        return f"{failed} of {total} thresholds are not met, and {left_open} cannot be told"
    if failed:
        return f"{failed} of {total} thresholds are not met"
    return f"cannot tell: {left_open} of {total} thresholds are left open" if left_open else ""


def _print(gate: Gate, notes: Sequence[str]) -> None:
    marks = {"pass": "[green]pass[/]", "fail": "[bold red]FAIL[/]", "cannot tell": "[yellow]CANNOT TELL[/]"}
    tasks = len({one.task for one in gate.decisions}) > 1
    table = new_table()
    for name in ("", *(["task"] if tasks else []), "model", "threshold", "why"):
        table.add_column(name)
    for one in gate.decisions:
        names = [cell(one.task)] if tasks else []
        table.add_row(marks[one.status], *names, cell(one.group), one.name.replace("_", "-"), cell(one.why))
    screen = console()
    screen.print(table)
    for count in gate.unscored:
        screen.print(cell(unscored_text(count, tasks)), soft_wrap=True)
    said = speaks_for((one.metric, one.generalizes) for one in gate.decisions)
    if said:
        screen.print(said, soft_wrap=True)
    for note in (*notes, *gate.notes):
        screen.print(f"[yellow]Note:[/] {cell(note)}")


def unscored_text(one: Unscored, with_task: bool = False) -> str:
    """How many runs have no score, and why."""
    name = " on ".join([one.model or "all", *([one.task] if with_task else [])])
    if not one.without_score:
        return f"{name}: all {one.runs:,} runs have a score."
    causes = ", ".join(f"{count:,} {outcome}" for outcome, count in one.outcomes.items())
    return f"{name}: {one.without_score:,} of {one.runs:,} runs have no score ({causes})."


def _as_json(gate: Gate, lenient: bool, notes: Sequence[str]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "passed": not _verdict(gate, lenient),
        "decisions": list(gate.decisions),
        "unscored": gate.unscored,
        "notes": [*notes, *gate.notes],
    }


def _title(one: Decision) -> str:
    return f"{one.group}: {one.name.replace('_', '-')}"


def _annotation(title: str, message: str, level: str) -> str:
    """GitHub reads `::` lines; what comes from data may not begin a new one."""

    def escaped(text: str, also: str) -> str:
        codes = {"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"}
        return "".join(codes[c] if c in "%\r\n" + also else c for c in text)

    return f"::{level} title={escaped(title, ':,')}::{escaped(message, '')}"


def junit_xml(gate: Gate, *, lenient: bool = False) -> bytes:
    """One test case for each decision, as CI systems read them; what may stay open is skipped."""
    from xml.etree import ElementTree

    failed = sum(_counts(one, lenient) for one in gate.decisions)
    suite = ElementTree.Element(
        "testsuite", name="otherwords check", tests=str(len(gate.decisions)), failures=str(failed), errors="0"
    )
    properties = ElementTree.SubElement(suite, "properties")
    for count in gate.unscored:
        ElementTree.SubElement(
            properties,
            "property",
            name=_xml(f"runs without a score: {' / '.join(filter(None, (count.task, count.model)))}"),
            value=_xml(unscored_text(count)),
        )
    tasks = len({one.task for one in gate.decisions}) > 1
    for one in gate.decisions:
        place = " / ".join(filter(None, (one.task if tasks else "", one.group)))
        case = ElementTree.SubElement(
            suite, "testcase", classname=_xml(place), name=one.name.replace("_", "-")
        )
        if one.passed:
            ElementTree.SubElement(case, "system-out").text = _xml(one.why)
            continue
        tag = "failure" if _counts(one, lenient) else "skipped"
        said = ElementTree.SubElement(case, tag, message=_xml(one.why))
        said.text = _xml(one.why)
        if tag == "failure":
            said.set("type", one.status)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))


def _xml(text: str) -> str:
    """XML has no place for control characters."""
    return "".join(c if c in "\t\n" or ord(c) >= 32 else "\N{REPLACEMENT CHARACTER}" for c in text)
