from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from otherwords.checks import CHECKS, checks_in_order, run_checks, vet, vet_all
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant, original, variant_id

ITEM = Item("c", "Which of the following is a mammal?", ("cod", "cow", "crow"), 1)


def said(name: str, prompt: str) -> Variant:
    return replace(original(ITEM), id=variant_id("c", name), name=name, kind="paraphrase", prompt=prompt)


def test_every_check_speaks_on_every_candidate_in_order() -> None:
    vetted = vet(ITEM, [original(ITEM), said("para1", "Which of these is a mammal?")])
    assert [one.variant.name for one in vetted] == ["orig", "para1"]
    names = [name for name, _ in checks_in_order()]
    assert all([check.check for check in one.checks] == names for one in vetted)
    assert sorted(names) == sorted(CHECKS.names())


def test_invariants_speak_before_flags() -> None:
    layers = [check.traits.layer for _, check in checks_in_order()]  # type: ignore[attr-defined]
    assert layers == sorted(layers, reverse=True)


def test_the_original_is_always_accepted() -> None:
    [one] = vet(ITEM, [original(ITEM)])
    assert one.accepted
    assert {check.status for check in one.checks} == {"not_applicable"}


def test_a_bad_candidate_is_kept_with_its_reasons() -> None:
    [one] = vet(ITEM, [said("para1", "Which of these is not a mammal, the cow?")])
    assert not one.accepted
    assert {check.check: check.reason for check in one.failures} == {
        "negation": "added: not",
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


class NoCows:
    """A meaning check that dislikes a word, and remembers what it was shown."""

    name = "no-cows"
    layer = "invariant"

    def __init__(self, word: str = "cow") -> None:
        self.word = word
        self.seen: list[list[str]] = []

    def settings(self) -> Mapping[str, Any]:
        return {}

    def judge(self, pairs: Sequence[tuple[Item, Variant]]) -> list[CheckResult]:
        self.seen.append([f"{item.id} {variant.name}" for item, variant in pairs])
        return [
            CheckResult(self.name, "fail", "a cow")
            if self.word in str(variant.prompt)
            else CheckResult(self.name, "pass", "no cow")
            for _, variant in pairs
        ]


def test_a_meaning_check_sees_only_what_was_not_refused() -> None:
    check = NoCows("these")
    candidates = [
        original(ITEM),
        said("para1", "Which of these is a mammal?"),
        said("para2", "Which of these is not a mammal?"),
        said("para3", "Of the following, which is a mammal?"),
    ]
    vetted = vet(ITEM, candidates, [check])
    assert check.seen == [["c para1", "c para3"]]
    assert [one.accepted for one in vetted] == [True, False, False, True]
    assert [(one.checks[-1].status, one.checks[-1].reason) for one in vetted] == [
        ("not_applicable", "the original"),
        ("fail", "a cow"),
        ("not_applicable", "already refused"),
        ("pass", "no cow"),
    ]


def test_what_one_meaning_check_rejects_the_next_does_not_see() -> None:
    first, second = NoCows("these"), NoCows("whale")
    vet(ITEM, [said("para1", "Which of these is a mammal?")], [first, second])
    assert (first.seen, second.seen) == ([["c para1"]], [[]])


def test_meaning_checks_see_several_items_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_checks, "BATCH", 2)
    check = NoCows()
    items = [replace(ITEM, id=name) for name in "abc"]
    groups = [
        (
            item,
            [replace(said("para1", "Which of these is a mammal?"), id=f"{item.id}#para1", item_id=item.id)],
        )
        for item in items
    ]
    vetted = list(vet_all(groups, [check]))
    assert [group[0].variant.item_id for group in vetted] == ["a", "b", "c"]
    assert check.seen == [["a para1", "b para1"], ["c para1"]]


class OnlyFlagged(NoCows):
    only_flagged = True


def test_a_check_that_wants_only_flagged_variants_sees_only_those() -> None:
    check = OnlyFlagged()
    written = [
        replace(said(f"w{n}", text), kind="llm")
        for n, text in enumerate(("Which of these is a mammal?", "Which of these is a plant?"))
    ]
    vetted = vet(ITEM, written, [check])
    assert check.seen == [["c w1"]]
    assert vetted[0].checks[-1].reason == "nothing to decide"
    assert [one.status for one in vetted] == ["accepted", "undecided"]


@pytest.mark.parametrize(
    ("layer", "status"), [(None, "undecided"), ("flag", "undecided"), ("invariant", "rejected")]
)
def test_a_meaning_check_of_a_third_party_refuses_only_if_it_says_so(layer: str | None, status: str) -> None:
    class Strict:
        name = "strict"

        def settings(self) -> dict[str, str]:
            return {}

        def judge(self, pairs: list[tuple[Item, Variant]]) -> list[CheckResult]:
            return [CheckResult("strict", "fail", "no") for _ in pairs]

    check = Strict()
    if layer is not None:
        check.layer = layer  # type: ignore[attr-defined]
    item = Item("i", "Who wrote Hamlet?")
    other = replace(original(item), id="i/v", name="v", kind="llm", prompt="Who was it that wrote Hamlet?")
    [one] = vet(item, [other], [check])
    assert one.status == status
