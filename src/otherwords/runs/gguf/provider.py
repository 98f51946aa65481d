"""`gguf/smollm2` and `gguf/PATH` as an Inspect model API.

Same weights, messages and settings give the same text at temperature 0, or with a seed; whatever ran before
and whatever runs beside it. So with a seed every epoch repeats the first: leave the seed out, or give each
epoch its own, when repeats are to differ.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar
from inspect_ai.model import ChatMessage, GenerateConfig, ModelAPI, ModelCall, ModelOutput
from inspect_ai.tool import ToolChoice, ToolInfo

from otherwords.core.errors import InputError, RunError, UnknownNameError
from otherwords.runs.gguf import wire
from otherwords.runs.gguf.servers import Settings, default_threads, shared_pool
from otherwords.runs.gguf.told import told_as_one_message
from otherwords.runs.gguf.weights import EMBEDDED, load_runtime, weights_path

_MODEL_ARGS = ("n_ctx", "n_threads", "n_parallel", "grammar")
_limiters: RunVar[dict[Settings, CapacityLimiter]] = RunVar("otherwords_gguf_limiters")


class GgufAPI(ModelAPI):
    """Model args: `n_ctx`, `n_threads` and `n_parallel` (see Settings), `grammar` (GBNF, or a .gbnf file)."""

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
        with told_as_one_message():
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
            raise wire.no_tools(self.model_name)
        messages = wire.chat_messages(self.model_name, input)
        body = wire.request_body(
            messages, config, grammar=self.grammar, cache_prompt=self._reuses_prefixes(config)
        )
        bodies = [wire.choice_seed(config, index) | body for index in range(config.num_choices or 1)]
        responses: list[dict[str, Any]] = []
        for own_body in bodies:
            response = await self._chat(own_body)
            if "error" in response:
                return self._without_answer(response["error"]), ModelCall.create(own_body, response)
            responses.append(response)
        output = wire.model_output(self.model_name, responses, config)
        return output, ModelCall.create(bodies[0], wire.merged(responses))

    async def count_tokens(self, input: str | list[ChatMessage], config: GenerateConfig | None = None) -> int:
        """Of messages with what the model's chat template puts around them, of text without."""
        if isinstance(input, str):
            return await self.count_text_tokens(input)
        messages = wire.chat_messages(self.model_name, input)
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
            return wire.overflow(self.model_name, error)
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
