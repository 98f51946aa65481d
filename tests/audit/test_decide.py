from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.audit import REASONS, AuditSettings, audit_choices, audit_items
from otherwords.audit.decide import RULES, UNANSWERABLE_REASONS, Quantity, read_quantity
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
        (["Good option", "Bad option", "Neutral option"], ()),
        (["Yes", "No", "Maybe"], ("boolean_like",)),
        (["Paris", "London", "Both a and b"], ("meta_option:both_options",)),
        (["Paris", "London", "A, B & C"], ("meta_option:both_options",)),
        (["Paris", "London", "Neither of the above"], ("meta_option:none_of_the_above",)),
        (["Paris", "London", "More than one of the above"], ("meta_option:both_options",)),
        (["Paris", "London", "Not enough information"], ("meta_option:cannot_be_determined",)),
        (["Paris", "London", "Something else"], ("meta_option:other",)),
        (["All of the above ground pipes", "None of them knew", "Other animals"], ()),
        (["It is safe", "It is not safe", "It is cheap"], ("contradictory_options:negation",)),
        (["Safe", "Not safe", "Cheap"], ("contradictory_options:negation",)),
        (["It can swim", "It cannot swim", "It flies"], ("contradictory_options:negation",)),
        (["increases", "decreases", "vanishes"], ("contradictory_options:antonym",)),
        (["safe", "unsafe", "cheap"], ("contradictory_options:antonym",)),
        (
            ["This is a long option with many words", "This is a long option with many word", "Other one"],
            ("near_duplicate_options",),
        ),
        (["  Option A  ", "Option A", "Option B"], ("duplicate_options",)),
        (["-5", "5", "0"], ()),
        (["x < 3", "x > 3", "x = 3"], ()),
        (["3 + 5", "3 - 5", "3 / 5"], ()),
        (["Na+", "Na-", "Na"], ()),
        (["10²", "102", "1000"], ()),
        (["AA", "Aa", "aa"], ()),
        (["1,000", "1000", "20"], ("duplicate_options",)),
        (["0.1", "0.10", "0.2"], ("duplicate_options",)),
        (["left atrium", "right atrium", "left ventricle"], ()),
        (["p < 0.05", "p > 0.05", "p = 0.05"], ()),
        (["DNA, then RNA, then protein", "protein, then RNA, then DNA", "fat"], ()),
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
        (["$10.00", "$10.05", "$20", "$30"], AuditSettings(), True),
        (["5 × 10^3", "5.01e3", "1", "2"], AuditSettings(), True),
        (["−10.0", "−10.05", "20", "30"], AuditSettings(), True),
        (["1914", "1915", "1916", "1917"], AuditSettings(), False),
        (["1914", "1915", "1916", "1917"], AuditSettings(years_crowd=True), True),
        (["1000", "1005", "2000", "3000"], AuditSettings(), True),
        (["10.0", "10.3", "20", "30"], AuditSettings(crowding=0.03), True),
        (["10.0", "10.02", "20"], AuditSettings(crowding_of_three=0.003), True),
        (["9" * 400, "9" * 401, "1", "2"], AuditSettings(), False),
    ],
)
def test_crowded_numbers(choices: list[str], settings: AuditSettings, crowded: bool) -> None:
    assert ("crowded_numbers" in audit_choices(choices, settings).reasons) is crowded


def test_fewer_than_two_different_options_are_unanswerable() -> None:
    decision = audit_choices(["same", "Same."], id="q1")
    assert decision.label == "unanswerable"
    assert decision.reasons == ("duplicate_options", "fewer_than_two_options")


@pytest.mark.parametrize(
    ("choices", "target", "label", "reason"),
    [
        (["Paris", "Rome"], 0, "clean", None),
        (["Paris", "Rome"], 2, "unanswerable", "answer_not_an_option"),
        (["Paris", "Rome"], ("Oslo",), "unanswerable", "answer_not_an_option"),
        (["Paris", "paris", "Rome"], 0, "ambiguous", "right_answer_twice"),
        (["Paris", "paris", "Rome"], 2, "ambiguous", "duplicate_options"),
    ],
)
def test_the_right_answer_counts_too(
    choices: list[str], target: int | tuple[str, ...], label: str, reason: str | None
) -> None:
    decision = audit_choices(choices, target=target)
    assert decision.label == label
    assert (reason in decision.reasons) if reason else not decision.reasons


def test_a_reason_can_be_ignored_whole_or_by_its_family() -> None:
    choices = ["Yes", "All of the above", "None of the above"]
    settings = AuditSettings(ignore=("boolean_like", "meta_option:all_of_the_above"))
    assert audit_choices(choices, settings).reasons == ("meta_option:none_of_the_above",)
    assert audit_choices(choices, AuditSettings(ignore=("boolean_like", "meta_option"))).label == "clean"


def test_very_many_options_are_said_and_not_compared() -> None:
    decision = audit_choices([f"option number {place}" for place in range(5000)])
    assert decision.reasons == ("too_many_options",)
    assert audit_choices(["a b", "not a b", "c"], AuditSettings(most_options=2)).reasons == (
        "too_many_options",
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"near_duplicate": 0}, "near_duplicate must be above 0 and at most 1, got 0"),
        ({"crowding": 1}, "crowding must be from 0 to below 1, got 1"),
        ({"boolean_tokens": 0}, "boolean_tokens must be 1 or more, got 0"),
        ({"significance": 1.5}, "significance must be between 0 and 1, got 1.5"),
        ({"ignore": ("bolean_like",)}, "unknown reason 'bolean_like'. Did you mean: boolean_like?"),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(said)}$"):
        AuditSettings(**changes)


def test_every_reason_has_words_and_every_label_a_reason() -> None:
    codes = {
        code
        for rule in RULES
        for choices in (["Yes", "Yes."], ["a b", "not a b"], ["a high c", "a low c"], ["", "x"])
        for code in rule(choices, AuditSettings())
    }
    assert codes <= set(REASONS)
    assert set(REASONS) >= UNANSWERABLE_REASONS


def test_items_without_choices_are_not_audited() -> None:
    items = [Item("a", "Who?"), Item("b", "Which?", choices=("Yes", "No"), target=0)]
    assert [(one.id, one.label) for one in audit_items(items)] == [("b", "ambiguous")]


def test_bad_choices_are_refused() -> None:
    with pytest.raises(InputError, match=r"^item 'q': has no choices to audit$"):
        audit_choices([], id="q")
    with pytest.raises(InputError, match=r"^item 'q': choices must be a list of texts$"):
        audit_choices("Paris", id="q")


@pytest.mark.slow
@given(st.lists(st.text(max_size=30), min_size=1, max_size=6), st.randoms())
def test_the_order_of_options_does_not_matter(choices: list[str], random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(choices, len(choices))
    one, other = audit_choices(choices), audit_choices(shuffled)
    assert (one.label, set(one.reasons)) == (other.label, set(other.reasons))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", Quantity(12.0, "", False)),
        ("$1,000.50", Quantity(1000.5, "$", False)),
        ("−3 °C", Quantity(-3.0, "°c", False)),
        ("5 × 10^3 km", Quantity(5000.0, "km", False)),
        ("1.5e-2", Quantity(0.015, "", False)),
        ("1914", Quantity(1914.0, "", True)),
        ("1914 m", Quantity(1914.0, "m", False)),
        ("three", None),
        ("2 of 3", None),
    ],
)
def test_a_number_with_its_unit(text: str, found: Quantity | None) -> None:
    assert read_quantity(text) == found
