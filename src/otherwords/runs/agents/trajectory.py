"""Tool calls of a sample, or that an agent tells of → a record in score metadata, events in the log."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.log import transcript
from inspect_ai.model import ChatMessage
from inspect_ai.solver import TaskState

from otherwords.core.contract import MODEL_CALLS_KEY, TOOL_CALLS_KEY
from otherwords.core.secret_patterns import without_keys
from otherwords.core.tool_calls import Call, tool_call_record
from otherwords.core.tool_events import (
    NOTED_BY,
    NOTED_CALLS,
    before_scoring,
    calls_in_actions,
    calls_in_messages,
    calls_in_sample,
)

_WITH_CALLS = frozenset({"tool", "info"})
"""Kinds of events that may tell of a tool call; most samples that are no agent's have none."""


def trajectory_of(state: TaskState) -> dict[str, str | int]:
    """For the metadata of a score: the tools that were called, and how often a model was asked.

    Empty for an agent that calls no tool.
    """
    events = transcript().events
    if _WITH_CALLS.isdisjoint([event.event for event in events]) and not any(map(_may_call, state.messages)):
        return {}
    calls = tool_call_record(calls_in_sample(events, state.messages))
    if not calls:
        return {}
    asked = sum(kind == "model" for kind, _ in before_scoring(events))
    return {TOOL_CALLS_KEY: calls, **({MODEL_CALLS_KEY: asked} if asked else {})}


def _may_call(message: ChatMessage) -> bool:
    return not isinstance(message.content, str) or bool(getattr(message, "tool_calls", None))


def note_calls(calls: Sequence[Call]) -> None:
    """Write the calls that an agent tells of into the transcript, where the log viewer shows them."""
    if calls:
        shown = [json.loads(json.dumps(call, default=str)) for call in calls]
        transcript().info(without_keys({NOTED_CALLS: shown}), source=NOTED_BY)


def note_calls_of_answer(answer: Any) -> None:
    """Note what a HAL agent says of its calls beside its answer: `taken_actions`, or `messages`."""
    if isinstance(answer, Mapping):
        note_calls(calls_in_actions(answer.get("taken_actions")) or calls_in_messages(_list(answer)))


def _list(answer: Mapping[str, Any]) -> list[Any]:
    messages = answer.get("messages")
    return messages if isinstance(messages, list) else []
