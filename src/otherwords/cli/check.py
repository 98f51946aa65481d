"""`otherwords check`: logs, thresholds or a baseline → pass or fail with reasons, for CI; JUnit, Markdown."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from otherwords.cli.console import print_json, working
from otherwords.cli.options import (
    full_option,
    generalize_option,
    json_option,
    scorer_option,
    threshold_options,
    thresholds_from,
)

if TYPE_CHECKING:
    import polars as pl

    from otherwords.metrics.intervals import Generalize


@click.command("check", short_help="For CI: exit code 1 when a threshold is not met.")
@click.argument("logs", nargs=-1, required=True, type=click.Path(path_type=Path))
@threshold_options
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
@click.option(
    "--as",
    "names",
    multiple=True,
    metavar="NAME",
    help="What the agent of LOGS is called, here and in the baseline: for one that has another name now. "
    "AGENT=NAME for one of several.",
)
@click.option("--junit", type=click.Path(path_type=Path), help="Write JUnit XML here.")
@click.option(
    "--markdown",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write Markdown for a pull request here, at most 60 lines.",
)
@click.option("--github", is_flag=True, help="Print GitHub annotations for what failed.")
@full_option
@json_option
def check_command(
    logs: tuple[Path, ...],
    benchmark: str | None,
    baseline: Path | None,
    max_fall: float,
    on: Literal["bound", "value"],
    cannot_tell: str,
    generalize: Generalize | None,
    scorer: str | None,
    names: tuple[str, ...],
    junit: Path | None,
    markdown: Path | None,
    github: bool,
    full: bool,
    as_json: bool,
    **limits: Any,
) -> None:
    """Hold every model in LOGS to thresholds, and say why it passes or fails.

    By default a threshold is met only when the interval's worse end meets it: a result that run-to-run noise
    may explain does not pass. It FAILS when the whole interval misses it, by Holm over all that is asked;
    in between, and where runs without a score could change it, it is CANNOT TELL, which ends with 1 as well
    unless --cannot-tell pass.
    Run-to-run noise does not count against --max-excess-flips, --max-phrasing-share, --max-accuracy-drop and
    --max-template-spread; it does against --max-flip-rate, --min-s-prompt and --min-consistency.
    With --baseline it fails when accuracy or S_prompt fell by more than --max-fall beyond doubt.

    \b
    otherwords check logs --max-accuracy-drop 0.05 --max-excess-flips 0.1 --max-rate refused=0.02
    otherwords check logs --baseline logs-main --junit gate.xml --markdown comment.md
    otherwords check logs --baseline logs-main --as my-agent
    """
    from otherwords.cli.console import print_lines
    from otherwords.cli.verdict_output import (
        Checked,
        annotation_lines,
        check_json,
        junit_xml,
        markdown_text,
        text_lines,
    )
    from otherwords.core.errors import GateFailed, InputError
    from otherwords.core.files import as_typed, write_whole
    from otherwords.metrics import verdicts
    from otherwords.metrics.gate import check_table
    from otherwords.pipeline.report_parts import stop_notes, stopped_runs
    from otherwords.results import read_measured

    thresholds = thresholds_from(limits)
    if not thresholds and baseline is None:
        raise InputError("there is nothing to check", hint="For example: --min-s-prompt 0.85")
    with working("reading and computing"):
        results = read_measured(list(logs), scorer=scorer)
        outcomes = _renamed(results.outcomes, names) if names else results.outcomes
        source = shlex.join(map(as_typed, logs))
        stopped = {} if names else stopped_runs(results, outcomes)
        gate = check_table(
            outcomes,
            thresholds,
            benchmark=benchmark,
            baseline=None if baseline is None else read_measured(baseline, scorer=scorer).outcomes,
            max_fall=max_fall,
            on=on,
            generalize=generalize,
            errors={model: one.found.error for (_, model), one in stopped.items() if one.level},
        )
        found = Checked(
            gate.decisions,
            verdicts(outcomes, benchmark, wordings=results.wordings, source=source, generalize=generalize),
            [*stop_notes(stopped), *results.notes, *gate.notes],
            lenient=cannot_tell == "pass",
        )
    if as_json:
        print_json(check_json(found))
    else:
        print_lines(text_lines(found, full=full), full=full)
    for path, content in ((junit, junit_xml), (markdown, markdown_text)):
        if path is not None:
            write_whole(path, content(found))
    if github and not as_json:
        for line in annotation_lines(found):
            click.echo(line)
    if found.outcome != "pass":
        raise GateFailed(found.answer.partition(": ")[2] if found.outcome == "fail" else found.answer)


def _renamed(outcomes: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    """Agents under the names that they are to have: `NAME` for the only one, `AGENT=NAME` for one of many."""
    import polars as pl

    from otherwords.core.errors import InputError, UnknownNameError

    known = outcomes["model"].unique(maintain_order=True).to_list()
    renamed = {}
    for text in names:
        agent, separator, name = text.rpartition("=")
        if not separator:
            if len(known) != 1:
                raise InputError(
                    f"--as {text}: the logs have {len(known)} agents ({', '.join(known)})",
                    hint=f"Say which one: --as {known[0]}={text}",
                )
            agent = known[0]
        elif agent not in known:
            raise UnknownNameError("agent", agent, known)
        renamed[agent] = name
    after = [renamed.get(agent, agent) for agent in known]
    twice = next((name for name in after if after.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"--as: two agents would be called '{twice}'")
    return outcomes.with_columns(pl.col("model").replace(renamed))
