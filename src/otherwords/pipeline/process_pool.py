"""`ordered_map`: a function over many inputs in several processes, results in the order of the inputs."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from otherwords.core.errors import RunError

T = TypeVar("T")
R = TypeVar("R")

SECONDS_ALONE = 1.0
"""How long one process works alone after the first input, which loads what the work needs: what takes less is
done before another process could start and load it too."""
_CHUNK = 8
"""Inputs that a process is given at a time."""
_MOST_ON_WINDOWS = 61
"""Processes that Python can wait for there."""
_GLANCE = 0.5
"""Seconds. Where a library has a say in signals, as polars has, an interruption alone ends no wait."""


def ordered_map(work: Callable[[T], R], inputs: Iterable[T], jobs: int) -> Generator[R]:
    """`work` of each of `inputs`, in their order and the same for any number of `jobs`.

    Only a few results are held at a time. `work` must be a function that another process can import.
    """
    left, start = iter(inputs), 0.0
    jobs = min(jobs, _MOST_ON_WINDOWS) if os.name == "nt" else jobs
    may_start = jobs > 1 and not multiprocessing.current_process().daemon
    for one in left:
        yield work(one)
        start = start or time.monotonic()
        if may_start and time.monotonic() - start >= SECONDS_ALONE:
            yield from _in_processes(work, left, jobs)


def _in_processes(work: Callable[[T], R], inputs: Iterator[T], jobs: int) -> Iterator[R]:
    with _pool(jobs) as pool:
        running: deque[Future[list[R]]] = deque()
        while chunk := list(islice(inputs, _CHUNK)):
            try:
                task = pickle.dumps((work, chunk))
            except Exception:  # noqa: BLE001  metadata may be anything; what cannot be sent is done here
                running.append(_done([work(one) for one in chunk]))
            else:
                with _interruptions_held():  # else a worker that starts would print a traceback
                    running.append(pool.submit(_work, task))
            if len(running) >= 2 * jobs:
                yield from _result(running.popleft())
        while running:
            yield from _result(running.popleft())


def _work(task: bytes) -> list[Any]:
    work, chunk = pickle.loads(task)
    return [work(one) for one in chunk]


def _done(result: list[R]) -> Future[list[R]]:
    future: Future[list[R]] = Future()
    future.set_result(result)
    return future


def _result(future: Future[list[R]]) -> list[R]:
    while not wait([future], _GLANCE).done:
        pass
    return future.result()


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end at once when this one is interrupted, fails or is killed."""
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(reader,))
    try:
        yield pool
        pool.shutdown()
    except BrokenProcessPool as error:
        raise RunError(
            "a worker process ended before its work was done, perhaps for want of memory; use one process "
            '(--jobs 1), and in a script call this under `if __name__ == "__main__":`'
        ) from error
    finally:
        writer.close()
        pool.shutdown(wait=False, cancel_futures=True)
        reader.close()


def _start_worker(reader: Connection) -> None:
    from logging import ERROR, getLogger

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    getLogger("otherwords").setLevel(ERROR)  # the main process has warned already
    threading.Thread(target=_end_with_parent, args=(reader,), daemon=True).start()


def _end_with_parent(reader: Connection) -> None:
    with suppress(EOFError, OSError):
        reader.recv()  # until the other end is closed, by the main process or by its end
    os._exit(1)


@contextmanager
def _interruptions_held() -> Iterator[None]:
    """A Ctrl-C comes after the block; processes that start in it never see one."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
