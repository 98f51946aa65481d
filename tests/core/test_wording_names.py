from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.contract import KINDS
from otherwords.core.wording_names import change_name, kind_name, wording_name


def test_every_kind_of_ours_has_a_name_of_its_own() -> None:
    names = [kind_name(kind) for kind in KINDS]
    assert len(set(names)) == len(KINDS)
    assert all(name and "_" not in name for name in names)


def test_a_kind_whose_change_says_no_more_is_named_once() -> None:
    assert wording_name("typing", "typing") == "typing slips"
    assert wording_name("format", "upper") == "layout: all capitals"
    assert wording_name("paraphrase", "which_of_these+tell-me") == "paraphrase: which of these, tell me"


@given(st.text())
def test_what_is_no_name_of_a_rule_stays_as_it_is(text: str) -> None:
    if not text[:1].isascii() or not text[:1].isalpha() or not text[:1].islower():
        assert change_name(text) == text
    assert kind_name(f"{text} of others") == f"{text} of others"
