"""Events and messages of a sample (Inspect's, OpenAI's, LangChain's, Anthropic's, HAL's) → its tool calls."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from otherwords.core.tool_calls import Call

NOTED_BY, NOTED_CALLS = "otherwords", "tool_calls"
"""Source and key of an event in which a run notes what an agent says that it called."""


def before_scoring(events: Any) -> Iterator[tuple[Any, Any]]:
    """The events of a sample that are not its scorers', each with its kind."""
    for event in events or ():
        kind = field_of(event, "event")
        if kind == "span_begin" and field_of(event, "name") == "scorers" and not field_of(event, "parent_id"):
            return
        yield kind, event


def calls_in_sample(events: Any, messages: Any) -> list[Call]:
    """The calls of a sample, from what Inspect keeps of it: its own objects, or their JSON.

    Args:
        events: What happened, in order; of tools what was executed counts, and what an agent of ours says
            that it called. What a simulated user calls is not the agent's.
        messages: What was said. Where no event is of a tool, what the model asked for in them counts.
    """
    calls: list[Call] = []
    of_user: set[Any] = set()
    for kind, event in before_scoring(events):
        if kind == "model" and field_of(event, "role") == "user":
            choices = field_of(field_of(event, "output"), "choices") or ()
            asked = [field_of(field_of(one, "message"), "tool_calls") or () for one in choices]
            of_user |= {field_of(call, "id") for some in asked for call in some} - {None}
        elif kind == "info" and field_of(event, "source") == NOTED_BY:
            data = field_of(event, "data")
            noted = data.get(NOTED_CALLS) if isinstance(data, Mapping) else None
            calls += [Call(*one) for one in noted or ()]
        elif kind == "tool" and field_of(event, "id") not in of_user:
            about = [field_of(event, name) for name in ("function", "arguments", "error", "result")]
            calls += [Call(about[0], about[1], about[2] is not None, about[3])] if about[0] else []
    return calls or calls_in_messages(messages)


def calls_in_messages(messages: Any) -> list[Call]:
    """The tool calls in a list of messages: Inspect's, OpenAI's, LangChain's or Anthropic's.

    Example:
        >>> from otherwords.core.tool_events import calls_in_messages
        >>> asked = {"id": "1", "function": {"name": "find", "arguments": '{"day": "May 4"}'}}
        >>> answered = {"role": "tool", "tool_call_id": "1", "content": "2 flights"}
        >>> calls_in_messages([{"role": "assistant", "tool_calls": [asked]}, answered])
        [Call(tool='find', arguments={'day': 'May 4'}, failed=False, result='2 flights')]
    """
    calls: list[tuple[Any, str, Any]] = []
    results: dict[Any, tuple[bool, Any]] = {}
    for message in messages or ():
        blocks = field_of(message, "content")
        blocks = blocks if isinstance(blocks, list) else ()
        used = [block for block in blocks if field_of(block, "type") == "tool_use"]
        calls += [
            read for call in (*(field_of(message, "tool_calls") or ()), *used) if (read := _asked(call))
        ]
        for answer in (message, *blocks):
            place = field_of(answer, "tool_call_id") or field_of(answer, "tool_use_id")
            if place is not None:
                failed = field_of(answer, "error") or field_of(answer, "is_error")
                failed = bool(failed) or field_of(answer, "status") == "error"
                results[place] = (failed, content_text(field_of(answer, "content")))
    return [Call(tool, arguments, *results.get(place, (False, None))) for place, tool, arguments in calls]


def _asked(call: Any) -> tuple[Any, str, Any] | None:
    """Id, tool and arguments of a call, by the names that each library has for them; None if it has none."""
    function = field_of(call, "function")
    inner = call if function is None or isinstance(function, str) else function
    named = function if isinstance(function, str) else field_of(inner, "name")
    found = (field_of(inner, name) for name in ("arguments", "args", "input"))
    arguments: Any = next((one for one in found if one is not None), {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            arguments = {"": arguments}
    return (field_of(call, "id"), named, arguments) if isinstance(named, str) else None


def calls_in_actions(actions: Any) -> list[Call]:
    """HAL's `taken_actions`, a list of `{"name", "kwargs"}`; messages to the customer are no tool calls."""
    found = [one for one in actions if isinstance(one, Mapping)] if isinstance(actions, list) else []
    return [
        Call(str(one["name"]), one.get("kwargs", one.get("arguments")) or {})
        for one in found
        if isinstance(one.get("name"), str) and one["name"] != "respond"
    ]


def content_text(content: Any) -> Any:
    """A message's content as text where it is text in blocks."""
    if not isinstance(content, list):
        return content
    parts = [one if isinstance(one, str) else field_of(one, "text") for one in content]
    return "\n".join(part for part in parts if isinstance(part, str))


def field_of(thing: Any, name: str) -> Any:
    """`thing.name`, or `thing["name"]` of its JSON; None where there is none."""
    return thing.get(name) if isinstance(thing, dict) else getattr(thing, name, None)
