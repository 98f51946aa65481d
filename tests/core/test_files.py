from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from otherwords.core import files
from otherwords.core.errors import InputError
from otherwords.core.files import (
    ROOT,
    as_address,
    read_input,
    within_root,
    write_all,
    write_whole,
    writing_whole,
)
from otherwords.items import load_items


def test_writes_and_makes_folders(tmp_path: Path) -> None:
    path = write_whole(tmp_path / "a" / "b.txt", "é")
    assert path.read_bytes() == b"\xc3\xa9"
    assert [entry.name for entry in path.parent.iterdir()] == ["b.txt"]


def test_what_was_there_stays_when_writing_fails(tmp_path: Path) -> None:
    path = write_whole(tmp_path / "b.txt", "before")

    def fail() -> None:
        with writing_whole(path) as file:
            file.write(b"half")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        fail()
    assert path.read_text() == "before"
    assert [entry.name for entry in tmp_path.iterdir()] == ["b.txt"]


def test_a_path_that_cannot_be_written_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as caught:
        write_whole(tmp_path / "file" / "b.txt", "x")
    where = tmp_path / "file" / "b.txt"
    assert str(caught.value) in (
        f"{where}: cannot write: Not a directory",
        f"{where}: cannot write: File exists",
    )


def test_the_mode_follows_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        path = write_whole(tmp_path / "b.txt", "x")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o640


def test_folders_made_for_nothing_are_removed(tmp_path: Path) -> None:
    def fail() -> None:
        with writing_whole(tmp_path / "a" / "b" / "c.txt"):
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_what_a_link_leads_to_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("before")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_whole(tmp_path / "link.txt", "after")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "after"


def test_what_a_killed_process_left_is_swept_away(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f".b.txt.{ended.pid}-abc123"
    at_work = tmp_path / f".b.txt.{os.getpid()}-abc123"
    other = tmp_path / f".c.txt.{ended.pid}-abc123"
    for path in (left, at_work, other):
        path.write_text("half")
    write_whole(tmp_path / "b.txt", "whole")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([at_work.name, "b.txt", other.name])


def test_where_asking_for_a_process_would_end_it_nothing_is_swept_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As on Windows."""

    def kill(process: int, sent: int) -> None:
        raise AssertionError("must not be asked")

    monkeypatch.setattr(os, "kill", kill)
    with monkeypatch.context() as windows:
        windows.setattr(os, "name", "nt")
        running = files.is_running(2**22 + 1)
    assert running


def test_all_or_none(tmp_path: Path) -> None:
    write_whole(tmp_path / "one", "before")
    (tmp_path / "two").mkdir()
    with pytest.raises(InputError) as caught:
        write_all({tmp_path / "one": "after", tmp_path / "two": b"after", tmp_path / "three": "after"})
    assert str(caught.value) == f"{tmp_path / 'two'}: cannot write: it is a folder"
    assert (tmp_path / "one").read_text() == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]
    (tmp_path / "two").rmdir()
    assert write_all({tmp_path / "one": "after", tmp_path / "two": b"after"}) == [
        tmp_path / "one",
        tmp_path / "two",
    ]
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text() == "after"


ITEM = '{"question": "Which?", "answer": "that"}\n'


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "deep").mkdir(parents=True)
    (folder / "inside.jsonl").write_text(ITEM)
    (tmp_path / "outside.jsonl").write_text(ITEM)
    (folder / "link.jsonl").symlink_to(tmp_path / "outside.jsonl")
    (folder / "out").symlink_to(tmp_path)
    (folder / "fine.jsonl").symlink_to(folder / "inside.jsonl")
    return folder


def test_what_is_inside_is_read(root: Path) -> None:
    for name in ("inside.jsonl", "fine.jsonl", "deep/../inside.jsonl"):
        assert len(load_items(root / name, root=root)) == 1


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("../outside.jsonl", "is"),
        ("deep/../../outside.jsonl", "is"),
        ("link.jsonl", "a link leads"),
        ("out/outside.jsonl", "a link leads"),
        ("../root-2/x.jsonl", "is"),
        ("/etc/passwd", "is"),
    ],
)
def test_what_leads_out_is_refused(root: Path, name: str, how: str) -> None:
    path = root / name
    with pytest.raises(InputError) as caught:
        load_items(path, root=root)
    assert str(caught.value) == f"{path}: {how} out of the root {root}"


def test_the_root_may_be_in_the_environment_and_holds_for_writing_too(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert within_root(root.parent / "outside.jsonl") == root.parent / "outside.jsonl"
    monkeypatch.setenv(ROOT, str(root))
    assert len(load_items(root / "inside.jsonl")) == 1
    for touch in (load_items, lambda path: write_whole(path, "")):
        with pytest.raises(InputError, match="a link leads out of the root"):
            touch(root / "link.jsonl")
    assert (root.parent / "outside.jsonl").read_text() == ITEM


def test_only_regular_files_of_a_sane_size_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 11)
    for name, problem in {
        "none": "no such file",
        ".": "cannot read: Is a directory",
        "pipe": "cannot read: it is no regular file",
        "large": "is too large to be read (11 bytes of 10)",
        "a\0b": "cannot read: embedded null byte",
    }.items():
        with pytest.raises(InputError) as caught:
            read_input(tmp_path / name, largest=10)
        assert caught.value.problem == problem


@pytest.mark.parametrize(
    ("given", "address"),
    [
        (Path("s3://bucket/logs"), "s3://bucket/logs"),
        ("s3://bucket/logs", "s3://bucket/logs"),
        (Path("file:///shared/logs"), "file:///shared/logs"),
        (Path("memory://logs"), "memory://logs"),
        (Path("/shared/logs"), None),
        (Path("logs"), None),
        ("C:/logs", None),
    ],
)
def test_an_address_is_what_it_was_before_it_was_a_path(given: str | Path, address: str | None) -> None:
    assert as_address(given) == address
