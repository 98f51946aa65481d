"""The salt is made once, kept private, and refused where it could be guessed or would be published."""

from __future__ import annotations

from pathlib import Path

import pytest

from otherwords.core.errors import InputError
from otherwords.publish.pseudonyms import read_salt, salt_beside


def test_a_salt_is_made_kept_private_and_used_again(tmp_path: Path) -> None:
    path = salt_beside(tmp_path / "report")
    assert path == tmp_path / "report.salt"
    salt = read_salt(path, tmp_path / "report")
    assert len(salt) == 64
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_salt(path, tmp_path / "report") == salt


def test_a_salt_within_the_report_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report" / "deep" / "salt"
    with pytest.raises(InputError) as caught:
        read_salt(path, tmp_path / "report")
    assert str(caught.value) == (
        f"{path}: the salt must not be in a folder that is made to be given away\n"
        "Keep it elsewhere: --salt-file …"
    )


def test_a_short_salt_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "salt"
    path.write_text("short\n")
    with pytest.raises(InputError) as caught:
        read_salt(path, tmp_path / "report")
    assert str(caught.value) == f"{path}: the salt has 5 bytes, which could be guessed; it takes 16"
