from __future__ import annotations

import json
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
    assert (summary.rows, summary.statuses) == (6, {"scored": 6})
    assert summary.outcomes == {"answered": 4, "unreadable": 2}
    assert [one.path.name for one in summary.skipped] == ["notes.txt"]
    expected = load_all_results(logs)
    assert_frame_equal(pl.read_parquet(out / "outcomes.parquet"), expected)
    assert_frame_equal(load_all_results(out / "outcomes.csv"), expected)


@pytest.mark.slow
def test_the_command_of_the_seed(logs: Path, tmp_path: Path) -> None:
    out = tmp_path / "results"
    command = [sys.executable, "-W", "error", "-m", "otherwords.results.aggregate"]
    done = subprocess.run(
        [*command, "--logs", str(logs), "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "6 rows: 6 scored\n"
        "outcomes: 4 answered, 2 unreadable\n"
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


@pytest.mark.parametrize("flags", [["--public"], ["--salt-file", "salt"]])
def test_a_public_table_is_another_commands_work(
    flags: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--logs", str(tmp_path), "--out", str(tmp_path / "out"), *flags]) == 2
    told = "A table for publication is written by `otherwords aggregate --public`.\n"
    assert capsys.readouterr().err == told
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "--salt-file" not in capsys.readouterr().out


def test_a_crash_is_one_sentence_and_exit_code_70(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def crash(*args: object, **options: object) -> None:
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("otherwords.results.aggregate.read_results", crash)
    assert main(["--logs", str(tmp_path), "--out", str(tmp_path / "out")]) == 70
    told = "unexpected ZeroDivisionError: by nothing; this is a bug in otherwords\n"
    assert capsys.readouterr().err == told


def test_strict_refuses_what_it_cannot_read(logs: Path, tmp_path: Path) -> None:
    assert main(["--logs", str(logs), "--out", str(tmp_path / "out"), "--strict"]) == 2
    assert not (tmp_path / "out").exists()


def test_columns_and_a_scorer_reach_the_reader(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.csv"
    mine.write_text("question,style,acc\nq1,orig,1\nq1,formal,0\n", encoding="utf-8")
    out = tmp_path / "out"
    columns = ["--column", "id=question", "--column", "variant=style", "--column", "score=acc"]
    assert main(["--logs", str(mine), "--out", str(out), *columns]) == 0
    table = pl.read_parquet(out / "outcomes.parquet")
    assert table.select("id", "variant", "score").rows() == [("q1", "orig", 1.0), ("q1", "formal", 0.0)]
    assert capsys.readouterr().out.splitlines()[0] == "2 rows: 2 scored"


@pytest.mark.parametrize("given", ["score", "=acc", "score="])
def test_a_column_that_is_not_a_pair(given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--logs", str(tmp_path), "--out", str(tmp_path / "out"), "--column", given]) == 2
    message = f"--column wants OURS=THEIRS, such as score=acc, and got '{given}'\n"
    assert capsys.readouterr().err == message


def test_a_column_that_nobody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--logs", str(tmp_path), "--out", str(tmp_path / "out"), "--column", "scor=acc"]) == 2
    assert capsys.readouterr().err == "unknown column 'scor'. Did you mean: score, scorer, seconds?\n"


@pytest.mark.slow
def test_the_seeds_program(
    oracle: Callable[[set[str]], str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its example with our import names: run both tasks, then these lines."""
    from inspect_ai import eval as inspect_eval

    from otherwords._registry import paraphrase_consistency, perturbation_stability

    data = tmp_path / "items.jsonl"
    question = "Which of the following is most likely the capital of {}?"
    rows = [
        {"id": "fr", "question": question.format("France"), "choices": ["Oslo", "Paris"], "answer": 1},
        {"id": "it", "question": question.format("Italy"), "choices": ["Rome", "Bonn"], "answer": 0},
    ]
    data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    tasks = [paraphrase_consistency(str(data), k=2), perturbation_stability(str(data), k=5)]
    inspect_eval(tasks, model=oracle({"Paris", "Rome"}), log_dir="logs", display="none")
    program = """
from otherwords.results.aggregate import load_all_results
from otherwords.metrics import (
    consistency_at_k, fragility_score, delta_accuracy, mcnemar_orig_vs_variants
)

df = load_all_results("logs")
print(consistency_at_k(df, "paraphrase_consistency").value)
print(fragility_score(df, "perturbation_stability").value)
print(delta_accuracy(df, "paraphrase_consistency").value)
print(mcnemar_orig_vs_variants(df, "perturbation_stability").p)
"""
    capsys.readouterr()  # what Inspect printed
    exec(compile(program, "the seed's program", "exec"), {})
    assert capsys.readouterr().out.split() == ["1.0", "0.0", "0.0", "1.0"]
    pandas_too = load_all_results("logs").to_pandas()
    from otherwords.metrics import consistency_at_k

    assert consistency_at_k(pandas_too, "paraphrase_consistency").value == 1.0
