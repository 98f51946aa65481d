"""Runs a command and leaves no process of it behind: `supervisor.py LIFELINE MEMORY COMMAND …`.

LIFELINE is a socket to the run that started us. When it closes, when the command has ended, or when its
processes hold more than MEMORY bytes (0: any number), all of them are killed. On Linux a process whose parent
has ended becomes our child, whatever session or group it has moved to, and so is found. Then we end as the
command did. This file uses the standard library alone, so that an interpreter starts quickly with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Iterator

OVER_MEMORY = b"memory"
"""Said on the lifeline when that was the reason."""
NOT_STARTED = 127
"""Exit code, as a shell has it."""
SECONDS_TO_KILL = 5.0
_SECONDS_BETWEEN_LOOKS = 0.25
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_IS_LINUX = sys.platform.startswith("linux")


def main() -> None:
    import resource  # Windows has none, and this module is imported there, too

    lifeline = socket.socket(fileno=int(sys.argv[1]))
    lifeline.set_inheritable(False)
    memory, command = int(sys.argv[2]), sys.argv[3:]
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    waking, woken = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken)
    child = start(command, memory)
    let_go_of_output()
    status = None
    while status is None:
        status = reap(child)
        if status is not None:
            break
        ready, _, _ = select.select(
            [lifeline.fileno(), waking], [], [], _SECONDS_BETWEEN_LOOKS if memory else None
        )
        if lifeline.fileno() in ready:
            break
        if waking in ready:
            os.read(waking, 4096)
        if memory and sum(map(held, descendants())) > memory:
            lifeline.sendall(OVER_MEMORY)
            break
    kill_all(child)
    end_like(status)


def start(command: list[str], memory: int) -> int:
    """The child's process id; it leads a session of its own."""
    import resource

    child = os.fork()
    if child:
        return child
    try:
        os.setsid()
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if memory and _IS_LINUX:
            # What is reserved and not yet used counts in RLIMIT_AS, and some runtimes reserve a lot.
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    finally:
        os._exit(NOT_STARTED)


def let_go_of_output() -> None:
    """Whoever reads what the command writes is to see its end, and not ours."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(nothing, number)
    os.close(nothing)


def reap(child: int) -> int | None:
    """Take leave of what has ended; the status of `child`, if it is among them."""
    found = None
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return found
            if pid == child:
                found = status
    except ChildProcessError:
        return found


def kill_all(child: int) -> None:
    """Again and again, because a process may be starting another while it is looked for."""
    deadline = time.monotonic() + SECONDS_TO_KILL
    while time.monotonic() < deadline:
        if not _IS_LINUX:
            _kill(child, group=True)
        for pid in descendants():
            _kill(pid)
        reap(child)
        if not any(descendants()):
            return
        time.sleep(0.005)


def descendants() -> Iterator[int]:
    """All processes below this one; only Linux shows them."""
    if not os.path.isdir("/proc/self"):
        return
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The command's name in brackets may hold anything; state and parent come after it.
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue  # it has ended meanwhile
            children.setdefault(parent, []).append(int(name))
    waiting = [os.getpid()]
    while waiting:
        found = children.get(waiting.pop(), [])
        waiting += found
        yield from found


def held(pid: int) -> int:
    """Bytes of memory; what processes share is divided among them."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return 1024 * sum(int(line.split()[1]) for line in file if line.startswith(b"Pss:"))
    except (OSError, ValueError):
        return 0


def end_like(status: int | None) -> None:
    if status is None:
        sys.exit(1)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(os.WEXITSTATUS(status))


def _kill(pid: int, *, group: bool = False) -> None:
    # It has ended, or has been given another user's rights.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        (os.killpg if group else os.kill)(pid, signal.SIGKILL)


def _prctl(option: int, value: int) -> None:
    if _IS_LINUX:
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


if __name__ == "__main__":
    main()
