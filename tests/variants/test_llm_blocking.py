from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import traceback
from contextvars import ContextVar

import pytest

from otherwords.variants.llm.blocking import run_blocking

WHERE: ContextVar[str] = ContextVar("where", default="nowhere")


async def loop_and_context() -> tuple[asyncio.AbstractEventLoop, str]:
    return asyncio.get_running_loop(), WHERE.get()


def test_every_call_shares_one_loop_and_sees_its_callers_context() -> None:
    """The model role of a running task is found through the context."""
    token = WHERE.set("here")
    try:
        first = run_blocking(loop_and_context())
    finally:
        WHERE.reset(token)
    second = run_blocking(loop_and_context())
    assert first[0] is second[0]
    assert (first[1], second[1]) == ("here", "nowhere")


def test_errors_reach_the_caller() -> None:
    async def fails() -> None:
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        run_blocking(fails())


def waits_for_the_result(thread: threading.Thread) -> bool:
    frame = sys._current_frames()[thread.ident or 0]
    return any(step.name == "result" for step in traceback.extract_stack(frame))


def test_an_interruption_cancels_the_work() -> None:
    cancelled = threading.Event()

    async def interrupted() -> None:
        while not waits_for_the_result(threading.main_thread()):
            await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(KeyboardInterrupt):
        run_blocking(interrupted())
    assert cancelled.wait(timeout=10)
