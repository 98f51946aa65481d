"""Inspect tasks varied in `system_message()`, `prompt_template()` and the descriptions of tools."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample, list_eval_logs, read_eval_log
from inspect_ai.model import ChatMessageSystem, ChatMessageUser
from inspect_ai.scorer import includes
from inspect_ai.solver import (
    chain_of_thought,
    generate,
    multiple_choice,
    prompt_template,
    system_message,
    use_tools,
)

from otherwords import freeze, open_source, read_results, read_variants, run
from otherwords.core.contract import PLACES_KEY
from otherwords.core.errors import InputError
from otherwords.core.types import Message
from otherwords.core.wording_names import levels_text
from otherwords.runs.shared_texts import shared_texts

pytestmark = pytest.mark.slow

TASKS = """
from inspect_ai import Task, task
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, prompt_template, system_message, use_tools
from inspect_ai.tool import tool

SAMPLES = [
    Sample(id="fr", input="What is the capital of France?", target="Paris", metadata={"topic": "geography"}),
    Sample(id="it", input="What is the capital of Italy?", target="Rome", metadata={"topic": "geography"}),
]


@tool
def add():
    async def execute(x: int, y: int):
        '''Add two numbers and return the sum.

        Args:
            x: The first number.
            y: The second number.
        '''
        return x + y

    return execute


@task
def with_system():
    solver = [system_message("You know {topic}. Answer the question in one word."), generate()]
    return Task(dataset=SAMPLES, solver=solver, scorer=includes())


@task
def with_template():
    template = "Answer the following question in one word.\\n\\n{prompt}"
    return Task(dataset=SAMPLES, solver=[prompt_template(template), generate()], scorer=includes())


@task
def with_agent():
    agent = react(prompt="You answer questions. Be brief.", tools=[add()])
    return Task(dataset=SAMPLES, solver=agent, scorer=includes(), message_limit=4)


@task
def with_tools():
    return Task(dataset=SAMPLES, solver=[use_tools(add()), generate()], scorer=includes())
