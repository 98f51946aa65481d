"""promptfoo's configuration: prompts, variables and assertions, and what is not taken over."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from otherwords import InputError, Message, open_source, read_results, run
from otherwords.results.promptfoo import ASSERTS, read_promptfoo_config
from otherwords.runs.item_task import assertion_holds

TEST = {"vars": {"question": "Capital of France?"}, "assert": [{"type": "contains", "value": "Paris"}]}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def config(**content: Any) -> Path:
    path = Path("promptfooconfig.yaml")
    path.write_text(yaml.safe_dump({"prompts": ["Answer: {{question}}"], "tests": [TEST], **content}))
    return path


def refusal(**content: Any) -> str:
    with pytest.raises(InputError) as caught:
        read_promptfoo_config(config(**content))
    return str(caught.value)


def test_prompts_of_all_kinds() -> None:
    Path("two.txt").write_text("First {{question}}\n---\nSecond {{ question }} {json}\n")
    Path("chat.json").write_text(json.dumps([{"role": "user", "content": "{{question}}"}]))
    chat = json.dumps(
        [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "{{question}}"}]
    )
    read = read_promptfoo_config(
        config(
            prompts=[
                "Answer: {{question}}",
                {"label": "my chat", "raw": chat},
                "file://two.txt",
                "chat.json",
                "{{ question | upper }}",
                "{% if question %}{{question}}{% endif %}",
                "file://make.py",
                ["no text"],
            ]
        )
    )
    assert [(one.name, one.prompt) for one in read.templates] == [
        ("prompt1", "Answer: {question}"),
        ("my-chat", (Message("system", "Be brief."), Message("user", "{question}"))),
        ("two-1", "First {question}"),
        ("two-2", "Second {question} {{json}}"),
        ("chat", (Message("user", "{question}"),)),
    ]
    assert read.not_taken == {
        "prompt that is made by code": 1,
        "prompt that is no text": 1,
        "prompt with a filter or a block": 2,
    }


def test_variables_with_defaults_and_lists() -> None:
    read = read_promptfoo_config(
        config(
            defaultTest={"vars": {"tone": "kind"}, "assert": [{"type": "not-contains", "value": "sorry"}]},
            tests=[
                {"vars": {"question": ["Capital of France?", "France's capital?"]}, "assert": TEST["assert"]},
                {"vars": {"question": "Why?", "tone": "dry"}},
            ],
        )
    )
    cases = read.cases("question")
    assert [(one.id, one.prompt, one.metadata, one.target) for one in cases] == [
        ("test1", "Capital of France?", {"tone": "kind"}, ("Paris",)),
        ("test1-2", "France's capital?", {"tone": "kind"}, ("Paris",)),
        ("test2", "Why?", {"tone": "dry"}, ()),
    ]
    assert read.asserts["test2"] == [{"type": "not-contains", "values": ["sorry"]}]


def test_assertions_that_are_not_checked_here_are_counted() -> None:
    tests = [
        {
            "vars": {"question": "Why?", "place": "here"},
            "assert": [
                {"type": "equals", "value": "{{place}}"},
                {"type": "contains", "value": "{{other}}"},
                {"type": "regex", "value": "(?<open"},
                {"type": "contains", "value": "a", "transform": "output.trim()"},
                {"type": "llm-rubric", "value": "kind"},
                {"type": "contains-any", "value": ["a", 2]},
                {"type": "equals", "value": {"a": 1}},
            ],
        },
        {"vars": {"question": "How?"}, "assert": [{"type": "javascript", "value": "true"}]},
    ]
    read = read_promptfoo_config(config(tests=tests, providers=["openai:gpt-5"]))
    assert read.asserts == {
        "test1": [
            {"type": "equals", "values": ["here"]},
            {"type": "contains-any", "values": ["a", "2"]},
        ]
    }
    assert read.not_taken == {
        "providers": 1,
        "assertion 'contains'": 2,
        "assertion 'regex'": 1,
        "assertion 'llm-rubric'": 1,
        "assertion 'equals'": 1,
        "assertion 'javascript'": 1,
        "test without an assertion that can be checked": 1,
    }


def test_configurations_that_cannot_be_asked() -> None:
    assert refusal(prompts=["file://make.js"]) == (
        "promptfooconfig.yaml: has no prompt that can be taken over\n"
        "Not taken over: prompt that is made by code (1)."
    )
    assert refusal(tests=[{"vars": {"question": "Why?"}}]) == (
        "promptfooconfig.yaml: has no test that can be scored here\n"
        "Not taken over: test without an assertion that can be checked (1)."
    )
    assert refusal(tests="file://tests.csv") == (
        "promptfooconfig.yaml: tests in 'file://tests.csv' are not read; give them as YAML or JSON"
    )
    assert refusal(tests=["a"]) == "promptfooconfig.yaml: tests must be a list of tests with vars and assert"
    Path("promptfooconfig.yaml").write_text("agents: []")
    with pytest.raises(InputError, match="is no promptfoo configuration: it has no prompts or no tests"):
        open_source("promptfooconfig.yaml")


def test_tests_of_another_file() -> None:
    Path("tests.yaml").write_text(yaml.safe_dump([TEST]))
    assert read_promptfoo_config(config(tests="file://tests.yaml")).fields == (TEST["vars"],)


@pytest.mark.parametrize(
    ("kind", "values", "right", "wrong"),
    [
        ("equals", ["Paris"], "Paris", "Paris."),
        ("contains", ["Paris"], "In Paris.", "in paris"),
        ("icontains", ["PARIS"], "in paris", "in Rome"),
        ("contains-any", ["a", "b"], "b", "c"),
        ("contains-all", ["a", "b"], "ba", "b"),
        ("icontains-any", ["A", "b"], "a", "c"),
        ("icontains-all", ["A", "B"], "ab", "a"),
        ("starts-with", ["Par"], "Paris", "In Paris"),
        ("regex", [r"\d+ km"], "it is 12 km", "far"),
    ],
)
def test_assertions_hold_as_in_promptfoo(kind: str, values: list[str], right: str, wrong: str) -> None:
    assert kind in ASSERTS
    assert assertion_holds(kind, values, right)
    assert not assertion_holds(kind, values, wrong)
    assert assertion_holds(f"not-{kind}", values, wrong)
    assert not assertion_holds(f"not-{kind}", values, right)


def test_a_configuration_is_run_and_scored_by_its_assertions(scripted: Callable[..., str]) -> None:
    tests = [
        {
            "vars": {"question": "What is the capital of France?"},
            "assert": [{"type": "equals", "value": "Paris"}],
        },
        {
            "vars": {"question": "What is the capital of Italy?"},
            "assert": [{"type": "equals", "value": "Rome"}],
        },
    ]
    path = config(prompts=["Answer: {{question}}", "Say it: {{question}}"], tests=tests)
    run(path, scripted("paris", lambda prompt: "Paris"), families=["paraphrase"], k=1, repeats=1)
    table = read_results("logs").outcomes
    assert table["scorer"].unique().to_list() == ["asserts"]
    assert set(table.select("variant", "template").rows()) == {
        ("orig", "prompt1"),
        ("para1", "prompt1"),
        ("prompt2", "prompt2"),
        ("prompt2+para1", "prompt2"),
    }
    assert table.group_by("id").agg(score="score").sort("id")["score"].to_list() == [[1.0] * 4, [0.0] * 4]
