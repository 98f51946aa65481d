"""Files that belong together are swapped in as one folder, and those of others stay."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from otherwords.core import folders
from otherwords.core.errors import InputError
from otherwords.core.folders import replacing_folder, sweep_folder

OURS = ("a.csv", "b.csv")


def write(folder: Path, **contents: str) -> None:
    with replacing_folder(folder, OURS.__contains__) as staged:
        for name, text in contents.items():
            (staged / f"{name}.csv").write_text(text)


def there(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    write(folder, a="old", b="old")
    (folder / "sub").mkdir()
    (folder / "sub" / "a.csv").write_text("the user's")
    (folder / "notes.txt").write_text("the user's")
    return folder


USERS = {"sub/a.csv": "the user's", "notes.txt": "the user's"}


@pytest.mark.parametrize("how", ["exchanged", "renamed", "in place", "current"])
def test_what_is_ours_is_replaced_and_what_is_not_stays(
    how: str, out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if how == "renamed":
        monkeypatch.setattr(folders, "_exchanged", lambda *_: False)
    if how == "in place":
        monkeypatch.setattr(folders, "MOST_KEPT", 1)
    if how == "current":
        monkeypatch.chdir(out)
    inode = (out / "notes.txt").stat().st_ino
    write(Path() if how == "current" else out, a="new")
    assert there(out) == {"a.csv": "new", **USERS}
    assert (out / "notes.txt").stat().st_ino == inode
    assert list(tmp_path.iterdir()) == [out]
    assert sorted(os.listdir(out)) == ["a.csv", "notes.txt", "sub"]


def test_after_an_error_all_is_as_it_was(out: Path, tmp_path: Path) -> None:
    before = there(out)
    for folder in (out, tmp_path / "other" / "new"):
        with pytest.raises(TypeError):
            write(folder, a="new", b=None)  # type: ignore[arg-type]
    assert there(out) == before
    assert list(tmp_path.iterdir()) == [out]


def test_what_somebody_writes_in_the_meantime_is_not_lost(out: Path, tmp_path: Path) -> None:
    with replacing_folder(out, OURS.__contains__) as staged:
        (staged / "a.csv").write_text("new")
        (out / "late.txt").write_text("late")
        (out / "notes.txt").unlink()
        (out / "notes.txt").write_text("saved again")
    assert there(out) == {"a.csv": "new", **USERS, "notes.txt": "saved again", "late.txt": "late"}
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("is_there", [True, False])
def test_what_a_killed_process_left_is_cleared_away(out: Path, tmp_path: Path, is_there: bool) -> None:
    nobody = 2**22 + 1
    (tmp_path / f".out.{nobody}-new-x").mkdir()
    (tmp_path / f".out.{nobody}-new-x" / "a.csv").write_text("half")
    old = tmp_path / f".out.{nobody}-old-x"
    if is_there:
        old.mkdir()
        (old / "a.csv").write_text("older")
        (old / "late.txt").write_text("late")
    else:
        out.rename(old)
    sweep_folder(out, OURS.__contains__)
    assert there(out) == {
        "a.csv": "old",
        "b.csv": "old",
        **USERS,
        **({"late.txt": "late"} if is_there else {}),
    }
    assert list(tmp_path.iterdir()) == [out]
    alive = tmp_path / f".out.{os.getpid()}-new-x"
    alive.mkdir()
    sweep_folder(out, OURS.__contains__)
    assert alive.exists()


def test_a_link_stays_one_and_a_file_is_refused(out: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(out)
    write(tmp_path / "link", a="new")
    assert (tmp_path / "link").is_symlink()
    assert there(out) == {"a.csv": "new", **USERS}
    with pytest.raises(InputError) as caught:
        write(out / "notes.txt", a="new")
    assert str(caught.value) == f"{out / 'notes.txt'}: cannot write: it is a file, and a folder is wanted"
