"""Lines for a terminal: cut to its width, without control characters."""

from __future__ import annotations

import time

import pytest

from otherwords.cli import console
from otherwords.cli.console import excerpts, wrapped


def test_excerpts_are_one_line_around_the_change() -> None:
    start = "word " * 60
    first, second = excerpts(f"{start}book a flight today", f"{start}reserve a\nflight today", 40)
    assert first == "…word word word book a flight today"
    assert second == "…word word word reserve a flight today"
    assert excerpts("same", "same", 40) == ("same", "same")
    long = excerpts("x" * 100, "y" * 100, 30)
    assert [len(one) for one in long] == [30, 30]


def test_no_control_character_reaches_the_terminal() -> None:
    assert wrapped("a\x1b[31mb", "  ", "") == ["a\\x1b[31mb"]


def test_long_work_is_told_now_and_then_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "LINE_EVERY_SECONDS", 0.01)
    console.error_console.cache_clear()
    with console.working("reading and computing"):
        time.sleep(0.1)
    console.error_console.cache_clear()
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("reading and computing: 0 seconds so far\n")
