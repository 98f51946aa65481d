"""What goes to llama.cpp, and what is made of its response."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    ResponseSchema,
)
from inspect_ai.tool import ToolCall
from inspect_ai.util import JSONSchema

from otherwords.core.errors import InputError
from otherwords.runs import gguf as provider

NO_TOOLS = (
    "gguf/tiny cannot call tools: this provider exchanges chat messages only\n"
    "For tasks with tools, use another of Inspect's providers, such as ollama or vllm."
)


def body(config: GenerateConfig, grammar: str | None = None) -> dict[str, Any]:
    return provider.request_body([], config, grammar=grammar, cache_prompt=False)


def response(text: str, finish: str = "stop", tokens: int = 3, **message: str) -> dict[str, Any]:
    return {
        "choices": [
            {
                "finish_reason": finish,
                "index": 0,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 10 + tokens},
    }


def test_messages_keep_their_roles_and_order_and_lose_earlier_reasoning() -> None:
    conversation: list[ChatMessage] = [
        ChatMessageSystem(content="Be brief."),
        ChatMessageUser(content=[ContentText(text="One"), ContentText(text="Two")]),
        ChatMessageAssistant(content=[ContentReasoning(reasoning="hm"), ContentText(text="Three")]),
        ChatMessageUser(content="Four"),
    ]
    assert provider.chat_messages("tiny", conversation) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "One\nTwo"},
        {"role": "assistant", "content": "Three"},
        {"role": "user", "content": "Four"},
    ]


@pytest.mark.parametrize(
    "message",
    [
        ChatMessageTool(content="4", tool_call_id="1"),
        ChatMessageAssistant(content="", tool_calls=[ToolCall(id="1", function="add", arguments={})]),
    ],
)
def test_tool_messages_are_refused(message: ChatMessage) -> None:
    with pytest.raises(InputError) as caught:
        provider.chat_messages("tiny", [message])
    assert str(caught.value) == NO_TOOLS


def test_pictures_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        provider.chat_messages(
            "tiny", [ChatMessageUser(content=[ContentImage(image="data:image/png;base64,AA==")])]
        )
    assert str(caught.value) == "gguf/tiny reads text only, and a user message holds image"


def test_what_is_not_set_is_not_sent() -> None:
    assert body(GenerateConfig()) == {"messages": [], "cache_prompt": False}


def test_settings_go_by_llama_cpps_names() -> None:
    config = GenerateConfig(
        temperature=0.0,
        top_p=0.9,
        top_k=5,
        max_tokens=7,
        stop_seqs=["\n"],
        frequency_penalty=0.1,
        presence_penalty=0.2,
        logit_bias={42: -100},
        extra_body={"min_p": 0.3},
    )
    assert body(config) == {
        "messages": [],
        "cache_prompt": False,
        "temperature": 0.0,
        "top_p": 0.9,
        "top_k": 5,
        "max_tokens": 7,
        "stop": ["\n"],
        "frequency_penalty": 0.1,
        "presence_penalty": 0.2,
        "logit_bias": [[42, -100]],
        "min_p": 0.3,
    }


@pytest.mark.parametrize(
    ("config", "sent"),
    [
        (GenerateConfig(logprobs=True), 1),
        (GenerateConfig(logprobs=True, top_logprobs=0), 1),
        (GenerateConfig(logprobs=True, top_logprobs=4), 4),
        (GenerateConfig(top_logprobs=4), 4),
    ],
)
def test_log_probabilities_are_asked_for(config: GenerateConfig, sent: int) -> None:
    asked = body(config)
    assert (asked["logprobs"], asked["top_logprobs"]) == (True, sent)


def test_the_nearest_grammar_wins() -> None:
    schema = ResponseSchema(name="answer", json_schema=JSONSchema(type="string"))
    assert body(GenerateConfig(), grammar="model's")["grammar"] == "model's"

    with_schema = body(GenerateConfig(response_schema=schema), grammar="model's")
    assert with_schema["json_schema"] == {"type": "string"}
    assert "grammar" not in with_schema

    with_extra = body(
        GenerateConfig(response_schema=schema, extra_body={"grammar": "own"}), grammar="model's"
    )
    assert with_extra["grammar"] == "own"
    assert "json_schema" not in with_extra


@pytest.mark.parametrize("name", ["stream", "n", "messages"])
def test_extra_body_cannot_take_over_the_request(name: str) -> None:
    with pytest.raises(InputError) as caught:
        body(GenerateConfig(extra_body={name: 1}))
    assert str(caught.value) == f"extra_body cannot set '{name}' of a gguf/… model"


@given(st.integers(), st.integers(min_value=0, max_value=50))
def test_every_seed_is_one_that_llama_cpp_keeps(seed: int, index: int) -> None:
    first, other = (provider.choice_seed(GenerateConfig(seed=seed), i)["seed"] for i in (index, index + 1))
    assert 0 <= first < 2**32 - 1
    assert first != other


def test_no_seed_stays_no_seed() -> None:
    assert provider.choice_seed(GenerateConfig(), 0) == {}


@pytest.mark.parametrize(
    ("finish", "tokens", "limit", "reason"),
    [
        ("stop", 3, 8, "stop"),
        ("length", 8, 8, "max_tokens"),
        ("length", 5, 8, "model_length"),
        ("length", 5, None, "model_length"),
        ("something new", 3, None, "unknown"),
    ],
)
def test_stop_reasons(finish: str, tokens: int, limit: int | None, reason: str) -> None:
    output = provider.model_output("tiny", [response("x", finish, tokens)], GenerateConfig(max_tokens=limit))
    assert output.stop_reason == reason


def test_choices_are_kept_in_order_and_their_usage_added() -> None:
    output = provider.model_output(
        "tiny", [response("a", tokens=1), response("b", tokens=2)], GenerateConfig()
    )
    assert [choice.message.text for choice in output.choices] == ["a", "b"]
    assert output.usage is not None
    assert (output.usage.input_tokens, output.usage.output_tokens, output.usage.total_tokens) == (20, 3, 23)
    if "input_context_tokens" in type(output).model_fields:  # newer than the oldest Inspect that we take
        assert output.input_context_tokens == 10


def test_reasoning_stays_apart_from_the_answer() -> None:
    output = provider.model_output("tiny", [response("4", reasoning_content="2 and 2")], GenerateConfig())
    assert output.completion == "4"
    assert output.message.content == [ContentReasoning(reasoning="2 and 2"), ContentText(text="4")]
