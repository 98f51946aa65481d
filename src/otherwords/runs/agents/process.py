"""A command or HAL worker → run for one sample in a contained process with limits; how it ended.

It has a working folder, an environment by allow-list, limits of time and memory, and bounded output. No
process of it is left behind (see supervisor.py). This is no sandbox: it has the user's files and network.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process

from otherwords.core.errors import InputError
from otherwords.core.secret_patterns import find_keys, is_key_name
from otherwords.runs.agents import AgentError, ProviderError, is_outside
from otherwords.runs.agents.supervisor import OVER_MEMORY

WORKER = Path(__file__).with_name("worker.py")
SUPERVISOR = Path(__file__).with_name("supervisor.py")
KEPT_BYTES = 16_384
"""Of each output, from its beginning, and as many from its end."""
LARGEST_RESPONSE = 64 * 1024 * 1024
SECONDS_TO_DRAIN = 2.0
"""For reading what is left in the pipes after all that could write to them was killed."""
_SECONDS_TO_END = 10.0
"""For the supervisor to kill what it has started."""

_ALLOWED = frozenset(
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TEMP TMP LD_LIBRARY_PATH DYLD_LIBRARY_PATH "
    "VIRTUAL_ENV SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTP_PROXY HTTPS_PROXY "
    "ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy JAVA_HOME GOPATH NODE_PATH "
    "NODE_EXTRA_CA_CERTS".split()
)
"""Variables without which programs do not start, speak another language or find no network."""
_ALLOWED_FAMILIES = ("LC_", "XDG_", "PYTHON", "CONDA_", "CUDA_", "NVIDIA_", "OMP_", "MKL_", "HF_", "TORCH_")
_OWN = "OTHERWORDS_"
"""How the names of our own variables begin, one of which may hold the salt of what is published."""


@dataclass(frozen=True)
class Containment:
    """What an agent's process may have."""

    seconds: float | None = None
    memory: int | None = None
    """Bytes for all its processes together; None for any number."""
    env: tuple[str, ...] = ()
    """Variables beside those that every program needs, by name or by a pattern such as `AWS_*`."""

    def require(self) -> None:
        """Raise an InputError where it cannot be had."""
        if self.seconds is not None and not self.seconds > 0:
            raise InputError(f"the agent's time limit must be more than 0 seconds, got {self.seconds:g}")
        if self.memory is not None and not self.memory > 0:
            raise InputError(f"the agent's memory must be more than 0 bytes, got {self.memory}")
        for name in self.env:
            _require_variable(name)

    def environment(self, folder: Path) -> dict[str, str]:
        """The variables of a process that works in `folder`."""
        passed = {name: value for name, value in os.environ.items() if self._passes(name, value)}
        return {**passed, "PWD": str(folder)}

    def withheld_keys(self) -> list[str]:
        """The variables that look like keys and are not given to the process."""
        return sorted(
            name
            for name, value in os.environ.items()
            if value and _is_secret(name, value) and not self._passes(name, value)
        )

    def _passes(self, name: str, value: str) -> bool:
        if name.startswith(_OWN):
            return False
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in self.env):
            return True
        allowed = name in _ALLOWED or name.startswith(_ALLOWED_FAMILIES)
        return allowed and not _is_secret(name, value)


def _is_secret(name: str, value: str) -> bool:
    if name == "PWD":  # no password
        return False
    return is_key_name(name) or name.endswith("_SALT") or any(True for _ in find_keys(value))


def _require_variable(name: str) -> None:
    if "=" in name:
        raise InputError(
            f"--agent-env {name.partition('=')[0]}=… has a value, which would stay in the shell's history",
            hint=f"Set the variable, and name it: --agent-env {name.partition('=')[0]}",
        )
    if name.startswith(_OWN):
        raise InputError(f"--agent-env {name}: this variable is never given to an agent")
    if not any(fnmatch.fnmatchcase(known, name) for known in os.environ):
        raise InputError(f"--agent-env {name}: there is no such variable in the environment")


# ---- its process


@contextlib.contextmanager
def working_folder() -> Iterator[Path]:
    """A new folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="otherwords-agent-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # an agent may have left files that cannot be removed


@dataclass(frozen=True)
class Ended:
    """How the process ended, and what it left."""

    timed_out: bool
    over_memory: bool
    exit_code: int
    output: bytes
    """All that it wrote to standard output, where that was wanted."""
    stdout: str
    stderr: str
    seconds: float

    def failure(self, may: Containment) -> AgentError | ProviderError | None:
        """Why it has not come to its end by itself."""
        if self.timed_out:
            return AgentError(f"timed out after {may.seconds:g} s")
        if self.over_memory:
            return AgentError(f"took more than the {(may.memory or 0) / 1e6:,.0f} MB of memory it may have")
        if self.exit_code == -signal.SIGKILL:  # not by us: most likely the system ran out of memory
            return ProviderError(
                "the agent was killed by SIGKILL without an answer, as where memory runs out"
            )
        if self.exit_code < 0:
            return AgentError(f"was killed by {_signal_name(-self.exit_code)} without an answer")
        return None


def require_answer(ended: Ended, response: Mapping[str, Any] | None, may: Containment) -> Any:
    """The worker's answer, or the reason why there is none as an AgentError or a ProviderError."""
    if response is None:
        raise ended.failure(may) or AgentError(f"exited with code {ended.exit_code} without an answer")
    if "answer" in response:
        return response["answer"]
    kinds = response.get("kinds") or []
    if may.memory is not None and any("builtins.MemoryError" in one["names"] for one in kinds):
        kinds = []  # the limit is ours, and the machine has more
    raise (ProviderError if is_outside(kinds) else AgentError)(str(response.get("failure")))


