"""What a run did → the lines at its end: samples, money, failures by wording, and runs without a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from otherwords.cli.console import cell, console, print_warning
from otherwords.core.contract import AGENT_ERROR, ANSWERED, NOT_RUN, PROVIDER_ERROR

if TYPE_CHECKING:
    from pathlib import Path

    from otherwords.runs import RunSummary
    from otherwords.runs.logs import OutcomeCounts

_WORDINGS_SHOWN = 8
_NAMES: dict[str, str] = {
    PROVIDER_ERROR: "provider or machine errors",
    NOT_RUN: "wordings that were not seen or not run",
}


def failed_everywhere(summary: RunSummary) -> bool:
    """Whether every sample of a model or agent failed; each failure is a result in the logs all the same."""
    return bool(summary.outcomes.failed_models)


def print_summary(summary: RunSummary, log_dir: Path) -> None:
    out = console()
    out.print(_counts_line(summary), soft_wrap=True)
    counts = summary.outcomes
    others = [
        f"{counts.count(outcome):,} {outcome.replace('_', ' ')}"
        for outcome in counts.by_wording
        if outcome != ANSWERED
    ]
    if others:
        out.print(f"Outcomes: {counts.count(ANSWERED):,} answered, {', '.join(others)}", soft_wrap=True)
    for note in counts.notes:
        out.print(f"[yellow]Note:[/] {cell(note)}", soft_wrap=True)
    if counts.count(AGENT_ERROR):
        print_warning(
            f"{_of(counts.count(AGENT_ERROR), counts)} failed by the agent's own fault and count as 0 "
            f"({_by_wording(counts.by_wording[AGENT_ERROR])}), the first with {counts.first[AGENT_ERROR]}\n"
            "They are finished: the same command does not try them again."
        )
    if counts.unscored:
        print_warning(_without_score(counts))
    if counts.no_model:
        print_warning(
            f"in {_of(counts.no_model, counts)} no model was asked through Inspect; they are scored, since "
            "their solver may ask a service of its own"
        )
    if counts.failed_models:
        print_warning(f"every sample failed of {', '.join(counts.failed_models)}")
    if summary.self_scored:
        print_warning(
            f"{summary.self_scored:,} of {summary.total:,} scores are the agent's own word: its answers have "
            "a reward, and no taken_actions that could be taken again and judged"
        )
    if summary.first_unjudged is not None:
        print_warning(
            f"{summary.unjudged:,} of {summary.total:,} samples have no score, as the agent's answers cannot "
            f"be judged, the first because {summary.first_unjudged}"
        )
    if summary.stopped:
        out.print(
            f"Stopped at the budget ({summary.stopped}). What has finished is in {cell(log_dir)}; "
            "run the same command again to go on.",
            soft_wrap=True,
        )


def _counts_line(summary: RunSummary) -> str:
    spent = f"{summary.calls:,} calls, {summary.tokens:,} tokens"
    if summary.usd:
        spent += f", {dollars(summary.usd)}"
    return (
        f"{summary.finished:,}/{summary.total:,} samples finished, {summary.errored:,} failed, "
        f"{summary.reused:,} from before; {spent} in {summary.seconds:.0f} s"
    )


def _without_score(counts: OutcomeCounts) -> str:
    """Why: reason × count × one example, and what to do."""
    from otherwords.metrics.evidence import ADVICE

    causes = []
    for why, count in counts.unscored.items():
        places = f" ({_by_wording(counts.by_wording[why])})" if why in counts.by_wording else ""
        first = f", the first with {counts.first[why]}" if why in counts.first else ""
        causes.append(f"{count:,} {_NAMES.get(why, why.replace('_', ' '))}{places}{first}")
    told = f"{_of(sum(counts.unscored.values()), counts)} have no score: {'; '.join(causes)}"
    advice = dict.fromkeys(ADVICE[why] for why in counts.unscored if why in ADVICE)
    return "\n".join([told, *(f"What to do: {text}." for text in advice)])


def _of(count: int, counts: OutcomeCounts) -> str:
    return f"all {counts.runs:,} samples" if count == counts.runs else f"{count:,} of {counts.runs:,} samples"


def _by_wording(found: Mapping[str, int]) -> str:
    """The wordings with the most first."""
    ordered = sorted(found.items(), key=lambda one: -one[1])
    shown = ", ".join(f"{name} {count:,}" for name, count in ordered[:_WORDINGS_SHOWN])
    rest = sum(count for _, count in ordered[_WORDINGS_SHOWN:])
    return f"{shown}, others {rest:,}" if rest else shown


def dollars(usd: float) -> str:
    """In cents, or in hundredths of a cent where there is less than one."""
    return f"${usd:,.2f}" if usd >= 0.01 or usd == 0 else f"${max(usd, 0.0001):.4f}"
