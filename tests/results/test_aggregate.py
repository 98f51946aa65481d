from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from otherwords.core.types import Item, original
from otherwords.results import load_all_results
from otherwords.results.aggregate import aggregate, main

ITEMS = [Item(id=f"q{n}", prompt=f"question {n}?", target=("Paris",)) for n in range(3)]


@pytest.fixture
def logs(scripted: Callable[[str, Callable[[str], str]], str], tmp_path: Path) -> Path:
    from otherwords.runs import build_task, run_tasks

    model = scripted("half", lambda prompt: "" if "2" in prompt else "=Paris")
    task = build_task("capitals", ITEMS, [original(item) for item in ITEMS])
    run_tasks(task, model, log_dir=tmp_path / "logs", repeats=2)
    (tmp_path / "logs" / "notes.txt").write_text("hello", encoding="utf-8")
    return tmp_path / "logs"


def test_it_writes_both_tables_and_counts_everything(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    summary = aggregate(logs, out)
    assert summary.files == (out / "outcomes.csv", out / "outcomes.parquet")
    assert (summary.rows, summary.statuses) == (6, {"scored": 4, "unscored": 2})
    assert [one.path.name for one in summary.skipped] == ["notes.txt"]
    expected = load_all_results(logs)
    assert_frame_equal(pl.read_parquet(out / "outcomes.parquet"), expected)
    assert_frame_equal(load_all_results(out / "outcomes.csv"), expected)


def test_the_command_of_the_seed(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    command = [sys.executable, "-W", "error", "-m", "otherwords.results.aggregate"]
    done = subprocess.run(
        [*command, "--logs", str(logs), "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "6 rows: 4 scored, 2 unscored\n"
        f"wrote {out / 'outcomes.csv'}\n"
        f"wrote {out / 'outcomes.parquet'}\n"
        f"skipped {logs / 'notes.txt'}: is not a result file of a known kind\n"
    )


def test_bad_input_is_one_message_and_exit_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--logs", str(tmp_path / "none"), "--out", str(tmp_path / "out")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == f"{tmp_path / 'none'}: there is no such file or folder\n"
    assert not (tmp_path / "out").exists()


def test_strict_refuses_what_it_cannot_read(logs: Path, tmp_path: Path) -> None:
    assert main(["--logs", str(logs), "--out", str(tmp_path / "out"), "--strict"]) == 2
    assert not (tmp_path / "out").exists()
