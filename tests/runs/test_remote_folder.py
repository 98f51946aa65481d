"""Logs at an address: what is there comes first, what is new is sent, two machines do not share a shard."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec  # type: ignore[import-untyped]
import pytest

from otherwords.core.errors import InputError, RunError
from otherwords.results import read_results
from otherwords.runs import remote_folder
from otherwords.runs.lease import LEASE
from otherwords.runs.remote_folder import at_hand
from otherwords.runs.shards import CUT_FILE, Shard

SHARD = Shard("m/x", 1, 2)
FOLDER = "/runs/here/m-x/part-1-of-2"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    system = fsspec.filesystem("memory")
    system.store.clear()
    return system


def test_a_folder_of_this_machine_is_itself(tmp_path: Path) -> None:
    with at_hand(tmp_path / "logs", SHARD) as folder:
        assert folder == tmp_path / "logs"
    assert not folder.exists()


def test_what_is_new_is_sent_and_comes_back(store: Any) -> None:
    with at_hand(Path("memory://runs/here"), SHARD) as folder:
        mine = SHARD.folder(folder)
        (mine / "inner").mkdir()
        (mine / "inner" / "a.txt").write_text("one")
        (folder / CUT_FILE).write_text("{}")
        (Shard("m/x", 2, 2).folder(folder)).mkdir(parents=True)
    assert sorted(store.find("/runs")) == [f"/runs/here/{CUT_FILE}", f"{FOLDER}/inner/a.txt"]
    assert not mine.exists()
    store.pipe(f"{FOLDER}/b.txt", b"two")
    with at_hand("memory://runs/here", SHARD, write=False) as folder:
        assert (mine / "inner" / "a.txt").read_text() + (mine / "b.txt").read_text() == "onetwo"


def test_what_a_killed_run_left_on_this_machine_stays(store: Any) -> None:
    store.pipe(f"{FOLDER}/a.txt", b"short")
    with at_hand("memory://runs/here", SHARD, write=False) as folder:
        (SHARD.folder(folder) / "a.txt").write_text("much longer")
    with at_hand("memory://runs/here", SHARD):
        pass
    assert store.cat(f"{FOLDER}/a.txt") == b"much longer"


def test_it_is_sent_while_the_shard_runs_but_for_logs_that_are_being_written(
    store: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_folder, "FIRST_AFTER", 0.01)
    monkeypatch.setattr(remote_folder, "SEND_EVERY", 0.01)
    with at_hand("memory://runs/here", SHARD) as folder:
        (SHARD.folder(folder) / "half.eval").write_bytes(b"PK\x03\x04 half of a log")
        (SHARD.folder(folder) / "whole.txt").write_text("whole")
        until = time.monotonic() + 10
        while not store.exists(f"{FOLDER}/whole.txt") and time.monotonic() < until:
            time.sleep(0.01)
        assert store.find(FOLDER) == [f"{FOLDER}/whole.txt"]


def test_a_shard_that_another_machine_runs_is_refused(store: Any) -> None:
    holder = {"host": "elsewhere", "pid": 7, "since": time.time(), "heard": time.time(), "token": "t"}
    store.pipe(f"{FOLDER}/{LEASE}", json.dumps(holder).encode())
    with pytest.raises(InputError) as refused, at_hand("memory://runs/here", SHARD):
        pass
    problem = "memory://runs/here: another run is writing to this shard: process 7 on elsewhere, since "
    assert str(refused.value).startswith(problem)
    holder["heard"] = time.time() - 100  # it was not heard of for more than a minute
    store.pipe(f"{FOLDER}/{LEASE}", json.dumps(holder).encode())
    with at_hand("memory://runs/here", SHARD):
        pass
    assert not store.exists(f"{FOLDER}/{LEASE}")


def test_an_address_that_cannot_be_reached_is_told_in_one_sentence(store: Any) -> None:
    problem = r"^nothing://here: cannot be reached: Protocol not known: nothing$"
    with pytest.raises(InputError, match=problem), at_hand("nothing://here", SHARD):
        pass


def test_what_cannot_be_sent_is_kept(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError("no such right")

    monkeypatch.setattr(type(store), "put_file", refuse)
    with pytest.raises(RunError) as failed, at_hand("memory://runs/here", SHARD) as folder:
        (SHARD.folder(folder) / "a.txt").write_text("one")
    assert str(failed.value).startswith(
        f"memory://runs/here: what the shard wrote could not be sent: no such right\nIt is in {folder}"
    )
    assert (SHARD.folder(folder) / "a.txt").read_text() == "one"


@pytest.mark.slow
def test_shards_at_an_address_are_gone_on_with_from_any_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scripted: Callable[..., str]
) -> None:
    from otherwords.cli import main

    lines = [
        {"id": f"q{n}", "question": f"What is the capital of land {n}?", "answer": "A"} for n in range(4)
    ]
    (tmp_path / "set.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked: list[str] = []
    model = scripted("far", lambda prompt: asked.append(prompt) or "A")
    run = ["run", str(tmp_path / "set.jsonl"), "--model", model, "--repeats", "1", "-k", "1"]
    for machine, arguments in enumerate(
        (["--shard", "2/2", "--budget", "calls=2"], ["--shard", "2/2"], ["--shards", "2"])
    ):
        (tmp_path / f"machine{machine}").mkdir()
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / f"machine{machine}"))
        with pytest.raises(SystemExit) as end:
            main([*run, "--log-dir", "memory://runs/far", *arguments])
        assert end.value.code in (0, None)
    assert len(asked) == len(set(asked)) == 8
    outcomes = read_results("memory://runs/far").outcomes
    assert outcomes["id"].to_list() == [f"q{n}" for n in range(4) for _ in range(2)]
    with pytest.raises(SystemExit) as end:
        main([*run, "--log-dir", "memory://runs/far"])
    assert end.value.code == 2
