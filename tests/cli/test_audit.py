"""`otherwords audit` as a person types it, and what it changes in a run."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from otherwords.audit import GATES, AuditSettings
from otherwords.cli import main
from otherwords.cli.audit import audit_command
from otherwords.core.contract import AUDIT_GATES
from otherwords.results import read_results

Scripted = Callable[[str, Callable[[str], str]], str]
Otherwords = Callable[..., tuple[int, str, str]]

QUESTIONS: list[dict[str, Any]] = [
    {"id": "france", "question": "What is the capital of France?", "answer": "Paris"},
    {"id": "mammal", "question": "Which of the following is a mammal?",
     "choices": ["Trout", "Dolphin"], "answer": "B"},
    {"id": "metal", "question": "Which is a metal?",
     "choices": ["Iron", "Copper", "All of the above"], "answer": "C"},
    {"id": "boil", "question": "When does water boil?",
     "choices": ["100.0", "100.5", "90", "80"], "answer": "A"},
    {"id": "lost", "question": "Which city is in Italy?",
     "choices": ["Paris", "Oslo"], "answer": "Rome"},
    {"id": "=1+1", "question": "Which \x1b[31mone?",
     "choices": ["\x1b[31mcrimson", "[bold]blue[/]", "\x1b[31mcrimson"], "answer": "A"},
]  # fmt: skip


@pytest.fixture
def otherwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Otherwords:
    """Runs a command in a folder that has questions.jsonl; gives code, output with spaces folded, errors."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in QUESTIONS))

    def command(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(end.value.code or 0), " ".join(out.split()), err

    return command


def test_it_labels_counts_and_shows_the_worst(otherwords: Otherwords) -> None:
    code, out, err = otherwords("audit", "questions.jsonl")
    assert (code, err) == (0, "")
    assert "questions: 5 items with options" in out
    for row in (
        "│ clean │ 1 │ 20% │",
        "│ ambiguous │ 3 │ 60% │",
        "│ unanswerable │ 1 │ 20% │",
        "│ not audited │ 1 │ │ they have no options │",
        "│ crowded_numbers │ 1 │ 20% │ two numbers can hardly be told apart │",
        "│ meta_option:all_of_the_above │ 1 │ 20% │ an option is about the others: all of them │",
        "│ lost │ unanswerable │ answer_not_an_option │ A) Paris │",
    ):
        assert row in out
    assert "Position: The right answer is A in 2, B in 1, C in 1, D in 0 of 4 items." in out
    assert "Length: The right answer is the longest option in" in out
    assert "Duplicates: 0 items repeat an earlier one, 0 nearly do, of 6 items with a question." in out
    assert "Next: otherwords run questions.jsonl --exclude-ambiguous --model MODEL" in out
    assert "\x1b" not in out
    assert "\\x1b[31mcrimson" in out
    assert "[bold]blue[/]" in out


def test_choices_alone_will_do(otherwords: Otherwords) -> None:
    Path("choices.jsonl").write_text('{"choices": ["Yes", "No"]}\n{"id": 2, "choices": ["Up", "Sideways"]}\n')
    code, out, _ = otherwords("audit", "choices.jsonl")
    assert code == 0
    assert "choices: 2 items with options" in out
    assert "│ line-1 │ ambiguous │ boolean_like │ A) Yes │" in out
    assert "Position" not in out
    assert "Duplicates" not in out


def test_the_files_have_labels_and_no_texts(otherwords: Otherwords) -> None:
    code, out, _ = otherwords(
        "audit", "questions.jsonl", "--json", "out/audit.json", "--csv", "out/audit.csv"
    )
    assert code == 0
    assert "Written: out/audit.json Written: out/audit.csv" in out
    assert "--exclude-ambiguous --audit out/audit.json" in out
    text = Path("out/audit.json").read_text()
    found = json.loads(text)
    assert found["labels"] == {"clean": 1, "ambiguous": 3, "unanswerable": 1}
    assert found["settings"]["near_duplicate"] == 0.9
    assert {one["id"] for one in found["decisions"]} == {"mammal", "metal", "boil", "lost", "=1+1"}
    rows = list(csv.DictReader(Path("out/audit.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == ["mammal", "metal", "boil", "lost", "'=1+1"]
    assert rows[3] == {
        "id": "lost",
        "label": "unanswerable",
        "reasons": "answer_not_an_option",
        "n_options": "2",
        "answer": "",
        "duplicate_of": "",
        "nearly": "",
    }
    for content in (text, Path("out/audit.csv").read_text()):
        assert not any(word in content for word in ("Iron", "capital", "crimson", "\x1b"))
    assert [path.name for path in sorted(Path("out").iterdir())] == ["audit.csv", "audit.json"]


def test_thresholds_can_be_set_and_reasons_ignored(otherwords: Otherwords) -> None:
    Path("n.jsonl").write_text('{"choices": ["10.0", "10.02", "20"]}\n{"choices": ["Yes", "No"]}\n')
    assert "crowded_numbers" not in otherwords("audit", "n.jsonl")[1]
    code, out, _ = otherwords("audit", "n.jsonl", "--strict")
    assert "│ crowded_numbers │ 1 │" in out
    assert (
        "Next: write the labels with --json FILE, then otherwords run n.jsonl --exclude-ambiguous "
        "--audit FILE --model MODEL" in out
    )
    assert "crowded_numbers" in otherwords("audit", "n.jsonl", "--crowding-of-three", "0.003")[1]
    _, out, _ = otherwords("audit", "n.jsonl", "--ignore", "boolean_like")
    assert "│ clean │ 2 │ 100% │" in out
    assert "worst" not in out
    code, _, err = otherwords("audit", "n.jsonl", "--ignore", "meta")
    assert (code, err) == (2, "Error: unknown reason 'meta'. Did you mean: meta_option?\n")


def test_every_threshold_is_an_option_with_the_same_default() -> None:
    defaults = AuditSettings()
    options = audit_command.make_context("audit", ["questions.jsonl"]).params
    for field in fields(AuditSettings):
        assert options[field.name] == getattr(defaults, field.name), field.name
    assert tuple(GATES) == AUDIT_GATES


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        ("ambiguous", "4 of 5 items are not clean"),
        ("unanswerable", "1 of 5 items is unanswerable"),
    ],
)
def test_a_gate_ends_with_1(otherwords: Otherwords, gate: str, said: str) -> None:
    code, out, err = otherwords("audit", "questions.jsonl", "--fail-on", gate, "--json", "audit.json")
    assert (code, err) == (1, f"Error: {said}\n")
    assert "Written: audit.json" in out
    assert otherwords("audit", "questions.jsonl", "--fail-on", "duplicates")[0] == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", ": no items: the file is empty"),
        ("{", ":1: not valid JSON at column 2"),
        ('{"id": "x"}\n', ":1, item 'x': has neither a question (question, stem, prompt, input, messages) "
         "nor choices (choices, options)"),
    ],
)  # fmt: skip
def test_bad_input_ends_with_2_and_writes_nothing(otherwords: Otherwords, content: str, said: str) -> None:
    Path("bad.jsonl").write_text(content)
    code, _, err = otherwords("audit", "bad.jsonl", "--json", "audit.json", "--csv", "audit.csv")
    assert (code, err) == (2, f"Error: bad.jsonl{said}\n")
    assert not Path("audit.json").exists()
    assert otherwords("audit", "absent.jsonl")[::2] == (2, "Error: absent.jsonl: no such file\n")


