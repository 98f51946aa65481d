from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import traceback
from contextvars import ContextVar
from importlib import import_module

import pytest

from otherwords.core.errors import RunError
from otherwords.core.files import collector_paused
from otherwords.core.model_calls import wait_for

WHERE: ContextVar[str] = ContextVar("where", default="nowhere")


async def loop_and_context() -> tuple[asyncio.AbstractEventLoop, str]:
    return asyncio.get_running_loop(), WHERE.get()


def test_every_call_shares_one_loop_and_sees_its_callers_context() -> None:
    """The model role of a running task is found through the context."""
    token = WHERE.set("here")
    try:
        first = wait_for(loop_and_context(), "rewordings")
    finally:
        WHERE.reset(token)
    second = wait_for(loop_and_context(), "rewordings")
    assert first[0] is second[0]
    assert (first[1], second[1]) == ("here", "nowhere")


def test_errors_reach_the_caller() -> None:
    async def fails() -> None:
        raise ZeroDivisionError("inside")

    with pytest.raises(ZeroDivisionError, match="inside"):
        wait_for(fails(), "rewordings")


def is_waiting(thread: threading.Thread) -> bool:
    frame = sys._current_frames()[thread.ident or 0]
    return any(step.name == "wait" for step in traceback.extract_stack(frame))


@pytest.mark.parametrize("loaded", ["sys", "polars"])
def test_an_interruption_cancels_the_work(loaded: str) -> None:
    import_module(loaded)
    cancelled = threading.Event()

    async def interrupted() -> None:
        while not is_waiting(threading.main_thread()):
            await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    with pytest.raises(KeyboardInterrupt):
        wait_for(interrupted(), "rewordings")
    assert cancelled.wait(timeout=10)


def test_work_may_wait_for_work_of_another_sort_but_not_for_its_own() -> None:
    async def verdict() -> str:
        return "pass"

    async def reworded() -> str:
        return wait_for(verdict(), "judgements")

    async def stuck() -> str:
        return wait_for(verdict(), "rewordings")

    assert wait_for(reworded(), "rewordings") == "pass"
    with pytest.raises(RunError) as error:
        wait_for(stuck(), "rewordings")
    assert str(error.value) == (
        "rewordings cannot be waited for here: this code itself runs while some are made"
    )


def test_the_collector_is_on_again_afterwards() -> None:
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), collector_paused():
        _ = 1 / 0
    assert gc.isenabled()
