"""Runs a coroutine and returns its result, for callers that cannot await: scripts, threads, notebooks.

It runs in an event loop in a thread of its own, because connections that a model's client keeps open belong
to the loop that opened them. Each sort of work has its own, since one may wait for another: rewordings for
judgements of them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent import futures
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar

from otherwords.core.errors import RunError

_GLANCE = 0.5
"""Seconds. Where a library has a say in signals, as polars has, an interruption alone ends no wait."""

T = TypeVar("T")
Sort: TypeAlias = Literal["rewordings", "judgements"]


def wait_for(work: Coroutine[Any, Any, T], sort: Sort) -> T:
    """`work`'s result. An interruption cancels it before it is raised."""
    loop = _loop(sort)
    if _running_in(loop):
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
def _loop(sort: Sort) -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=f"otherwords-{sort}", daemon=True).start()
    return loop


def _running_in(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
