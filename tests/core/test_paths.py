from __future__ import annotations

import os
from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.core.files import write_whole
from otherwords.core.paths import ROOT, read_input, within_root
from otherwords.items import load_items

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
