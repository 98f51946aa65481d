"""Runs a coroutine to its end, pauses garbage collection, and silences what polars prints to stderr.

It runs in an event loop in a thread of its own, because connections that a model's client keeps open belong
to the loop that opened them. Each sort of work has its own, since one may wait for another: rewordings for
judgements of them.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from otherwords.core.errors import RunError

if TYPE_CHECKING:
    import asyncio

_GLANCE = 0.5
"""Seconds. Where a library has a say in signals, as polars has, an interruption alone ends no wait."""

T = TypeVar("T")
Sort: TypeAlias = Literal["rewordings", "judgements"]


def wait_for(work: Coroutine[Any, Any, T], sort: Sort) -> T:
    """`work`'s result. An interruption cancels it before it is raised."""
    import asyncio  # here and below: readers of tables and logs need the rest of this module alone
    from concurrent import futures

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
    import asyncio

    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name=f"otherwords-{sort}", daemon=True).start()
    return loop


def _running_in(loop: asyncio.AbstractEventLoop) -> bool:
    import asyncio

    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


@contextmanager
def collector_paused() -> Iterator[None]:
    """The collector is off within the block, and on again afterwards if it was on.

    Parsed JSON has no cycles, and looking for them while it grows takes long: with the collector on, a log of
    20,000 samples takes 1.7 times as long to read (7 instead of 13 times as fast as Inspect's `samples_df`,
    measured with `benchmarks/bench_read.py`).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def quiet_panics() -> Iterator[None]:
    """Discards what the process writes to standard error within the block; errors are still raised.

    polars is written in Rust, which prints a panic to the terminal before Python raises it.
    """
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):  # there is no standard error
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
