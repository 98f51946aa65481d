from __future__ import annotations

from pathlib import Path

import pytest

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
