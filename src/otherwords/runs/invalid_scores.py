"""Scorers → the same scorers, which give no score where the sample never put the prompt to the model.

A solver may come to its end although no model was asked, every call failed, nothing was answered, or the
model was shown the same as with the original prompt, and the scorer then scores whatever is there: a task
whose goal is that nothing changes is solved by doing nothing. Such a score becomes Inspect's
`Score.unscored`, which no metric counts, with the cause as its `reason` and, in its metadata, as `suspect`
beside the value that was taken away, `suspect_value`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence

from inspect_ai.event import Event, ModelEvent, SpanBeginEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from otherwords.core.contract import (
    EXTERNAL_AGENT,
    INVALID_FORMAT,
    NO_MODEL_CALL,
    NO_RESPONSE,
    SWALLOWED_ERRORS,
    WORDING_NOT_SEEN,
)

__all__ = ["mark_invalid"]

SUSPECT, SUSPECT_VALUE = "suspect", "suspect_value"
_CANCELLED = "model call cancelled"
"""In the error of a call that the solver itself broke off."""


def mark_invalid(
    scorers: Sequence[Scorer],
    *,
    expect_model: bool = True,
    is_undelivered: Callable[[], bool] = lambda: False,
) -> list[Scorer]:
    """The same scorers, but a sample whose score would be invalid is not scored by them.

    `expect_model` is false for a task whose solver rightly asks no model. External agents ask their own, and
    are known by their mark in the sample's metadata. `is_undelivered` says of the sample that is being scored
    whether its prompt never reached the model.
    """

    def marking(score: Scorer) -> Scorer:
        @functools.wraps(score)
        async def marked(state: TaskState, target: Target) -> Score | None:
            given = await score(state, target)
            if given is None or _is_unscored(given):
                return given
            reason = _invalid_reason(state, transcript().events, expect_model)
            reason = reason or (WORDING_NOT_SEEN if is_undelivered() else _format_failure(state, given))
            return given if reason is None else _unscored(given, reason)

        return marked

    return [marking(score) for score in scorers]


def _is_unscored(given: Score) -> bool:
    return isinstance(given.value, float) and math.isnan(given.value)


def _unscored(given: Score, reason: str) -> Score:
    return Score.unscored(
        reason=reason,
        answer=given.answer,
        explanation=given.explanation,
        metadata={**(given.metadata or {}), SUSPECT: reason, SUSPECT_VALUE: given.value},
    )


def _invalid_reason(state: TaskState, events: Iterable[Event], expect_model: bool) -> str | None:
    """From what happened in the sample before it was scored."""
    calls = _calls_of_solver(events)
    if any(_is_lost(call, calls[place + 1 :]) for place, call in enumerate(calls)):
        return SWALLOWED_ERRORS
    external = bool(state.metadata.get(EXTERNAL_AGENT))
    if not calls and not external and expect_model:
        return NO_MODEL_CALL
    if (calls or external) and not state.output.completion.strip() and not any(map(_has_content, calls)):
        return NO_RESPONSE
    return None


def _calls_of_solver(events: Iterable[Event]) -> list[ModelEvent]:
    calls = []
    for event in events:
        if isinstance(event, SpanBeginEvent) and event.name == "scorers" and event.parent_id is None:
            break  # what follows are the scorers' own calls
        if isinstance(event, ModelEvent):
            calls.append(event)
    return calls


def _is_lost(call: ModelEvent, later: Sequence[ModelEvent]) -> bool:
    """Whether a call failed for good: Inspect's retries, and a solver's, ask the same again and succeed."""
    if call.error is None or _CANCELLED in call.error:
        return False
    return not any(other.error is None and _asks_the_same(call, other) for other in later)


def _asks_the_same(one: ModelEvent, other: ModelEvent) -> bool:
    if (one.model, one.role, len(one.input)) != (other.model, other.role, len(other.input)):
        return False
    return all(
        mine.role == theirs.role and mine.text == theirs.text
        for mine, theirs in zip(one.input, other.input, strict=True)
    )


def _has_content(call: ModelEvent) -> bool:
    return bool(call.output.completion.strip()) or any(
        choice.message.tool_calls for choice in call.output.choices
    )


def _format_failure(state: TaskState, given: Score) -> str | None:
    """The reason where an answer that could not be read was scored as a wrong one."""
    if given.reason in (INVALID_FORMAT, NO_RESPONSE):
        return str(given.reason)
    return INVALID_FORMAT if len(state.choices) and given.answer == "" else None