# ---- models


def options_only(prompt: str) -> str:
    assert "capital" not in prompt
    assert "mammal?" not in prompt
    return "ANSWER: B"


@pytest.mark.slow
def test_the_options_without_the_question(otherwords: Otherwords, scripted: Scripted) -> None:
    model = scripted("blind", options_only)
    arguments = ("audit", "questions.jsonl", "--choices-only", model, "--price", "1,1")
    code, out, _ = otherwords(*arguments, "--dry-run")
    assert code == 0
    assert out.startswith("For the options without questions: 4 calls; about ")
    assert out.endswith("About $0.00")
    assert not Path("audit-logs").exists() or not list(Path("audit-logs").glob("*.eval"))

    code, out, _ = otherwords(*arguments, "--json", "audit.json")
    assert code == 0
    assert (
        "Choices only: Without the question, scripted/blind is right in 25% (5% to 70%) of 4 items; "
        "chance is 35%: not above chance." in out
    )
    found = json.loads(Path("audit.json").read_text())["choices_only"]
    assert (found["asked"], found["unscored"], found["right"]["count"], found["calls"]) == (4, 0, 1, 4)
    code, out, _ = otherwords(*arguments)
    assert "0 calls, 4 have finished before" in out


@pytest.mark.slow
def test_answers_that_cannot_be_read_are_counted(otherwords: Otherwords, scripted: Scripted) -> None:
    _, out, _ = otherwords(
        "audit", "questions.jsonl", "--choices-only", scripted("mute", lambda _: "No idea.")
    )
    assert "scripted/mute gave no answer that could be scored. 4 of 4 could not be scored." in out


