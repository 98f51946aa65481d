from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.audit import AuditSettings, audit_choices, audit_items
from otherwords.audit.normalise import jaccard, normalise, tokens
from otherwords.core.errors import InputError
from otherwords.core.types import Item

STRICT = AuditSettings(strict=True)


@pytest.mark.parametrize(
    ("choices", "reasons"),
    [
        (["Paris", "London", "Rome", "Berlin"], ()),
        (["Paris", "London", "All of the above"], ("meta_option:all_of_the_above",)),
        (["Paris", "London", "None of the above"], ("meta_option:none_of_the_above",)),
        (["Paris", "London", "Both A and B"], ("meta_option:both_options",)),
        (["Paris", "London", "I don't know"], ("meta_option:dont_know",)),
        (["Paris", "London", "I don’t know."], ("meta_option:dont_know",)),
        (["Paris", "London", "It cannot be determined"], ("meta_option:cannot_be_determined",)),
        (["red_blood_cells", "Red blood cells", "platelets"], ("duplicate_options",)),
        (["the human bodies", "The human body", "stones"], ("near_duplicate_options",)),
        (["The rate increases", "The rate does not increase", "stones"], ("contradictory_options:negation",)),
        (["a higher rate", "a lower rate", "stones"], ("contradictory_options:antonym",)),
        (["Yes", "Paris", "London"], ("boolean_like",)),
        (["Good option", "Bad option", "Fair option"], ()),
        (["true north", "magnetic north"], ()),
        (["", "Paris", "London"], ("empty_option",)),
    ],
)
def test_reason_codes(choices: list[str], reasons: tuple[str, ...]) -> None:
    decision = audit_choices(choices)
    assert decision.reasons == reasons
    assert decision.label == ("ambiguous" if reasons else "clean")


@pytest.mark.parametrize(
    ("choices", "settings", "crowded"),
    [
        (["10.0", "10.05", "20", "30"], AuditSettings(), True),
        (["10.0", "10.2", "20", "30"], AuditSettings(), False),
        (["10.0", "10.01", "20"], AuditSettings(), True),
        (["10.0", "10.02", "20"], AuditSettings(), False),
        (["10.0", "10.02", "20"], STRICT, True),
        (["10.0 mg", "10.05 kg", "20 mg", "30 kg"], AuditSettings(), False),
        (["1,000 m", "1,005 m", "2,000 m", "3,000 m"], AuditSettings(), True),
        (["1e3", "1.001e3", "2", "3"], AuditSettings(), True),
        (["10", "10.0001"], STRICT, False),
        (["-5", "5", "0", "9"], AuditSettings(), False),
    ],
)
def test_crowded_numbers(choices: list[str], settings: AuditSettings, crowded: bool) -> None:
    assert ("crowded_numbers" in audit_choices(choices, settings).reasons) is crowded


def test_fewer_than_two_different_options_are_unanswerable() -> None:
    decision = audit_choices(["same", "Same."], id="q1")
    assert decision.label == "unanswerable"
    assert decision.reasons == ("duplicate_options", "fewer_than_two_options")


def test_normalisation() -> None:
    assert normalise("Don’t_know!") == "dont know"
    assert tokens("words bodies boxes glass") == {"word", "body", "box", "glass"}
    assert jaccard(frozenset(), frozenset({"a"})) == 0.0


def test_items_without_choices_are_not_audited() -> None:
    items = [Item("a", "Who?"), Item("b", "Which?", choices=("Yes", "No"), target=0)]
    assert [(one.id, one.label) for one in audit_items(items)] == [("b", "ambiguous")]


def test_bad_choices_are_refused() -> None:
    with pytest.raises(InputError, match=r"^item 'q': has no choices to audit$"):
        audit_choices([], id="q")
    with pytest.raises(InputError, match=r"^item 'q': choices must be a list of texts$"):
        audit_choices("Paris", id="q")


@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.randoms())
def test_the_order_of_options_does_not_matter(choices: list[str], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(choices, len(choices))
    one, other = audit_choices(choices), audit_choices(shuffled)
    assert (one.label, set(one.reasons)) == (other.label, set(other.reasons))
