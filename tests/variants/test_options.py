from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.types import Item, Variant
from otherwords.variants.options import OPTIONS, movable_places


def moved(choices: list[str], target: int = 0, seed: int = 0, stem: str = "Which is right?") -> list[Variant]:
    return OPTIONS.candidates(Item("1", stem, tuple(choices), target), k=9, seed=seed)


def test_swap_reverse_and_shuffle() -> None:
    made = moved(["cod", "cow", "crow", "crab"], 1)
    assert [(one.name, one.change, one.choices, one.target, one.option_order) for one in made] == [
        ("pert:order_swap", "order:swap", ("crab", "cow", "crow", "cod"), 1, (3, 1, 2, 0)),
        ("pert:order_rev", "order:reverse", ("crab", "crow", "cow", "cod"), 2, (3, 2, 1, 0)),
        ("pert:order_shuffle", "order:shuffle", ("crab", "cow", "cod", "crow"), 1, (3, 1, 0, 2)),
    ]
    assert {one.kind for one in made} == {"options"}
    assert all(one.params == {} for one in made)


@pytest.mark.parametrize(
    ("choices", "movable"),
    [
        (["cod", "cow", "crow"], [0, 1, 2]),
        (["cod", "cow", "All of the above"], [0, 1]),
        (["cod", "cow", "None of the above."], [0, 1]),
        (["cod", "cow", "both of the above", "none of these"], [0, 1]),
        (["cod", "all of the above", "cow", "crow"], [0]),
        (["none of these", "cod", "cow"], [1, 2]),
        (["cod", "cow", "I don't know"], [0, 1]),
        (["cod", "cow", "It cannot be determined"], [0, 1]),
        (["cod", "cow", "crow", "Both A and B"], []),
        (["cod", "cow", "A and C"], []),
        (["cod", "cow", "A, B, and C"], []),
        (["cod", "cow", "Neither (A) nor (B)"], []),
        (["cod", "cow", "Only A"], []),
        (["cod", "cow", "Same as option B"], []),
        (["cod", "cow", "The first two options"], []),
        (["Vitamins A and D", "a cat and a dog", "I and II"], [0, 1, 2]),
        (["It rises above the horizon", "It is below zero", "the previous year"], [0, 1, 2]),
        (["A", "B", "AB", "O"], [0, 1, 2, 3]),
    ],
)
def test_options_that_speak_of_others(choices: list[str], movable: list[int]) -> None:
    assert movable_places("Which is right?", choices) == movable


def test_what_stays_is_said() -> None:
    [swap, shuffle] = moved(["cod", "cow", "crow", "All of the above"], 3)
    assert swap.choices == ("crow", "cow", "cod", "All of the above")
    assert (swap.target, swap.params) == (3, {"kept_in_place": [3]})
    assert shuffle.choices[3] == "All of the above"


@pytest.mark.parametrize(
    ("stem", "choices"),
    [
        ("Why is option B right?", ["cod", "cow"]),
        ("Which is a mammal?\nA. cod\nB. cow", ["A", "B"]),
        ("Which is a mammal?\n(1) cod\n(2) cow", ["1", "2"]),
    ],
)
def test_a_question_that_names_options_keeps_them(stem: str, choices: list[str]) -> None:
    assert moved(choices, stem=stem) == []


def test_a_shuffle_is_none_of_the_others() -> None:
    for seed in range(50):
        [swap, shuffle] = moved(["a cod", "a cow", "a crow"], seed=seed)  # swapping is reversing here
        assert shuffle.option_order not in ((0, 1, 2), swap.option_order)
    assert [one.name for one in moved(["cod", "cow"])] == ["pert:order_swap"]


def test_the_seed_decides_the_shuffle() -> None:
    choices = [f"thing {place}" for place in range(8)]
    orders = {moved(choices, seed=seed)[-1].option_order for seed in range(20)}
    assert len(orders) == 20
    assert moved(choices, seed=3) == moved(choices, seed=3)


@given(
    choices=st.lists(
        st.one_of(
            st.text(min_size=1), st.sampled_from(["All of the above", "None of these", "Both A and B"])
        ),
        min_size=2,
        max_size=7,
    ),
    seed=st.integers(),
    data=st.data(),
)
def test_the_target_follows_its_text(choices: list[str], seed: int, data: st.DataObject) -> None:
    target = data.draw(st.integers(0, len(choices) - 1))
    made = moved(choices, target, seed)
    assert len({one.choices for one in made} | {tuple(choices)}) == len(made) + 1
    for one in made:
        assert sorted(one.option_order) == list(range(len(choices)))
        assert one.choices == tuple(choices[place] for place in one.option_order)
        assert isinstance(one.target, int)
        assert one.option_order[one.target] == target
        kept = one.params.get("kept_in_place", [])
        assert all(one.option_order[place] == place for place in kept)
        assert "Both A and B" not in choices
