from __future__ import annotations

from dataclasses import replace

import pytest
from inspect_ai.model import ChatMessageSystem, ChatMessageUser

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Message, Variant, original, variant_id
from otherwords.runs import build_task, to_samples

CHOICE = Item(id="q1", prompt="Which of the following flies?", choices=("Cow", "Crow", "Cat"), target=1)
SHORT = Item(id="q2", prompt="What is the capital of France?", target=("Paris", "City of Paris"))


def reversed_options(item: Item) -> Variant:
    assert isinstance(item.target, int)
    return Variant(
        id=variant_id(item.id, "pert:order_rev"),
        item_id=item.id,
        name="pert:order_rev",
        kind="options",
        prompt=item.prompt,
        choices=item.choices[::-1],
        target=len(item.choices) - 1 - item.target,
        option_order=tuple(reversed(range(len(item.choices)))),
        change="order:reverse",
    )


def paraphrase(item: Item, prompt: str) -> Variant:
    return replace(
        original(item),
        id=variant_id(item.id, "para1"),
        name="para1",
        kind="paraphrase",
        prompt=prompt,
        change="which-of-these",
    )


def test_a_multiple_choice_variant_becomes_a_sample_with_a_letter_and_flat_metadata() -> None:
    first, second = to_samples([CHOICE], [original(CHOICE), reversed_options(CHOICE)], seed=7)
    assert (first.id, first.input, first.choices, first.target) == (
        "q1#orig",
        "Which of the following flies?",
        ["Cow", "Crow", "Cat"],
        "B",
    )
    assert first.metadata == {
        "item_id": "q1",
        "variant": "orig",
        "kind": "orig",
        "change": "",
        "perturbation_kind": "orig",
        "option_order": "0,1,2",
        "seed": 7,
    }
    assert (second.choices, second.target) == (["Cat", "Crow", "Cow"], "B")
    assert second.metadata == {
        "item_id": "q1",
        "variant": "pert:order_rev",
        "kind": "options",
        "change": "order:reverse",
        "perturbation_kind": "order:reverse",
        "option_order": "2,1,0",
        "seed": 7,
    }


def test_a_short_answer_keeps_all_accepted_answers_and_paraphrases_are_named() -> None:
    first, second = to_samples([SHORT], [original(SHORT), paraphrase(SHORT, "Name the capital of France.")])
    assert first.target == ["Paris", "City of Paris"]
    assert first.choices is None
    assert first.metadata == {
        "item_id": "q2",
        "variant": "orig",
        "kind": "orig",
        "change": "",
        "paraphrase_id": "orig",
    }
    assert second.metadata is not None
    assert second.metadata["paraphrase_id"] == "para1"


def test_chat_messages_stay_messages() -> None:
    item = Item(id="c", prompt=(Message("system", "Be brief."), Message("user", "Hi?")), target=("yes",))
    (sample,) = to_samples([item], [original(item)])
    assert isinstance(sample.input, list)
    system, user = sample.input
    assert isinstance(system, ChatMessageSystem)
    assert isinstance(user, ChatMessageUser)
    assert (system.text, user.text) == ("Be brief.", "Hi?")


@pytest.mark.parametrize(
    ("variants", "message"),
    [
        ([original(SHORT)], "item 'q2': variant 'orig' belongs to no item of this run"),
        ([original(CHOICE), original(CHOICE)], "item 'q1': variant 'orig' is given twice"),
        (
            [replace(original(CHOICE), target=3)],
            "item 'q1': variant 'orig' has 3 choices and no choice 3",
        ),
    ],
)
def test_wrong_variants_are_refused_by_item(variants: list[Variant], message: str) -> None:
    with pytest.raises(InputError) as caught:
        to_samples([CHOICE], variants)
    assert str(caught.value) == message


def test_nothing_to_run_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        build_task("empty", [CHOICE], [])
    assert str(caught.value) == "there is nothing to run in 'empty': no item has an accepted variant"


def test_an_item_without_answer_is_refused_unless_the_task_has_its_own_scorer() -> None:
    from inspect_ai.scorer import includes

    item = Item(id="open", prompt="Write a poem.")
    with pytest.raises(InputError) as caught:
        build_task("poems", [item], [original(item)])
    assert str(caught.value) == "item 'open': has no answer to score against"
    assert len(build_task("poems", [item], [original(item)], scorer=includes()).dataset) == 1


def test_the_version_changes_with_any_wording_and_with_nothing_else() -> None:
    def version(prompt: str) -> object:
        return build_task("t", [SHORT], [original(SHORT), paraphrase(SHORT, prompt)]).version

    assert version("Name it.") == version("Name it.")
    assert version("Name it.") != version("Name it!")
