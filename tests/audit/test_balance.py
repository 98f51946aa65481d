from __future__ import annotations

import random

import pytest

from otherwords.audit.dataset_checks import length_of_answers, position_of_answers, share
from otherwords.core.types import Item


def item(place: int, options: int = 4, choices: tuple[str, ...] = ()) -> Item:
    return Item(f"q{place}-{options}", "Which?", choices or tuple("abcdefgh"[:options]), place)


def test_the_share_has_wilsons_interval() -> None:
    found = share(8, 10, 0.25)
    assert found is not None
    assert (found.value, round(found.low, 4), round(found.high, 4)) == (0.8, 0.4902, 0.9433)
    assert found.is_above_chance
    assert share(0, 5, 0.25).low == 0.0  # type: ignore[union-attr]
    assert share(5, 5, 0.25).high == 1.0  # type: ignore[union-attr]
    assert share(0, 0, 0.25) is None


def test_an_even_spread_is_explained_by_chance_and_a_lopsided_one_is_not() -> None:
    even = position_of_answers([item(place % 4) for place in range(40)])
    assert even is not None
    assert even.counts == {"A": 10, "B": 10, "C": 10, "D": 10}
    assert even.p == 1.0
    lopsided = position_of_answers([item(1)] * 30 + [item(0)] * 10)
    assert lopsided is not None
    assert (lopsided.commonest, lopsided.share, lopsided.p < 0.001) == ("B", 0.75, True)


def test_items_with_fewer_options_are_expected_at_fewer_letters() -> None:
    found = position_of_answers(
        [item(place % 2, 2) for place in range(40)] + [item(place % 4) for place in range(4)]
    )
    assert found is not None
    assert found.expected == {"A": 21.0, "B": 21.0, "C": 1.0, "D": 1.0}
    assert found.counts == {"A": 21, "B": 21, "C": 1, "D": 1}
    assert found.p == 1.0


@pytest.mark.slow
def test_the_test_is_honest_under_chance() -> None:
    rng = random.Random(3)
    small = sum(
        position_of_answers([item(rng.randrange(4)) for _ in range(30)]).p < 0.05  # type: ignore[union-attr]
        for _ in range(100)
    )
    assert small <= 12


def test_unknown_answers_say_nothing() -> None:
    assert position_of_answers([Item("a", "?", ("x", "y")), Item("b", "?", target=("x",))]) is None
    assert length_of_answers([Item("a", "?", ("x", "y"))]) is None


def test_the_longest_and_the_shortest_are_counted_and_ties_left_out() -> None:
    long_right = item(0, choices=("the longest of all", "short", "middle one"))
    long_wrong = item(1, choices=("the longest of all", "short", "middle one"))
    tie = item(0, choices=("same", "size", "a"))
    found = length_of_answers([long_right] * 3 + [long_wrong, tie])
    assert found is not None
    assert found.longest is not None
    assert found.shortest is not None
    assert (found.longest.count, found.longest.n) == (3, 4)
    assert (found.shortest.count, found.shortest.n) == (1, 5)
    assert found.longest.chance == pytest.approx(1 / 3)


@pytest.mark.slow
def test_very_many_options_fit_in_memory() -> None:
    wide = Item("wide", "?", tuple(map(str, range(20_000))), 7)
    found = position_of_answers([wide, item(0)])
    assert found is not None
    assert 0 < found.p <= 1