def test_a_critic_adds_and_what_it_does_not_say_is_shown(otherwords: Otherwords, scripted: Scripted) -> None:
    def reply(prompt: str) -> str:
        assert "Which" not in prompt
        return '{"why": "", "label": "clean"}' if "Dolphin" not in prompt else "They look good to me!"

    model = scripted("critic", reply)
    code, out, _ = otherwords("audit", "questions.jsonl", "--critic", model)
    assert code == 0
    assert "For the critic: 5 calls; about " in out
    assert "The price of scripted/critic is not known, give it with --price" in out
    assert "│ clean │ 0 │ 0% │" in out
    assert "│ critic:no_verdict │ 1 │" in out
    assert (
        "Critic: scripted/critic was asked about 5 items; 1 reply had no verdict, which clears no item. "
        "5 calls, 15 tokens in, 5 out." in out
    )


@pytest.mark.slow
def test_much_is_asked_about_first(
    otherwords: Otherwords, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherwords.cli.console.ASK_ABOVE_CALLS", 3)
    arguments = ("audit", "questions.jsonl", "--choices-only", scripted("blind", options_only))
    assert otherwords(*arguments)[::2] == (2, "Error: 4 calls are more than 3\nAdd --yes to go on.\n")
    assert otherwords(*arguments, "--yes")[0] == 0


def test_an_unknown_model_is_refused_before_anything(otherwords: Otherwords) -> None:
    for flag in ("--critic", "--choices-only"):
        code, out, err = otherwords("audit", "questions.jsonl", flag, "nosuch/model")
        assert (code, out) == (2, "")
        assert err.startswith("Error: no provider of models is called 'nosuch', as in 'nosuch/model'\n")


# ---- runs without ambiguous items


@pytest.mark.slow
def test_a_run_leaves_them_out_and_says_so(otherwords: Otherwords, scripted: Scripted) -> None:
    arguments = (
        "run",
        "questions.jsonl",
        "--model",
        scripted("b", lambda _: "ANSWER: B"),
        "--repeats",
        "1",
        "-k",
        "2",
    )
    code, out, err = otherwords(*arguments, "--exclude-ambiguous")
    assert (code, err) == (0, "")
    assert (
        "Left out: 3 ambiguous, 1 unanswerable (meta_option:all_of_the_above 1, crowded_numbers 1, "
        "answer_not_an_option 1, duplicate_options 1, right_answer_twice 1). 2 items stay. "
        "2 items, 6 wordings" in out
    )
    assert set(read_results("logs").outcomes["id"]) == {"france", "mammal"}


@pytest.mark.slow
def test_variants_of_all_items_can_be_run_without_them(otherwords: Otherwords, scripted: Scripted) -> None:
    whole = [line for line in QUESTIONS if line["id"] != "lost"]
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in whole))
    model = scripted("b", lambda _: "ANSWER: B")
    assert otherwords("vary", "questions.jsonl", "-o", "all.jsonl")[0] == 0
    code, out, _ = otherwords("vary", "questions.jsonl", "-o", "clean.jsonl", "--exclude-ambiguous")
    assert "2 items stay." in out
    assert "--variants clean.jsonl --exclude-ambiguous --model MODEL" in out
    for variants in ("all.jsonl", "clean.jsonl"):
        code, out, err = otherwords(
            *("run", "questions.jsonl", "--variants", variants, "--exclude-ambiguous", "--model", model),
            *("--repeats", "1", "--log-dir", f"logs-{variants}"),
        )
        assert (code, err) == (0, "")
        assert set(read_results(f"logs-{variants}").outcomes["id"]) == {"france", "mammal"}
    code, _, err = otherwords("run", "questions.jsonl", "--variants", "clean.jsonl", "--model", model)
    assert code == 2
    assert "clean.jsonl: was made for other items: the file lacks '=1+1' and 2 more" in err


