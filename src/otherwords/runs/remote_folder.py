"""A shard's folder at an address that fsspec knows ↔ a folder on this machine in which the shard runs.

What is at the address comes first; then what changes here is sent there every 20 seconds and at the end. A
machine that is lost takes at most what was not sent yet with it. The lease is sent along, so that two
machines do not run the same shard; a store has no locks, so two that begin within seconds of each other may.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from otherwords.core.errors import InputError, RunError
from otherwords.core.files import as_address
from otherwords.core.types import stable_hash
from otherwords.runs.lease import LEASE, POLL, read_holder
from otherwords.runs.shards import CUT_FILE, Shard

SEND_EVERY = 20.0
"""Seconds; less than after which a lease is stale."""
FIRST_AFTER = 1.0
"""Seconds until others can see the lease."""


@contextmanager
def at_hand(log_dir: str | Path, shard: Shard, *, wait: bool = False, write: bool = True) -> Iterator[Path]:
    """The folder of a run on this machine: `log_dir` itself, or a copy of what it has of the shard.

    Args:
        log_dir: A folder, or an address.
        shard: The shard that is run.
        wait: Wait while another machine runs the shard, instead of refusing.
        write: Send what changes to the address.

    Raises:
        InputError: The address cannot be reached, or another machine runs the shard.
        RunError: What the shard wrote could not be sent; it is kept on this machine.
    """
    address = as_address(log_dir)
    if address is None:
        yield Path(log_dir)
        return
    copy = _Copy(address, shard)
    copy.fetch(wait=wait and write)
    if not write:
        yield copy.root
        return
    with copy.sent():
        yield copy.root


class _Copy:
    def __init__(self, address: str, shard: Shard) -> None:
        from fsspec.core import url_to_fs  # type: ignore[import-untyped]

        self.address = address
        self.root = _scratch() / stable_hash(address)
        self._shard = shard.folder(self.root)
        try:
            self._system, self._there = url_to_fs(address)
        except Exception as error:
            raise self._unreachable(error) from error
        self._sent: dict[Path, tuple[int, float]] = {}

    def _unreachable(self, error: Exception) -> InputError:
        return InputError(f"cannot be reached: {_said(error)}", file=self.address)

    def _remote(self, path: Path) -> str:
        return f"{self._there.rstrip('/')}/{path.relative_to(self.root).as_posix()}"

    def fetch(self, *, wait: bool) -> None:
        """Take what is there and not here, or larger than here; a killed run may have left more here."""
        self._shard.mkdir(parents=True, exist_ok=True)
        try:
            self._require_free(wait)
            folder = self._remote(self._shard)
            sizes = {name: info["size"] for name, info in self._listed(folder).items()}
            note = self._remote(self.root / CUT_FILE)
            if self._system.exists(note):
                sizes[note] = self._system.size(note)
            for name, size in sizes.items():
                target = self.root / name[len(self._there.rstrip("/")) :].lstrip("/")
                if target.name != LEASE and (not target.exists() or target.stat().st_size < size):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    self._system.get_file(name, str(target))
        except InputError:
            raise
        except Exception as error:
            raise self._unreachable(error) from error

    def _listed(self, folder: str) -> dict[str, Any]:
        if not self._system.exists(folder):
            return {}
        found: dict[str, Any] = self._system.find(folder, detail=True)
        return {name: info for name, info in found.items() if info["type"] == "file"}

    def _require_free(self, wait: bool) -> None:
        lease = self._remote(self._shard / LEASE)
        while True:
            self._system.invalidate_cache()
            holder = read_holder(self._system.cat_file(lease)) if self._system.exists(lease) else None
            if holder is None or holder.is_gone:
                return
            if not wait:
                raise InputError(
                    f"another run is writing to this shard: {holder}",
                    file=self.address,
                    hint="Wait with --wait.",
                )
            time.sleep(POLL)

    @contextmanager
    def sent(self) -> Iterator[None]:
        """Send what changes while the block runs, and all of it at the end; then nothing is kept here."""
        ended = threading.Event()
        sending = threading.Thread(target=self._send_until, args=(ended,), daemon=True)
        sending.start()
        try:
            yield
        finally:
            ended.set()
            sending.join()
            try:
                self._send()
                with suppress(FileNotFoundError):
                    self._system.rm_file(self._remote(self._shard / LEASE))
            except Exception as error:
                raise RunError(
                    f"{self.address}: what the shard wrote could not be sent: {_said(error)}\n"
                    f"It is in {self._shard}; run the same command again on this machine to send it."
                ) from error
            shutil.rmtree(self._shard, ignore_errors=True)

    def _send_until(self, ended: threading.Event) -> None:
        every = FIRST_AFTER
        while not ended.wait(every):
            every = SEND_EVERY
            with suppress(Exception):  # it is tried again, and the last time counts
                self._send()

    def _send(self) -> None:
        for path in (*sorted(self._shard.rglob("*")), self.root / CUT_FILE):
            with suppress(FileNotFoundError):  # a file that was there for a moment
                if not path.is_file():
                    continue
                found = path.stat()
                if self._sent.get(path) != (found.st_size, found.st_mtime) and self._send_one(path):
                    self._sent[path] = (found.st_size, found.st_mtime)

    def _send_one(self, path: Path) -> bool:
        """A log that is just being written is left for the next time."""
        with tempfile.TemporaryDirectory() as folder:
            still = Path(folder) / path.name
            shutil.copyfile(path, still)
            if path.suffix == ".eval" and not zipfile.is_zipfile(still):
                return False
            remote = self._remote(path)
            self._system.makedirs(remote.rpartition("/")[0], exist_ok=True)
            self._system.put_file(str(still), remote)
        return True


def _said(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _scratch() -> Path:
    """A folder on this machine's own disk that stays when a process is killed."""
    folder = Path(tempfile.gettempdir()) / f"otherwords-{os.getuid() if hasattr(os, 'getuid') else 0}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
