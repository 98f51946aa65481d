from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from otherwords.runs import logs
from otherwords.runs.logs import local_path


@pytest.mark.parametrize(
    ("platform", "location", "path"),
    [
        ("linux", "file:///logs/a.eval", "/logs/a.eval"),
        ("linux", "logs/a.eval", "logs/a.eval"),
        ("darwin", "file:///C:/a.eval", "/C:/a.eval"),
        ("win32", "file:///C:/logs/a.eval", "C:/logs/a.eval"),
        ("win32", "C:/logs/a.eval", "C:/logs/a.eval"),
        ("win32", "file:///logs/a.eval", "/logs/a.eval"),
    ],
)
def test_where_inspect_says_a_log_is(
    platform: str, location: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    assert local_path(location) == Path(path)


def test_a_damaged_buffer_is_told_and_does_not_stop_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def damaged(*_: object, **__: object) -> None:
        raise sqlite3.DatabaseError("file is not a database")

    monkeypatch.setattr(logs, "_crashed", lambda _: [tmp_path / "a.eval"])
    monkeypatch.setattr(logs, "recover_eval_log", damaged)
    with pytest.warns(UserWarning, match=r"a\.eval: Inspect's buffer of this killed run is damaged"):
        assert logs.mended_copies(tmp_path, tmp_path / "out") == {}
