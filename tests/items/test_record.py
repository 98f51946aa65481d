from __future__ import annotations

import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from otherwords.core.errors import InputError
from otherwords.core.types import Item
from otherwords.items import items_from_task


class Shout:
    """Stands for a selector; the real ones have their own tests."""

    def get(self, sample: Sample) -> str:
        said = sample.input if isinstance(sample.input, str) else sample.input[-1].text
        return said.upper()


def task(*samples: Sample) -> Task:
    return Task(dataset=list(samples), name="quiz")


def test_a_short_answer_keeps_every_accepted_answer() -> None:
    (item,) = items_from_task(task(Sample(input="who?", target=["Ann", "Anna"], id=7)), Shout())
    assert item == Item(id="7", prompt="WHO?", target=("Ann", "Anna"), source="quiz")


def test_options_come_with_the_place_of_the_right_one() -> None:
    sample = Sample(input="which?", choices=["x", "y", "z"], target="B", id="m")
    assert items_from_task(task(sample), Shout(), source="pkg/quiz") == [
        Item(id="m", prompt="WHICH?", choices=("x", "y", "z"), target=1, source="pkg/quiz")
    ]


@pytest.mark.parametrize(
    ("target", "accepted"), [(["A", "C"], ("A", "C")), ("D", ("D",)), ("y", ("y",)), ("", ())]
)
def test_options_stay_behind_where_no_single_letter_is_right(
    target: str | list[str], accepted: tuple[str, ...]
) -> None:
    (item,) = items_from_task(task(Sample(input="which?", choices=["x", "w", "z"], target=target)), Shout())
    assert (item.choices, item.target) == ((), accepted)


def test_a_list_of_one_letter_is_one_letter() -> None:
    (item,) = items_from_task(task(Sample(input="which?", choices=["x", "y"], target=["B"])), Shout())
    assert item.target == 1


def test_samples_without_an_id_are_named_by_their_place() -> None:
    items = items_from_task(task(Sample(input="a"), Sample(input="b")), Shout())
    assert [item.id for item in items] == ["1", "2"]


def test_the_selector_sees_the_whole_sample() -> None:
    chat = Sample(input=[ChatMessageSystem(content="Be brief."), ChatMessageUser(content="why?")])
    assert items_from_task(task(chat), Shout())[0].prompt == "WHY?"


def test_only_small_metadata_comes_along() -> None:
    metadata = {
        "level": 2,
        "easy": True,
        "share": 0.5,
        "topic": "cows",
        "long": "x" * 201,
        "steps": [1],
        "no": None,
    }
    (item,) = items_from_task(task(Sample(input="a", metadata=metadata)), Shout())
    assert item.metadata == {"level": 2, "easy": True, "share": 0.5, "topic": "cows"}


def test_the_first_items_are_enough_when_a_number_is_given() -> None:
    broken = Sample(input=[])
    assert len(items_from_task(task(Sample(input="a"), broken), Shout(), max_items=1)) == 1
    with pytest.raises(InputError, match=r"^max_items must be at least 1, got 0$"):
        items_from_task(task(Sample(input="a")), Shout(), max_items=0)


def test_two_samples_with_one_id_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        items_from_task(task(Sample(input="a", id=1), Sample(input="b", id="1")), Shout())
    assert str(caught.value) == "item '1': two samples of task 'quiz' have this id"
