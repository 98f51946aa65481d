"""Templates: placeholders, braces, files, and cases that lack what a template names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.core.template import (
    Cases,
    Template,
    fill,
    own_field,
    placeholder_names,
    read_template,
    read_templates,
    render_cases,
    require_places,
    tools_text,
)
from otherwords.core.types import Item, Message


def refusal(*given: Any, **more: Any) -> str:
    with pytest.raises(InputError) as caught:
        Template(*given, **more)
    return str(caught.value)


def test_placeholders_are_filled_and_doubled_braces_stay() -> None:
    template = Template('Product {product}: {question}\nReply as {{"answer": "{product}"}}.')
    assert template.placeholders == ("product", "question")
    assert template.render({"product": "Box", "question": "Why {that}?", "other": 1}) == (
        'Product Box: Why {that}?\nReply as {"answer": "Box"}.'
    )


def test_messages_are_filled_one_by_one() -> None:
    template = Template(
        [
            {"role": "system", "content": "You know {topic}."},
            {"role": "user", "content": "Capital of France?"},
            Message("assistant", "Paris"),
            {"role": "user", "content": "{question}"},
        ]
    )
    assert template.render({"topic": "maps", "question": "Of Italy?"}) == (
        Message("system", "You know maps."),
        Message("user", "Capital of France?"),
        Message("assistant", "Paris"),
        Message("user", "Of Italy?"),
    )
    assert template.part("system") == "You know {topic}."
    assert template.part("template") == "{question}"
    other = template.with_part("template", "Tell me: {question}", "t1")
    assert other.name == "t1"
    assert other.messages[:3] == template.messages[:3]
    assert other.plain[3] == {"role": "user", "content": "Tell me: {question}"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            'Reply as {"a": 1}: {question}',
            "line 1: '{\"a\": 1}' is no placeholder such as {question}\n"
            "Write {{ and }} for braces that are meant as they stand.",
        ),
        (
            "Answer {question}\nand end with }",
            "line 2: '}' is no placeholder such as {question}\n"
            "Write {{ and }} for braces that are meant as they stand.",
        ),
        (
            "Answer {question:>9}",
            "line 1: '{question:>9}' is no placeholder such as {question}\n"
            "Write {{ and }} for braces that are meant as they stand.",
        ),
        (
            "Answer in one word.",
            "the template has no placeholder\n"
            "Name the fields of a case in braces, as in: Answer in one word: {question}",
        ),
        (
            "Answer {{ question }}",
            "the template has no placeholder\n"
            "{{ question }} stands for the text {question}; the placeholder is {question}.",
        ),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused(text: str, said: str) -> None:
    assert refusal(text) == said


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        ([], "a template must be a text or a list of messages with role and content"),
        ({"role": "user"}, "a template must be a text or a list of messages with role and content"),
        ([{"role": "user"}], "message 1 of the template must have a role and a content"),
        (
            [{"role": "tool", "content": "x"}],
            "message 1 of the template has the role 'tool'; known: system, user, assistant",
        ),
        ([{"role": "user", "content": 3}], "the content of message 1 of the template must be text"),
        ([{"role": "system", "content": "{question}"}], "the template has no message of the user"),
        (
            [{"role": "system", "content": "Be\n{brief"}, {"role": "user", "content": "{question}"}],
            "'{brief' is no placeholder such as {question} (line 2 of message 1)\n"
            "Write {{ and }} for braces that are meant as they stand.",
        ),
    ],
)
def test_messages_that_are_none_are_refused(messages: Any, said: str) -> None:
    assert refusal(messages) == said


def test_a_part_that_is_not_there_cannot_be_varied() -> None:
    with pytest.raises(InputError) as caught:
        Template("Answer {question}").place("system")
    assert str(caught.value) == (
        "the template has no system message, so that --vary system has nothing to vary"
    )
    in_system = Template([Message("system", "{question}"), Message("user", "Go.")])
    with pytest.raises(InputError) as caught:
        in_system.place("template")
    assert str(caught.value) == (
        "the template has no message of the user that has a placeholder, so that --vary template has nothing "
        "to vary"
    )


CASES = [
    Item("a", "Why?", (), ("x",), {"product": "Box"}, "cases.jsonl:1"),
    Item("b", "How?", (), ("x",), {}, "cases.jsonl:2"),
]


def of_cases(text: str) -> str:
    with pytest.raises(InputError) as caught:
        list(render_cases(Template(text, file=Path("prompt.txt")), CASES, "question"))
    return str(caught.value)


def test_a_case_that_lacks_a_field_is_named() -> None:
    assert of_cases("{product}: {question}") == (
        "cases.jsonl:2, item 'b': has no field 'product', which the template prompt.txt names\n"
        "It has: id, question."
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("prodct", "Did you mean: product?"),
        ("zzz", "The cases have: id, product, question."),
        ("choices", "Options are put below the prompt by themselves: take it out of the template."),
        ("answer", "The answer is what is asked for, and is not shown: take it out of the template."),
    ],
)
def test_a_field_that_no_case_has_is_named_with_its_line(name: str, hint: str) -> None:
    assert of_cases(f"{{question}}\n{{{name}}}") == (
        f"prompt.txt:2: the template names '{name}', and no case has a field of this name\n{hint}"
    )


def test_only_texts_and_numbers_are_filled_in() -> None:
    template = Template("{question} {n}")
    assert template.render({"question": "Why?", "n": 2.5}) == "Why? 2.5"
    with pytest.raises(InputError) as caught:
        template.render({"question": "Why?", "n": [1]}, where="item 'a'")
    assert str(caught.value) == (
        "item 'a': the field 'n', which the template names, must be text or a number, got list"
    )


def test_cases_are_items_in_the_first_template_and_must_fit_all() -> None:
    first, second = Template("{question}", "short"), Template("{product}: {question}", "long")
    assert [item.prompt for item in Cases((first,), "question", tuple(CASES)).items()] == ["Why?", "How?"]
    with pytest.raises(InputError, match="item 'b': has no field 'product'"):
        Cases((first, second), "question", tuple(CASES)).items()
    assert [case.id for case in Cases((first,), "question", tuple(CASES)).of([CASES[1]]).cases] == ["b"]


def test_the_field_of_a_cases_own_text() -> None:
    known = ("question", "prompt")
    assert own_field([Template("{ticket}")], known) == "ticket"
    assert own_field([Template("{product} {question}")], known) == "question"
    assert own_field([Template("{product} {ticket}")], known, "ticket") == "ticket"
    with pytest.raises(InputError) as caught:
        own_field([Template("{product} {ticket}")], known)
    assert str(caught.value) == (
        "it is not clear which of product, ticket is the case's own text\n"
        "Name it, for example: --prompt-field ticket"
    )
    with pytest.raises(InputError) as caught:
        own_field([Template("{question}"), Template("{ticket}")], known)
    assert str(caught.value) == (
        "the template does not name 'question', which is the case's own text\nIt names: ticket."
    )


def test_files_of_text_and_of_messages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"Answer:\r\n{question}\r\n")
    (tmp_path / "b.yaml").write_text(
        "- role: system\n  content: Be brief.\n- role: user\n  content: |-\n    {question}\n"
    )
    (tmp_path / "c.json").write_text('{"messages": [{"role": "user", "content": "{question}"}]}')
    assert read_template(tmp_path / "a.txt").prompt == "Answer:\n{question}"
    assert read_template(tmp_path / "b.yaml").messages == (
        Message("system", "Be brief."),
        Message("user", "{question}"),
    )
    assert read_template(tmp_path / "c.json").messages == (Message("user", "{question}"),)
    one, two = read_templates([tmp_path / "a.txt", tmp_path / "b.yaml"])
    assert (one.name, two.name) == ("a", "b")
    assert read_templates([tmp_path / "a.txt"])[0].name == "orig"


def test_files_that_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_bytes(b"{question}\n\xff")
    Path("a.doc").write_text("{question}")
    Path("b").mkdir()
    Path("c.txt").write_text("{question}")
    Path("b/c.txt").write_text("{question}!")
    said = {}
    for name in ("a.txt", "a.doc", "no.txt"):
        with pytest.raises(InputError) as caught:
            read_template(name)
        said[name] = str(caught.value)
    assert said == {
        "a.txt": "a.txt:2: not UTF-8 text\nSave the file as UTF-8.",
        "a.doc": "a.doc: unknown kind of template '.doc'\nKnown: .txt, .md, .yaml, .yml, .json.",
        "no.txt": "no.txt: no such file",
    }
    with pytest.raises(InputError) as caught:
        read_templates(["c.txt", "b/c.txt"])
    assert str(caught.value) == "b/c.txt: two templates are called 'c'\nGive one file another name."


def test_places() -> None:
    assert require_places(["item", "system"]) == ("item", "system")
    with pytest.raises(InputError, match="unknown place to vary 'sytem'"):
        require_places(["sytem"])
    with pytest.raises(InputError, match="--vary names 'item' twice"):
        require_places(["item", "item"])


@given(st.text(), st.text())
def test_what_is_filled_in_is_never_read_as_a_placeholder(before: str, value: str) -> None:
    literal = before.replace("{", "{{").replace("}", "}}")
    assert Template(literal + "{x}").render({"x": value}) == before + value
    assert fill(tools_text({"add": before}), {}) == f"add: {before}"
    assert placeholder_names(literal) == []
