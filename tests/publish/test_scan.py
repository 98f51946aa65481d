"""A planted stem, secret and key are found wherever they lie, and are never printed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from planted import KEY, SECRET, STEM
from planted_files import CONTAINERS, zipped

from otherwords.cli import main
from otherwords.core.errors import InputError
from otherwords.publish import TextPatterns, file_content, scan
from otherwords.publish.pseudonyms import read_salt

FOUND = ("API key", "secret", "stem")
PLANTED = f"before {STEM} {SECRET} {KEY} after"


def patterns() -> TextPatterns:
    made = TextPatterns()
    made.add("stem", STEM, 1)
    made.add("secret", SECRET, 2)
    return made


def kinds(path: Path) -> list[str]:
    return sorted({finding.kind for finding in scan([path], patterns()).findings})


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
    "name", ["a.txt", "a.zip", "a.tgz", "run.eval", "a.parquet", "a.sqlite", "a.pdf", "a.pack", "note.png"]
)
def test_files_on_disk(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(CONTAINERS[name](PLANTED.encode()))
    assert kinds(tmp_path) == list(FOUND)
    (tmp_path / name).write_bytes(CONTAINERS[name](b"nothing of note"))
    assert kinds(tmp_path) == []


def test_a_salt_is_always_found(tmp_path: Path) -> None:
    read_salt(tmp_path / "given" / "notes.txt")
    assert kinds(tmp_path / "given") == ["salt"]


def test_a_file_that_is_called_a_salt_is_refused_whatever_is_in_it(tmp_path: Path) -> None:
    """One that an earlier version made has no header, and on another machine no salt to compare it with."""
    (tmp_path / "table.salt").write_text("0123456789abcdef" * 4)
    assert [str(one) for one in scan(tmp_path, allow=["*"]).findings] == [f"{tmp_path / 'table.salt'}: salt"]


def test_what_cannot_be_read_may_be_allowed_by_name(tmp_path: Path) -> None:
    (tmp_path / "fonts").mkdir()
    (tmp_path / "fonts" / "a.woff2").write_bytes(b"wOF2" + bytes(range(256)) * 4)
    why = "cannot vouch: neither text nor of a format that is known"
    assert kinds(tmp_path) == [why]
    for pattern in ("*.woff2", "fonts/*", "a.woff2"):
        assert scan(tmp_path, patterns(), allow=[pattern]).findings == ()
    (tmp_path / "fonts" / "b.woff2").write_bytes(b"wOF2" + bytes(range(256)) + PLANTED.encode())
    found = scan(tmp_path, patterns(), allow=["*.woff2"]).findings
    assert {(one.file.name, one.kind) for one in found} == {("b.woff2", kind) for kind in FOUND}


@pytest.mark.slow
def test_bombs_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bomb.zip").write_bytes(zipped(b"\0" * 300_000_000))
    assert kinds(tmp_path)[0].startswith("cannot vouch: 'a.txt' would unpack from ")
    (tmp_path / "bomb.zip").unlink()
    monkeypatch.setattr(file_content, "MOST_UNPACKED", 1_000_000)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(b"\0" * 3_000_000))
    assert kinds(tmp_path) == ["cannot vouch: unpacks to more than 1,000,000 bytes"]
    (tmp_path / "bomb.gz").unlink()
    deep = PLANTED.encode()
    for _ in range(12):
        deep = zipped(deep)
    (tmp_path / "deep.zip").write_bytes(deep)
    assert kinds(tmp_path) == ["cannot vouch: is packed more than 8 times"]


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
