"""A log folder → the right to write there, held by one process at a time through a lease file.

The file names the host, the process and when it was last heard of, and is renewed every ten seconds. A lease
is stale when its process is dead, if that can be seen from here, or when nothing was heard for a minute; then
another process takes it over. Whoever finds another's name in a lease of its own stops.
"""

from __future__ import annotations

import _thread
import errno
import json
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

import psutil  # type: ignore[import-untyped,unused-ignore]

from otherwords.core.errors import InputError, RunError
from otherwords.core.files import unused_folder, within_root

try:
    import fcntl
except ImportError:  # on Windows; two that find the same stale lease at the same moment are told apart later
    fcntl = None  # type: ignore[assignment]

__all__ = ["LEASE", "hold_folder"]

LEASE = ".otherwords-lease.json"
HEARTBEAT, STALE, POLL = 10.0, 60.0, 0.5
"""Seconds between two signs of life, without one until the lease is stale, and between two looks at it."""

OnWait = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class _Holder:
    host: str
    pid: int
    since: float
    heard: float
    token: str

    @property
    def is_gone(self) -> bool:
        if self.host == socket.gethostname() and not (self.token in _tokens or _is_alive(self.pid)):
            return True
        return time.time() - self.heard > STALE

    def __str__(self) -> str:
        since = datetime.fromtimestamp(self.since).strftime("%H:%M:%S")
        heard = max(time.time() - self.heard, 0)
        return f"process {self.pid} on {self.host}, since {since}, last heard of {heard:.0f} s ago"


def _is_alive(pid: int) -> bool:
    """Whether it may be another process that writes.

    One that has this process's own number lived before a container was started again; one that was killed and
    that nobody has waited for still has a number.
    """
    if pid == os.getpid():
        return False
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:  # it is there, and may not be looked at
        return True


_tokens: set[str] = set()
"""The leases that this process holds."""
_held: dict[tuple[Path, int], int] = {}
"""How often a thread holds a folder: what it does under its own lease may ask for it again."""


@contextmanager
def hold_folder(folder: str | Path, *, wait: bool = False, on_wait: OnWait | None = None) -> Iterator[None]:
    """Be the only process that writes to the log folder while the block runs.

    Args:
        folder: The log folder. It is made if it is not there, and removed again if nothing is written to it.
        wait: Wait while another process holds it, instead of refusing.
        on_wait: Called once with who holds it, before waiting.

    Raises:
        InputError: Another process holds the folder, or it cannot be written to.
        RunError: Another process took it over, since this one was not heard of for a minute.

    Examples:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords.runs.lease import hold_folder
        >>> with hold_folder(Path(tempfile.mkdtemp()) / "logs"):
        ...     pass
    """
    path = Path(os.path.realpath(within_root(folder)))
    key = (path, threading.get_ident())
    if _held.get(key):
        _held[key] += 1
        try:
            yield
        finally:
            _held[key] -= 1
        return
    made = _make(path, folder)
    try:
        lease = _take(path / LEASE, Path(folder), wait, on_wait)
        _held[key] = 1
        try:
            with lease.renewed():
                yield
        finally:
            del _held[key]
    finally:
        for one in made:
            with suppress(OSError):  # something was written there
                one.rmdir()


