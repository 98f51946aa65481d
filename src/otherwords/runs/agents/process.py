"""A HAL agent's folder, function and Python → checked, fingerprinted, and run on a task in a process.

What is wrong with the folder, the function or the interpreter is reported before anything runs. The process
has a time limit and bounded output, and no child is left behind.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import stable_hash
from otherwords.runs.agents import AgentError, ProviderError, is_outside

WORKER = Path(__file__).with_name("worker.py")
KEPT_BYTES = 16_384
"""Of each output, from its beginning, and as many from its end."""
LARGEST_RESPONSE = 64 * 1024 * 1024
SECONDS_TO_DRAIN = 2.0
"""For reading what is left in the pipes after all that could write to them was killed."""
_MARK = "OTHERWORDS_AGENT_PROCESS"
_ROUNDS = 20
NOT_CODE = frozenset({"__pycache__", ".git", ".hg", ".svn", ".venv", "venv", "node_modules"})
"""Folders that are no part of an agent's code."""
_CACHES = frozenset({"__pycache__"})
_SECONDS_TO_START = 30


@dataclass(frozen=True)
class HalAgent:
    folder: Path
    module: str
    function: str
    python: str


def find_agent(agent_dir: str | Path, agent_function: str, python: str | Path | None) -> HalAgent:
    """The agent, or an InputError that says what is missing."""
    if os.name != "posix":
        raise InputError(
            "HAL agents need Linux or macOS",
            hint="A Python callable runs everywhere: --agent module:function",
        )
    folder = Path(agent_dir).expanduser().resolve()
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise InputError(f"the agent's folder {what}", file=agent_dir)
    module, _, function = agent_function.rpartition(".")
    if not all(part.isidentifier() for part in [*module.split("."), function]):
        raise InputError(
            f"the agent's function '{agent_function}' is not of the form module.function",
            hint="For example: --agent-function main.run",
        )
    source = _source(folder, module, agent_dir)
    _require_function(source, function, interpreter_is_ours=python is None)
    return HalAgent(folder, module, function, find_python(python))


def find_python(given: str | Path | None) -> str:
    """An interpreter's path: ours, the one given, or the one of a virtual environment given by its folder."""
    if given is None:
        return sys.executable
    path = Path(given).expanduser()
    if path.is_dir():
        path = path / "bin" / "python"
    found = shutil.which(str(path))
    if found is None:
        raise InputError("the agent's interpreter is not there or cannot be run", file=given)
    # Not resolved: a virtual environment's interpreter is a link, and knows itself by where the link is.
    found = os.path.abspath(found)
    asked = [found, "-c", "import sys; sys.stdout.write('%d %d' % sys.version_info[:2])"]
    try:
        ran = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS_TO_START, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"the agent's interpreter does not start: {error}", file=given) from error
    version = tuple(int(part) for part in ran.stdout.split() if part.isdecimal())
    if ran.returncode != 0 or len(version) != 2:
        raise InputError("the agent's interpreter is not a Python", file=given)
    if version < (3, 7):
        raise InputError(
            f"the agent's interpreter is Python {version[0]}.{version[1]}, 3.7 is needed", file=given
        )
    return found


def agent_fingerprint(
    agent_dir: str | Path, agent_function: str = "main.run", agent_args: Mapping[str, Any] | None = None
) -> str:
    """A hash of the agent's Python files, function and arguments, for telling another agent's run apart."""
    folder = Path(agent_dir).expanduser().resolve()
    files = {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(_python_files(folder))
    }
    return stable_hash([files, agent_function, dict(agent_args or {})])


def _python_files(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in NOT_CODE]
        yield from (Path(root, name) for name in files if name.endswith(".py"))


def _source(folder: Path, module: str, agent_dir: str | Path) -> Path:
    base = folder.joinpath(*module.split("."))
    for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
        if path.is_file():
            return path
    there = sorted(path.stem for path in folder.glob("*.py"))
    raise InputError(
        f"the agent's folder has no module '{module}'",
        file=agent_dir,
        hint=f"It has: {', '.join(there)}." if there else "It has no Python file.",
    )


def _require_function(source: Path, function: str, *, interpreter_is_ours: bool) -> None:
    try:
        tree = ast.parse(source.read_bytes(), filename=str(source))
    except (SyntaxError, ValueError) as error:
        if not interpreter_is_ours:
            return  # another Python may read what ours does not
        line = getattr(error, "lineno", None)
        raise InputError(f"is not Python: {getattr(error, 'msg', error)}", file=source, line=line) from error
    names = set(_names(tree.body))
    if function not in names and "*" not in names:
        raise UnknownNameError(f"function in {source}:", function, names)


def _names(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """What a module's statements bind, as far as can be seen without running them; `*` for all of another."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                yield alias.asname or alias.name.split(".")[0]
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            yield from (
                node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)
            )
        elif isinstance(statement, ast.If | ast.Try | ast.With):
            for child in ast.iter_child_nodes(statement):
                if isinstance(child, ast.stmt):
                    yield from _names([child])
                elif isinstance(child, ast.ExceptHandler):
                    yield from _names(child.body)


# ---- its process


@contextlib.contextmanager
def working_folder() -> Iterator[Path]:
    """A new folder, removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="otherwords-agent-")).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # an agent may have left files that cannot be removed


def copy_agent(source: Path, target: Path) -> None:
    """Copies the agent's files; what is large and no code of the agent's is linked to."""
    for entry in source.iterdir():
        if entry.name in _CACHES:
            continue
        if entry.name in NOT_CODE:
            (target / entry.name).symlink_to(entry)
        elif entry.is_dir() and not entry.is_symlink():
            shutil.copytree(
                entry, target / entry.name, symlinks=True, ignore=shutil.ignore_patterns(*_CACHES)
            )
        else:
            shutil.copy2(entry, target / entry.name, follow_symlinks=True)


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
