"""Results that look like scores and are none: marked in the log, so that nobody counts them.

A solver that catches its model's errors goes on with nothing, and a scorer that finds an unchanged world may
call that a success. Such a sample gets `Score.unscored()` with the reason, and its scorer is not asked.
"""

from __future__ import annotations

import functools

from inspect_ai.event import ModelEvent
from inspect_ai.log import transcript
from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from otherwords.runs.agents.errors import EXTERNAL_AGENT

NO_MODEL_CALL = "no_model_call"
CALLS_FAILED = "model_calls_failed"
_FORMAT_REASONS = frozenset({"invalid_response_format", "no_response"})


def without_suspects(scorers: list[Scorer]) -> list[Scorer]:
    """The scorers, asked only about samples in which a model really answered."""
    suspicions: dict[str, Score | None] = {}

    def guarded(score: Scorer) -> Scorer:
        @functools.wraps(score)
        async def scored(state: TaskState, target: Target) -> Score | None:
            # Once for each sample: a grading model's calls are no calls of the solver's.
            if state.uuid not in suspicions:
                suspicions[state.uuid] = _suspicion(state)
            suspicion = suspicions[state.uuid]
            return suspicion if suspicion is not None else _unreadable_unscored(await score(state, target))

        return scored

    return [guarded(one) for one in scorers]


def _suspicion(state: TaskState) -> Score | None:
    if state.metadata.get(EXTERNAL_AGENT) or str(state.model).startswith("none/"):
        return None
    calls = [event for event in transcript().events if isinstance(event, ModelEvent)]
    if not calls:
        return Score.unscored(reason=NO_MODEL_CALL, explanation="The solver ended without any model call.")
    if calls[-1].error is not None:
        failed = sum(call.error is not None for call in calls)
        return Score.unscored(
            reason=CALLS_FAILED,
            explanation=f"{failed} of {len(calls)} model calls failed, the last one too, and the solver went "
            f"on as if nothing had happened: {calls[-1].error}",
        )
    return None


def _unreadable_unscored(score: Score | None) -> Score | None:
    """An answer whose format failed is not a wrong answer."""
    if score is None or score.reason not in _FORMAT_REASONS or score.value != score.value:
        return score
    return Score.unscored(
        reason=score.reason, answer=score.answer, explanation=score.explanation, metadata=score.metadata
    )
