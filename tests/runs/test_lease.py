from __future__ import annotations

import errno
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from otherwords.core.errors import InputError, RunError
from otherwords.runs import lease
from otherwords.runs.lease import LEASE, hold_folder


def held_by(folder: Path, **fields: Any) -> Path:
    """A lease as another process would have left it, by default one that lives and was heard of just now."""
    folder.mkdir(exist_ok=True)
    now = time.time()
    known = {"host": socket.gethostname(), "pid": os.getppid(), "since": now, "heard": now, "token": "other"}
    (folder / LEASE).write_text(json.dumps({**known, **fields}))
    return folder / LEASE


def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-S", "-c", ""])
    process.wait()
    return process.pid


def test_a_folder_is_held_and_left_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "logs"
    with hold_folder(folder):
        known = json.loads((folder / LEASE).read_text())
        assert (known["host"], known["pid"]) == (socket.gethostname(), os.getpid())
        with hold_folder(folder):  # what is done under a lease may ask for it again
            pass
        assert (folder / LEASE).exists()
    assert not (tmp_path / "deep").exists()


def test_it_is_given_back_whatever_happens(tmp_path: Path) -> None:
    def fails() -> None:
        with hold_folder(tmp_path / "logs"):
            (tmp_path / "logs" / "a.eval").touch()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    folder = tmp_path / "logs"
    assert [path.name for path in folder.iterdir()] == ["a.eval"]


def test_a_second_process_is_refused_and_told_who_holds_it(tmp_path: Path) -> None:
    file = held_by(tmp_path)
    before = file.read_bytes()
    with pytest.raises(InputError) as caught, hold_folder(tmp_path):
        pass
    since = time.strftime("%H:%M:%S", time.localtime(json.loads(before)["since"]))
    assert str(caught.value) == (
        f"{tmp_path}: another run is writing to this folder: process {os.getppid()} on "
        f"{socket.gethostname()}, since {since}, last heard of 0 s ago\n"
        f"Wait for it with --wait, or begin another run: --log-dir {tmp_path}-2"
    )
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("process", "host", "silent", "is_free"),
    [
        ("living", None, 0, False),
        ("living", None, 30, False),
        ("living", None, 61, True),
        ("dead", None, 0, True),
        ("killed, and not waited for", None, 0, True),
        ("with our own number, before a restart", None, 0, True),
        ("dead", "elsewhere", 0, False),
        ("dead", "elsewhere", 61, True),
    ],
)
def test_when_a_lease_is_stale(
    process: str, host: str | None, silent: float, is_free: bool, tmp_path: Path
) -> None:
    killed = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    killed.kill()
    os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and keeps its number
    pids = {
        "living": os.getppid(),
        "dead": dead_process(),
        "killed, and not waited for": killed.pid,
        "with our own number, before a restart": os.getpid(),
    }
    held_by(tmp_path, pid=pids[process], host=host or socket.gethostname(), heard=time.time() - silent)
    if not is_free:
        with pytest.raises(InputError, match="another run is writing"), hold_folder(tmp_path):
            pass
        return
    with hold_folder(tmp_path):
        assert json.loads((tmp_path / LEASE).read_text())["pid"] == os.getpid()
    assert not (tmp_path / LEASE).exists()


@pytest.mark.parametrize("text", ['{"host": "a', "", '{"host": "a", "unknown": 1}'])
def test_a_lease_that_cannot_be_read_is_nobodys(text: str, tmp_path: Path) -> None:
    (tmp_path / LEASE).write_text(text)
    with hold_folder(tmp_path):
        pass
    assert not (tmp_path / LEASE).exists()


@pytest.mark.parametrize("room", [0, 100])
def test_where_there_is_no_room_for_a_lease_nothing_is_left(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(opened: int, content: bytes) -> int:
        if room == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return put(opened, content[:room])

    put = os.write
    monkeypatch.setattr(os, "write", write)
    with pytest.raises(InputError) as caught, hold_folder(tmp_path / "logs"):
        pass
    assert str(caught.value) == f"{tmp_path / 'logs'}: cannot write: No space left on device"
    assert not (tmp_path / "logs").exists()


def test_it_waits_until_the_folder_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "POLL", 0.01)
    file, told = held_by(tmp_path), []
    threading.Timer(0.1, file.unlink).start()
    with hold_folder(tmp_path, wait=True, on_wait=told.append):
        assert not [one for one in told if "process" not in one]
    assert len(told) == 1


def test_two_threads_are_two_writers(tmp_path: Path) -> None:
    refused: list[str] = []

    def other() -> None:
        try:
            with hold_folder(tmp_path):
                pass
        except InputError as error:
            refused.append(str(error))

    with hold_folder(tmp_path):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert len(refused) == 1


def test_it_is_renewed_and_whoever_lost_it_stops(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lease, "HEARTBEAT", 0.02)
    file = tmp_path / LEASE

    def is_overtaken() -> None:
        with hold_folder(tmp_path):
            first = json.loads(file.read_text())["heard"]
            while json.loads(file.read_text())["heard"] == first:
                time.sleep(0.01)
            held_by(tmp_path)
            time.sleep(60)

    with pytest.raises(RunError) as caught:
        is_overtaken()
    assert str(caught.value) == (
        f"{tmp_path}: another process took this folder over, since this one was not heard of for 60 s\n"
        "What has finished is in the logs."
    )
    assert json.loads(file.read_text())["token"] == "other"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(InputError, match="cannot write: Not a directory"),
        hold_folder(tmp_path / "file" / "x"),
    ):
        pass
