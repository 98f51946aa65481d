"""One call to a paraphrasing model: which model, its cache, what it cost and what went wrong.

What is wrong with one item stays with the item (`Unanswered`). What is wrong with the model itself (no key,
no such model, refused access, ten failed calls in a row) stops everything: every item would go missing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache as once
from typing import TYPE_CHECKING, NamedTuple

from otherwords.core.contract import DEFAULT_PARAPHRASER
from otherwords.core.errors import InputError, MissingDependencyError, OtherwordsError, RunError
from otherwords.variants.llm.prompt import KEY, Request

if TYPE_CHECKING:
    from inspect_ai.model import GenerateConfig, Model, ModelOutput

PARAPHRASER = "paraphraser"
"""The model role that is asked when no model is named."""
MOST_FAILURES = 10
"""Failed calls in a row after which the model is held to be down."""
_RETRIES = 5
_SEEDS = 2**31
_REFUSED = (401, 403, 404)
_NO_SCHEMAS = re.compile(r"response_format|response_schema|json_schema|structured output", re.IGNORECASE)


@dataclass
class Counts:
    """What a batch asked for, what it cost and what became of it."""

    calls: int = 0
    """That reached the model."""
    cached: int = 0
    """That the cache answered instead."""
    errors: int = 0
    """Calls that failed."""
    input_tokens: int = 0
    output_tokens: int = 0
    """Tokens of the calls that reached the model."""
    accepted: int = 0
    missing: int = 0
    unused: int = 0
    """Rewordings beyond those that were wanted."""
    rejected: Counter[str] = field(default_factory=Counter)
    """Rewordings by the first check that they failed."""
    undecided: Counter[str] = field(default_factory=Counter)
    """Rewordings that nobody decided on, by the first check that asks for a look."""
    bad_replies: Counter[str] = field(default_factory=Counter)
    """Replies that as a whole were not what was asked for, by what was wrong."""

    def add(self, other: Counts) -> None:
        for name in (
            *("calls", "cached", "errors", "input_tokens", "output_tokens"),
            *("accepted", "missing", "unused", "rejected", "undecided", "bad_replies"),
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Reply(NamedTuple):
    """What the model wrote, why it stopped when that was not at the end, and whether the cache had it."""

    text: str
    stopped: str
    cached: bool = False


class Unanswered(Exception):
    """This call failed; another may not."""


class Asker:
    def __init__(self, model: Model, *, seed: int, cache: bool, counts: Counts) -> None:
        self.model, self.seed, self.cache, self.counts = model, seed, cache, counts
        self._structured = True
        self._failures_in_a_row = 0

    @property
    def name(self) -> str:
        return str(self.model)

    async def ask(self, request: Request, attempt: int = 1) -> Reply:
        """What the model answered.

        Each attempt has a seed of its own, and so its own place in the cache.
        """
        from inspect_ai.util import LimitExceededError

        structured = self._structured
        try:
            output, cached = await self._generate(request, attempt)
        except LimitExceededError:
            raise
        except Exception as error:
            if structured and _NO_SCHEMAS.search(str(error)):
                self._structured = False
                return await self.ask(request, attempt)
            raise self._failed(error) from error
        self._failures_in_a_row = 0
        return Reply(output.completion, _stopped(output), cached)

    async def _generate(self, request: Request, attempt: int) -> tuple[ModelOutput, bool]:
        """Its output, and whether the cache had it."""
        from inspect_ai.model import CachePolicy, ChatMessageSystem, ChatMessageUser

        _watch_cache()
        hits: list[str] = []
        token = _cache_hits.set(hits)
        try:
            output = await self.model.generate(
                [ChatMessageSystem(content=request.system), ChatMessageUser(content=request.user)],
                config=self._config(attempt),
                cache=CachePolicy(expiry=None, per_epoch=False) if self.cache else False,
            )
        finally:
            _cache_hits.reset(token)
        if hits:
            self.counts.cached += 1
            return output, True
        self.counts.calls += 1
        if output.usage is not None:
            self.counts.input_tokens += output.usage.input_tokens
            self.counts.output_tokens += output.usage.output_tokens
        return output, False

    def _config(self, attempt: int) -> GenerateConfig:
        from inspect_ai.model import GenerateConfig, ResponseSchema
        from inspect_ai.util import JSONSchema

        texts = JSONSchema(type="array", items=JSONSchema(type="string"))
        schema = JSONSchema(
            type="object", properties={KEY: texts}, required=[KEY], additionalProperties=False
        )
        own = self.model.config
        return GenerateConfig(
            seed=(self.seed + attempt - 1) % _SEEDS,
            max_retries=_RETRIES if own.max_retries is None and own.timeout is None else None,
            response_schema=ResponseSchema(name=KEY, json_schema=schema, strict=True)
            if self._structured
            else None,
        )

    def _failed(self, error: Exception) -> Exception:
        self.counts.errors += 1
        self._failures_in_a_row += 1
        if isinstance(error, (InputError, MissingDependencyError)):
            return error
        said = _said(error)
        if _is_setup(error):
            return RunError(f"cannot ask {self.name} for rewordings: {said}")
        if self._failures_in_a_row >= MOST_FAILURES:
            return RunError(
                f"{MOST_FAILURES} calls to {self.name} failed in a row, the last one with: {said}\n"
                + ("Replies so far are cached; run it again to go on." if self.cache else "")
            )
        return Unanswered(said)


def paraphraser(model: str | Model | None) -> str | Model:
    """`model`, or else the model role `paraphraser`, or else the default model."""
    from inspect_ai.model import model_roles

    if model is not None:
        return model
    role = model_roles().get(PARAPHRASER)
    return (role[0] if isinstance(role, list) else role) or DEFAULT_PARAPHRASER


@asynccontextmanager
async def asking(
    model: str | Model | None, *, seed: int, cache: bool, counts: Counts
) -> AsyncIterator[Asker]:
    """With `model`, or the paraphraser where none is named.

    A model that is given by name gets a client of its own, closed at the end: clients keep connections that
    only work in the event loop that opened them.
    """
    from inspect_ai.model import Model, get_model

    model = paraphraser(model)
    if isinstance(model, Model):
        yield Asker(model, seed=seed, cache=cache, counts=counts)
        return
    try:
        opened = get_model(model, memoize=False)
    except OtherwordsError:
        raise
    except Exception as error:
        raise InputError(f"cannot use the model '{model}' to reword: {_said(error, named=False)}") from error
    async with opened:
        yield Asker(opened, seed=seed, cache=cache, counts=counts)


def _stopped(output: ModelOutput) -> str:
    if output.empty:
        return output.error or "no reply"
    reason = output.stop_reason
    if reason == "content_filter":
        return "stopped by the provider's content filter"
    return output.error or ("" if reason in ("stop", "unknown", "tool_calls") else f"stopped: {reason}")


def _is_setup(error: Exception) -> bool:
    """Whether the next call would fail in the same way, whatever it asks."""
    statuses = [getattr(error, "status_code", None), getattr(error, "code", None)]
    statuses.append(getattr(getattr(error, "response", None), "status_code", None))
    return (
        any(status in _REFUSED for status in statuses if isinstance(status, int))
        or isinstance(error, (ImportError, NotImplementedError))
        or _is_prerequisite(error)
    )


def _said(error: Exception, *, named: bool = True) -> str:
    line = " ".join((_plain(str(error)) if _is_prerequisite(error) else str(error)).split())
    if not line:
        return type(error).__name__
    return f"{type(error).__name__}: {line}" if named and not _is_prerequisite(error) else line


def _is_prerequisite(error: Exception) -> bool:
    """Inspect's own error for a missing key or package, which it does not export."""
    return any(kind.__name__ == "PrerequisiteError" for kind in type(error).__mro__)


def _plain(message: str) -> str:
    """Inspect writes these messages for its own console."""
    from rich.text import Text

    return Text.from_markup(message).plain.removeprefix("ERROR: ")


_cache_hits: ContextVar[list[str] | None] = ContextVar("otherwords_cache_hits", default=None)


@once
def _watch_cache() -> None:
    """Inspect tells of a cache hit only to its hooks. This one listens during our own calls."""
    from inspect_ai.hooks import Hooks, ModelCacheUsageData, hooks

    @hooks(name="otherwords_cache_hits", description="Counts the rewordings that the cache had.")
    class _CacheHits(Hooks):  # pyright: ignore[reportUnusedClass]
        def enabled(self) -> bool:
            return _cache_hits.get() is not None

        async def on_model_cache_usage(self, data: ModelCacheUsageData) -> None:
            hits = _cache_hits.get()
            if hits is not None:
                hits.append(data.model_name)
