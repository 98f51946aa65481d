"""`JsonCalls`: models asked for JSON by a schema, cost counted; `run_all`, `wait_for`: many calls, waiting.

Inspect is handed in by the room that asks, since nothing in `core` imports it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from otherwords.core.errors import RunError

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

_NO_SCHEMAS = re.compile(r"response_format|response_schema|json_schema|structured output", re.IGNORECASE)
"""How providers say that a model takes no schema."""
T = TypeVar("T")
Sort: TypeAlias = Literal["rewordings", "judgements"]
_GLANCE = 0.5
"""Seconds. Where a library has a say in signals, as polars has, an interruption alone ends no wait."""


@dataclass
class CallCounts:
    """What a model was asked, and what it cost."""

    calls: int = 0
    """That reached the model; the tokens are theirs."""
    cached: int = 0
    """That the cache answered instead."""
    input_tokens: int = 0
    output_tokens: int = 0
    errors: int = 0
    """Calls that failed."""

    def add(self, other: CallCounts) -> None:
        """Counts what the other one counts, in the fields of this one."""
        for one in fields(self):
            setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))


class JsonCalls:
    """Calls that ask for a JSON object by a schema; a model that takes none is asked without."""

    def __init__(
        self, inspect: ModuleType, schema: str, fields: Mapping[str, Any], *, cache: bool, counts: CallCounts
    ) -> None:
        """`inspect` is the package `inspect_ai`; `fields` are the JSON schemas of the object's fields."""
        self._inspect, self._cache, self.counts = inspect, cache, counts
        of = inspect.util.JSONSchema(
            type="object", properties=fields, required=list(fields), additionalProperties=False
        )
        self._schema = inspect.model.ResponseSchema(name=schema, json_schema=of, strict=True)
        self._structured = True

    async def ask(self, model: Any, system: str, user: str, **config: Any) -> tuple[Any, bool]:
        """Its output, and whether the cache had it."""
        of, structured = self._inspect.model, self._structured
        schema = self._schema if structured else None
        try:
            with _cache_hits(self._inspect) as hits:
                output = await model.generate(
                    [of.ChatMessageSystem(content=system), of.ChatMessageUser(content=user)],
                    config=of.GenerateConfig(response_schema=schema, **config),
                    cache=of.CachePolicy(expiry=None, per_epoch=False) if self._cache else False,
                )
        except Exception as error:
            if structured and _NO_SCHEMAS.search(str(error)):
                self._structured = False
                return await self.ask(model, system, user, **config)
            self.counts.errors += 1
            raise
        self.counts.cached += bool(hits)
        self.counts.calls += not hits
        if output.usage is not None and not hits:
            self.counts.input_tokens += output.usage.input_tokens
            self.counts.output_tokens += output.usage.output_tokens
        return output, bool(hits)


def opened(inspect: ModuleType, model: Any) -> AbstractAsyncContextManager[Any]:
    """A `Model` as it is, or for a name a client of its own, closed at the end.

    Connections belong to the event loop that opened them.
    """
    given = nullcontext(model) if isinstance(model, inspect.model.Model) else None
    return given or inspect.model.get_model(model, memoize=False)


async def run_all(
    work: Sequence[Callable[[], Awaitable[T]]],
    at_a_time: int,
    on_done: Callable[[int, int], None] | None = None,
) -> list[T]:
    """What each of `work` gives, in its order; `on_done` is told how many are done, and of how many.

    The first error stops the others, and is raised by itself instead of in a group.
    """
    from anyio import create_task_group

    results: dict[int, T] = {}
    errors: list[Exception] = []
    todo = iter(enumerate(work))

    async def worker() -> None:
        for place, one in todo:
            try:
                results[place] = await one()
                if on_done is not None:
                    on_done(len(results), len(work))
            except Exception as error:  # noqa: BLE001  raised below, when the others have ended
                errors.append(error)
                group.cancel_scope.cancel()
                return

    async with create_task_group() as group:
        for _ in range(min(at_a_time, len(work))):
            group.start_soon(worker)
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(work))]


_hits: ContextVar[list[str] | None] = ContextVar("otherwords_cache_hits", default=None)


@contextmanager
def _cache_hits(inspect: ModuleType) -> Iterator[list[str]]:
    """The models whose replies Inspect's cache had within the block."""
    _listen(inspect)
    hits: list[str] = []
    token = _hits.set(hits)
    try:
        yield hits
    finally:
        _hits.reset(token)


@cache
def _listen(inspect: ModuleType) -> None:
    """Inspect tells of a cache hit only to its hooks. This one listens during our own calls."""

    @inspect.hooks.hooks(name="otherwords_cache_hits", description="Counts the replies that the cache had.")
    class _CacheHits(inspect.hooks.Hooks):  # type: ignore[misc,name-defined]
        def enabled(self) -> bool:
            return _hits.get() is not None

        async def on_model_cache_usage(self, data: Any) -> None:
            hits = _hits.get()
            if hits is not None:
                hits.append(data.model_name)


def wait_for(work: Coroutine[Any, Any, T], sort: Sort) -> T:
    """`work`'s result. An interruption cancels it before it is raised.

    It runs in an event loop in a thread of its own, because connections that a model's client keeps open
    belong to the loop that opened them. Each sort of work has its own, since one may wait for another:
    rewordings for judgements of them.
    """
    import asyncio
    from concurrent import futures

    loop = _loop(sort)
    try:
        here = asyncio.get_running_loop() is loop
    except RuntimeError:
        here = False
    if here:
        work.close()
        raise RunError(f"{sort} cannot be waited for here: this code itself runs while some are made")
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        while not futures.wait([future], _GLANCE).done:
            pass
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop(sort: Sort) -> AbstractEventLoop:
    import asyncio
    import threading

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=f"otherwords-{sort}", daemon=True).start()
    return loop
