from __future__ import annotations

from typing import Any

import pytest

from otherwords.core.errors import InputError
from otherwords.variants import generate_perturbations
from otherwords.variants.format import add_preamble, change_mark, normalise_spaces

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
        ("Name it.\n", "Name it?\n"),
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
    assert add_preamble(opening) == f"Read this carefully and respond.\n\n{opening}"
