"""Asynchronous work for callers that cannot await: scripts, and notebooks, whose event loop runs already.

All of it runs in one loop in a thread of its own, because connections that a model's client keeps open belong
to the loop that opened them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

from otherwords.core.errors import RunError

T = TypeVar("T")


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """`work`'s result. An interruption cancels it before it is raised."""
    loop = _loop()
    if _running_in(loop):
        work.close()
        raise RunError("rewordings cannot be waited for here: this code itself runs while some are made")
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="otherwords-models", daemon=True).start()
    return loop


def _running_in(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False
