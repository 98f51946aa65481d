"""Inspect's messages and settings as llama.cpp's request, and its response as Inspect's output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    Content,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Logprob,
    Logprobs,
    ModelOutput,
    ModelUsage,
    StopReason,
    TopLogprob,
)

from otherwords.core.errors import InputError

_SETTINGS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "max_tokens": "max_tokens",
    "stop_seqs": "stop",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
"""Inspect's name → llama.cpp's. What is not set keeps llama.cpp's default (temperature 0.8)."""
_OURS = ("stream", "n", "messages")
_READABLE = ("text", "reasoning")
_SEEDS = 2**32 - 1
"""llama.cpp's seeds are below this; this one itself, or -1, would mean a random seed."""


def chat_messages(model: str, messages: Sequence[ChatMessage]) -> list[dict[str, str]]:
    for message in messages:
        if message.role == "tool" or (isinstance(message, ChatMessageAssistant) and message.tool_calls):
            raise no_tools(model)
        if not isinstance(message.content, str):
            for part in message.content:
                if part.type not in _READABLE:
                    raise InputError(
                        f"gguf/{model} reads text only, and a {message.role} message holds {part.type}"
                    )
    return [{"role": message.role, "content": message.text} for message in messages]


def no_tools(model: str) -> InputError:
    return InputError(
        f"gguf/{model} cannot call tools: this provider exchanges chat messages only",
        hint="For tasks with tools, use another of Inspect's providers, such as ollama or vllm.",
    )


def request_body(
    messages: list[dict[str, str]], config: GenerateConfig, *, grammar: str | None, cache_prompt: bool
) -> dict[str, Any]:
    """`extra_body` wins; of the ways to say a grammar, the response schema comes before `grammar`."""
    extra = config.extra_body or {}
    for name in _OURS:
        if name in extra:
            raise InputError(f"extra_body cannot set '{name}' of a gguf/… model")
    body: dict[str, Any] = {"messages": messages, "cache_prompt": cache_prompt}
    for ours, theirs in _SETTINGS.items():
        value = getattr(config, ours)
        if value is not None:
            body[theirs] = value
    if config.logit_bias:
        body["logit_bias"] = [[token, bias] for token, bias in config.logit_bias.items()]
    if config.logprobs or config.top_logprobs:
        body["logprobs"] = True
        body["top_logprobs"] = max(1, config.top_logprobs or 0)  # 0 would switch them off altogether
    if "grammar" not in extra and "json_schema" not in extra:
        if config.response_schema is not None:
            body["json_schema"] = config.response_schema.json_schema.model_dump(exclude_none=True)
        elif grammar is not None:
            body["grammar"] = grammar
    return body | extra


def choice_seed(config: GenerateConfig, index: int) -> dict[str, int]:
    """A seed for each choice, so that they differ; none where none was asked for."""
    return {} if config.seed is None else {"seed": (config.seed + index) % _SEEDS}


def merged(responses: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Responses to the same prompt as one, with a choice from each and the usage of all."""
    first = responses[0]
    completion = sum(response["usage"]["completion_tokens"] for response in responses)
    prompt = sum(response["usage"]["prompt_tokens"] for response in responses)
    usage = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return {**first, "choices": [response["choices"][0] for response in responses], "usage": usage}


def overflow(model: str, error: Mapping[str, Any]) -> ModelOutput:
    """The prompt did not fit: no answer, and the reason that Inspect has for it."""
    output = ModelOutput.from_content(
        model, "", stop_reason="model_length", error=f"gguf/{model}: {error['message']}"
    )
    output.usage = ModelUsage(input_tokens=error["n_prompt_tokens"], total_tokens=error["n_prompt_tokens"])
    return output


def model_output(model: str, responses: Sequence[Mapping[str, Any]], config: GenerateConfig) -> ModelOutput:
    usage = merged(responses)["usage"]
    return ModelOutput(
        model=model,
        choices=[_choice(model, response, config) for response in responses],
        usage=ModelUsage(
            input_tokens=usage["prompt_tokens"],
            output_tokens=usage["completion_tokens"],
            total_tokens=usage["total_tokens"],
        ),
        input_context_tokens=responses[0]["usage"]["prompt_tokens"],
    )


def _choice(model: str, response: Mapping[str, Any], config: GenerateConfig) -> ChatCompletionChoice:
    choice = response["choices"][0]
    message = choice["message"]
    text = message.get("content") or ""
    content: str | list[Content] = text
    if message.get("reasoning_content"):
        content = [ContentReasoning(reasoning=message["reasoning_content"]), ContentText(text=text)]
    return ChatCompletionChoice(
        message=ChatMessageAssistant(content=content, model=model, source="generate"),
        stop_reason=_stop_reason(choice["finish_reason"], response["usage"], config),
        logprobs=_logprobs(choice, config),
    )


def _stop_reason(finish: str, usage: Mapping[str, int], config: GenerateConfig) -> StopReason:
    if finish == "stop":
        return "stop"
    if finish == "length":
        limited = config.max_tokens is not None and usage["completion_tokens"] >= config.max_tokens
        return "max_tokens" if limited else "model_length"
    return "unknown"


def _logprobs(choice: Mapping[str, Any], config: GenerateConfig) -> Logprobs | None:
    if "logprobs" not in choice:
        return None
    return Logprobs(
        content=[
            Logprob(
                token=token["token"],
                logprob=token["logprob"],
                bytes=token["bytes"],
                top_logprobs=[TopLogprob.model_validate(top) for top in token["top_logprobs"]]
                if config.top_logprobs
                else None,
            )
            for token in choice["logprobs"]["content"]
        ]
    )
