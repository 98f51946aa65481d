from __future__ import annotations

from dataclasses import replace

import pytest

from otherwords.checks import CHECKS, HARD_CHECKS, vet
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, original, variant_id

ITEM = Item("c", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1)


def said(name: str, prompt: str) -> Variant:
    return replace(original(ITEM), id=variant_id("c", name), name=name, kind="paraphrase", prompt=prompt)


def test_every_check_speaks_on_every_candidate_in_order() -> None:
    vetted = vet(ITEM, [original(ITEM), said("para1", "Which of these is a mammal?")])
    assert [one.variant.name for one in vetted] == ["orig", "para1"]
    assert all([check.check for check in one.checks] == CHECKS.names() for one in vetted)
    assert set(HARD_CHECKS) <= set(CHECKS.names())


def test_the_original_is_always_accepted() -> None:
    [one] = vet(ITEM, [original(ITEM)])
    assert one.accepted
    assert {check.verdict for check in one.checks} == {"not_applicable"}


def test_a_bad_candidate_is_kept_with_its_reasons() -> None:
    [one] = vet(ITEM, [said("para1", "Which of these is not a mammal, the cow?")])
    assert not one.accepted
    assert {check.check: check.reason for check in one.failures} == {
        "words": "added: not",
        "leak": "says the answer: cow",
    }


def test_a_second_candidate_that_says_the_same_is_rejected_by_name() -> None:
    first, second = vet(
        ITEM, [said("para1", "Which of these is a mammal?"), said("para2", "which of these is a  mammal")]
    )
    assert first.accepted
    assert [(check.check, check.reason) for check in second.failures] == [("different", "the same as para1")]


def test_a_rejected_candidate_does_not_take_the_place_of_a_good_one() -> None:
    bad = replace(said("para1", "Which of these is a mammal?"), target=0)
    worse, good = vet(ITEM, [bad, said("para2", "Which of these is a mammal?")])
    assert (worse.accepted, good.accepted) == (False, True)


def test_candidates_that_cannot_be_vetted_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        vet(ITEM, [replace(original(ITEM), prompt="Which?")])
    assert str(caught.value) == "item 'c': the variant 'orig' must be the item, byte for byte"
    with pytest.raises(InputError) as caught:
        vet(ITEM, [replace(original(ITEM), item_id="d")])
    assert str(caught.value) == "item 'c': the variant 'orig' belongs to item 'd'"
