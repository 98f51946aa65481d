"""Starts Python processes that have imported Inspect, spaCy and polars already.

What a command imports takes longer than what it does in a test. A server imports it once and is forked for
each process, which has a number of its own and can be killed, stopped and interrupted.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from typing import IO, Any

IMPORTED = (
    *("inspect_ai", "inspect_ai._display.core.rich", "inspect_ai.agent._acp.server", "rich.progress"),
    *("otherwords.cli.run", "otherwords.pipeline.run", "otherwords.report", "otherwords.metrics"),
)
_MOST_BYTES = 1 << 16


class ForkedProcess:
    """As `subprocess.Popen`, as far as the tests need it."""

    def __init__(self, server: ForkServer, pid: int, stdout: IO[str]) -> None:
        self.server, self.pid, self.stdout = server, pid, stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self.server.ask({"poll": self.pid})
        return self.returncode

    def wait(self) -> int:
        while (code := self.poll()) is None:
            time.sleep(0.005)
        self.stdout.close()
        return code

    def communicate(self) -> tuple[str, None]:
        out = "" if self.stdout.closed else self.stdout.read()
        self.wait()
        return out, None

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)


class ForkServer:
    """Its processes write their errors to where their output goes."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair()
        with other:
            self._server = subprocess.Popen(
                [sys.executable, __file__, str(other.fileno())],
                pass_fds=[other.fileno()],
                start_new_session=True,
            )

    def start(self, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None) -> ForkedProcess:
        """`python *arguments`; the first is a script, or `-m` before a module."""
        reading, writing = os.pipe()
        asked = {"arguments": arguments, "cwd": str(cwd), "env": dict(os.environ if env is None else env)}
        pid = self.ask(asked, writing)
        os.close(writing)
        return ForkedProcess(self, pid, os.fdopen(reading, encoding="utf-8"))

    def ask(self, request: Mapping[str, Any], *descriptors: int) -> Any:
        message = json.dumps(request).encode()
        assert len(message) < _MOST_BYTES
        socket.send_fds(self._socket, [message], descriptors)
        return json.loads(self._socket.recv(_MOST_BYTES))

    def close(self) -> None:
        self._socket.close()
        self._server.wait()


def serve(requests: socket.socket) -> None:
    """Until the other end is closed."""
    metadata.packages_distributions = cache(metadata.packages_distributions)
    metadata.packages_distributions()
    for name in IMPORTED:
        import_module(name)
    from inspect_ai._util.entrypoints import ensure_entry_points
    from inspect_ai.model import get_model_info

    from otherwords import vary
    from otherwords.core.types import Item
    from otherwords.pipeline import process_pool

    ensure_entry_points()
    get_model_info("mockllm/model")
    process_pool.SECONDS_ALONE = float("inf")  # a worker would import all of it again
    vary([Item("q1", "Which of the following numbers is larger than 3?", ("2", "4"), 1)])
    gc.freeze()
    while True:
        message, descriptors, *_ = socket.recv_fds(requests, _MOST_BYTES, 1)
        if not message:
            return
        asked = json.loads(message)
        if "poll" in asked:
            pid, status = os.waitpid(asked["poll"], os.WNOHANG)
            answer = os.waitstatus_to_exitcode(status) if pid else None
        else:
            answer = os.fork()
            if answer == 0:
                requests.close()
                os._exit(_run(descriptors[0], **asked))
            os.close(descriptors[0])
        requests.sendall(json.dumps(answer).encode())


def _run(output: int, arguments: Sequence[str], cwd: str, env: Mapping[str, str]) -> int:
    """The exit code. To free all that was imported takes a second, so that is left to the system."""
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    code: object = 0
    try:
        if arguments[0] == "-m":
            sys.argv = list(arguments[1:])
            sys.path[0] = cwd
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(arguments)
            sys.path[0] = str(Path(arguments[0]).parent)
            runpy.run_path(arguments[0], run_name="__main__")
    except SystemExit as end:
        code = end.code or 0
    except BaseException:  # noqa: BLE001  as the interpreter does at its top
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code if isinstance(code, int) else 1


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as at:
        serve(at)
