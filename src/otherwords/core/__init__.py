"""What every room may use: names imported on first use, the number of cores, waiting for a coroutine."""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

T = TypeVar("T")
Sort: TypeAlias = Literal["rewordings", "judgements"]
_GLANCE = 0.5
"""Seconds. Where a library has a say in signals, as polars has, an interruption alone ends no wait."""


def lazy_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for `package`; `homes` gives each name's module."""

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return getattr(import_module(homes[name]), name)

    return look_up, lambda: sorted(homes)


def cores() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def wait_for(work: Coroutine[Any, Any, T], sort: Sort) -> T:
    """`work`'s result. An interruption cancels it before it is raised.

    It runs in an event loop in a thread of its own, because connections that a model's client keeps open
    belong to the loop that opened them. Each sort of work has its own, since one may wait for another:
    rewordings for judgements of them.
    """
    import asyncio
    from concurrent import futures

    from otherwords.core.errors import RunError

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
