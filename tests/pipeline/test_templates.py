"""Wordings of templates, crossed with those of cases: made, vetted, frozen, asked and read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from otherwords import (
    InputError,
    Item,
    LlmFamily,
    Message,
    Template,
    freeze,
    open_source,
    read_results,
    read_template,
    read_variants,
    run,
    template_wordings,
    vary,
    vet_file,
)
from otherwords.core.registry import traits_of
from otherwords.metrics.outcome_rows import factor_columns

TEMPLATE = "Answer the following question in one word. Do not explain it.\n\n{product}\n{question}"
CASES = [
    {"id": "c1", "question": "What colour is the box?", "product": "A blue box", "answer": "blue"},
    {"id": "c2", "question": "How many parts are in the kit?", "product": "A kit of 3", "answer": "3"},
]
CHAT = [
    {"role": "system", "content": "You are a helpful assistant. Answer in English."},
    {"role": "user", "content": "What is the capital of France?"},
    {"role": "assistant", "content": "Paris"},
    {"role": "user", "content": "Please answer the question in one word: {question}"},
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prompt.txt").write_text(TEMPLATE + "\n")
    Path("short.txt").write_text("{product} -- {question} Reply with 1 word.")
    Path("cases.jsonl").write_text("\n".join(map(json.dumps, CASES)))


def cases() -> list[Item]:
    return [
        Item(one["id"], one["question"], (), (one["answer"],), {"product": one["product"]}) for one in CASES
    ]


def test_wordings_of_a_template_keep_placeholders_and_examples() -> None:
    made = template_wordings(Template(CHAT), 3, families=["paraphrase", "format"])
    assert [one.name for one in made.accepted] == ["t1", "t2", "t3"]
    for one in made.accepted:
        assert one.template.name == one.name
        assert one.template.placeholders == ("question",)
        assert one.template.messages[:3] == Template(CHAT).messages[:3]
        assert one.template.messages[3].content != CHAT[3]["content"]
    system = template_wordings(Template(CHAT), 1, families=["paraphrase"], part="system").accepted[0]
    assert system.name == "s1"
    assert system.template.messages[0].content != CHAT[0]["content"]
    assert system.template.messages[1:] == Template(CHAT).messages[1:]


def test_a_wording_with_other_braces_is_rejected() -> None:
    made = template_wordings(Template("List the parts of {question} in one line."), 12, families=["format"])
    reasons = [reason for one in made.rejected for reason in one.reasons if "placeholders" in reason]
    assert reasons
    assert all(reason.startswith("placeholders: '{") for reason in reasons)
    assert all("{question}" in str(one.template.prompt) for one in made.accepted)


def test_cells_are_templates_times_wordings_and_the_first_is_the_original() -> None:
    made = vary(cases(), ["paraphrase"], k=1, template=Template(TEMPLATE), vary=["item", "template"])
    first = [one.variant for one in made if one.variant.item_id == "c1"]
    cells = [(one.name, one.kind, one.template, one.wording, dict(one.levels)) for one in first]
    assert cells == [
        ("orig", "orig", "orig", "orig", {}),
        ("para1", "paraphrase", "orig", "para1", {}),
        ("t1", "template:paraphrase", "t1", "orig", {}),
        ("t1+para1", "template:paraphrase+paraphrase", "t1", "para1", {}),
    ]
    texts = [str(one.prompt) for one in first]
    assert texts[0] == TEMPLATE.format(**CASES[0])
    assert texts[3] == texts[2].replace(CASES[0]["question"], texts[1].rpartition("\n")[2])
    assert all(one.accepted for one in made)
    assert {one.variant.id for one in made} == {f"{c}#{cell[0]}" for c in ("c1", "c2") for cell in cells}


def test_the_template_is_shared_by_the_items_and_traits_follow() -> None:
    assert traits_of("template:paraphrase").shared_by_items
    assert traits_of("template").shared_by_items
    assert not traits_of("template:paraphrase+paraphrase").shared_by_items
    assert traits_of("template:format+format").keeps_words
    assert not traits_of("template:paraphrase+format").keeps_words
    assert traits_of("template:format+control").is_control
    assert not traits_of("my:paraphrase").shared_by_items


def test_system_and_template_are_crossed_and_say_their_levels() -> None:
    made = vary(cases(), ["paraphrase"], k=1, template=Template(CHAT), vary=["system", "template"])
    levels = {one.variant.name: dict(one.variant.levels) for one in made}
    assert levels == {
        "orig": {"system": "orig", "template": "orig"},
        "s1": {"system": "s1", "template": "orig"},
        "t1": {"system": "orig", "template": "t1"},
        "s1+t1": {"system": "s1", "template": "t1"},
    }


def test_several_templates_are_levels_by_the_names_of_their_files() -> None:
    templates = [read_template("prompt.txt", "prompt"), read_template("short.txt", "short")]
    made = vary(cases(), ["paraphrase"], k=1, template=templates)
    cells = {(one.variant.name, one.variant.kind, one.variant.template) for one in made}
    assert cells == {
        ("orig", "orig", "prompt"),
        ("para1", "paraphrase", "prompt"),
        ("short", "template", "short"),
        ("short+para1", "template+paraphrase", "short"),
    }
    assert all(one.accepted for one in made)


def test_an_item_that_becomes_a_chat_cannot_stand_in_a_template() -> None:
    text = "Translate the text into French.\n\nText: The cat sat on the mat. It was very happy there."
    made = vary([Item("a", text, (), ("x",))], ["position"], template=Template("{question}"))
    failed = {one.variant.name: one.failures for one in made if not one.accepted}
    assert [result.reason for result in failed["system"]] == [
        "it became several messages, which a field cannot hold"
    ]


def frozen(**more: object) -> None:
    source = open_source("cases.jsonl", templates=[read_template("prompt.txt")])
    freeze(source, "v.jsonl", ["paraphrase"], k=1, **more)  # type: ignore[arg-type]


def test_a_run_asks_the_cells_of_the_file_and_its_table_tells_them(scripted: Callable[..., str]) -> None:
    frozen(vary=["item", "template"])
    header = read_variants("v.jsonl").header
    assert header.design["vary"] == ["item", "template"]
    assert header.design["prompt_field"] == "question"
    assert list(header.design["templates"]) == ["orig", "t1"]
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return "blue" if "blue" in prompt else "3"

    run("cases.jsonl", scripted("products", answer), variants_file="v.jsonl", repeats=1)
    assert sorted(asked) == sorted(str(one.prompt) for one in read_variants("v.jsonl").accepted)
    table = read_results("logs").outcomes
    assert set(table.select("variant", "template", "wording", "levels").rows()) == {
        ("orig", "orig", "orig", None),
        ("para1", "orig", "para1", None),
        ("t1", "t1", "orig", None),
        ("t1+para1", "t1", "para1", None),
    }
    assert table["score"].to_list() == [1.0] * 8
    expanded, factors = factor_columns(table)
    assert factors == ["factor:template", "factor:wording"]
    assert expanded["factor:template"].to_list() == table["template"].to_list()


def test_a_run_that_makes_its_own_cells_can_grow_and_refuses_another_template(
    scripted: Callable[..., str],
) -> None:
    model = scripted("grows", lambda prompt: "3")
    template = read_template("prompt.txt")
    options = {"families": ["paraphrase"], "k": 1, "repeats": 1, "vary": ["template"]}
    first = run("cases.jsonl", model, template=template, max_items=1, **options)  # type: ignore[arg-type]
    assert first.total == 2
    grown = run("cases.jsonl", model, template=template, **options)  # type: ignore[arg-type]
    assert (grown.total, grown.calls) == (4, 2)
    with pytest.raises(InputError, match="changed since this run began"):
        run("cases.jsonl", model, template=Template("{question}"), **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="this run has --vary template"):
        run("cases.jsonl", model, template=template, **(options | {"vary": ["item"]}))  # type: ignore[arg-type]


def test_the_checks_can_be_run_again() -> None:
    frozen(vary=["item", "template"])
    vet_file("v.jsonl")
    again = read_variants("v.jsonl")
    assert [one.accepted for one in again.vetted] == [True] * 8
    source = open_source(
        "cases.jsonl", templates=[read_template("prompt.txt", "a"), read_template("short.txt", "b")]
    )
    freeze(source, "w.jsonl", ["paraphrase"], k=1)
    vet_file("w.jsonl")
    given = {one.variant.name: one.accepted for one in read_variants("w.jsonl").vetted}
    assert given == dict.fromkeys(["orig", "para1", "b", "b+para1"], True)


def test_a_system_message_alone_makes_another_wording_when_checked_again() -> None:
    template = Template(
        [Message("system", "Answer the question in one word."), Message("user", "{question}")]
    )
    source = open_source("cases.jsonl", templates=[template])
    freeze(source, "v.jsonl", ["paraphrase"], k=1, vary=["system"])
    vet_file("v.jsonl")
    assert [one.accepted for one in read_variants("v.jsonl").vetted] == [True] * 4
    distances = [one.variant.distance for one in read_variants("v.jsonl").vetted]
    assert [far is not None and far.words > 0 for far in distances] == [False, True, False, True]


def test_a_file_without_templates_is_written_as_before() -> None:
    Path("plain.jsonl").write_text(json.dumps({"id": "q", "question": "Who wrote Hamlet?", "answer": "x"}))
    freeze("plain.jsonl", "v.jsonl", ["format"], k=1)
    lines = [json.loads(line) for line in Path("v.jsonl").read_text().splitlines()]
    assert "design" not in lines[0]
    assert not {"template", "wording", "levels"} & {name for line in lines[1:] for name in line}


@pytest.mark.parametrize(
    ("places", "said"),
    [
        (["system"], "the template has no system message, so that --vary system has nothing to vary"),
        (["tools"], "--vary tools is for Inspect tasks: a template has no tools"),
        (["sytem"], "unknown place to vary 'sytem'. Did you mean: system, item?"),
    ],
)
def test_a_place_that_is_not_there(places: list[str], said: str) -> None:
    with pytest.raises(InputError) as caught:
        vary(cases(), template=Template(TEMPLATE), vary=places)
    assert str(caught.value) == said


def test_a_template_is_needed_to_vary_it() -> None:
    with pytest.raises(InputError) as caught:
        vary(cases(), vary=["template"])
    assert str(caught.value) == "vary names a place of a template, and no template is given"
    with pytest.raises(InputError) as caught:
        open_source("cases.jsonl", vary=["template"])
    assert str(caught.value) == (
        "--vary template needs a template, and a file of items has none\n"
        "Give it with --template FILE, or name an Inspect task that has one."
    )


def test_a_model_can_write_wordings_of_a_template() -> None:
    texts = ["Reply to the question with a single word: {question}", "Reply with a single word."]
    reply = ModelOutput.from_content("mockllm/model", json.dumps({"rewordings": texts}))
    reply.usage = ModelUsage(input_tokens=9, output_tokens=9)
    writer = LlmFamily(get_model("mockllm/model", custom_outputs=[reply] * 9), cache=False, max_attempts=1)
    template = Template("Answer the question in one word: {question}")
    made = template_wordings(template, 2, families=["llm"], paraphraser=writer, judge="none")
    assert [(one.name, one.template.prompt) for one in made.accepted] == [("t1", texts[0])]
    lost = next(one for one in made.rejected if one.text == texts[1])
    assert any("question" in reason or "placeholder" in reason for reason in lost.reasons)
