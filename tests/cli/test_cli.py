"""The commands as a person types them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from otherwords import __version__
from otherwords.cli import main
from otherwords.cli.app import COMMANDS
from otherwords.cli.options import variant_options
from otherwords.variants import DEFAULT_K


def otherwords(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(list(arguments))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    path = tmp_path / "questions.jsonl"
    lines = [
        {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
        {
            "id": "metal",
            "question": "Which of the following is a metal?",
            "choices": ["Oxygen", "Iron"],
            "answer": "B",
        },
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert otherwords("--version", capsys=capsys) == (0, f"otherwords, version {__version__}\n", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = otherwords(command, "--help", capsys=capsys)
    assert code == 0
    assert out.startswith(f"Usage: otherwords {command}")
    assert len(out.splitlines()) > 6


def test_an_unknown_command_suggests(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = otherwords("reprot", capsys=capsys)
    assert (code, err) == (2, "Error: unknown command 'reprot'. Did you mean: report?\n")


def test_completion(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = otherwords("completion", "bash", capsys=capsys)
    assert code == 0
    assert "_OTHERWORDS_COMPLETE=bash_complete" in out


def test_the_default_k_is_the_rooms_own() -> None:
    @variant_options
    def command() -> None: ...

    (k,) = [option for option in command.__click_params__ if option.name == "k"]  # type: ignore[attr-defined]
    assert k.default == DEFAULT_K


def test_vary_writes_a_file_and_says_what_is_in_it(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "variants.jsonl"
    code, text, _ = otherwords("vary", str(dataset), "-o", str(out), capsys=capsys)
    assert code == 0
    assert "2 items" in text
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    originals = [line for line in lines[1:] if line["name"] == "orig"]
    assert [line["prompt"] for line in originals] == [
        "What is the capital of France?",
        "Which of the following is a metal?",
    ]


def test_bad_input_is_one_message_and_code_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": "a", "question": "Who?", "answer": "me"}\n{"id": "b", "question": ""}\n')
    code, out, err = otherwords("vary", str(bad), "-o", str(tmp_path / "out.jsonl"), capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith(f"Error: {bad}:2, item 'b': ")
    assert "Traceback" not in err
    assert not (tmp_path / "out.jsonl").exists()
    code, _, err = otherwords("vary", str(dataset_missing := tmp_path / "none.jsonl"), capsys=capsys)
    assert code == 2
    assert str(dataset_missing) in err


def test_run_needs_a_model(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = otherwords("run", str(dataset), "--log-dir", str(tmp_path / "logs"), capsys=capsys)
    assert (code, err) == (2, "Error: a run needs a model\nFor example: --model openai/gpt-4o-mini\n")


def test_dry_run_counts_and_stops(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = tmp_path / "logs"
    arguments = (
        "run",
        str(dataset),
        "--model",
        "gguf/smollm2",
        "--log-dir",
        str(logs),
        "-k",
        "2",
        "--dry-run",
    )
    code, out, _ = otherwords(*arguments, capsys=capsys)
    assert code == 0
    assert "2 items, 6 wordings (4 of them reworded) × 3 repeats × 1 models = 18 calls" in " ".join(
        out.split()
    )
    assert not list(logs.glob("*.eval"))


def test_a_run_goes_on_only_with_the_wordings_it_began_with(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = tmp_path / "logs"
    start = ("run", str(dataset), "--model", "gguf/smollm2", "--log-dir", str(logs), "--dry-run")
    assert otherwords(*start, "-k", "2", capsys=capsys)[0] == 0
    code, _, err = otherwords(*start, "-k", "3", capsys=capsys)
    assert code == 2
    assert err == (
        f"Error: {logs / 'variants.jsonl'}: this run began with --families paraphrase,format,options -k 2 "
        "--seed 0\nUse the same, or another --log-dir.\n"
    )


def test_many_calls_are_asked_about(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("run", str(dataset), "--model", "gguf/smollm2", "--log-dir", str(tmp_path / "logs"))
    code, _, err = otherwords(*arguments, "--repeats", "500", capsys=capsys)
    assert code == 2
    assert err.endswith("calls are more than 1,000\nAdd --yes to go on.\n")


@pytest.mark.model
def test_from_a_dataset_to_a_report_on_the_embedded_model(dataset: Path, tmp_path: Path) -> None:
    """vary, run, aggregate and report, each as its own process, word by word as the README has them."""

    def command(*arguments: str) -> str:
        program = [sys.executable, "-m", "otherwords", *arguments]
        done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    command("vary", dataset.name, "-o", "variants.jsonl", "-k", "2")
    run = ("run", dataset.name, "--variants", "variants.jsonl", "--model", "gguf/smollm2", "--repeats", "2")
    run = (*run, "--max-tokens", "12", "--temperature", "0.5", "--constrain-choices")
    assert "12/12 samples finished, 0 failed, 0 from before" in " ".join(command(*run).split())
    assert "12/12 samples finished, 0 failed, 12 from before; 0 calls" in " ".join(command(*run).split())
    assert command("aggregate", "--logs", "logs", "--out", "results").startswith("12 rows: ")
    with (tmp_path / "results" / "outcomes.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {row["status"] for row in rows} == {"scored"}
    said = command("report", "logs", "-o", "report")
    assert "S_prompt" in said
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == [
        "agent_level_sensitivity.csv",
        "index.html",
        "most_sensitive_tasks.png",
        "sensitivity_comparison.png",
        "sensitivity_report.md",
        "task_level_sensitivity.csv",
        "task_sensitivity_distribution.png",
    ]
