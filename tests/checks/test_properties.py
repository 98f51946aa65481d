from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.checks import checks_in_order, vet
from otherwords.core.types import Item, original, variant_id
from otherwords.english.normalize import in_plain_english

WORDS = "not only three Rome 5 km all some largest before `x` (a) if and or may must $3 \n . ? , I".split(" ")
TEXT = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=25).map(" ".join)
KINDS = st.sampled_from(("paraphrase", "format", "naturalistic", "llm", "position", "control"))


@pytest.mark.slow
@given(TEXT, TEXT, KINDS)
def test_any_two_texts_get_one_verdict_from_each_check(before: str, after: str, kind: str) -> None:
    item = Item("i", before, (), ("yes",))
    variant = replace(original(item), id=variant_id("i", "v"), name="v", kind=kind, prompt=after)
    [one] = vet(item, [variant])
    assert [found.check for found in one.checks] == [name for name, _ in checks_in_order()]
    assert all(bool(found.reason) == (found.status != "pass") for found in one.checks)


@given(TEXT)
def test_the_same_text_fails_only_for_being_the_same(text: str) -> None:
    item = Item("i", text or "x", (), ())
    variant = replace(original(item), id=variant_id("i", "v"), name="v", kind="paraphrase")
    [one] = vet(item, [variant])
    failed = {failure.check for failure in one.failures}
    assert failed <= {"different"}
    assert "different" in failed


@given(TEXT)
def test_plain_english_of_the_original_is_the_original(text: str) -> None:
    assert in_plain_english(text, text) == text
