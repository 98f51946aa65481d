from __future__ import annotations

from collections.abc import Callable

import pytest

from otherwords.checks.reading import Pair
from otherwords.checks.roles import exchanged, route

Pairing = Callable[[str, str], Pair]

EXCHANGED = [
    ("Who taught her?", "Whom did she teach?", "who and whom of 'teach'"),
    ("Which team beat Brazil?", "Which team did Brazil beat?", "who and whom of 'beat'"),
    ("What eats mice?", "What do mice eat?", "who and whom of 'eat'"),
    ("Is the Nile longer than the Amazon?", "Is the Amazon longer than the Nile?", "around 'longer than'"),
    ("Did Nero rule before Trajan?", "Did Trajan rule before Nero?", "around 'before'"),
    ("Did the fire start before the storm?", "Did the fire start after the storm?", "around 'before'"),
    (
        "Why did she take tea rather than coffee?",
        "Why did she take coffee rather than tea?",
        "coffee and tea",
    ),
    (
        "Maria is a nurse and Paul is a pilot. Who flies?",
        "Maria is a pilot and Paul is a nurse. Who flies?",
        "nurse and pilot",
    ),
    (
        "The red cup stands left of the blue cup. Which one is on the left?",
        "The blue cup stands left of the red cup. Which one is on the left?",
        "blue and red",
    ),
    (
        "A club charges adults £9 and children £5. How much do two adults and a child pay?",
        "Entry to a club is £5 for adults and £9 for children. What is it for two adults and one child?",
        "5 and 9",
    ),
]
KEPT = [
    (
        "A club charges adults £9 and children £5. How much do two adults and a child pay?",
        "At £5 for children and £9 for adults, what do two adults and a child pay at a club?",
    ),
    ("Heat 30 g of salt to 80 °C.", "To 80 °C, heat 30 g of salt."),
    ("Whom did France defeat?", "Who was defeated by France?"),
    ("Who taught her?", "By whom was she taught?"),
    ("Is the Nile longer than the Amazon?", "Does the Nile have more length than the Amazon?"),
    ("Did the fire start before the storm?", "Did the storm come after the fire?"),
    ("Why did she take tea rather than coffee?", "Why did she choose tea instead of coffee?"),
    (
        "Maria is a nurse and Paul is a pilot. Who flies?",
        "Paul works as a pilot, Maria as a nurse. Which of them flies?",
    ),
    (
        "The red cup stands left of the blue cup. Which one is on the left?",
        "The red cup stands to the left of the blue one. Which one is on the left?",
    ),
]


@pytest.mark.parametrize(("before", "after", "what"), EXCHANGED)
def test_what_has_changed_places_is_named(before: str, after: str, what: str, pair_of: Pairing) -> None:
    assert exchanged(pair_of(before, after)) == f"may be exchanged: {what}"


@pytest.mark.parametrize(("before", "after"), KEPT)
def test_a_good_rewording_exchanges_nothing(before: str, after: str, pair_of: Pairing) -> None:
    assert exchanged(pair_of(before, after)) is None
    assert exchanged(pair_of(after, before)) is None


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (
            "Copy the rows out of the old table into the new table.",
            "Copy the rows out of the new table into the old table.",
            "reversed: from old to new",
        ),
        (
            "Move the file out of downloads into archive.",
            "Take the file from archive into downloads.",
            "reversed: from download to archive",
        ),
        (
            "Take the money out of savings and put it into checking.",
            "Move the money from savings to checking.",
            None,
        ),
        ("Drive from Rome to Milan.", "Go to Milan by car, setting out from Rome.", None),
        ("Walk out of the house.", "Walk into the house.", None),
    ],
)
def test_the_direction_of_a_route(before: str, after: str, found: str | None, pair_of: Pairing) -> None:
    assert route(pair_of(before, after)) == found
