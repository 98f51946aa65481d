from __future__ import annotations

import json
from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import Item
from otherwords.variants.format import (
    CHANGES,
    FORMAT,
    change_labels,
    change_mark,
    change_separator,
    generate_perturbations,
    list_to_prose,
    normalise_spaces,
    prose_to_list,
    to_json,
)
from otherwords.variants.prose import with_small_openers


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
        ("what is the capital of France?", "what is the capital of France?"),
        ("What's the capital of France?", "what's the capital of France?"),
        ("A train leaves Rome. A or B?", "a train leaves Rome. A or B?"),
        ("Polish the shoes. May I go?", "Polish the shoes. may I go?"),
        ("Mix the flour. Knead the dough. Bake it.", "mix the flour. knead the dough. bake it."),
        ("My friend left. Everybody laughed.", "my friend left. everybody laughed."),
        ("Rome fell. Paris did not.", "Rome fell. Paris did not."),
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
    assert with_small_openers(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Question: Who wrote Hamlet?", "Question - Who wrote Hamlet?"),
        (
            "Context: It rains.\nQuestion 2: Is it wet?\nAnswer:",
            "Context - It rains.\nQuestion 2 - Is it wet?\nAnswer -",
        ),
        ("Who wrote Hamlet?", "Question: Who wrote Hamlet?"),
        ("Name a planet.", "Task: Name a planet."),
        ("Please name a planet.", "Task: Please name a planet."),
        ("The powerhouse of the cell is the", "The powerhouse of the cell is the"),
        ("It rains.\nIs it wet?", "It rains.\nIs it wet?"),
        (
            "Q: What is 2 + 2?\nA: 4\n\nQ: What is 3 + 5?\nA:",
            "Q - What is 2 + 2?\nA - 4\n\nQ - What is 3 + 5?\nA -",
        ),
        (
            "Review: It was dull.\nVerdict: bad\nReview: I loved it.\nVerdict:",
            "Review: It was dull.\nVerdict: bad\nReview: I loved it.\nVerdict:",
        ),
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
    assert CHANGES["markdown"](text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Do **not** use `**x**` here, **please**.", "Do not use `**x**` here, please."),
        ("What is 2**3**4 or a ** b ** c?", "What is 2**3**4 or a ** b ** c?"),
    ],
)
def test_plain(text: str, changed: str) -> None:
    assert CHANGES["plain"](text) == changed


STEM, CHOICES = "Which  is a mammal?", ["cod", "cow", "crow", "crab"]


def test_all_five_in_order() -> None:
    made = generate_perturbations(STEM, CHOICES, 1, k=5)
    assert [(one.name, one.kind, one.change) for one in made] == [
        ("orig", "orig", ""),
        ("pert:punct", "format", "punct"),
        ("pert:space", "format", "space"),
        ("pert:preamble", "format", "preamble"),
        ("pert:order_swap", "options", "order:swap"),
        ("pert:order_rev", "options", "order:reverse"),
    ]
    assert [one.prompt for one in made] == [
        "Which  is a mammal?",
        "Which  is a mammal.",
        "Which is a mammal?",
        "Read this carefully and respond. Which  is a mammal?",
        "Which  is a mammal?",
        "Which  is a mammal?",
    ]
    assert [one.option_order for one in made] == [(0, 1, 2, 3)] * 4 + [(3, 1, 2, 0), (3, 2, 1, 0)]
    assert [one.target for one in made] == [1, 1, 1, 1, 1, 2]
    assert made[5].choices == ("crab", "crow", "cow", "cod")
    assert generate_perturbations(STEM, CHOICES, 1) == made[:4]


def test_one_that_would_change_nothing_gives_its_place_to_the_next() -> None:
    made = generate_perturbations("Pick one", CHOICES, 0, k=2)
    assert [one.change for one in made[1:]] == ["preamble", "order:swap"]


def test_with_two_options_swapping_is_reversing() -> None:
    made = generate_perturbations("Pick one", ["a", "b"], 0, k=5)
    assert [one.change for one in made[1:]] == ["preamble", "order:swap"]


def test_options_that_read_the_same_either_way_are_not_reversed() -> None:
    assert [one.change for one in generate_perturbations("Pick one", ["x", "y", "x"], 1, k=5)[1:]] == [
        "preamble"
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3, CHOICES, 0), "stem must be text, got int"),
        (("", CHOICES, 0), "stem must not be empty"),
        (("Q?", "abc", 0), "choices must be a list of texts, got str"),
        (("Q?", 3, 0), "choices must be a list of texts, got int"),
        (("Q?", [], 0), "choices must have at least 2 options, got 0"),
        (("Q?", ["a", 1], 0), "choices[1] must be text, got int"),
        (("Q?", ["a", ""], 0), "choices[1] must not be empty"),
        (("Q?", CHOICES, 4), "target_index must be from 0 to 3, got 4"),
        (("Q?", CHOICES, -1), "target_index must be from 0 to 3, got -1"),
        (("Q?", CHOICES, True), "target_index must be a whole number, got bool"),
        (("Q?", CHOICES, "0"), "target_index must be a whole number, got str"),
        (("Q?", CHOICES, 0, -1), "k must be 0 or more, got -1"),
        (("Q?", CHOICES, 0, False), "k must be a whole number, got bool"),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(InputError) as caught:
        generate_perturbations(*arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("Who?", "Who."),
        ("Name it.\n", "Name it\n"),
        ("Write a poem about rain.", "Write a poem about rain"),
        ("The sky is", "The sky is"),
        ("Well...", "Well..."),
        ("Really?!", "Really?!"),
        ("In the U.S.", "In the U.S."),
        ('Who said "why?"', 'Who said "why?"'),
        ("No mark", "No mark"),
        ("Translate:\n> It rains.", "Translate:\n> It rains."),
        ("Shorten it.\n\nText: It rains.", "Shorten it.\n\nText: It rains."),
    ],
)
def test_the_last_mark(text: str, changed: str) -> None:
    assert change_mark(text) == changed


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("It is  2.5 kg,and  small.The end", "It is 2.5 kg, and small. The end"),
        (
            "one  \n\n    code  here\n| a  | b |\n  - two  words",
            "one\n\n    code  here\n| a  | b |\n  - two  words",
        ),
        ("use `a  b` and  Node.js", "use `a  b` and Node.js"),
        ("plain text", "plain text"),
        ("two  words\r\nmore  words", "two words\r\nmore words"),
        ("read  this:\n> a  b\nText: c  d", "read this:\n> a  b\nText: c  d"),
        ("deux  mots,et  trois", "deux mots, et trois"),
    ],
)
def test_spaces(text: str, changed: str) -> None:
    assert normalise_spaces(text) == changed


@pytest.mark.parametrize("opening", ["```py\nx\n```", "| a | b |", "- item", "# Title", "    code"])
def test_a_preamble_does_not_break_the_first_line(opening: str) -> None:
    assert CHANGES["preamble"](opening) == f"Read this carefully and respond.\n\n{opening}"