def _make(path: Path, folder: str | Path) -> list[Path]:
    """The folders that had to be made, the innermost first."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=folder) from error
    return missing


def _take(file: Path, folder: Path, wait: bool, on_wait: OnWait | None) -> _Lease:
    now = time.time()
    mine = _Holder(socket.gethostname(), os.getpid(), now, now, uuid.uuid4().hex)
    waiting = False
    while True:
        with _locked(file, folder) as open_file:
            other = _read(open_file)
            if other is None or other.is_gone:
                _write_first(open_file, file, folder, replace(mine, heard=time.time()))
                _tokens.add(mine.token)
                return _Lease(file, folder, mine)
        if not wait:
            raise InputError(
                f"another run is writing to this folder: {other}",
                file=folder,
                hint=f"Wait for it with --wait, or begin another run: --log-dir {unused_folder(folder)}",
            )
        if not waiting and on_wait is not None:
            on_wait(str(other))
        waiting = True
        time.sleep(POLL)


class _Lease:
    def __init__(self, file: Path, folder: Path, mine: _Holder) -> None:
        self._file, self._folder, self._mine = file, folder, mine
        self._ended, self._lost = threading.Event(), False

    @contextmanager
    def renewed(self) -> Iterator[None]:
        beating = threading.Thread(target=self._beat, name="otherwords-lease", daemon=True)
        beating.start()
        try:
            yield
        except (KeyboardInterrupt, SystemExit):
            if not self._lost:
                raise
        finally:
            self._ended.set()
            beating.join()
            self._release()
        if self._lost:
            raise RunError(
                f"{self._folder}: another process took this folder over, since this one was not heard of for "
                f"{STALE:.0f} s\nWhat has finished is in the logs."
            )

    def _beat(self) -> None:
        while not self._ended.wait(HEARTBEAT):
            with suppress(OSError, InputError), _locked(self._file, self._folder) as open_file:
                other = _read(open_file)
                if other is not None and other.token != self._mine.token:
                    self._lost = True
                    _interrupt()
                    return
                _write(open_file, replace(self._mine, heard=time.time()))

    def _release(self) -> None:
        _tokens.discard(self._mine.token)
        with suppress(OSError, InputError), _locked(self._file, self._folder) as open_file:
            other = _read(open_file)
            if other is not None and other.token == self._mine.token:
                _remove(open_file, self._file)


def _interrupt() -> None:
    """As Ctrl-C does, also where the main thread waits for something."""
    main = threading.main_thread().ident
    if hasattr(signal, "pthread_kill") and main is not None:
        signal.pthread_kill(main, signal.SIGINT)
    else:
        _thread.interrupt_main()


@contextmanager
def _locked(file: Path, folder: Path) -> Iterator[int]:
    """The lease file, opened, and no other process of this host at it."""
    opened = _open_locked(file, folder)
    while not _is_in_place(opened, file):  # its holder has removed it in this moment
        os.close(opened)
        opened = _open_locked(file, folder)
    try:
        yield opened
    finally:
        os.close(opened)


def _open_locked(file: Path, folder: Path) -> int:
    try:
        opened = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise InputError(f"cannot write: {error.strerror or error}", file=folder) from error
    if fcntl is not None:
        with suppress(OSError):  # a file system that cannot lock
            fcntl.flock(opened, fcntl.LOCK_EX)
    return opened


def _is_in_place(opened: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(opened), file.stat())
    except FileNotFoundError:
        return False


def _read(opened: int) -> _Holder | None:
    """None where it is new or cannot be read: nobody has it, or its holder was killed while writing."""
    os.lseek(opened, 0, os.SEEK_SET)
    return read_holder(os.read(opened, 4096))


def read_holder(lease: bytes) -> _Holder | None:
    """Who has the lease that the file says this of."""
    try:
        return _Holder(**json.loads(lease))
    except (ValueError, TypeError):
        return None


def _write(opened: int, holder: _Holder) -> None:
    content = json.dumps(asdict(holder)).encode().ljust(512)  # always as long, so that two are never mixed
    os.lseek(opened, 0, os.SEEK_SET)
    if os.write(opened, content) < len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _write_first(opened: int, file: Path, folder: Path, holder: _Holder) -> None:
    try:
        _write(opened, holder)
    except OSError as error:
        _remove(opened, file)
        raise InputError(f"cannot write: {error.strerror or error}", file=folder) from error


def _remove(opened: int, file: Path) -> None:
    """On Windows, where a file that is open cannot be removed, it is left empty, and is nobody's."""
    os.ftruncate(opened, 0)
    with suppress(OSError):
        file.unlink()
