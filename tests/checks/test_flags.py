from __future__ import annotations

from collections.abc import Callable

import pytest

from otherwords.checks.base import SIGNS
from otherwords.checks.flags import signs, wording
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
    assert names.split(" (")[0].split(", ")[0] == first
    assert said in names.partition(" (")[2]
    total, _, threshold = points.partition(" of ")
    assert float(threshold) == read_lexicon("signs")["threshold"] <= float(total)


def test_signs_alone_decide_nothing(pair_of: Pairing) -> None:
    pair = pair_of("Which emperors ruled before Nero?", "Which emperors ruled earlier than Nero?")
    assert any(signs(pair).values())
    assert wording(pair) is None


def test_every_sign_has_a_weight_and_every_weight_a_sign(pair_of: Pairing) -> None:
    found = signs(pair_of("Who won in 1990?", "In 1990, who was the winner?"))
    assert set(SIGNS) <= set(found)
    assert set(found) == set(read_lexicon("signs")["weights"])
