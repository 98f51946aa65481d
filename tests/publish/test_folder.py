"""What is public is written to a new folder, or over what was public before."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.publish.folder import record_public, require_public_folder


def refused(folder: Path) -> str:
    with pytest.raises(InputError) as caught:
        require_public_folder(folder)
    return caught.value.problem


def test_a_folder_that_is_new_or_empty_or_was_public_before(tmp_path: Path) -> None:
    folder = tmp_path / "given"
    require_public_folder(folder)
    folder.mkdir()
    require_public_folder(folder)
    (folder / "part").mkdir()
    (folder / "part" / "a.csv").write_text("a")
    assert refused(folder) == (
        "a public folder must be new or empty, and was not written by --public: part/a.csv"
    )
    record_public(folder, [folder / "part" / "a.csv"])
    require_public_folder(folder)
    (folder / "part" / "a.csv").write_text("b")
    assert refused(folder) == (
        "a public folder must be new or empty, and has changed since it was written: part/a.csv"
    )
    (folder / "part" / "a.csv").unlink()
    require_public_folder(folder)
    (folder / ".hidden").write_text("private")
    assert ".hidden" in refused(folder)


def test_a_link_and_a_damaged_list_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (tmp_path / "private").write_text("private")
    (folder / "a").write_text("private")
    record_public(folder, [folder / "a"])
    (folder / "a").unlink()
    (folder / "a").symlink_to(tmp_path / "private")
    assert "has changed" in refused(folder)
    (folder / ".otherwords-public").write_text("[]")
    assert refused(folder) == "cannot be read"
