from __future__ import annotations

from otherwords.audit.settings import AuditSettings
from otherwords.audit.twins import MOST_COMPARED, find_twins
from otherwords.core.types import Item

STEM = "Which of these animals with warm blood lives in the sea and feeds its young with milk at the coast"
ANIMALS = ("Trout", "Dolphin", "Frog")


def groups(*items: Item, **settings: float) -> list[tuple[str, tuple[str, ...], bool]]:
    found = find_twins(items, AuditSettings(**settings))  # type: ignore[arg-type]
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
    found = find_twins([Item("a", "", ANIMALS), Item("b", "", ANIMALS)])
    assert (found.groups, found.compared) == ((), 0)


def test_every_near_pair_is_found_in_a_group() -> None:
    """The index by rare words loses nothing that comparing all with all would find."""
    words = [f"word{chr(97 + number)}" for number in range(26)]
    items = [
        Item(f"q{number}", " ".join(words[: 14 + number % 3] + words[number % 5 + 18 : number % 5 + 19]))
        for number in range(60)
    ]
    found = find_twins(items)
    assert {id_ for group in found.groups for id_ in group.ids} == {item.id for item in items}


def test_copies_are_not_compared_with_all_copies() -> None:
    """Quadratic, this would be two hundred million comparisons."""
    items = [
        Item(f"q{number}", f"{STEM} {'abcdefghijklmnopqrst'[number % 20] * 4}") for number in range(20_000)
    ]
    found = find_twins(items)
    assert found.extra == {"duplicate": 19_980, "near_duplicate": 19}
    assert found.cut_short == 0


def test_what_was_not_compared_is_counted() -> None:
    # each shares a rare word with half of the others, and no two are near
    items = [
        Item(f"q{number}", f"zzz {' '.join(chr(97 + (number >> bit & 1)) * (bit + 2) for bit in range(10))}")
        for number in range(2 * MOST_COMPARED)
    ]
    found = find_twins(items)
    assert found.groups == ()
    assert found.cut_short > 0
    assert find_twins(items[: MOST_COMPARED // 2]).cut_short == 0
