"""Runs a HAL agent on one task in a process: with a time limit, bounded output, and no child left behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process

from otherwords.runs.agents import AgentError, ProviderError, is_outside

WORKER = Path(__file__).with_name("worker.py")
KEPT_BYTES = 16_384
"""Of each output, from its beginning, and as many from its end."""
LARGEST_RESPONSE = 64 * 1024 * 1024
SECONDS_TO_DRAIN = 2.0
"""For reading what is left in the pipes after all that could write to them was killed."""
_MARK = "OTHERWORDS_AGENT_PROCESS"
_ROUNDS = 20


@dataclass(frozen=True)
class Ended:
    """How the process ended, and what it left."""

    response: dict[str, Any] | None
    timed_out: bool
    exit_code: int
    stdout: str
    stderr: str
    seconds: float

    def require_answer(self, time_limit: float | None) -> Any:
        """The answer, or the reason why there is none as an AgentError or a ProviderError."""
        if self.response is not None and "answer" in self.response:
            return self.response["answer"]
        if self.response is not None:
            outside = is_outside(self.response.get("kinds") or [])
            raise (ProviderError if outside else AgentError)(str(self.response.get("failure")))
        if self.timed_out:
            raise AgentError(f"timed out after {time_limit:g} s")
        if self.exit_code == -signal.SIGKILL:  # not by us: most likely the system ran out of memory
            raise ProviderError("the agent was killed by SIGKILL without an answer, as where memory runs out")
        if self.exit_code < 0:
            raise AgentError(f"was killed by {_signal_name(-self.exit_code)} without an answer")
        raise AgentError(f"exited with code {self.exit_code} without an answer")


async def run_worker(
    python: str, folder: Path, request: Mapping[str, Any], time_limit: float | None
) -> Ended:
    """Run the worker in `folder` and read its response; the process and all its children are gone after."""
    with tempfile.TemporaryDirectory(prefix="otherwords-") as exchange:
        request_file, response_file = Path(exchange) / "request.json", Path(exchange) / "response.json"
        request_file.write_text(json.dumps(request), encoding="utf-8")
        # The worker holds the reading end. The system closes ours even when we are killed.
        reading, writing = os.pipe()
        try:
            command = [python, "-u", str(WORKER), str(request_file), str(response_file), str(reading)]
            return await _run(command, folder, reading, response_file, time_limit)
        finally:
            os.close(reading)
            os.close(writing)


async def _run(
    command: list[str], folder: Path, lifeline: int, response_file: Path, time_limit: float | None
) -> Ended:
    mark = uuid.uuid4().hex
    try:
        process = await anyio.open_process(
            command,
            stdin=subprocess.DEVNULL,
            cwd=folder,
            env={**os.environ, _MARK: mark},
            start_new_session=True,
            pass_fds=(lifeline,),
        )
    except OSError as error:
        raise ProviderError(f"the agent could not be started: {error}") from error
    started = time.monotonic()
    stdout, stderr = _BoundedOutput(), _BoundedOutput()
    try:
        timed_out = await _wait(process, mark, stdout, stderr, time_limit)
    finally:
        with anyio.CancelScope(shield=True):
            _kill_all(process.pid, mark)
            await process.wait()
            await process.aclose()
    return Ended(
        response=_read(response_file),
        timed_out=timed_out,
        exit_code=process.returncode if process.returncode is not None else 0,
        stdout=stdout.text(),
        stderr=stderr.text(),
        seconds=round(time.monotonic() - started, 3),
    )


async def _wait(
    process: Process, mark: str, stdout: _BoundedOutput, stderr: _BoundedOutput, time_limit: float | None
) -> bool:
    """Whether the time was over before the process was."""
    assert process.stdout is not None
    assert process.stderr is not None
    async with anyio.create_task_group() as readers:
        readers.start_soon(stdout.read, process.stdout)
        readers.start_soon(stderr.read, process.stderr)
        with anyio.move_on_after(time_limit) as clock:
            await process.wait()
        _kill_all(process.pid, mark)
        with anyio.move_on_after(SECONDS_TO_DRAIN):
            await stdout.ended.wait()
            await stderr.ended.wait()
        readers.cancel_scope.cancel()
    return clock.cancelled_caught


class _BoundedOutput:
    """The beginning and the end of a stream that may be of any length."""

    def __init__(self) -> None:
        self.ended = anyio.Event()
        self._first, self._last, self._size = bytearray(), bytearray(), 0

    async def read(self, stream: ByteReceiveStream) -> None:
        async for chunk in stream:
            self._size += len(chunk)
            room = KEPT_BYTES - len(self._first)
            self._first += chunk[:room]
            self._last += chunk[room:]
            del self._last[:-KEPT_BYTES]
        self.ended.set()

    def text(self) -> str:
        dropped = self._size - len(self._first) - len(self._last)
        between = f"\n[{dropped} bytes left out]\n".encode() if dropped else b""
        return bytes(self._first + between + self._last).decode("utf-8", "replace")


def _kill_all(leader: int, mark: str) -> None:
    """Kill the process, its group and, where the system shows it, whatever left the group."""
    _kill(leader, group=True)
    for _ in range(_ROUNDS):  # again, because a process may be starting another while it is looked for
        left = _marked(mark)
        if not left:
            return
        for pid in left:
            _kill(pid, group=False)


def _marked(mark: str) -> list[int]:
    """Running processes that have inherited the mark; only Linux shows them."""
    if not sys.platform.startswith("linux"):
        return []
    wanted = f"{_MARK}={mark}".encode()
    found = []
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            with open(f"/proc/{entry.name}/environ", "rb") as file:
                if wanted in file.read():
                    found.append(int(entry.name))
        except OSError:
            continue  # gone, or another user's
    return found


def _kill(pid: int, *, group: bool) -> None:
    # It may have ended; macOS says PermissionError of a group of zombies.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        (os.killpg if group else os.kill)(pid, signal.SIGKILL)


def _read(path: Path) -> dict[str, Any] | None:
    if not path.exists():
        return None
    size = path.stat().st_size
    if size > LARGEST_RESPONSE:
        return {"failure": f"returned an answer of {size / 1e6:.0f} MB, which is more than can be kept"}
    response: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return response


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
