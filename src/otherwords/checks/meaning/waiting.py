"""Asynchronous work for checks, whose callers cannot await.

All of it runs in one loop in a thread of its own, so that it works in scripts, in notebooks and in worker
    threads.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """`work`'s result. An interruption cancels it before it is raised."""
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="otherwords-checks", daemon=True).start()
    return loop
