"""tau2: a conversation that the agent had no part in is no result of the agent's."""

from __future__ import annotations

import functools

from inspect_ai.scorer import Score, Scorer, Target
from inspect_ai.solver import TaskState

from otherwords.runs.suspicion import NO_MODEL_CALL

__all__ = ["only_where_the_agent_spoke"]

SILENT = "The agent said nothing to the simulated user: it was never asked, or each of its calls failed."


def only_where_the_agent_spoke(scorers: list[Scorer]) -> list[Scorer]:
    """The same scorers; they are not asked where the simulated user got no reply.

    tau2 goes on after errors, its user may end a conversation at once, and a task that asks for no change to
    the database is then solved by nobody.
    """

    def guarded(score: Scorer) -> Scorer:
        @functools.wraps(score)
        async def scored(state: TaskState, target: Target) -> Score | None:
            if not _agent_spoke(state):
                return Score.unscored(reason=NO_MODEL_CALL, explanation=SILENT)
            return await score(state, target)

        return scored

    return [guarded(one) for one in scorers]


def _agent_spoke(state: TaskState) -> bool:
    """In the simulated user's chat the agent is the user, whose first message is the task's own."""
    at_first = [] if isinstance(state.input, str) else state.input
    return sum(message.role == "user" for message in state.messages) > sum(
        message.role == "user" for message in at_first
    )
