from __future__ import annotations

import json

import pytest

from otherwords.core.types import Item
from otherwords.variants.containers import change_separator, to_json, to_markdown, to_plain
from otherwords.variants.format import FORMAT, change_case
from otherwords.variants.layout import change_labels, list_to_prose, prose_to_list


def names(text: str) -> list[str]:
    return [one.name for one in FORMAT.candidates(Item("1", text), k=99, seed=0)]


def test_the_three_that_were_named_first_come_first() -> None:
    assert names("Which  is a mammal?") == [
        "pert:punct",
        "pert:space",
        "pert:preamble",
        "pert:case",
        "pert:separator",
        "pert:markdown",
        "pert:json",
    ]
    assert len(FORMAT.candidates(Item("1", "Which  is a mammal?"), k=4, seed=0)) == 4


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("What is the capital of France?", "what is the capital of France?"),
        ("Tom has 3 eggs. How many are left?", "Tom has 3 eggs. how many are left?"),
        ("what is the capital of France?", "What is the capital of France?"),
        ("What's the capital of France?", "what's the capital of France?"),
        ("A train leaves Rome. A or B?", "a train leaves Rome. A or B?"),
        ("Polish the shoes. May I go?", "Polish the shoes. May I go?"),
        ("eBay or Amazon?", "eBay or Amazon?"),
        ("NOT this. The other.", "NOT this. the other."),
        ("Question: Who wrote it?\nAnswer:", "Question: who wrote it?\nAnswer:"),
        (
            "Fix it.\n\n> The cat.\n\n```\nThe code\n```\n\n- The list",
            "fix it.\n\n> The cat.\n\n```\nThe code\n```\n\n- The list",
        ),
        ("Sort these: The, An, What.", "sort these: The, An, What."),
        ("Was ist das?", "was ist das?"),
    ],
)
def test_case(text: str, changed: str) -> None:
    assert change_case(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Question: Who wrote Hamlet?", "Question - Who wrote Hamlet?"),
        (
            "Context: It rains.\nQuestion 2: Is it wet?\nAnswer:",
            "Context - It rains.\nQuestion 2 - Is it wet?\nAnswer:",
        ),
        ("Who wrote Hamlet?", "Question: Who wrote Hamlet?"),
        ("Name a planet.", "Task: Name a planet."),
        ("Please name a planet.", "Task: Please name a planet."),
        ("The powerhouse of the cell is the", "The powerhouse of the cell is the"),
        ("It rains.\nIs it wet?", "It rains.\nIs it wet?"),
        ("```\nText: kept as it is\n```", "```\nText: kept as it is\n```"),
    ],
)
def test_separator(text: str, changed: str) -> None:
    assert change_separator(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Which?\nA. red\nB. blue", "Which?\n(A) red\n(B) blue"),
        ("Which?\n(A) red\n(B) blue", "Which?\nA) red\nB) blue"),
        ("Which?\na) red\nb) blue\n\nOption b or a?", "Which?\na. red\nb. blue\n\nOption b or a?"),
        ("Steps:\n1. Mix\n2. Bake\n\nHow long?", "Steps:\n(1) Mix\n(2) Bake\n\nHow long?"),
        ("Which?\nA. red\nC. blue", "Which?\nA. red\nC. blue"),
        ("Which?\nA. red\nB) blue", "Which?\nA. red\nB) blue"),
        ("Which?\nA. red\nB. blue\nIs it (B)?", "Which?\nA. red\nB. blue\nIs it (B)?"),
        ("1. Who wrote Hamlet?", "1. Who wrote Hamlet?"),
        ("Which?\nA. red\nB. blue\n```\nx\n```", "Which?\nA. red\nB. blue\n```\nx\n```"),
        ("Which?\n- red\n- blue", "Which?\n- red\n- blue"),
    ],
)
def test_labels(text: str, changed: str) -> None:
    assert change_labels(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Sort these:\n- pear\n- fig", "Sort these: pear; fig"),
        ("Sort these:\n* pear\n* fig\n\nBe brief.", "Sort these: pear; fig\n\nBe brief."),
        ("Sort these:\n- A pear is green.\n- fig", "Sort these:\n- A pear is green.\n- fig"),
        ("One:\n- a\n- b\n\nTwo:\n- c\n- d", "One:\n- a\n- b\n\nTwo:\n- c\n- d"),
        ("Sort these:\n- pear\n  - green\n- fig", "Sort these:\n- pear\n  - green\n- fig"),
        ("Sort these:\n- pear\n- fig\n\n```\nx\n```", "Sort these:\n- pear\n- fig\n\n```\nx\n```"),
        ("Sort these.\n- pear\n- fig", "Sort these.\n- pear\n- fig"),
    ],
)
def test_list_to_prose(text: str, changed: str) -> None:
    assert list_to_prose(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Sort these numbers: 5, 2.5, 9 and 1.", "Sort these numbers:\n- 5\n- 2.5\n- 9\n- 1"),
        (
            "Which of the following is a fruit: a fig, a nut, or tea?",
            "Which of the following is a fruit?\n- a fig\n- a nut\n- tea",
        ),
        ("Mix these: red, black and white, and blue", "Mix these:\n- red\n- black and white\n- blue"),
        ("Sort these: a, b", "Sort these: a, b"),
        ("Note: however, in this case, it is no.", "Note: however, in this case, it is no."),
        ("Say these: it is, they are, we were.", "Say these: it is, they are, we were."),
        ("Sort these: pear, fig, nut. Be brief.", "Sort these: pear, fig, nut. Be brief."),
        ("Sort these: a, b; c, d; e, f.", "Sort these: a, b; c, d; e, f."),
        ("First line.\nSort these: pear, fig, nut.", "First line.\nSort these: pear, fig, nut."),
    ],
)
def test_prose_to_list(text: str, changed: str) -> None:
    assert prose_to_list(text) == changed


def test_json_says_the_very_text() -> None:
    text = 'Who said "Eureka", and in 50% of €5 is {x}?'
    assert json.loads(to_json(text)) == {"question": text}
    assert json.loads(to_json("Name it.")) == {"task": "Name it."}
    assert json.loads(to_json("It rains.")) == {"prompt": "It rains."}


@pytest.mark.parametrize("text", ["Two\nlines?", r"Solve \frac{1}{2}.", '{"a": 1}', "[1, 2]"])
def test_what_json_would_disfigure_stays(text: str) -> None:
    assert to_json(text) == text
    assert "pert:json" not in names(text)


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Who wrote Hamlet?", "**Question**\n\nWho wrote Hamlet?"),
        ("Name it.\n\n```\nx  = 1\n```", "**Task**\n\nName it.\n\n```\nx  = 1\n```"),
        ("It rains.", "**Prompt**\n\nIt rains."),
        ("# Title\n\nText", "# Title\n\nText"),
        ("Some **bold** text", "Some **bold** text"),
    ],
)
def test_markdown(text: str, changed: str) -> None:
    assert to_markdown(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Do **not** use `**x**` here, **please**.", "Do not use `**x**` here, please."),
        ("What is 2**3**4 or a ** b ** c?", "What is 2**3**4 or a ** b ** c?"),
    ],
)
def test_plain(text: str, changed: str) -> None:
    assert to_plain(text) == changed
