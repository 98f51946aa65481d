from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.types import Item, Message
from otherwords.variants.control import CONTROL


def made(text: str, *right: str, seed: int = 0) -> dict[str, str]:
    found = CONTROL.candidates(Item("1", text, (), right), k=9, seed=seed)
    return {one.name: str(one.prompt) for one in found}


@pytest.mark.parametrize(
    ("question", "negated"),
    [
        ("Which of the following is a mammal?", "Which of the following is not a mammal?"),
        ("Which of these animals can fly?", "Which of these animals cannot fly?"),
        ("Which of these are true of mammals?", "Which of these are not true of mammals?"),
        ("Which of these should be kept in a fridge?", "Which of these should not be kept in a fridge?"),
        (
            "Which planet is the largest in the solar system?",
            "Which planet is not the largest in the solar system?",
        ),
        ("Which metal is used in thermometers?", "Which metal is not used in thermometers?"),
        ("Which animal is a mammal that lays eggs?", "Which animal is not a mammal that lays eggs?"),
        ("Which of these is located in Paris?", "Which of these is not located in Paris?"),
    ],
)
def test_negation_both_ways(question: str, negated: str) -> None:
    assert made(question)["control:negate"] == negated
    assert made(negated)["control:negate"] == question


def test_a_negation_in_capitals_goes_too() -> None:
    assert made("Which of these is NOT a mammal?")["control:negate"] == "Which of these is a mammal?"


@pytest.mark.parametrize(
    "text",
    [
        "Which year was the treaty signed?",
        "Which country is the Nile in?",
        "Which element is Marie Curie known for?",
        "Which of these can you eat?",
        "Which of these is Paris known for?",
        "Which of these best describes a mammal?",
        "Which of these is never a mammal?",
        "Which of these is true of all mammals?",
        "Which of these is most likely to happen?",
        "Which man who is tall is rich?",
        "Is the Earth round?",
        "What is the capital of France?",
        "Which of these is a mammal? Which of these is a fish?",
        "Which is ?",
        "Name a mammal.",
    ],
)
def test_what_cannot_be_negated_safely_is_not(text: str) -> None:
    assert "control:negate" not in made(text)


@pytest.mark.parametrize(
    ("text", "turned"),
    [
        ("What is the largest planet?", "What is the smallest planet?"),
        ("Which is the lowest point on Earth?", "Which is the highest point on Earth?"),
        ("What is the most likely cause of the fire?", "What is the least likely cause of the fire?"),
        ("Which gas is the least abundant?", "Which gas is the most abundant?"),
        ("It is late. Who is the tallest of them?", "It is late. Who is the shortest of them?"),
    ],
)
def test_superlatives_are_turned_round(text: str, turned: str) -> None:
    assert made(text)["control:antonym"] == turned


@pytest.mark.parametrize(
    "text",
    [
        "What is the largest city in the smallest country?",
        "What is the largest planet that has no rings?",
        "What is the longest common subsequence of these?",
        "What is the least common multiple of them?",
        "What do most people eat?",
        "Name the largest ocean.",
        'What does "the largest" mean?',
        "Which is larger?",
    ],
)
def test_superlatives_that_are_left(text: str) -> None:
    assert "control:antonym" not in made(text)


def number_and_answer(text: str, *right: str, seed: int = 0) -> tuple[str, str, str]:
    [one] = [
        one
        for one in CONTROL.candidates(Item("1", text, (), right), k=9, seed=seed)
        if one.name == "control:number"
    ]
    return str(one.prompt), one.params["number"], one.params["answer"]


def test_numbers() -> None:
    assert number_and_answer("What is 17 + 25?", "42") == ("What is 8 + 25?", "17 -> 8", "33")
    eggs = "Tom has 3 boxes with 12 eggs each. How many eggs does he have?"
    assert number_and_answer(eggs, "36") == (eggs.replace("3", "6"), "3 -> 6", "72")
    train = "If a train travels 60 km in 2 hours, how fast is it?"
    assert number_and_answer(train, "30 km/h") == (train.replace("60", "54"), "60 -> 54", "27")
    shop = "A shop sold 1,200 nuts, 300 figs and 50 plums. How many did it sell?"
    assert number_and_answer(shop, "1,550") == (shop.replace("300", "303"), "300 -> 303", "1553")


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Tom has 3 boxes with 12 eggs each. How many eggs does he have?", "40"),
        ("Tom has 3 boxes. How many boxes does he have?", "3"),
        ("Tom has 4 eggs and Ann has twice as many. Bob has 2. How many does Ann have?", "8"),
        ("In 1914 there were 20 ships. How many were there 5 years later?", "25"),
        ("Tom was born on 3 March 2001. He has 2 cats and 3 dogs. How many pets has he?", "5"),
        ("Run this.\n```\nx = 2\n```\nTom has 2 cats and 3 dogs. How many pets has he?", "5"),
        ("What is x + 2 if x = 3?", "5"),
        ("Tom has 2 cats and 3 dogs.", "5"),
        ("What is 10% of 50?", "5"),
        ("Ann was 2nd and Tom was 3rd. What is the sum?", "5"),
        ("Ann ran an 8 km race and then a 1 km race. How far did she run?", "9 km"),
    ],
)
def test_where_the_answer_might_stay_no_number_changes(text: str, right: str) -> None:
    assert "control:number" not in made(text, right)


@pytest.mark.slow
@given(st.integers(2, 99), st.integers(2, 99), st.sampled_from("+-*/"), st.integers(0, 10**6))
def test_the_answer_always_changes(one: int, other: int, sign: str, seed: int) -> None:
    first = one * other if sign == "/" else one + other if sign == "-" else one
    operation = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__, "/": int.__floordiv__}[sign]
    before = operation(first, other)
    for text in (
        f"What is {first} {sign} {other}?",
        f"Tom has {first} nuts and Ann has {other} nuts. What is the result?",
    ):
        if "control:number" not in made(text, str(before), seed=seed):
            continue  # no other number nearby gives a whole answer
        new, changed, answer = number_and_answer(text, str(before), seed=seed)
        left, right = (int(found) for found in re.findall(r"\d+", new))
        assert (left != first) + (right != other) == 1
        assert changed in (f"{first} -> {left}", f"{other} -> {right}")
        assert int(answer) != before
        if text.startswith("What"):
            assert int(answer) == operation(left, right)


def test_a_control_says_what_it_is_and_keeps_the_target() -> None:
    item = Item("1", "Which of these is a mammal?", ("cod", "cow"), 1)
    [control] = CONTROL.candidates(item, k=9, seed=0)
    assert (control.kind, control.change, control.generator) == ("control", "negate", "control/1")
    assert (control.choices, control.target, control.option_order) == (item.choices, 1, (0, 1))
    assert control.params == {"expect": "another answer"}


def test_only_the_last_user_message_of_a_chat_changes() -> None:
    chat = (Message("system", "Which of these is a fish?"), Message("user", "Which of these is a mammal?"))
    [control] = CONTROL.candidates(Item("1", chat), k=9, seed=0)
    assert control.prompt == (chat[0], Message("user", "Which of these is not a mammal?"))


def test_the_lines_and_the_code_around_the_question_stay() -> None:
    around = "Read it.\n\n```\nWhich of these is a mammal?\n```\n\n- is a list\n\n{}\nBe brief."
    assert made(around.format("Which of these is a mammal?")) == {
        "control:negate": around.format("Which of these is not a mammal?")
    }
