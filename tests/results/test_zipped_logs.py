from __future__ import annotations

import io
import json
import struct
import zipfile
from pathlib import Path

import pytest

from otherwords.core import files
from otherwords.core.errors import InputError
from otherwords.core.files import read_member
from otherwords.results import read_results

HEADER = {"status": "success", "eval": {"task": "t", "task_id": "1", "model": "m"}}
SUMMARY = {
    "id": "a",
    "epoch": 1,
    "input": "?",
    "target": "x",
    "scores": {"s": {"value": 1.0, "answer": "x"}},
}
ZSTD = 93


def log(path: Path, padding: int = 0, method: int = zipfile.ZIP_DEFLATED, comment: bytes = b"") -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("_journal/start.json", json.dumps(HEADER))
        archive.writestr("samples/header.json_epoch_1.json", "{}")
        archive.writestr("header.json", json.dumps(HEADER))
        archive.writestr("summaries.json", json.dumps([SUMMARY]) + " " * padding)
        archive.comment = comment
    return path


def reason(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_results(path)
    return str(caught.value).removeprefix(f"no results found in {path}\n{path}: ")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, ZSTD])
@pytest.mark.parametrize("comment", [b"", b"a log", b"x" * 65_000])
def test_every_compression_and_comment(method: int, comment: bytes, tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval", 10, method, comment)
    assert read_results(path).outcomes["id"].to_list() == ["a"]


def test_two_members_are_found_without_listing_the_others(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval")
    with path.open("rb") as stream:
        few = files.excerpt(stream, ("header.json", "summaries.json"))
        assert few is not None
        assert zipfile.ZipFile(few).namelist() == ["header.json", "summaries.json"]
        assert json.loads(zipfile.ZipFile(few).read("summaries.json")) == [SUMMARY]
        assert files.excerpt(stream, ("header.json", "none.json")) is None


def test_an_archive_with_something_in_front(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval")
    shifted = b"PK\x03\x04 in front" + path.read_bytes()
    assert files.excerpt(io.BytesIO(shifted), ("header.json",)) is None
    (tmp_path / "b.eval").write_bytes(shifted)
    assert read_results(tmp_path / "b.eval").outcomes.height == 1


@pytest.mark.slow
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTD])
def test_a_bomb_is_refused_before_it_is_unpacked(
    method: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = log(tmp_path / "bomb.eval", 30_000_000, method)
    assert path.stat().st_size < 100_000
    assert read_results(path).outcomes.height == 1  # large, but not absurd
    monkeypatch.setattr(files, "ALWAYS_FINE", 1_000_000)
    monkeypatch.setattr(files, "HIGHEST_RATIO", 100)
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("summaries.json")
    assert reason(path) == (
        f"is refused: 'summaries.json' would unpack from {member.compress_size:,} "
        f"to {member.file_size:,} bytes"
    )


def test_a_member_larger_than_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = log(tmp_path / "big.eval", 5_000, zipfile.ZIP_STORED)
    monkeypatch.setattr(files, "LARGEST", 1_000)
    assert reason(path).startswith("is refused: 'summaries.json' would unpack from 5,")


@pytest.mark.parametrize("claimed", [10, 10_000_000])
@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTD])
def test_a_member_that_lies_about_its_size(claimed: int, method: int, tmp_path: Path) -> None:
    path = log(tmp_path / "liar.eval", 1_000_000, method)
    content = bytearray(path.read_bytes())
    entry = content.rfind(b"PK\x01\x02")
    struct.pack_into("<L", content, entry + 24, claimed)
    path.write_bytes(content)
    assert reason(path).startswith("is damaged or cut short: ")


def test_a_member_that_ends_early(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval")
    with zipfile.ZipFile(path) as archive:
        archive.getinfo("summaries.json").file_size += 1
        with pytest.raises((EOFError, zipfile.BadZipFile)):
            read_member(archive, "summaries.json")


def test_an_archive_with_a_password(tmp_path: Path) -> None:
    path = log(tmp_path / "a.eval")
    content = bytearray(path.read_bytes())
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        content[at + 8] |= 1
        at = content.find(b"PK\x01\x02", at + 1)
    path.write_bytes(content)
    assert reason(path).startswith("is damaged or cut short: File 'header.json' is encrypted")


def test_a_zip_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "photos.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("photo.txt", "hello")
    assert reason(path) == "is not a result file of a known kind"
    assert reason(path.rename(tmp_path / "photos.eval")) == "is a zip file but not an Inspect log"