"""


@pytest.fixture
def quiz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("quiz.py").write_text(TASKS)
    return Path("quiz.py")


def answer(prompt: str) -> str:
    return "Paris" if "France" in prompt else "Rome"


def asked(name: str, model: str, **vary: Any) -> tuple[dict[str, EvalSample], Any]:
    """The samples of the log by variant, of the item `fr`; and the outcome table."""
    freeze(open_source(f"quiz.py@{name}", vary=vary["vary"]), "v.jsonl", ["paraphrase"], k=2, **vary)
    run(f"quiz.py@{name}", model, variants_file="v.jsonl", repeats=1)
    (log,) = list_eval_logs("logs")
    samples = read_eval_log(log, resolve_attachments=True).samples or []
    return {
        sample.metadata["variant"]: sample for sample in samples if sample.metadata["item_id"] == "fr"
    }, read_results("logs").outcomes


def test_a_system_message_is_varied_in_its_place_and_read_back(
    quiz: Path, scripted: Callable[..., str]
) -> None:
    samples, table = asked("with_system", scripted("geo", answer), vary=["system"])
    said = {name: sample.messages[0].text for name, sample in samples.items()}
    assert said == {
        "orig": "You know geography. Answer the question in one word.",
        "s1": said["s1"],
        "s2": said["s2"],
    }
    assert len(set(said.values())) == 3
    assert all("geography" in text and "one word" in text for text in said.values())
    assert {sample.input for sample in samples.values()} == {"What is the capital of France?"}
    assert {sample.messages[1].text for sample in samples.values()} == {"What is the capital of France?"}
    texts = samples["s1"].metadata[PLACES_KEY]
    assert texts["system"].replace("{topic}", "geography") == said["s1"]
    rows = table.select("id", "variant", "kind", "template", "wording", "score").sort("id", "variant").rows()
    assert rows == [
        (item, variant, kind, variant, "orig", 1.0)
        for item in ("fr", "it")
        for variant, kind in (("orig", "orig"), ("s1", "system:paraphrase"), ("s2", "system:paraphrase"))
    ]


def test_a_prompt_template_is_varied_in_its_place_and_crossed_with_the_items_wordings(
    quiz: Path, scripted: Callable[..., str]
) -> None:
    samples, table = asked("with_template", scripted("geo", answer), vary=["item", "template"])
    said = {name: sample.messages[0].text for name, sample in samples.items()}
    crossed = {"t1+para1", "t1+para2", "t2+para1", "t2+para2"}
    assert samples.keys() == {"orig", "para1", "para2", "t1", "t2", *crossed}
    assert len(set(said.values())) == 9
    assert said["orig"] == "Answer the following question in one word.\n\nWhat is the capital of France?"
    instruction, _, question = said["t1"].partition("\n\n")
    assert question == "What is the capital of France?"
    assert said["t1+para1"] == f"{instruction}\n\n{said['para1'].partition(chr(10) * 2)[2]}"
    # The scorer sees the item's own text, without the template.
    assert samples["t1"].input == "What is the capital of France?"
    assert samples["t1+para1"].input == samples["para1"].input
    frozen = {one.id: one for one in read_variants("v.jsonl").accepted}
    shown = frozen["fr#t1+para1"].prompt
    assert not isinstance(shown, str)
    assert [message.content for message in shown] == [said["t1+para1"]]
    assert table.filter(variant="t1+para1")["template"].unique().to_list() == ["t1"]
    assert table.filter(variant="t1+para1")["wording"].unique().to_list() == ["para1"]
    assert table["score"].min() == 1.0


def test_descriptions_of_tools_are_varied(quiz: Path, scripted: Callable[..., str]) -> None:
    samples, _ = asked("with_tools", scripted("geo", answer), vary=["tools"])
    described = {
        name: next(event.tools[0].description for event in sample.events if event.event == "model")
        for name, sample in samples.items()
    }
    assert described["orig"] == "Add two numbers and return the sum."
    assert len(set(described.values())) == 3
    parameters = [
        next(event.tools[0].parameters for event in sample.events if event.event == "model")
        for sample in samples.values()
    ]
    assert parameters[0].properties["x"].description == "The first number."
    assert all(one == parameters[0] for one in parameters)


@pytest.mark.parametrize(("fraction", "cells"), [(1.0, 16), (0.5, 8)])
def test_a_design_crosses_kinds_of_change_in_descriptions_of_tools_too(
    quiz: Path, fraction: float, cells: int
) -> None:
    source = open_source("quiz.py@with_agent", vary=["system", "tools"])
    freeze(source, "v.jsonl", k=1, vary=["system", "tools"], design="wordingxformat", fraction=fraction)
    levels = [one.levels for one in read_variants("v.jsonl").accepted if one.item_id == "fr"]
    factors = {"system.wording", "system.format", "tools.wording", "tools.format"}
    assert all(set(one) == factors for one in levels)
    assert len(set(map(levels_text, levels))) == len(levels) == cells
    assert set(levels[0].values()) == {"orig"}
    assert any("orig" not in one.values() for one in levels)


def test_what_an_agent_holds_is_varied_where_the_model_is_called(
    quiz: Path, scripted: Callable[..., str]
) -> None:
    samples, table = asked("with_agent", scripted("geo", answer), vary=["system", "tools"])
    shown = {
        name: next((event.input[0].text, event.tools) for event in sample.events if event.event == "model")
        for name, sample in samples.items()
    }
    assert len(shown) == 9
    assert shown["orig"][0].startswith("You answer questions. Be brief.")
    assert shown["s1"][0] != shown["orig"][0]
    assert [one.description for one in shown["s1"][1]] == [one.description for one in shown["orig"][1]]
    assert shown["d1"][0] == shown["orig"][0]
    assert shown["d1"][1][0].description != "Add two numbers and return the sum."
    assert shown["s1+d1"][0] == shown["s1"][0]
    assert [one.description for one in shown["s1+d1"][1]] == [one.description for one in shown["d1"][1]]
    assert table.filter(variant="s1+d1")["levels"].unique().to_list() == ["system=s1;tools=d1"]
    assert table["reason"].drop_nulls().to_list() == []


def test_a_variant_that_was_edited_is_refused(quiz: Path) -> None:
    source = open_source("quiz.py@with_template", vary=["template"])
    freeze(source, "v.jsonl", ["paraphrase"], k=1, vary=["template"])
    (original, reworded, *_) = read_variants("v.jsonl").accepted
    assert source.refused([original, reworded]) == {}
    edited = replace(reworded, prompt=(Message("user", "Another text"),))
    assert source.refused([edited]) == {
        "fr#t1": "variant 't1' was edited, or the task's own template was changed since"
    }


def test_a_solver_that_is_replaced_cannot_be_varied(quiz: Path) -> None:
    freeze(
        open_source("quiz.py@with_system", vary=["system"]), "v.jsonl", ["paraphrase"], k=1, vary=["system"]
    )
    with pytest.raises(InputError) as caught:
        run("quiz.py@with_system", answer, variants_file="v.jsonl", repeats=1)
    assert str(caught.value) == (
        "--vary system changes the task's own solver, and 'answer' would replace it\n"
        "Vary the item alone, or let the task's own solver answer with a --model."
    )


def samples_with(*messages: str) -> list[Sample]:
    return [
        Sample(input=[ChatMessageSystem(content=text), ChatMessageUser(content="Why?")], target="x")
        for text in messages
    ]


def named(solver: Any = None, dataset: Any = None) -> Task:
    dataset = dataset or [Sample(input="Why?", target="x")]
    return Task(name="mine", dataset=MemoryDataset(dataset), solver=solver or generate(), scorer=includes())


def test_a_system_message_that_all_samples_begin_with_is_found() -> None:
    shared = shared_texts(named(dataset=samples_with("Be brief.", "Be brief.")), ["system"])
    assert shared.system_in_samples
    assert shared.template.part("system") == "Be brief."
    (sample,) = samples_with("Be brief.")
    shared.put(sample, {"system": "Be short."})
    assert sample.input[0].text == "Be short."  # type: ignore[union-attr]
    assert sample.metadata == {PLACES_KEY: {"system": "Be short."}}


@pytest.mark.parametrize(
    ("solver", "place", "said"),
    [
        (
            generate(),
            "system",
            "task 'mine' has no system_message() in its solver, and its samples do not share one system "
            "message, so that --vary system has nothing to vary",
        ),
        (
            generate(),
            "template",
            "task 'mine' has no prompt_template(), chain_of_thought() or multiple_choice(), so that --vary "
            "template has nothing to vary",
        ),
        (
            [prompt_template("Be brief."), generate()],
            "template",
            "task 'mine' has a template without {prompt}, so that --vary template has nothing to vary",
        ),
        (
            [use_tools([]), generate()],
            "tools",
            "task 'mine' has no tools in its solver that are known before it runs, so that --vary tools has "
            "nothing to vary",
        ),
    ],
)
def test_a_task_without_the_place_is_refused(solver: Any, place: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        shared_texts(named(solver), [place])
    assert str(caught.value) == said


def test_samples_that_begin_otherwise_share_no_system_message() -> None:
    with pytest.raises(InputError, match="do not share one system message"):
        shared_texts(named(dataset=samples_with("Be brief.", "Be long.")), ["system"])


def test_templates_of_other_solvers_are_found(tmp_path: Path) -> None:
    assert shared_texts(named([chain_of_thought(), generate()]), ["template"]).own == "prompt"
    options = shared_texts(named(multiple_choice(cot=True)), ["template"])
    assert options.own == "question"
    assert "think step by step" in options.template.part("template").lower()
    file = tmp_path / "system.txt"
    file.write_text("Be brief.")
    found = shared_texts(named([system_message(str(file)), generate()]), ["system"])
    assert found.template.part("system") == "Be brief."