async def run_worker(
    python: str, folder: Path, request: Mapping[str, Any], may: Containment
) -> tuple[Ended, dict[str, Any] | None]:
    """Run the worker in `folder`; how it ended, and its response if there is one."""
    with tempfile.TemporaryDirectory(prefix="otherwords-") as exchange:
        request_file, response_file = Path(exchange) / "request.json", Path(exchange) / "response.json"
        request_file.write_text(json.dumps(request), encoding="utf-8")
        command = [python, "-u", str(WORKER), str(request_file), str(response_file)]
        ended = await run_contained(command, folder, may)
        return ended, _read(response_file)


def supervised(command: Sequence[str], lifeline: int, memory: int | None = None) -> list[str]:
    """The command under a supervisor, which ends all its processes when `lifeline` closes."""
    ours = [sys.executable, "-I", "-S", str(SUPERVISOR)]
    return [*ours, str(lifeline), str(memory or 0), *command]


async def run_contained(
    command: Sequence[str], folder: Path, may: Containment, given: str = "", *, most: int = 0
) -> Ended:
    """Run a command in `folder`; it and all that it has started are gone after.

    Args:
        command: The program and its arguments.
        folder: Where it works.
        may: What it may have.
        given: What it reads on standard input.
        most: Bytes of standard output that are kept whole; without it the beginning and the end.
    """
    ours, theirs = socket.socketpair()  # the system closes our end even when we are killed
    with ours, theirs, tempfile.TemporaryFile() as stdin:
        stdin.write(given.encode("utf-8", "replace"))
        stdin.seek(0)
        try:
            process = await anyio.open_process(
                supervised(command, theirs.fileno(), may.memory),
                stdin=stdin,
                cwd=folder,
                env=may.environment(folder),
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )
        except OSError as error:
            raise ProviderError(f"the agent could not be started: {error}") from error
        started = time.monotonic()
        stdout, stderr = _BoundedOutput(max(KEPT_BYTES, most)), _BoundedOutput()
        try:
            timed_out = await _wait(process, ours, stdout, stderr, may.seconds)
            over_memory = _said(ours) == OVER_MEMORY
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process, ours)
                await process.aclose()
    return Ended(
        timed_out=timed_out,
        over_memory=over_memory,
        exit_code=process.returncode if process.returncode is not None else 0,
        output=bytes(stdout.first) if most else b"",
        stdout=stdout.text(),
        stderr=stderr.text(),
        seconds=round(time.monotonic() - started, 3),
    )


async def _wait(
    process: Process,
    lifeline: socket.socket,
    stdout: _BoundedOutput,
    stderr: _BoundedOutput,
    seconds: float | None,
) -> bool:
    """Whether the time was over before the process was."""
    assert process.stdout is not None
    assert process.stderr is not None
    async with anyio.create_task_group() as readers:
        readers.start_soon(stdout.read, process.stdout)
        readers.start_soon(stderr.read, process.stderr)
        with anyio.move_on_after(seconds) as clock:
            await process.wait()
        await _end(process, lifeline)
        with anyio.move_on_after(SECONDS_TO_DRAIN):
            await stdout.ended.wait()
            await stderr.ended.wait()
        readers.cancel_scope.cancel()
    return clock.cancelled_caught


async def _end(process: Process, lifeline: socket.socket) -> None:
    """Have the supervisor kill all, and wait for it."""
    with contextlib.suppress(OSError):
        lifeline.shutdown(socket.SHUT_WR)
    with anyio.move_on_after(_SECONDS_TO_END):
        await process.wait()
    if process.returncode is None:
        process.kill()
        await process.wait()


def _said(lifeline: socket.socket) -> bytes:
    lifeline.setblocking(False)
    try:
        return lifeline.recv(len(OVER_MEMORY))
    except OSError:
        return b""


class _BoundedOutput:
    """The beginning and the end of a stream that may be of any length."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self.ended = anyio.Event()
        self.first = bytearray()
        self._most, self._last, self.size = most, bytearray(), 0

    async def read(self, stream: ByteReceiveStream) -> None:
        async for chunk in stream:
            self.size += len(chunk)
            room = self._most - len(self.first)
            self.first += chunk[:room]
            self._last += chunk[room:]
            del self._last[:-KEPT_BYTES]
        self.ended.set()

    def text(self) -> str:
        dropped = self.size - len(self.first) - len(self._last)
        between = f"\n[{dropped} bytes left out]\n".encode() if dropped else b""
        return bytes(self.first + between + self._last).decode("utf-8", "replace")


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
