"""`otherwords check`: logs, and thresholds or a baseline's logs → pass or fail with the reasons, for CI."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from otherwords.cli.console import print_json
from otherwords.cli.options import full_option, generalize_option, json_option, scorer_option
from otherwords.core.contract import ANSWERED, OUTCOMES, UNREADABLE

if TYPE_CHECKING:
    import polars as pl

    from otherwords.metrics.intervals import Generalize

_LIMITS = (
    ("min_accuracy", "Accuracy over all wordings."),
    ("min_s_prompt", "S_prompt."),
    ("min_s_norm", "S_norm."),
    ("min_consistency", "Share of items answered alike under every wording."),
    ("max_flip_rate", "Share of answers that differ from the original wording's."),
    ("max_accuracy_drop", "Accuracy lost by rewording."),
    ("max_excess_flips", "Answers that differ from the original's, beyond run-to-run noise."),
    ("max_phrasing_share", "Phrasing share of the variance between runs of an item."),
    ("max_template_spread", "Accuracy of the best template minus the worst, without what noise adds."),
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
@click.option("--max-excess-flips", type=float, metavar="X", help=_LIMITS[6][1])
@click.option("--max-phrasing-share", type=float, metavar="X", help=_LIMITS[7][1])
@click.option("--max-template-spread", type=float, metavar="X", help=_LIMITS[8][1])
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
    rates: dict[str, float],
    unreadable: float | None,
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
    **limits: float | None,
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
    from otherwords.core.files import write_whole
    from otherwords.metrics import verdicts
    from otherwords.metrics.gate import check_table
    from otherwords.results import read_measured

    thresholds = {name: value for name, value in limits.items() if value is not None} | rates
    if unreadable is not None:
        if f"max_{UNREADABLE}_rate" in rates:
            raise click.UsageError("--max-format-failure-rate is the same as --max-rate unreadable=…")
        thresholds[f"max_{UNREADABLE}_rate"] = unreadable
    if not thresholds and baseline is None:
        raise InputError("there is nothing to check", hint="For example: --min-s-prompt 0.85")
    results = read_measured(list(logs), scorer=scorer)
    outcomes = _renamed(results.outcomes, names) if names else results.outcomes
    source = shlex.join(map(str, logs))
    gate = check_table(
        outcomes,
        thresholds,
        benchmark=benchmark,
        baseline=None if baseline is None else read_measured(baseline, scorer=scorer).outcomes,
        max_fall=max_fall,
        on=on,
        generalize=generalize,
    )
    found = Checked(
        gate.decisions,
        verdicts(outcomes, benchmark, wordings=results.wordings, source=source, generalize=generalize),
        [*results.notes, *gate.notes],
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
