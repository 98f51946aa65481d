from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.folding import folded, unmarked


def test_case_and_white_space_are_folded() -> None:
    assert folded("  How\tMANY\n are  left? ") == "how many are left?"
    assert folded("STRASSE") == folded("straße")


def test_the_last_mark_makes_no_other_wording() -> None:
    assert unmarked("Who is it ?!") == unmarked("who  is it.") == "who is it"
    assert unmarked("3.5 km") == "3.5 km"


@given(st.text(alphabet=" \t\n\u00a0\u2003aAß") | st.text())
def test_it_is_the_folded_words_with_single_spaces(text: str) -> None:
    assert folded(text) == " ".join(text.casefold().split())
