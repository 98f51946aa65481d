from __future__ import annotations

import os
from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole, writing_whole


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
