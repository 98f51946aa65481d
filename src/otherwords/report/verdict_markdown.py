"""Verdicts → Markdown, the top of a report or a pull request's text; tables and lists in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from otherwords.core.texts import (
    AGENT_COLUMNS,
    INTERVALS,
    agent_cells,
    by_severity,
    count_text,
    interval_note,
    p_number,
    percent,
    points_between,
    reason_text,
)
from otherwords.core.verdict import ChangeLoss, Verdict
from otherwords.report.escape import markdown, one_line

MOST_LINES = 59
"""Of the Markdown for a pull request; with the mark by which the comment is found again, 60."""
_SENTENCES, _AGENTS, _REASONS, _CHANGES = 3, 6, 3, 4
NO_CHANGE = "No kind of change has a detectable effect."
NOT_TESTED = "There are too few items to test any kind of change."


def verdict_markdown(verdicts: Sequence[Verdict], *, whole: bool = False) -> list[str]:
    """Sentences, what to do, the table of agents, what breaks them, and why runs have no score.

    Args:
        verdicts: Of all agents and benchmarks.
        whole: Everything; otherwise the first few of each, and how many more there are.

    Returns:
        Lines of Markdown; without `whole` at most 45, for any data.
    """
    ordered = by_severity(verdicts)
    sentences = _sentences(ordered, whole)
    note = interval_note(sentences)
    sentences += [note, ""] if note else []
    lines = [
        *sentences,
        *_actions(ordered),
        *([] if note else [f"{INTERVALS}.", ""]),
        *_agents(ordered, whole),
    ]
    return [*lines, *what_breaks(ordered, whole), *why_unscored(ordered, whole)]


def _sentences(ordered: Sequence[Verdict], whole: bool) -> list[str]:
    shown = ordered if whole else ordered[:_SENTENCES]
    lines = [f"**{markdown(one.sentence)}**" for one in shown[:1]]
    lines += ["", *bullets(markdown(one.sentence) for one in shown[1:])]
    left = len(ordered) - len(shown)
    return [*lines, f"{count_text(left)} more are in the table.", ""] if left else lines


def _actions(ordered: Sequence[Verdict]) -> list[str]:
    if not ordered or not ordered[0].actions:
        return []
    lines = []
    for action in ordered[0].actions:
        what, _, command = action.partition(": ")
        lines.append(f"{markdown(what)}: {code(command)}")
    return ["What to do:", "", *bullets(lines)]


def _agents(ordered: Sequence[Verdict], whole: bool) -> list[str]:
    shown = ordered if whole else ordered[:_AGENTS]
    rows = [
        [
            markdown(one.agent) or "—",
            markdown(one.benchmark) or "—",
            *agent_cells(one)[:-1],
            f"**{one.effect}**",
            count_text(one.n_items),
        ]
        for one in shown
    ]
    lines = table(("agent", "benchmark", *AGENT_COLUMNS, "items"), rows)
    left = len(ordered) - len(shown)
    return [*lines, f"{count_text(left)} more agents and benchmarks are not shown.", ""] if left else lines


def what_breaks(ordered: Sequence[Verdict], whole: bool = False) -> list[str]:
    """Kinds of change with an effect; the others are only counted."""
    found = [(one, change) for one in ordered for change in one.changes if change.loss.excludes_zero]
    found.sort(key=lambda pair: -abs(pair[1].loss.value or 0.0))
    asked = sum(len(one.changes) for one in ordered)
    if not asked:
        return []
    if not any(change.loss.is_tested for one in ordered for change in one.changes):
        return [f"{NOT_TESTED} ({count_text(asked)} asked)", ""]
    if not found:
        return [f"{NO_CHANGE} ({count_text(asked)} asked)", ""]
    shown = found if whole else found[:_CHANGES]
    lines = table(
        ("what breaks it", "agent", "benchmark", "points lost (corrected interval)", "p", "items"),
        [
            [
                markdown(change.name),
                markdown(one.agent),
                markdown(one.benchmark),
                change_points(change),
                p_number(change.loss.p),
                count_text(change.loss.n_items),
            ]
            for one, change in shown
        ],
    )
    rest = []
    if len(found) > len(shown):
        rest.append(f"{count_text(len(found) - len(shown))} more have an effect")
    if asked > len(found):
        rest.append(f"{count_text(asked - len(found))} have no detectable effect")
    return [*lines, f"{'; '.join(rest)}.", ""] if rest else lines


def change_points(change: ChangeLoss) -> str:
    """`31 points (25 to 37)`; a gain is below 0."""
    loss = change.loss
    return points_between(loss.value, loss.corrected_low, loss.corrected_high)


def why_unscored(ordered: Sequence[Verdict], whole: bool = False) -> list[str]:
    """Reason × count × one example, with what to do; nothing where every run has a score."""
    found = [(one, reason) for one in ordered for reason in one.unscored.reasons]
    if not found:
        return []
    found.sort(key=lambda pair: -pair[1].count)
    shown = found if whole else found[:_REASONS]
    without, runs = (sum(getattr(one.unscored, name) for one in ordered) for name in ("count", "n_runs"))
    share = percent(without / runs if runs else 0.0)
    lines = [f"Why {count_text(without)} of {count_text(runs)} runs ({share}) have no score:", ""]
    lines += table(
        ("reason", "runs", "agent", "one of them", "what to do"),
        [
            [
                markdown(reason_text(reason)),
                count_text(reason.count),
                markdown(one.name),
                markdown(reason.example),
                markdown(reason.advice),
            ]
            for one, reason in shown
        ],
    )
    left = sum(reason.count for _, reason in found[len(shown) :])
    return [*lines, f"{count_text(left)} runs have other reasons.", ""] if left else lines


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table and an empty line; its cells are already escaped."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return [*lines, *(f"| {' | '.join(row)} |" for row in rows), ""]


def bullets(lines: Iterable[str]) -> list[str]:
    """A Markdown list and an empty line; its lines are already escaped."""
    found = [f"- {line}" for line in lines]
    return [*found, ""] if found else []


def code(command: str) -> str:
    """A command as code; as plain text where it could end the code."""
    line = one_line(command)
    return markdown(command) if "`" in line else f"`{line}`"
