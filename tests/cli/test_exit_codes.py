"""What a command ends with: 0, 1, 2, 70 or 130, as docs/exit-codes.md says."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from otherwords import cli
from otherwords.core.contract import BAD_INPUT, CRASHED, INTERRUPTED, NO, OK
from otherwords.core.errors import (
    GateFailed,
    InputError,
    MissingDependencyError,
    OtherwordsWarning,
    RunError,
)
from otherwords.runs.logs import DAMAGED_BUFFER

DOCS = Path(__file__).parents[2] / "docs" / "exit-codes.md"


@pytest.fixture
def ending(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """`otherwords selftest` that raises what it is given: the exit code and what is on standard error."""

    def end(error: BaseException, *before: str) -> tuple[int, str]:
        def raises() -> None:
            raise error

        command = click.Command("selftest", callback=raises)
        monkeypatch.setattr(cli.app, "get_command", lambda ctx, name: command)
        with pytest.raises(SystemExit) as caught:
            cli.main([*before, "selftest"])
        return int(caught.value.code or 0), capsys.readouterr().err

    return end


class Panic(BaseException):
    """As polars raises it."""


@pytest.mark.parametrize(
    "error", [ZeroDivisionError("by nothing"), EOFError("by nothing"), Panic("by nothing")]
)
def test_an_unexpected_crash_has_a_code_of_its_own(
    error: BaseException, ending: Callable[..., tuple[int, str]]
) -> None:
    assert ending(error) == (
        70,
        f"Error: unexpected {type(error).__name__}: by nothing\n"
        "This is a bug in otherwords. `otherwords --traceback …` (or OTHERWORDS_TRACEBACK=1) shows where it "
        "happened.\n",
    )


def test_a_traceback_can_be_asked_for(
    ending: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, err = ending(ZeroDivisionError("by nothing"), "--traceback")
    assert code == 70
    assert err.startswith("Traceback (most recent call last):\n")
    assert "in raises" in err
    monkeypatch.setenv("OTHERWORDS_TRACEBACK", "1")
    assert ending(ZeroDivisionError("by nothing"))[1].startswith("Traceback")


def test_a_crash_shows_no_key(ending: Callable[..., tuple[int, str]]) -> None:
    key = "sk-" + "a1B2" * 12
    assert key not in ending(KeyError(key))[1]


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (GateFailed("no"), 1, "Error: no\n"),
        (InputError("wrong"), 2, "Error: wrong\n"),
        (RunError("stuck"), 2, "Error: stuck\n"),
        (MissingDependencyError("a thing", "pip install it"), 2, "Error: a thing\nInstall it with: "),
        (OSError(28, "No space left on device", "x.jsonl"), 2, "Error: x.jsonl: No space left on device\n"),
        (MemoryError(), 2, "Error: there is not enough memory for this\n"),
        (click.UsageError("odd"), 2, "Usage: "),
        (click.Abort(), 1, "Aborted!\n"),
        (KeyboardInterrupt(), 130, "Stopped.\n"),
        (SystemExit(3), 3, ""),
    ],
)
def test_what_is_expected_keeps_its_code(
    error: BaseException, code: int, said: str, ending: Callable[..., tuple[int, str]]
) -> None:
    ended, err = ending(error)
    assert ended == code
    assert err.startswith(said)


def test_a_question_that_nobody_answers_is_a_no(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = click.Command("selftest", callback=lambda: click.confirm("Go on?", abort=True))
    monkeypatch.setattr(cli.app, "get_command", lambda ctx, name: command)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    with pytest.raises(SystemExit) as caught:
        cli.main(["selftest"])
    assert caught.value.code == NO
    assert capsys.readouterr().err.endswith("Aborted!\n")


def test_the_docs_have_a_row_for_each_code() -> None:
    rows = re.findall(r"^\| (\d+) \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert [int(row) for row in rows] == [OK, NO, BAD_INPUT, CRASHED, INTERRUPTED]


def test_a_warning_is_one_line_without_the_code_that_tells_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warns() -> None:
        text = DAMAGED_BUFFER.format(log="logs/a.eval", error="no database")
        warnings.warn(text, OtherwordsWarning, stacklevel=1)

    before = warnings.showwarning
    monkeypatch.setattr(cli.app, "get_command", lambda ctx, name: click.Command("selftest", callback=warns))
    with pytest.raises(SystemExit) as caught:
        cli.main(["selftest"])
    assert (caught.value.code, capsys.readouterr().err) == (
        0,
        "Warning: logs/a.eval: Inspect's buffer of this killed run is damaged (no database): what had "
        "finished and is not in the log yet is asked again\n",
    )
    assert warnings.showwarning is before