def test_labels_of_an_audits_file_decide(otherwords: Otherwords, scripted: Scripted) -> None:
    model = scripted("b", lambda _: "ANSWER: B")
    ignoring = ("--ignore", "meta_option", "--ignore", "crowded_numbers")
    assert otherwords("audit", "questions.jsonl", *ignoring, "--json", "audit.json")[0] == 0
    run = ("run", "questions.jsonl", "--model", model, "--dry-run")
    code, out, _ = otherwords(*run, "--exclude-ambiguous", "--audit", "audit.json")
    assert code == 0
    assert "4 items stay." in out
    assert otherwords(*run, "--audit", "audit.json")[0] == 2
    Path("others.jsonl").write_text('{"id": "z", "question": "Who?", "answer": "me"}\n')
    code, _, err = otherwords("run", "others.jsonl", *run[2:], "--exclude-ambiguous", "--audit", "audit.json")
    assert (code, err) == (
        2,
        "Error: audit.json: was made for other items: none of them is in 'others'\n"
        "Audit the dataset that is run: `otherwords audit DATASET --json FILE`.\n",
    )


def test_nothing_left_is_told(otherwords: Otherwords) -> None:
    Path("yes.jsonl").write_text('{"question": "Is it?", "choices": ["Yes", "No"], "answer": "A"}\n')
    code, _, err = otherwords("vary", "yes.jsonl", "--exclude-ambiguous")
    assert (code, err) == (
        2,
        "Error: nothing is left of 'yes': none of its 1 items is clean\n"
        "See why with `otherwords audit DATASET`. With --ignore CODE a reason does not count; give the "
        "labels that it writes with --audit FILE.\n",
    )


@pytest.mark.slow
def test_the_report_shows_both(otherwords: Otherwords, scripted: Scripted) -> None:
    whole = [line for line in QUESTIONS if line["id"] != "lost"]
    Path("questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in whole))
    model = scripted("b", lambda _: "ANSWER: B")
    assert otherwords("run", "questions.jsonl", "--model", model, "--repeats", "1", "-k", "2")[0] == 0
    code, brief, _ = otherwords("report", "logs", "-o", "report")
    assert code == 0
    assert "With and without ambiguous items" in brief
    assert "By their options alone, 3 of 5 items are ambiguous" in " ".join(brief.split())
    code, out, _ = otherwords("report", "logs", "-o", "report", "--full")
    assert code == 0
    assert "│ items │ 5 │ 2 │" in out
    said = "By their options alone, 3 of 5 items are ambiguous or unanswerable before any rewording"
    assert said in out
    assert "1 item was not audited and stays in." in out
    assert said in Path("report/sensitivity_report.md").read_text()
    otherwords("audit", "questions.jsonl", "--ignore", "crowded_numbers", "--json", "audit.json")
    code, out, _ = otherwords("report", "logs", "--audit", "audit.json", "--json")
    found = json.loads(out)["without_ambiguous"]
    assert [one["items_by_label"] for one in found] == [{"clean": 2, "ambiguous": 2, "not audited": 1}]
    assert found[0]["items_left"] == 3
    assert set(found[0]["estimates"]) >= {"accuracy", "s_prompt", "s_norm"}
