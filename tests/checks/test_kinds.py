"""What the checks ask of each family: the same words may be right in one and wrong in another."""

from __future__ import annotations

from dataclasses import replace

import pytest

from otherwords.checks import HARD_CHECKS, vet
from otherwords.checks.informal import in_plain_english, is_one_slip
from otherwords.core.types import Item, Message, Variant, Vetted, original, variant_id

ITEM = Item("i", "Please tell me why you do not like the 3 people from Rome.", (), ("noise",))


def vetted(item: Item, prompt: object, kind: str, change: str = "") -> Vetted:
    variant: Variant = replace(
        original(item), id=variant_id(item.id, "v"), name="v", kind=kind, change=change, prompt=prompt
    )
    [one] = vet(item, [variant])
    return one


def failures(one: Vetted) -> dict[str, str]:
    return {failure.check: failure.reason for failure in one.failures}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pls tell me why u dont like the 3 ppl from Rome", {}),
        ("Please tell me why you do not like the 3 peopel from Rome.", {}),
        ("please tlel me why you do not like the 3 people from rome", {}),
        ("Please tell me why you do nit like the 3 people from Rome.", {"words": "lost: not"}),
        ("pls tell me why u like the 3 ppl from Rome", {"words": "lost: not"}),
        ("pls tell me why u dont like the 4 ppl from Rome", {"numbers": "lost: 3; added: 4"}),
        ("Please tell me why you do not like the 3 people from Roma.", {}),
        ("pls tell me why u dont like the 3 ppl from Bonn", {"names": "lost: Rome; added: Bonn"}),
    ],
)
def test_a_hurried_typist_is_read_with_patience(text: str, expected: dict[str, str]) -> None:
    assert failures(vetted(ITEM, text, "naturalistic", "chat")) == expected
    assert failures(vetted(ITEM, text, "llm", "naturalistic")) == expected


def test_patience_is_for_that_family_only() -> None:
    found = failures(vetted(ITEM, "pls tell me why u dont like the 3 peopel from Rome", "llm", "mild"))
    assert found == {}
    found = failures(vetted(ITEM, "pls tell me y u dnt like the 3 ppl from Rome", "llm", "mild"))
    assert found == {"words": "lost: not"}


def test_short_forms_of_the_original_stay() -> None:
    assert in_plain_english("what is u in F = u * m", "What is u in F = u * m?") == "what is u in F = u * m"
    assert in_plain_english("whats b4 w/o u", "What?") == "what is before without you"


@pytest.mark.parametrize(
    ("right", "typed", "slip"),
    [
        ("people", "poeple", True),
        ("people", "peple", True),
        ("people", "peoople", True),
        ("people", "prople", True),
        ("people", "people", True),
        ("people", "poepel", False),
        ("people", "popel", False),
    ],
)
def test_one_slip(right: str, typed: str, slip: bool) -> None:
    assert is_one_slip(right, typed) is slip


def test_a_control_may_change_the_meaning_and_nothing_else() -> None:
    item = Item("c", "Which is not a mammal?", ("cod", "cow"), 1)
    one = vetted(item, "Which is a mammal?", "control")
    assert one.accepted
    skipped = {found.check for found in one.checks if found.status == "not_applicable"}
    assert skipped == {"spans", "code", "numbers", "units", "words", "constraints", "names"}
    assert {found.reason for found in one.checks if found.check in skipped} == {
        "a control changes the meaning on purpose"
    }
    assert failures(vetted(item, "Which is not a mammal?", "control")) == {
        "different": "the same as the original, byte for byte"
    }
    assert failures(vetted(item, "Which is a mammal, the cow?", "control")) == {
        "leak": "says the answer: cow"
    }
    assert failures(vetted(item, "A cod is a fish.", "control")) == {
        "asks": "states something; the original asks"
    }


def test_text_that_moved_to_another_turn_is_still_there() -> None:
    item = Item("p", (Message("user", "Answer in 3 words.\n\nWho was Cleopatra?"),), (), ())
    moved = (Message("system", "Answer in 3 words."), Message("user", "Who was Cleopatra?"))
    assert failures(vetted(item, moved, "position", "system")) == {}
    lost = (Message("system", "Answer in 4 words."), Message("user", "Who was Cleopatra?"))
    assert failures(vetted(item, lost, "position", "system")) == {"numbers": "lost: 3; added: 4"}


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("Name it:\n1. a cat\n2. a dog", "Name it:\n(1) a cat\n(2) a dog", "enumerator"),
        ("Name these:\n- cat\n- dog\n- owl", "Name these: cat; dog; owl", "prose"),
        ("What is it?", '{"question": "What is it?"}', "json"),
        ("What is it?", "What is it.", "punct"),
        ("What is it?", "Question: What is it?", "separator"),
    ],
)
def test_another_dress_is_no_other_meaning(before: str, after: str, change: str) -> None:
    assert failures(vetted(Item("f", before, (), ()), after, "format", change)) == {}


def test_every_family_is_seen_by_every_check() -> None:
    for kind in ("paraphrase", "format", "options", "naturalistic", "llm", "position", "control"):
        assert [found.check for found in vetted(ITEM, "Why?", kind).checks] == list(HARD_CHECKS)
