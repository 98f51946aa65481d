from __future__ import annotations

import random
from itertools import combinations

import pytest

from otherwords.audit.dataset_checks import find_duplicates
from otherwords.audit.decide import AuditSettings
from otherwords.audit.result import describe_duplicates
from otherwords.core.types import Item
from otherwords.english.normalize import jaccard

STEM = "Which of these animals with warm blood lives in the sea and feeds its young with milk at the coast"
ANIMALS = ("Trout", "Dolphin", "Frog")


def groups(*items: Item, **settings: float) -> list[tuple[str, tuple[str, ...], bool]]:
    found = find_duplicates(items, AuditSettings(**settings))  # type: ignore[arg-type]
    return [(one.kind, one.ids, one.answers_differ) for one in found.groups]


def test_the_same_question_in_other_dress_is_a_duplicate() -> None:
    again = Item("b", f"{STEM.upper()}?!", ("Frog", "trout.", "Dolphin"), 2)
    assert groups(Item("a", STEM, ANIMALS, 1), again) == [("duplicate", ("a", "b"), False)]


def test_duplicates_with_different_answers_are_told() -> None:
    assert groups(Item("a", STEM, ANIMALS, 1), Item("b", STEM, ANIMALS, 0)) == [
        ("duplicate", ("a", "b"), True)
    ]
    assert groups(Item("a", "Who?", target=("x", "y")), Item("b", "Who?", target=("y", "x"))) == [
        ("duplicate", ("a", "b"), False)
    ]


def test_one_word_more_is_a_near_duplicate_and_other_numbers_are_another_problem() -> None:
    assert groups(Item("a", STEM, ANIMALS, 1), Item("b", f"{STEM} there", ANIMALS, 1)) == [
        ("near_duplicate", ("a", "b"), False)
    ]
    long = "A train with many wagons leaves the old station and needs a while for its way of {} miles to town"
    assert groups(Item("a", long.format(12)), Item("b", long.format(13))) == []
    assert groups(Item("a", "How many is 3 + 5?"), Item("b", "How many is 3 - 5?")) == []
    assert groups(Item("a", "Is it red or blue?"), Item("b", "Is it red or green?")) == []
    assert (
        groups(Item("a", "Is it red or blue?"), Item("b", "Is it red or green?"), near_duplicate_items=0.6)
        != []
    )


def test_items_without_a_question_are_not_compared() -> None:
    found = find_duplicates([Item("a", "", ANIMALS), Item("b", "", ANIMALS)])
    assert (found.groups, found.compared) == ((), 0)


@pytest.mark.parametrize("rare", [2, 5, 30])
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.9, 1.0])
def test_comparing_a_few_finds_what_comparing_all_would(
    rare: int, threshold: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherwords.audit.dataset_checks.RARE", rare)
    rng = random.Random(rare)
    for words in (8, 14, 30):
        known = [f"word{chr(97 + number % 26)}{chr(97 + number // 26)}" for number in range(words)]
        items = [Item(f"q{n}", " ".join(rng.choices(known, k=rng.randint(1, 12)))) for n in range(80)]
        found = find_duplicates(items, AuditSettings(near_duplicate_items=threshold))
        gone = {id_ for group in found.groups for id_ in group.ids[1:]}
        left = [frozenset(item.prompt.split()) for item in items if item.id not in gone]
        assert not any(jaccard(one, other) >= threshold for one, other in combinations(left, 2))


@pytest.mark.slow
def test_copies_are_not_compared_with_all_copies() -> None:
    """Quadratic, this would be two hundred million comparisons."""
    items = [
        Item(f"q{number}", f"{STEM} {'abcdefghijklmnopqrst'[number % 20] * 4}") for number in range(20_000)
    ]
    found = find_duplicates(items)
    assert found.extra == {"duplicate": 19_980, "near_duplicate": 19}
    assert found.cut_short == 0


def test_what_was_not_compared_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    # each shares words with half of the others, and no two are near
    items = [
        Item(f"q{number}", f"zzz {' '.join(chr(97 + (number >> bit & 1)) * (bit + 2) for bit in range(10))}")
        for number in range(300)
    ]
    assert find_duplicates(items).cut_short == 0
    monkeypatch.setattr("otherwords.audit.dataset_checks.MOST_COMPARED", 10)
    found = find_duplicates(items)
    assert found.groups == ()
    assert found.cut_short > 0
    assert "items had too many likenesses to compare with all of them" in describe_duplicates(found)
