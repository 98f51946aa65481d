"""`otherwords repair` and `worst` through the run engine, with scripted models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from otherwords.pipeline.template_search import ANSWER_ONLY

pytestmark = pytest.mark.slow

Command = Callable[..., tuple[int, str, str]]
Scripted = Callable[[str, Callable[[str], str]], str]
TEMPLATE = "Answer the following question.\n\nQuestion: {question}"
_NUMBERS = re.compile(r"(\d+) \+ (\d+)")


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    rows = [
        {"id": f"q{n}", "question": f"What is {n} + {2 * n}?", "answer": str(3 * n)} for n in range(10, 34)
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "prompt.txt").write_text(TEMPLATE + "\n")
    return path


def right_answer(prompt: str) -> str:
    match = _NUMBERS.search(prompt)
    assert match is not None, prompt
    return str(int(match[1]) + int(match[2]))


def wants_a_sentence(calls: list[str]) -> Callable[[str], str]:
    """Right where the template asks for the answer only; else only on every third case."""

    def answer(prompt: str) -> str:
        calls.append(prompt)
        said = right_answer(prompt)
        return said if ANSWER_ONLY in prompt or int(said) % 9 == 0 else "I would rather not say."

    return answer


def repair(run_command: Command, cases: Path, model: str, *more: object) -> tuple[int, str, str]:
    folder = cases.parent
    return run_command(
        *("repair", cases, "--template", folder / "prompt.txt", "--model", model, "--repeats", 1),
        *("-k", 3, "-o", folder / "out", *more),
    )


def test_a_better_wording_is_found_and_written(
    run_command: Command, cases: Path, scripted: Scripted, tmp_path: Path
) -> None:
    calls: list[str] = []
    code, out, err = repair(run_command, cases, scripted("wants", wants_a_sentence(calls)))
    assert code == 0, err
    found = json.loads((tmp_path / "out" / "repair.json").read_text())
    assert out.splitlines()[0] == (
        f"{len(found['gains'])} wordings of prompt.txt, 24 cases: at most "
        f"{re.search(r'at most ([0-9,]+) calls', out)[1]} calls; about "  # type: ignore[index]
        f"{re.search(r'about ([0-9,]+) tokens in', out)[1]} tokens in and "  # type: ignore[index]
        f"{re.search(r'and ([0-9,]+) out', out)[1]} out"  # type: ignore[index]
    )
    adopted = found["adopted"]
    best = next(one for one in found["gains"] if one["template"] == adopted)
    assert ANSWER_ONLY in best["how"]
    assert best["confirmed"]["low"] > 0
    assert best["confirmed"]["n_items"] == 16
    assert f"{adopted} is better than orig: +" in out.replace("\n", " ")
    assert "on 16 unseen items" in " ".join(out.split())
    assert "where it was picked)" in " ".join(out.split())
    new = (tmp_path / "out" / "prompt.repaired.txt").read_text()
    assert ANSWER_ONLY in new
    assert "{question}" in new
    diff = (tmp_path / "out" / "prompt.repaired.diff").read_text()
    assert f"+{ANSWER_ONLY}\n" in diff
    assert "-Answer the following question." not in diff
    assert found["cost"] == {
        "calls": len(calls),
        "tokens": 4 * len(calls),
        "usd": None,
        "writing_calls": 0,
        "writing_tokens": 0,
    }
    assert f"Cost: {len(calls):,} calls, {4 * len(calls):,} tokens" in out
    assert (tmp_path / "prompt.txt").read_text() == TEMPLATE + "\n"
    logs = tmp_path / "out" / "logs"
    for command in (
        ["rank"],
        ["report"],
        ["fix"],
        ["check", "--min-s-prompt", "0"],
        ["compare", logs / "confirm"],
    ):
        code, _, err = run_command(*command, logs / "screen")
        assert code == 2
        assert "is of the screening of a repair, where scores decided which templates were asked more" in err
        assert f"Give what unseen cases were asked: {logs / 'confirm'}" in err
    code, out, err = run_command("rank", tmp_path / "out" / "logs" / "confirm")
    assert code == 0, err
    assert f"{adopted} is better than orig by " in out
    again = len(calls)
    code, out, _ = repair(run_command, cases, "scripted/wants", "--json")
    assert code == 0
    assert len(calls) == again
    assert json.loads(out)["adopted"] == adopted


def test_no_wording_is_better_where_all_are_right(
    run_command: Command, cases: Path, scripted: Scripted, tmp_path: Path
) -> None:
    code, out, err = repair(run_command, cases, scripted("all-right", right_answer))
    assert code == 0, err
    found = json.loads((tmp_path / "out" / "repair.json").read_text())
    assert found["adopted"] is None
    n = len(found["gains"])
    assert f"No wording is better: none of {n} looked better when they were screened." in " ".join(
        out.split()
    )
    assert "prompt.txt stays as it is." in out
    assert not (tmp_path / "out" / "prompt.repaired.txt").exists()
    assert not (tmp_path / "out" / "prompt.repaired.diff").exists()


def test_what_a_repair_was_interrupted_in_is_not_asked_again(
    run_command: Command, cases: Path, scripted: Scripted, tmp_path: Path
) -> None:
    calls: list[str] = []
    code, out, _ = repair(
        run_command, cases, scripted("wants", wants_a_sentence(calls)), "--budget", "calls=30"
    )
    assert code == 0
    assert "Stopped at the budget. What has finished is in" in out
    first = len(calls)
    assert 30 <= first < 40
    code, out, err = repair(run_command, cases, "scripted/wants")
    assert code == 0, err
    assert "of them finished before" in out
    found = json.loads((tmp_path / "out" / "repair.json").read_text())
    assert found["adopted"] is not None
    # what was under way when the budget ended is asked again, and nothing else
    assert found["cost"]["calls"] <= len(calls) <= found["cost"]["calls"] + 10


def test_another_template_or_other_options_are_refused(
    run_command: Command, cases: Path, scripted: Scripted, tmp_path: Path
) -> None:
    model = scripted("all-right", right_answer)
    assert repair(run_command, cases, model, "--budget", "calls=1")[0] == 0
    code, _, err = repair(run_command, cases, model, "--seed", 1)
    file = tmp_path / "out" / "candidates.json"
    assert (code, err) == (
        2,
        f"Error: {file}: holds a repair with other options\nGive another folder: -o DIR\n",
    )
    (tmp_path / "prompt.txt").write_text("Say it: {question}\n")
    code, _, err = repair(run_command, cases, model)
    assert (code, err) == (
        2,
        f"Error: {file}: holds a repair of another template\nGive another folder: -o DIR\n",
    )


def test_mistakes_are_said_in_a_sentence(
    run_command: Command, cases: Path, scripted: Scripted, tmp_path: Path
) -> None:
    model = scripted("all-right", right_answer)
    assert repair(run_command, cases, model, "--model", model)[::2] == (
        2,
        "Error: a search asks one model, and there are several --model\n",
    )
    code, _, err = repair(run_command, cases, model, "--max-items", 3)
    assert (code, err) == (2, "Error: a search takes 4 items and 1 repeat, got 3 and 1\n")
    code, out, _ = repair(run_command, cases, model, "--dry-run", "-o", tmp_path / "dry")
    assert code == 0
    assert "at most" in out
    assert not (tmp_path / "dry").exists()


def test_sentences_aim_at_what_fix_finds(
    run_command: Command, cases: Path, scripted: Scripted, tmp_path: Path
) -> None:
    """A model that fails where the request is typed in a hurry, unless the template says that it may be."""

    def answer(prompt: str) -> str:
        hurried = "What is" not in prompt
        return right_answer(prompt) if not hurried or "typed in a hurry" in prompt else "What do you mean?"

    model, wordings = scripted("hurried", answer), tmp_path / "wordings.jsonl"
    vary = ("vary", cases, "--families", "naturalistic", "-k", 1)
    assert run_command(*vary, "-o", wordings)[0] == 0
    in_template = tmp_path / "in_template.jsonl"
    assert run_command(*vary, "--template", tmp_path / "prompt.txt", "-o", in_template)[0] == 0
    logs = tmp_path / "logs"
    run = ("run", cases, "--variants", in_template, "--model", model, "--repeats", 2, "--log-dir", logs)
    assert run_command(*run)[0] == 0
    code, _, err = repair(run_command, cases, model, "--found-in", logs, "--variants", wordings)
    assert code == 0, err
    found = json.loads((tmp_path / "out" / "repair.json").read_text())
    best = next(one for one in found["gains"] if one["template"] == found["adopted"])
    assert "The text may be typed in a hurry" in best["how"]
    assert best["how"].endswith("(found: casual typing)")


# ---- worst


@pytest.fixture
def variants(run_command: Command, cases: Path, tmp_path: Path) -> Path:
    path = tmp_path / "variants.jsonl"
    code, _, err = run_command("vary", cases, "--families", "format,naturalistic", "-k", 6, "-o", path)
    assert code == 0, err
    return path


def worst(
    run_command: Command, cases: Path, variants: Path, model: str, *more: object
) -> tuple[int, str, str]:
    return run_command(
        *("worst", cases, "--variants", variants, "--model", model, "-o", cases.parent / "worst", *more)
    )


def test_the_worst_wording_is_asked_afresh(
    run_command: Command, cases: Path, variants: Path, scripted: Scripted, tmp_path: Path
) -> None:
    calls: list[str] = []

    def answer(prompt: str) -> str:
        calls.append(prompt)
        return right_answer(prompt) if "What is" in prompt else "What do you mean?"

    model = scripted("no-hurry", answer)
    code, out, err = worst(run_command, cases, variants, model, "--budget", 90)
    assert code == 0, err
    found = json.loads((tmp_path / "worst" / "worst.json").read_text())
    assert found["format"] == "otherwords-worst"
    assert found["loss"]["low"] > 0.3
    assert found["accuracy"]["value"] == 0.0
    assert found["accuracy_where_picked"] == 0.0
    assert len(calls) <= 90
    assert found["cost"]["calls"] == len(calls)
    assert f"{found['wording']}, the worst that was found of" in " ".join(out.split())
    assert "asked afresh" in " ".join(out.split())
    before = len(calls)
    code, again, _ = worst(run_command, cases, variants, model, "--budget", 90, "--json")
    assert code == 0
    assert len(calls) == before
    assert json.loads(again)["sentence"] == found["sentence"]


def test_no_wording_costs_anything_where_all_are_right(
    run_command: Command, cases: Path, variants: Path, scripted: Scripted
) -> None:
    code, out, err = worst(run_command, cases, variants, scripted("all-right", right_answer), "--budget", 90)
    assert code == 0, err
    assert out.splitlines()[1].startswith("No wording was found that costs accuracy: ")


def test_an_interrupted_search_goes_on(
    run_command: Command, cases: Path, variants: Path, scripted: Scripted, tmp_path: Path
) -> None:
    calls: list[str] = []

    def answer(prompt: str) -> str:
        calls.append(prompt)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return right_answer(prompt)

    model = scripted("interrupted", answer)
    code, out, _ = worst(run_command, cases, variants, model, "--budget", 90, "--max-connections", 1)
    assert code == 130
    assert "Stopped. What has finished is in" in out
    code, out, err = worst(run_command, cases, variants, model, "--budget", 90)
    assert code == 0, err
    assert "of them finished before" in out
    assert len(calls) <= 95


def test_a_budget_that_is_too_small(
    run_command: Command, cases: Path, variants: Path, scripted: Scripted
) -> None:
    code, _, err = worst(run_command, cases, variants, scripted("all-right", right_answer), "--budget", 4)
    assert code == 2
    assert re.fullmatch(
        r"Error: a budget of 4 calls is too small for \d+ wordings\nGive at least \d+\.\n", err
    ), err


def test_what_writing_the_wordings_took_is_in_the_cost_also_of_a_run_that_goes_on(
    run_command: Command,
    cases: Path,
    scripted: Scripted,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    asked: list[str] = []

    def write(prompt: str) -> str:
        asked.append(prompt)
        if "Do the two mean the same?" in prompt:
            return json.dumps({"difference": "", "same": True})
        return json.dumps({"rewordings": ["Give the answer to this question.\n\nQuestion: {question}"]})

    model = scripted("wants", wants_a_sentence([]))
    more = ("--paraphraser", scripted("writer", write))
    for _ in range(2):
        code, out, err = repair(run_command, cases, model, *more)
        assert code == 0, err
        cost = json.loads((tmp_path / "out" / "repair.json").read_text())["cost"]
        assert cost["writing_calls"] == len(asked) > 0
        assert cost["writing_tokens"] > 0
        told = f"{cost['writing_calls']:,} calls, {cost['writing_tokens']:,} tokens"
        assert f"; to write and judge the wordings {told}\n" in out
