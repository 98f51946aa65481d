"""The commands as a person types them."""

from __future__ import annotations

import csv
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from otherwords import __version__
from otherwords.cli import COMMANDS, main
from otherwords.cli.vary import PROVIDERS


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
    assert (code, err) == (2, "Error: unknown command 'reprot'. Did you mean: report, repair?\n")


def test_completion(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = otherwords("completion", "bash", capsys=capsys)
    assert code == 0
    assert "_OTHERWORDS_COMPLETE=bash_complete" in out


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


def test_an_edited_file_is_refused_until_it_is_vetted(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "variants.jsonl"
    assert (
        otherwords("vary", str(dataset), "-o", str(file), "--families", "paraphrase", capsys=capsys)[0] == 0
    )
    file.write_text(file.read_text().replace("the capital of France is", "the capital town of France is"))
    run = ("run", str(dataset), "--variants", str(file), "--model", "gguf/smollm2", "--dry-run")
    code, _, err = otherwords(*run, capsys=capsys)
    assert code == 2
    assert err == (
        f"Error: {file}: was changed after it was written, so its check results may no longer hold\n"
        "Check it again with `otherwords vet`.\n"
    )
    code, out, _ = otherwords("vet", str(file), capsys=capsys)
    assert code == 0
    assert "2 items" in out
    assert otherwords(*run, capsys=capsys)[0] == 0

    file.write_text(
        file.read_text().replace("What is the capital of France?", "What is the capital of Spain?")
    )
    code, _, err = otherwords("vet", str(file), capsys=capsys)
    assert code == 2
    assert err.startswith(
        f"Error: {file}: an original was edited, added or removed; only its variants may be\n"
    )


def test_a_bad_edit_is_caught(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "variants.jsonl"
    assert (
        otherwords("vary", str(dataset), "-o", str(file), "--families", "paraphrase", capsys=capsys)[0] == 0
    )
    lines = file.read_text().splitlines(keepends=True)
    place = next(at for at, line in enumerate(lines) if '"para1"' in line and "capital of France" in line)
    lines[place] = lines[place].replace("capital of France", "capital, Paris, of France")
    file.write_text("".join(lines))
    code, out, _ = otherwords("vet", str(file), capsys=capsys)
    assert code == 0
    assert "rejected: " in out
    rows = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    (bad,) = [row for row in rows if "Paris" in str(row["prompt"])]
    assert bad["accepted"] is False
    assert "leak" in [check["check"] for check in bad["checks"] if check["verdict"] == "fail"]


def test_review_writes_a_page(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "variants.jsonl"
    assert otherwords("vary", str(dataset), "-o", str(file), capsys=capsys)[0] == 0
    code, out, _ = otherwords("review", str(file), capsys=capsys)
    assert code == 0
    assert str(tmp_path / "variants.html") in out.replace("\n", "")
    assert "What is the capital of France?" in (tmp_path / "variants.html").read_text()


def test_a_model_can_write_paraphrases_and_what_it_fails_at_is_missing(
    dataset: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    scripted: Callable[[str, Callable[[str], str]], str],
) -> None:
    """A paraphraser that only refuses leaves slots missing and says so, and nothing raises S_prompt."""
    model = scripted("refuser", lambda _: "I'm sorry, but I can't help with that.")
    file = tmp_path / "variants.jsonl"
    arguments = (
        "vary",
        str(dataset),
        "-o",
        str(file),
        "--families",
        "llm",
        "-k",
        "2",
        "--model",
        model,
        "--no-cache",
    )
    code, out, err = otherwords(*arguments, capsys=capsys)
    assert (code, err) == (
        1,
        "Warning: the family 'llm' gave no accepted variant of any item; the most common cause: reply: no "
        "list of rewordings in it\n",
    )
    assert "2 items, 0 variants" in out
    assert "items with none" in out
    lines = [json.loads(line) for line in file.read_text().splitlines()[1:]]
    assert [line["name"] for line in lines if line.get("missing")] == ["mild1", "medium1", "mild1", "medium1"]
    assert [line["name"] for line in lines if line.get("accepted")] == ["orig", "orig"]


def test_with_a_providers_key_vary_says_what_a_model_would_add(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ("vary", str(dataset), "-o", str(tmp_path / "v.jsonl"), "--families", "format", "-k", "1")
    for key in PROVIDERS:
        monkeypatch.delenv(key, raising=False)
    _, out, _ = otherwords(*arguments, capsys=capsys)
    assert "--paraphraser" not in out
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not a key")
    _, out, _ = otherwords(*arguments, capsys=capsys)
    assert (
        "ANTHROPIC_API_KEY is set: with --paraphraser anthropic/claude-haiku-4-5 a model would write four "
        "more wordings of each item, near to it and far from it, in about 2 calls, and decide on those that "
        "carry a flag."
    ) in out
    assert "not a key" not in out


def test_an_item_that_gets_no_variant_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "odd.jsonl"
    asked = ["Quelle est la capitale", "Spell the colour.", "Who wrote it?"]
    file.write_text(
        "".join(
            json.dumps({"id": f"q{n}", "question": text, "answer": "x"}) + "\n"
            for n, text in enumerate(asked)
        )
    )
    families = "options,typing,human"
    _, out, _ = otherwords(
        "vary", str(file), "-o", str(tmp_path / "v.jsonl"), "--families", families, capsys=capsys
    )
    assert (
        "None for:\n"
        "  q0 (options: it has no answer options; typing: the prompt is not in English; human: the dataset "
        "has no 'wordings' of it)\n"
        "  q1 (options: it has no answer options; typing: it is about spelling or the form of words; human: "
        "the dataset has no 'wordings' of it)\n"
    ) in out
    assert "q2 (" not in out


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


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes

@task
def capitals(country: str = "France"):
    asked = f"You are at a quiz.\\nQuestion: What is the capital of {country}?"
    return Task(dataset=[Sample(input=asked, target="Paris", id="c1")], scorer=includes())
"""


@pytest.mark.slow
def test_any_inspect_task_is_varied_and_run(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    scripted: Callable[[str, Callable[[str], str]], str],
) -> None:
    task, file, logs = tmp_path / "quiz.py", tmp_path / "variants.jsonl", tmp_path / "logs"
    task.write_text(TASK)
    named = (f"{task}@capitals", "-T", "country=Spain", "--prompt-field", 'input after "Question:"')
    code, out, err = otherwords("vary", *named, "-o", str(file), "--families", "paraphrase", capsys=capsys)
    assert (code, err) == (0, "")
    assert "1 items, 2 variants" in out
    seen: list[str] = []
    model = scripted("quiz", lambda prompt: seen.append(prompt) or "Paris")
    run = ("run", *named, "--variants", str(file), "--model", model, "--repeats", "1", "--log-dir", str(logs))
    code, out, _ = otherwords(*run, capsys=capsys)
    assert code == 0
    assert "3/3 samples finished" in out
    assert sorted(seen)[-1] == "You are at a quiz.\nQuestion: What is the capital of Spain?"
    assert len(set(seen)) == 3
    assert all(prompt.startswith("You are at a quiz.\nQuestion: ") for prompt in seen)
    code, _, err = otherwords("run", f"{task}@capital", "--model", model, capsys=capsys)
    assert code == 2
    assert err == f"Error: unknown task in {task} 'capital'. Did you mean: capitals?\n"


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
    assert not logs.exists()


def test_many_calls_are_asked_about(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("run", str(dataset), "--model", "gguf/smollm2", "--log-dir", str(tmp_path / "logs"))
    code, _, err = otherwords(*arguments, "--repeats", "500", capsys=capsys)
    assert code == 2
    assert err.endswith("calls are more than 1,000\nAdd --yes to go on.\n")


@pytest.mark.model
def test_from_a_dataset_to_a_report_on_the_embedded_model(
    dataset: Path, tmp_path: Path, start_python: Callable[..., subprocess.Popen[str]]
) -> None:
    """vary, run, aggregate and report, each as its own process, word by word as the README has them."""

    def command(*arguments: str) -> str:
        process = start_python("-m", "otherwords", *arguments, cwd=tmp_path)
        out, _ = process.communicate()
        assert process.returncode == 0, out
        return out

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
    assert said.startswith("Cannot tell whether wording matters for gguf/smollm2 on questions: ")
    assert sorted(path.name for path in (tmp_path / "report").iterdir()) == [
        "agent_level_sensitivity.csv",
        "change_costs.svg",
        "consistency.svg",
        "flip_rates.svg",
        "index.html",
        "items_by_band.svg",
        "most_sensitive_tasks.png",
        "most_sensitive_tasks.svg",
        "outcome_rates.csv",
        "sensitivity_comparison.png",
        "sensitivity_comparison.svg",
        "sensitivity_report.md",
        "task_level_sensitivity.csv",
        "task_sensitivity_distribution.png",
        "task_sensitivity_distribution.svg",
    ]
