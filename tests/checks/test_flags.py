from __future__ import annotations

from collections.abc import Callable

import pytest

from otherwords.checks import flags
from otherwords.checks.base import SIGNS
from otherwords.checks.flags import model_says, signs, wording
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
            "Who won the cup, and when was it played?",
            "Who won the cup, and where was it played?",
            "of a class not spoken of",
            "",
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
        ("Is it the fare to Bern?", "Is it the fare per day to Bern?", "small edit", 1 - 0.25 / 0.3),
        ("What is the capital of Mongolia?", "What's the capital of Mongolia?", "small edit", 0),
        ("Is it a big box?", "Is it a small box?", "ADJ became ADJ", 1),
        ("Is it a big box?", "Is it a large box?", "ADJ became ADJ alike", 1),
        ("Yesterday the old dog slept.", "The old dog slept yesterday.", "moved: NOUN", 1),
        ("Check each of the rooms.", "Check one of the rooms.", "lost: all", 1),
        ("Check each of the rooms.", "Check one of the rooms.", "added: one", 1),
        ("Name a wide river near an old castle.", "Name a river.", "lost: ADJ", 1),
        ("Name a river.", "Name a wide river near an old castle.", "added: NOUN", 1),
        ("Take at least 3 of them.", "Take at most 3 of them.", "added: limit at_most", 1),
        ("Do not stop.", "Stop.", "lost: negation", 1),
        ("How many came?", "Who came?", "lost: many", 1),
    ],
)
def test_how_much_there_is_of_a_sign(
    before: str, after: str, name: str, much: float, pair_of: Pairing
) -> None:
    assert signs(pair_of(before, after)).get(name, 0) == pytest.approx(much)


def test_a_sign_is_there_again_as_far_as_the_texts_are_near(pair_of: Pairing) -> None:
    pair = pair_of("Is it a big box?", "Is it a small box?")
    found = signs(pair)
    assert pair.distance == pytest.approx(0.2)
    assert found["ADJ became ADJ, near"] == pytest.approx(found["ADJ became ADJ"] * (1 - 0.2 / 0.6))


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


def test_the_model_reads_quantities_of_both_in_the_words_of_the_original(
    pair_of: Pairing, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    monkeypatch.setattr(flags, "log_odds", lambda was, now: read.append((was, now)) or 1.0)
    pair = pair_of("Keep logs for 14 days or 3 GB.", "For two weeks or 3 GB, keep the logs of 5 hosts.")
    assert model_says(pair) == 1
    assert read == [("Keep logs for 14 days or 3 GB.", "For 14 days or 3 GB, keep the logs of 5 hosts.")]


def test_the_model_only_objects(pair_of: Pairing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "log_odds", lambda *_: -3.0)
    assert model_says(pair_of("Who won?", "Who was the winner?")) == 0


def test_the_model_alone_decides_nothing(pair_of: Pairing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flags, "model_says", lambda _: 100.0)
    assert wording(pair_of("Who won in 1990?", "In 1990, who won?")) is None
    reason = wording(pair_of("Which lake is deep?", "Which wide lake is deep?"))
    assert reason is not None
    assert "points: model" in reason


def test_every_registered_sign_has_a_weight() -> None:
    assert set(SIGNS) <= set(read_lexicon("signs")["weights"])
