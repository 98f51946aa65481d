"""What an agent gave back (text, chat, JSON, object) → its answer, messages and tool calls as Inspect's.

A chat's messages are those of OpenAI's API or of LangChain, as mappings or as objects. Its tool calls become
Inspect's, and are part of the sample like those of an Inspect agent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolCall, ToolCallError

from otherwords.runs.agents import AgentError, shortened

_ANSWERS = ("answer", "response", "final_output", "output", "result", "completion", "text", "content")
"""Fields of an object, or attributes, that hold the answer; the first that there is counts."""
_AGENT_ROLES = frozenset({"assistant", "ai", "agent", "model", "AIMessageChunk"})
_ROLES = ("role", "type")


class Reply(NamedTuple):
    """An agent's answer, and the messages before it."""

    text: str
    messages: list[ChatMessage]


def read_reply(given: Any) -> Reply:
    """The answer in what an agent gave back; an AgentError where there is none.

    Example:
        >>> from otherwords.runs.agents.replies import read_reply
        >>> read_reply([{"role": "user", "content": "2 + 2?"}, {"role": "assistant", "content": "4"}]).text
        '4'
        >>> read_reply({"answer": "4"}).text
        '4'
    """
    if isinstance(given, str):
        return Reply(given, [])
    chat = given if isinstance(given, list | tuple) else _field(given, "messages")
    if isinstance(chat, list | tuple) and chat and all(map(_is_message, chat)):
        said = None if chat is given else _answer(given)
        return _read_chat(chat, said)
    answer = _answer(given)
    if answer is None:
        raise AgentError(f"returned {_described(given)}, not text")
    return Reply(answer, [])


def _read_chat(chat: Sequence[Any], answer: str | None) -> Reply:
    own = [place for place, one in enumerate(chat) if _role(one) in _AGENT_ROLES]
    with_text = [place for place in own if _text(_field(chat[place], "content"))]
    if answer is None and not with_text:
        raise AgentError(f"returned {len(chat)} messages, none of which is an answer of the agent's")
    text = answer if answer is not None else str(_text(_field(chat[with_text[-1]], "content")))
    last = with_text[-1] if with_text and not _calls(chat[with_text[-1]]) else len(chat)
    return Reply(text, [read for one in chat[:last] if (read := _as_inspect(one)) is not None])


def _answer(given: Any) -> str | None:
    """The text in it, if there is one."""
    choices = _field(given, "choices")
    if isinstance(choices, list) and choices:
        return _text(_field(_field(choices[0], "message"), "content")) or _text(_field(choices[0], "text"))
    found = next((value for name in _ANSWERS if (value := _field(given, name)) is not None), None)
    if isinstance(found, Mapping) or not isinstance(found, str | list | int | float | None):
        return _answer(found)
    if isinstance(found, int | float) and isinstance(given, Mapping):
        return str(found)
    return _text(found)


def _text(content: Any) -> str | None:
    """A message's content: text, or parts of which some are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else _field(part, "text") for part in content]
        return "".join(part for part in parts if isinstance(part, str)) or None
    return None


def _as_inspect(one: Any) -> ChatMessage | None:
    """An agent's message or a tool's; what the agent was asked is in the sample already."""
    text, role = _text(_field(one, "content")) or "", _role(one)
    if role in _AGENT_ROLES:
        return ChatMessageAssistant(content=text, tool_calls=_calls(one) or None)
    if role == "tool":
        failed = _field(one, "status") == "error"
        return ChatMessageTool(
            content=text,
            tool_call_id=_optional_text(_field(one, "tool_call_id")),
            function=_optional_text(_field(one, "name")),
            error=ToolCallError("unknown", shortened(text)) if failed else None,
        )
    return None


def _calls(message: Any) -> list[ToolCall]:
    calls = []
    for place, one in enumerate(_field(message, "tool_calls") or ()):
        function = _field(one, "function")
        name = function if isinstance(function, str) else _field(function, "name") or _field(one, "name")
        given = [_field(function, "arguments"), _field(one, "args"), _field(one, "arguments")]
        if isinstance(name, str):
            arguments: Any = next((value for value in given if value is not None), {})
            calls.append(
                ToolCall(
                    id=str(_field(one, "id") or f"call-{place}"),
                    function=name,
                    arguments=_arguments(arguments),
                )
            )
    return calls


def _arguments(given: Any) -> dict[str, Any]:
    """OpenAI's are a text of JSON."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {"arguments": given}
    return dict(given) if isinstance(given, Mapping) else {"arguments": given}


def _is_message(one: Any) -> bool:
    return _role(one) is not None and (
        _field(one, "content") is not None or bool(_field(one, "tool_calls")) or isinstance(one, Mapping)
    )


def _role(one: Any) -> str | None:
    return next((role for name in _ROLES if isinstance(role := _field(one, name), str)), None)


def _field(thing: Any, name: str) -> Any:
    if isinstance(thing, Mapping):
        return thing.get(name)
    value = getattr(thing, name, None)
    return None if callable(value) else value


def _optional_text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _described(given: Any) -> str:
    if isinstance(given, Mapping):
        names = ", ".join(f"'{name}'" for name in list(given)[:5])
        return f"an object with {names or 'nothing'}"
    return type(given).__name__
