"""tau2: a conversation that the agent had no part in is no result of the agent's."""

from __future__ import annotations

import copy
import functools
from typing import Any

from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import CORRECT, Score, Scorer, Target
from inspect_ai.solver import TaskState

from otherwords.runs.agents import tau_bench as hal
from otherwords.runs.progress import SELF_SCORED, UNJUDGED
from otherwords.runs.suspicion import NO_MODEL_CALL, WORDING_NOT_SEEN

__all__ = ["only_where_the_agent_spoke"]

SILENT = "The agent said nothing to the simulated user: it was never asked, or each of its calls failed."
OWN_WORD = "the agent's own reward; its answer has no taken_actions that tau2 could judge"
OTHER_WORDING = "the task in the agent's answer has another instruction than the one that it was given"
NOTHING_DONE = (
    "the agent took no action and wrote nothing to the customer, and the task asks for no change: doing "
    "nothing cannot be told from solving it"
)
UNHEARD = (
    "the database is right, but the task also asks what the customer is told, and the answer has no "
    "messages: neither respond among its taken_actions nor a field messages"
)


def only_where_the_agent_spoke(scorers: list[Scorer]) -> list[Scorer]:
    """The same scorers; they are not asked where the simulated user got no reply.

    tau2 goes on after errors, its user may end a conversation at once, and a task that asks for no change to
    the database is then solved by nobody. An agent of HAL's that has its own user is judged by what it did.
    """

    def guarded(score: Scorer) -> Scorer:
        @functools.wraps(score)
        async def scored(state: TaskState, target: Target) -> Score | None:
            if hal.BASIS in state.metadata:
                return await _by_what_it_did(score, state, target)
            if not _agent_spoke(state):
                return Score.unscored(reason=NO_MODEL_CALL, explanation=SILENT)
            return await score(state, target)

        return scored

    return [guarded(one) for one in scorers]


async def _by_what_it_did(score: Scorer, state: TaskState, target: Target) -> Score | None:
    known, basis = state.metadata, state.metadata[hal.BASIS]
    numbers = (hal.OWN_REWARD, hal.TAKEN, hal.FAILED, hal.SAID)
    about = {name: known[name] for name in numbers if name in known}
    if basis == hal.ACTIONS:
        return await _by_its_actions(score, state, target, about)
    if basis == hal.REWARD:
        return Score(value=known[hal.OWN_REWARD], explanation=OWN_WORD, metadata={**about, SELF_SCORED: True})
    if basis == hal.OTHER_WORDING:
        return _unjudged(WORDING_NOT_SEEN, OTHER_WORDING, about)
    return _unjudged(known[hal.PROBLEM], known[hal.PROBLEM], about)


async def _by_its_actions(
    score: Scorer, state: TaskState, target: Target, about: dict[str, Any]
) -> Score | None:
    to_tell = (state.metadata["task"].get("evaluation_criteria") or {}).get("communicate_info") or []
    is_silent = not about[hal.SAID]
    given = await score(_had_it_told(state, to_tell) if is_silent else state, target)
    if given is None:
        return None
    if is_silent and given.value == CORRECT and to_tell:
        return _unjudged("no messages to the customer", UNHEARD, about)
    if is_silent and given.value == CORRECT and not about[hal.TAKEN]:
        return _unjudged("nothing done", NOTHING_DONE, about)
    given.metadata = {**(given.metadata or {}), **about}
    return given


def _unjudged(reason: str, explanation: str, about: dict[str, Any]) -> Score:
    return Score.unscored(reason=reason, explanation=explanation, metadata={**about, UNJUDGED: True})


def _had_it_told(state: TaskState, to_tell: list[str]) -> TaskState:
    """As if the customer had been told all that the task asks: what is wrong even so is wrong in any case."""
    view = copy.copy(state)
    view.messages = [*state.messages, *(ChatMessageUser(content=text) for text in to_tell)]
    return view


def _agent_spoke(state: TaskState) -> bool:
    """In the simulated user's chat the agent is the user, whose first message is the task's own."""
    at_first = [] if isinstance(state.input, str) else state.input
    return sum(message.role == "user" for message in state.messages) > sum(
        message.role == "user" for message in at_first
    )
