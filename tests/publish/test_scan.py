"""A planted stem, secret and key are found wherever they lie, and are never printed."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from otherwords.cli import main
from otherwords.core.errors import InputError
from otherwords.publish import TextPatterns, scan, search

STEM = "Which harbour did the grey heron leave before the second storm of that winter?"
SECRET = "canary:7f3a-xyz"
KEY = "sk-live-4bC9dE2fGh1jK7mN0pQ"
PLANTED = f"before {STEM} {SECRET} {KEY} after"
FOUND = ["API key", "secret", "stem"]


def zipped(content: bytes, name: str = "a.txt", method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def tarred(content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return out.getvalue()


def parquet(frame: pl.DataFrame) -> bytes:
    out = io.BytesIO()
    frame.write_parquet(out)
    return out.getvalue()


def png(kind: bytes, chunk: bytes, tail: bytes = b"") -> bytes:
    def part(name: bytes, content: bytes) -> bytes:
        check = zlib.crc32(name + content)
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", check)

    header = part(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + part(kind, chunk) + part(b"IEND", b"") + tail


TEXT = PLANTED.encode()
FILES: dict[str, bytes] = {
    "plain.txt": TEXT,
    "log.json": json.dumps({"samples": [{"input": PLANTED}]}).encode(),
    "page.html": f"<script>const d = {json.dumps(PLANTED)}</script>".encode(),
    "drawing.svg": f"<svg><tspan>{PLANTED.replace(' ', '</tspan> <tspan>')}</tspan></svg>".encode(),
    "table.csv": f'id,prompt\n1,"{PLANTED}"\n'.encode(),
    "windows.txt": PLANTED.encode("utf-16"),
    "no-mark.txt": PLANTED.encode("utf-16-le"),
    "latin.txt": "Zürich: ".encode("latin-1") + TEXT,
    "binary.bin": b"\x00\x01\xff\xfe\x80" + TEXT + b"\x00\xff",
    "run.eval": zipped(TEXT, "samples/1.json", 93),
    "old.zip": zipped(TEXT, method=zipfile.ZIP_LZMA),
    "nested.zip": zipped(zipped(gzip.compress(TEXT)), "inner.zip"),
    "behind.bin": b"#!/bin/sh\n" + zipped(TEXT),
    "a.gz": gzip.compress(TEXT),
    "a.bz2": bz2.compress(TEXT),
    "a.xz": lzma.compress(TEXT),
    "a.tar": tarred(TEXT),
    "a.tgz": gzip.compress(tarred(TEXT)),
    "table.parquet": parquet(pl.DataFrame({"prompt": [PLANTED]})),
    "lists.parquet": parquet(pl.DataFrame({"messages": [[{"role": "user", "content": PLANTED}]]})),
    "note.png": png(b"tEXt", b"Comment\x00" + TEXT),
    "packed-note.png": png(b"zTXt", b"Comment\x00\x00" + zlib.compress(TEXT)),
    "international.png": png(b"iTXt", b"Comment\x00\x01\x00en\x00\x00" + zlib.compress(TEXT)),
    "tail.png": png(b"tEXt", b"a\x00b", tail=TEXT),
    "data.html": b'<img src="data:image/png;base64,'
    + base64.b64encode(png(b"tEXt", b"c\x00" + TEXT))
    + b'">',
}


def patterns() -> TextPatterns:
    made = TextPatterns()
    made.add("stem", STEM, 1)
    made.add("secret", SECRET, 2)
    return made


def kinds(path: Path) -> list[str]:
    return sorted({finding.kind for finding in scan([path], patterns()).findings})


@pytest.mark.parametrize("name", FILES)
def test_what_was_planted_is_found(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    assert kinds(tmp_path) == FOUND
    assert kinds(tmp_path / name) == FOUND


@pytest.mark.parametrize("name", FILES)
def test_the_same_file_without_it_is_clean(name: str, tmp_path: Path) -> None:
    """The files are made of what was planted, so that here something else is planted."""
    (tmp_path / name).write_bytes(FILES[name])
    other = TextPatterns()
    other.add("stem", "An altogether different question about the price of tea in the colonies?", 1)
    found = {finding.kind for finding in scan([tmp_path], other).findings}
    assert found == {"API key"}


def test_hidden_files_and_names_of_files_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x").write_text(PLANTED)
    (tmp_path / "Which harbour did the grey heron leave before the second storm.json").write_text("{}")
    findings = scan([tmp_path], patterns()).findings
    assert [str(one).replace(str(tmp_path), "") for one in findings] == [
        "/.git/x: API key",
        "/.git/x: secret of line 2",
        "/.git/x: stem of item 1",
        "/….json: stem of item 1, in its name",
    ]


def test_links(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text(PLANTED)
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "inside").write_text("fine")
    (folder / "same").symlink_to(folder / "inside")
    assert kinds(folder) == []
    (folder / "out").symlink_to(tmp_path / "outside" / "file")
    (folder / "out-folder").symlink_to(tmp_path / "outside")
    found = scan([folder], patterns()).findings
    assert [(one.file.name, one.kind) for one in found] == [
        ("out", "link that leads out of the folder"),
        ("out-folder", "link that leads out of the folder"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("cut.zip", zipped(TEXT * 100)[:200], "cannot be opened, as it is damaged: BadZipFile"),
        ("cut.gz", gzip.compress(TEXT * 100)[:50], "cannot be opened, as it is damaged: EOFError"),
        ("a.pdf", b"%PDF-1.7 ...", "a PDF, which is not read"),
        ("cut.parquet", FILES["table.parquet"][:-20] + b"PAR1", "cannot be read as Parquet: ComputeError"),
    ],
    ids=("zip", "gz", "pdf", "parquet"),
)
def test_what_cannot_be_looked_into_is_not_clean(
    name: str, content: bytes, kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert kinds(tmp_path) == [kind]
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bomb.zip").write_bytes(zipped(b"\0" * 300_000_000))
    assert "is refused: 'a.txt' would unpack from" in kinds(tmp_path)[0]
    (tmp_path / "bomb.zip").unlink()
    monkeypatch.setattr(search, "MOST_UNPACKED", 1_000_000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"\0" * 3_000_000))
    assert kinds(tmp_path) == ["unpacks to more than 1,000,000 bytes"]
    (tmp_path / "bomb.gz").unlink()
    deep = TEXT
    for _ in range(8):
        deep = zipped(deep)
    (tmp_path / "deep.zip").write_bytes(deep)
    assert kinds(tmp_path) == ["is packed more than 4 times"]
    monkeypatch.setattr(search, "LARGEST", 10)
    assert kinds(tmp_path) == ["larger than 10 bytes, and is not looked into"]


def test_a_path_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        scan(["nowhere"], patterns())
    assert str(caught.value) == "nowhere: there is no such file or folder"


@pytest.fixture
def otherwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.chdir(tmp_path)
    item = {"id": "heron-1", "question": STEM, "choices": ["Port Stanley", "Old Grimsby"], "answer": "A"}
    Path("set.jsonl").write_text(json.dumps(item))
    Path("secrets.txt").write_text(f"\n{SECRET}\n")
    Path("given").mkdir()

    def command(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(["scan", *arguments])
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return command


def test_the_command(otherwords: Callable[..., tuple[int, str, str]]) -> None:
    Path("given/a.json").write_text(json.dumps({"x": PLANTED, "y": ["old grimsby"], "id": "heron-1"}))
    Path("given/b.txt").write_text("fine")
    code, out, err = otherwords("given", "--dataset", "set.jsonl", "--secret-file", "secrets.txt")
    assert code == 1
    size = Path("given/a.json").stat().st_size + 4
    assert out == (
        "given/a.json: API key\n"
        "given/a.json: id of item 1\n"
        "given/a.json: option of item 1\n"
        "given/a.json: secret of line 2\n"
        "given/a.json: stem of item 1\n"
        f"Looked through 2 files ({size} bytes) for 5 texts and for keys.\n"
    )
    assert err == "Error: not to be published: what must not leak is in 1 of 2 files\n"

    Path("given/a.json").write_text("[]")
    code, out, err = otherwords("given", "--dataset", "set.jsonl")
    assert (code, err) == (0, "")
    assert out == "Looked through 2 files (6 bytes) for 4 texts and for keys.\nNothing found.\n"

    code, out, _ = otherwords("given")
    assert code == 0
    assert "for keys only; name the set with --dataset." in out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nowhere",), "nowhere: there is no such file or folder"),
        (("given", "--dataset", "no.jsonl"), "no.jsonl: no such file"),
        (
            ("given", "--variants", "set.jsonl"),
            "set.jsonl:1: not a variants file: its first line is no header",
        ),
        (("given", "--secret-file", "no.txt"), "no.txt: no such file"),
        (("given", "--secret-file", "empty.txt"), "empty.txt: holds no secret: one is wanted on each line"),
        (
            ("given", "--secret-file", "short.txt"),
            "short.txt:1: a secret of 2 characters would be found anywhere; it takes 4",
        ),
    ],
)
def test_bad_input(
    arguments: tuple[str, ...], problem: str, otherwords: Callable[..., tuple[int, str, str]]
) -> None:
    Path("empty.txt").write_text("\n \n")
    Path("short.txt").write_text("ab\n")
    code, _, err = otherwords(*arguments)
    assert code == 2
    assert err.splitlines()[0] == f"Error: {problem}"
