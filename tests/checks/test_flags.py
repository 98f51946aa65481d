from __future__ import annotations

from collections.abc import Callable

import pytest

from otherwords.checks.base import SIGNS
from otherwords.checks.flags import signs, wording
from otherwords.checks.quantities import number_words
from otherwords.checks.reading import Pair
from otherwords.english.lexicon import read_lexicon

Pairing = Callable[[str, str], Pair]


@pytest.mark.parametrize(
    ("before", "after", "first", "said"),
    [
        (
            "What was the company's revenue in 2020?",
            "How much profit did the company make in 2020?",
            "denials",
            "revenue became profit; lost: revenue; added: profit",
        ),
        ("Do this:\n1. mix it\n2. bake it", "Do this:\n1. bake it\n2. mix it", "lines", "in another order"),
        (
            "Is a whale a fish? Explain your answer.",
            "Is a whale a fish?",
            "dropped",
            "a sentence lost: Explain answer",
        ),
        (
            "The dog bit the man in the park.",
            "The man bit the dog in the park.",
            "roles",
            "may be exchanged: dog and man",
        ),
        (
            "All members under 18 need consent.",
            "Some members under 18 need consent.",
            "quantifier",
            "all became some: member",
        ),
        ("Print only the label.", "Print the label.", "constraints", "lost: only"),
        (
            "Who was elected president, and in which of the two rounds of votes was it decided, and by whom?",
            "Who was elected?",
            "shorter",
            "a sentence lost",
        ),
    ],
)
def test_the_reason_names_the_signs_that_weigh_most_and_what_they_found(
    before: str, after: str, first: str, said: str, pair_of: Pairing
) -> None:
    reason = wording(pair_of(before, after))
    assert reason is not None
    points, _, names = reason.partition(" points: ")
    assert first in names.split(" (")[0].split(", ")
    assert said in names.partition(" (")[2]
    total, _, threshold = points.partition(" of ")
    assert float(threshold) == read_lexicon("signs")["threshold"] <= float(total)


def test_signs_alone_decide_nothing(pair_of: Pairing) -> None:
    pair = pair_of("Who won in 1990?", "In 1990, who was the winner?")
    assert any(signs(pair).values())
    assert wording(pair) is None


@pytest.mark.parametrize(
    ("before", "after", "name", "much"),
    [
        ("Who won the cup?", "Who won the cup, and why?", "new_questions", 1),
        ("Why did they leave?", "What made them leave?", "new_questions", 0),
        ("Send it to my office.", "Send it to your office.", "small_edit", 1 / 3),
        ("Is it the fare to Bern?", "Is it the fare per day to Bern?", "small_edit", 1 - 0.25 / 0.3),
        ("What is the capital of Mongolia?", "What's the capital of Mongolia?", "small_edit", 0),
        ("Rename the file a.txt to b.txt.", "Rename the file b.txt to a.txt.", "small_edit", 0),
        ("Check each of the rooms.", "Check one of the rooms.", "quantifier", 1),
        ("A few people came.", "Few people came.", "quantifier", 1),
        ("A few people came.", "Some people came.", "quantifier", 0),
        ("Every guest pays.", "All guests pay.", "quantifier", 0),
        ("Send it to my office.", "Have it sent to your office.", "other_pronoun", 1),
        ("Ask a guest for his name.", "Ask a guest for their name.", "other_pronoun", 0),
        ("Name a wide river near an old castle.", "Name a river.", "net_lost", 3),
    ],
)
def test_how_much_there_is_of_a_sign(
    before: str, after: str, name: str, much: float, pair_of: Pairing
) -> None:
    assert signs(pair_of(before, after))[name] == pytest.approx(much)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("Fill two such troughs.", "Fill three such troughs.", "lost: 2; added: 3"),
        ("When was her second prize?", "When was her first prize?", "lost: 2; added: 1"),
        ("Two thirds of it is 18.", "Three quarters of it is 18.", "lost: 0.666667; added: 0.75"),
        ("Give each team two weeks.", "Give each team some weeks.", None),
        ("Ann is twice as old as Bo.", "Bo is half as old as Ann.", None),
        ("What is a quarter of 96?", "What is 96 divided by four?", None),
        ("Which of them is it?", "Which one of them is it?", None),
    ],
)
def test_a_number_in_words_does_not_become_another(
    before: str, after: str, found: str | None, pair_of: Pairing
) -> None:
    assert number_words(pair_of(before, after)) == found


def test_every_sign_has_a_weight_and_every_weight_a_sign(pair_of: Pairing) -> None:
    found = signs(pair_of("Who won in 1990?", "In 1990, who was the winner?"))
    assert set(SIGNS) <= set(found)
    assert set(found) == set(read_lexicon("signs")["weights"])
