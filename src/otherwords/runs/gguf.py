"""Inspect's provider of `gguf/smollm2` and `gguf/PATH`: messages → our llama.cpp servers → output.

Importing this loads neither llama.cpp nor the weights.

Same weights, messages and settings give the same text at temperature 0, or with a seed; whatever ran before
and whatever runs beside it. So with a seed every epoch repeats the first: leave the seed out, or give each
epoch its own, when repeats are to differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
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
    ModelAPI,
    ModelCall,
    ModelOutput,
    ModelUsage,
    StopReason,
    TopLogprob,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from otherwords.core.errors import InputError, RunError, UnknownNameError
from otherwords.runs.gguf_servers import (
    EMBEDDED,
    Settings,
    default_threads,
    load_runtime,
    shared_pool,
    weights_path,
)
from otherwords.runs.resolve import click_errors

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
_NOT_IN_EXTRA_BODY = ("stream", "n", "messages")
_READABLE = ("text", "reasoning")
_SEEDS = 2**32 - 1
"""llama.cpp's seeds are below this; this one itself, or -1, would mean a random seed."""
_MODEL_ARGS = ("n_ctx", "n_threads", "n_parallel", "grammar")
_limiters: RunVar[dict[Settings, CapacityLimiter]] = RunVar("otherwords_gguf_limiters")


class GgufAPI(ModelAPI):
    """Inspect's model `gguf/smollm2` or `gguf/PATH`, made by `get_model` or `--model`.

    Args:
        model_name: `smollm2` for the embedded weights, or the path of a .gguf file.
        base_url: Must be None: the model runs in this process.
        api_key: Not used.
        config: Inspect's settings of generation.
        n_ctx: Tokens of prompt and answer together, for each request.
        n_threads: Threads for each request; by default the cores are shared out.
        n_parallel: Requests at a time.
        grammar: What answers must look like: GBNF, or the path of a .gbnf file.
        unknown: Any other argument is refused.

    Raises:
        InputError: An argument is wrong, or the file is no GGUF file.
        MissingDependencyError: llama.cpp or the embedded weights are not installed.
    """

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        n_ctx: int = 4096,
        n_threads: int | None = None,
        n_parallel: int = 2,
        grammar: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())
        with click_errors():
            if base_url is not None:
                raise InputError(
                    f"gguf/{model_name} runs in this process and has no address, got {base_url}",
                    hint="A model that a server offers is openai-api/NAME/MODEL, vllm/MODEL or ollama/MODEL.",
                )
            for name in unknown:
                raise UnknownNameError("model argument", name, _MODEL_ARGS)
            _require_count("n_ctx", n_ctx, least=0)
            _require_count("n_parallel", n_parallel, least=1)
            _require_count("n_threads", n_threads, least=1, optional=True)
            self.grammar = _grammar_text(grammar)
            load_runtime()
            path = weights_path(model_name)
        self.settings = Settings(path, n_ctx, n_threads or default_threads(n_parallel), n_parallel)
        self._pool = shared_pool(self.settings)

    async def generate(
        self,
        input: list[ChatMessage],
        tools: list[ToolInfo],
        tool_choice: ToolChoice,
        config: GenerateConfig,
    ) -> tuple[ModelOutput, ModelCall]:
        if tools:
            raise no_tools(self.model_name)
        messages = chat_messages(self.model_name, input)
        body = request_body(
            messages, config, grammar=self.grammar, cache_prompt=self._reuses_prefixes(config)
        )
        bodies = [choice_seed(config, index) | body for index in range(config.num_choices or 1)]
        responses: list[dict[str, Any]] = []
        for own_body in bodies:
            response = await self._chat(own_body)
            if "error" in response:
                return self._without_answer(response["error"]), ModelCall.create(own_body, response)
            responses.append(response)
        output = model_output(self.model_name, responses, config)
        return output, ModelCall.create(bodies[0], merged(responses))

    async def count_tokens(self, input: str | list[ChatMessage], config: GenerateConfig | None = None) -> int:
        """Of messages with what the model's chat template puts around them, of text without."""
        if isinstance(input, str):
            return await self.count_text_tokens(input)
        messages = chat_messages(self.model_name, input)
        return await to_thread.run_sync(self._pool.count_chat_tokens, messages)

    async def count_text_tokens(self, text: str) -> int:
        return len(await self.tokenize(text))

    async def tokenize(self, text: str) -> list[int]:
        return await to_thread.run_sync(self._pool.tokenize, text)

    def max_connections(self) -> int:
        return self.settings.n_parallel

    def connection_key(self) -> str:
        return str(self.settings)

    def _reuses_prefixes(self, config: GenerateConfig) -> bool:
        """By default only where it is known to change no bit: other quantisations have other kernels."""
        if isinstance(config.cache_prompt, bool):
            return config.cache_prompt
        return self.model_name == EMBEDDED

    def _without_answer(self, error: dict[str, Any]) -> ModelOutput:
        if error["type"] == "exceed_context_size_error":
            return overflow(self.model_name, error)
        if "grammar" in error["message"]:
            raise InputError(
                "llama.cpp cannot parse the grammar",
                hint='It expects GBNF, such as: root ::= "yes" | "no"',
            )
        raise RunError(f"gguf/{self.model_name}: {error['message']}")

    async def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        """Inspect may send many requests; those beyond `n_parallel` wait here, where it can cancel them."""
        limiters = _limiters.get({})
        if self.settings not in limiters:
            limiters[self.settings] = CapacityLimiter(self.settings.n_parallel)
            _limiters.set(limiters)
        return await to_thread.run_sync(self._pool.chat, body, limiter=limiters[self.settings])


def _require_count(name: str, value: Any, *, least: int, optional: bool = False) -> None:
    if optional and value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InputError(f"the model argument {name} must be a whole number from {least}, got {value!r}")


def _grammar_text(grammar: Any) -> str | None:
    if grammar is None:
        return None
    if not isinstance(grammar, str):
        raise InputError(
            f"the model argument grammar must be text, got {grammar!r}",
            hint="Inspect's command line splits text at commas; name a file instead: grammar=FILE.gbnf.",
        )
    if not grammar.endswith(".gbnf"):
        return grammar
    path = Path(grammar).expanduser()
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read the grammar: {error.strerror}", file=path) from error


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
    for name in _NOT_IN_EXTRA_BODY:
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


@modelapi(name="gguf")
def gguf() -> type[ModelAPI]:
    """The provider of `gguf/…` models, for Inspect's entry point."""
    return GgufAPI
