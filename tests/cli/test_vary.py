"""`otherwords vary` with templates: what it writes, and one sentence and exit code 2 where it cannot."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from otherwords import read_variants

Command = Callable[..., tuple[int, str, str]]
CASES = [
    {"id": "c1", "question": "What colour is the box?", "product": "A blue box", "answer": "blue"},
    {"id": "c2", "question": "How many parts are in the kit?", "product": "A kit of 3", "answer": "3"},
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    write(CASES)


def write(cases: list[dict[str, str]]) -> None:
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, cases)))


def test_a_template_and_cases_make_a_file_of_cells(run_command: Command) -> None:
    Path("prompt.txt").write_text("Answer the following question in one word.\n\n{product}\n{question}\n")
    arguments = ("vary", "--template", "prompt.txt", "cases.jsonl", "--vary", "item,template")
    code, out, _ = run_command(*arguments, "--families", "paraphrase", "-k", 1)
    assert code == 0
    assert "accepted: template:paraphrase+paraphrase" in out
    assert [one.name for one in read_variants("variants.jsonl").accepted][:4] == [
        *("orig", "para1", "t1", "t1+para1")
    ]


def test_a_design_is_crossed(run_command: Command) -> None:
    code, out, _ = run_command("vary", "cases.jsonl", "--design", "wording×format", "--fraction", 0.5)
    assert code == 0
    assert "accepted: paraphrase+format" in out
    assert read_variants("variants.jsonl").header.design["fraction"] == 0.5


def refused(run_command: Command, template: str, *more: str) -> str:
    Path("prompt.txt").write_text(template)
    code, out, err = run_command("vary", "--template", "prompt.txt", "cases.jsonl", *more)
    assert code == 2
    assert out == ""
    assert not Path("variants.jsonl").exists()
    return " ".join(err.split())


def test_a_case_that_lacks_a_placeholders_field(run_command: Command) -> None:
    write([CASES[0], {name: CASES[1][name] for name in ("id", "question", "answer")}])
    assert refused(run_command, "{product}: {question}") == (
        "Error: cases.jsonl:2, item 'c2': has no field 'product', which the template prompt.txt "
        "names It has: "
        "id, question."
    )


def test_a_case_that_lacks_its_own_text(run_command: Command) -> None:
    write([CASES[0], {"id": "c2", "product": "A kit", "answer": "3"}])
    assert refused(run_command, "{product}: {question}") == (
        "Error: cases.jsonl:2, item 'c2': has no field 'question', which the template names"
    )


def test_a_placeholder_that_no_case_has(run_command: Command) -> None:
    assert refused(run_command, "Be brief.\n{prodct}: {question}") == (
        "Error: prompt.txt:2: the template names 'prodct', and no case has a field of this name "
        "Did you mean: "
        "product?"
    )
    assert refused(run_command, "{qestion}") == (
        "Error: prompt.txt:1: the template names 'qestion', and no case has a field of this name "
        "Did you mean: "
        "question?"
    )


def test_a_template_without_a_placeholder(run_command: Command) -> None:
    assert refused(run_command, "Answer in one word.") == (
        "Error: prompt.txt: the template has no placeholder Name the fields of a case in braces, "
        "as in: Answer "
        "in one word: {question}"
    )


def test_a_brace_that_is_no_placeholder(run_command: Command) -> None:
    assert refused(run_command, 'Reply as\n{"answer": 1}\n{question}') == (
        "Error: prompt.txt:2: '{\"answer\": 1}' is no placeholder such as {question} Write {{ and "
        "}} for braces "
        "that are meant as they stand."
    )


def test_what_cannot_be_varied(run_command: Command) -> None:
    assert refused(run_command, "{question}", "--vary", "system") == (
        "Error: prompt.txt: the template has no system message, so that --vary system has nothing to vary"
    )
    assert refused(run_command, "{question}", "--vary", "itm") == (
        "Error: unknown place to vary 'itm'. Did you mean: item?"
    )
    assert refused(run_command, "{question}", "--fraction", "0.5") == "Error: --fraction is for --design"
    assert refused(run_command, "{question}", "--exclude-ambiguous").endswith(
        "--exclude-ambiguous and --template cannot be given together"
    )
    assert refused(run_command, "{product} {id}") == (
        "Error: prompt.txt: it is not clear which of product, id is the case's own text Name it, "
        "for example: "
        "--prompt-field id"
    )


def test_a_promptfoo_configuration_is_read_and_what_is_left_out_is_named(run_command: Command) -> None:
    Path("promptfooconfig.yaml").write_text(
        "prompts: ['Answer in one word: {{question}}']\n"
        "providers: [openai:gpt-5]\n"
        "tests:\n"
        "  - vars: {question: 'What is the capital of France?'}\n"
        "    assert: [{type: icontains, value: paris}, {type: llm-rubric, value: brief}]\n"
    )
    code, out, _ = run_command("vary", "promptfooconfig.yaml", "--families", "paraphrase", "-k", 1)
    assert code == 0
    assert out.startswith(
        "Not taken over from promptfooconfig.yaml: providers (1), assertion 'llm-rubric' (1).\n"
    )
    assert read_variants("variants.jsonl").accepted[0].prompt == (
        "Answer in one word: What is the capital of France?"
    )


@pytest.mark.parametrize("named", [True, False])
def test_a_model_writes_wordings_of_a_template_a_judge_decides_and_both_are_counted(
    run_command: Command, scripted: Callable[..., str], named: bool
) -> None:
    asked: dict[bool, int] = {True: 0, False: 0}

    def answer(prompt: str) -> str:
        judges = "Do the two mean the same?" in prompt
        asked[judges] += 1
        if judges:
            return json.dumps({"difference": "", "same": True})
        return json.dumps(
            {"rewordings": ["Answer the following question in one short word of the menu.\n\n{question}"]}
        )

    Path("prompt.txt").write_text("Answer the following question in one word.\n\n{question}\n")
    arguments = ("vary", "--template", "prompt.txt", "cases.jsonl", "--vary", "template")
    models = ("--families", "llm", "-k", 1, "--paraphraser", scripted("writer", answer))
    judge = ("--judge", scripted("judge", answer)) if named else ()
    code, out, err = run_command(*arguments, *models, *judge)
    assert (code, err) == (0, "")
    assert asked[True] > 0
    assert f"Paraphrasing: {asked[False]} calls, 0 from the cache, 0 failed; " in out
    assert f"Judging: {asked[True]} calls, " in out
