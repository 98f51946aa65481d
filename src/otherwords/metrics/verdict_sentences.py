"""A verdict's numbers in; the same verdict with its headline, its cautions and what to do next out."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import replace

from otherwords.core.contract import ANSWERED, NOT_RUN, PROVIDER_ERROR
from otherwords.core.texts import (
    about,
    of_things,
    outcome_counts,
    p_text,
    percent,
    points,
    points_between,
    unscored_sentence,
)
from otherwords.core.verdict import (
    CANNOT_TELL,
    DETECTABLE,
    LARGE,
    MOST_UNSCORED,
    SMALL,
    ChangeLoss,
    Evidence,
    Verdict,
)
from otherwords.metrics.intervals import FEW_ITEMS

NOISE = "run-to-run noise (the same prompt asked again)"
ONE_REPEAT = (
    f"Each wording was run once, so that single answers that change cannot be told from {NOISE}; rerun with "
    "--repeats 3."
)
_MOSTLY_WRONG = 0.1
_MOST_ACTIONS = 3
_TABLES = (".parquet", ".csv", ".jsonl")
"""Endings of files that Inspect View does not show."""


def with_sentences(verdict: Verdict, *, source: str = "logs") -> Verdict:
    """The verdict with its texts.

    Args:
        verdict: Its numbers.
        source: What the commands name, as it is typed in a shell: the logs, a table.

    Returns:
        The same with `sentence`, `cautions` and `actions`.
    """
    headline = f"{_headline(verdict)}{_unscored_too(verdict)}; n = {of_things(verdict.n_items, 'item')}."
    return replace(
        verdict,
        sentence=headline,
        cautions=tuple(_cautions(verdict)),
        actions=tuple(_actions(verdict, source))[:_MOST_ACTIONS],
    )


def _headline(verdict: Verdict) -> str:
    agent, place = verdict.agent or "the model", f" on {verdict.benchmark}" if verdict.benchmark else ""
    if verdict.effect in (SMALL, LARGE):
        return _effect_found(verdict, agent, place)
    smallest = verdict.power.smallest_loss
    if verdict.effect != CANNOT_TELL:
        found = "No effect of wording found" if verdict.n_repeats > 1 else "No loss by rewording found"
        seen = f"a loss of {points(smallest)} over all rewordings would have been"
        return f"{found} for {agent}{place}: {seen}"
    open_question = f"Cannot tell whether wording matters for {agent}{place}"
    if smallest is None:
        reason = verdict.power.reason.removeprefix("no interval: ")
        never = "no run has a score" if verdict.accuracy.value is None else reason
        return f"{open_question}: {never if verdict.accuracy.value != 0 else 'it is wrong in every run'}"
    if smallest > (verdict.accuracy_orig.value or 0.0):
        return f"{open_question}: with so few runs not even the loss of all would have been found"
    if smallest <= DETECTABLE:
        hidden = points(verdict.power.hidden_loss)
        return f"{open_question}: runs without a score could hide a loss of {hidden}"
    more = about(verdict.power.more_calls or 0)
    return (
        f"{open_question}: only a loss of {points(smallest)} would have been found; about {more} more calls "
        f"would find one of {points(DETECTABLE)}"
    )


def _effect_found(verdict: Verdict, agent: str, place: str) -> str:
    gains = [one for one in verdict.changes if one.loss.excludes_zero and not one.loss.is_loss]
    if verdict.worst is not None:
        return f"Rewording costs {agent} {_size(verdict.worst.loss)}{place} {_under(verdict.worst)}"
    if verdict.loss.is_loss:
        return f"Rewording costs {agent} {_size(verdict.loss)}{place} over all wordings"
    if verdict.loss.excludes_zero:
        return f"Rewording gains {agent} {_size(verdict.loss)}{place} over all wordings"
    if gains:
        most = min(gains, key=lambda one: one.loss.value or 0.0)
        return f"Rewording gains {agent} {_size(most.loss)}{place} {_under(most)}"
    if verdict.excess_flips.is_loss:
        flips = verdict.excess_flips
        return (
            f"Rewording changes answers of {agent}{place}: {_size(flips)} more of them differ from the "
            "original's than noise explains, with no average loss found"
        )
    p = p_text(verdict.permutation_p)
    return f"Scores of {agent}{place} depend on the wording ({p}), by less than this run can measure"


def _size(evidence: Evidence) -> str:
    """The size with its corrected interval, a gain without its sign."""
    ends = (evidence.value, evidence.corrected_low, evidence.corrected_high)
    if evidence.excludes_zero and not evidence.is_loss:
        value, low, high = (None if end is None else -end for end in ends)
        return points_between(value, high, low)
    return points_between(*ends)


def _under(change: ChangeLoss) -> str:
    return f"under '{change.name}' wordings" if not change.change else f"under the change '{change.name}'"


def _unscored_too(verdict: Verdict) -> str:
    if verdict.unscored.share <= MOST_UNSCORED or verdict.accuracy.value is None:
        return ""
    return f"; {percent(verdict.unscored.share)} of runs have no score"


def _cautions(verdict: Verdict) -> Iterator[str]:
    if verdict.unscored.count:
        yield unscored_sentence(verdict)
    others = {name: count for name, count in verdict.outcomes.items() if name != ANSWERED}
    for one in verdict.unscored.reasons:
        if one.outcome in others:
            others[one.outcome] -= one.count
    ended = {name: count for name, count in others.items() if count > 0}
    if ended:
        yield f"Scored all the same, although without a plain answer: {outcome_counts(ended)}."
    if verdict.n_repeats <= 1:
        yield ONE_REPEAT
    accuracy = verdict.accuracy.value
    if accuracy is not None and 0 < accuracy <= _MOSTLY_WRONG:
        yield "It is nearly always wrong: what wording costs means little until it can do the task."
    if 1 < verdict.n_items < FEW_ITEMS:
        yield f"With {of_things(verdict.n_items, 'item')} every interval is rough."
    if verdict.effect not in (SMALL, LARGE):
        yield from _by_chance(verdict)


def _by_chance(verdict: Verdict) -> Iterator[str]:
    """Intervals that exclude 0 by themselves, where none does corrected for all that was asked."""
    parts = [("over all rewordings", verdict.loss), *((_under(one), one.loss) for one in verdict.changes)]
    alone = [
        (where, one)
        for where, one in parts
        if one.low is not None and one.high is not None and (one.low > 0 or one.high < 0)
    ]
    if alone:
        where, one = alone[0]
        size = points_between(one.value, one.low, one.high)
        asked = of_things(verdict.questions, "question")
        yield f"The loss {where} is {size} by itself; of {asked} one may look like that by chance."


def _actions(verdict: Verdict, source: str) -> Iterator[str]:
    """Each as `what: command`."""
    unscored, only = verdict.unscored, _only(verdict)
    if unscored.share > MOST_UNSCORED:
        first = unscored.reasons[0]
        if first.outcome in (PROVIDER_ERROR, NOT_RUN):
            yield f"Ask again what has no score: otherwords run … --log-dir {source}"
        else:
            logged = not source.endswith(_TABLES)
            command = f"inspect view --log-dir {source}" if logged else f"otherwords report {source} --full"
            yield f"See why runs have no score: {command}"
    if verdict.effect in (SMALL, LARGE):
        yield f"See the wordings that break it, with advice: otherwords fix {source}{only}"
        yield f"Confirm it on held-out items: otherwords fix {source}{only} --split"
        yield f"Keep it from getting worse, in CI: otherwords check {source} --max-accuracy-drop 0.05"
        return
    if verdict.n_repeats <= 1:
        yield f"Tell wording from noise: otherwords run … --repeats 3 --log-dir {source}"
    if verdict.effect == CANNOT_TELL and verdict.accuracy.value:
        model = f" --model {shlex.quote(verdict.agent)}" if verdict.agent else ""
        yield f"Plan a run that can tell: otherwords plan --drop 0.1 --pilot {source}{only}{model}"
    if verdict.effect == CANNOT_TELL:
        return
    yield f"Keep it so, in CI: otherwords check {source} --max-excess-flips 0.1 --max-accuracy-drop 0.05"


def _only(verdict: Verdict) -> str:
    return f" --benchmark {shlex.quote(verdict.benchmark)}" if verdict.benchmark else ""
