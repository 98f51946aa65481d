from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.checks.reading import compared_texts
from otherwords.core.types import Item, Message, Variant
from otherwords.english.normalize import folded, unmarked, without_form


def test_case_and_white_space_are_folded() -> None:
    assert folded("  How\tMANY\n are  left? ") == "how many are left?"
    assert folded("STRASSE") == folded("straße")


def test_the_last_mark_makes_no_other_wording() -> None:
    assert unmarked("Who is it ?!") == unmarked("who  is it.") == "who is it"
    assert unmarked("3.5 km") == "3.5 km"


@given(st.text(alphabet=" \t\n\u00a0\u2003aAß") | st.text())
def test_it_is_the_folded_words_with_single_spaces(text: str) -> None:
    assert folded(text) == " ".join(text.casefold().split())


def variant(prompt: object, kind: str, change: str) -> Variant:
    return Variant("1#v", "1", "v", kind, prompt, change=change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ("json", 'Who said "no"?', '{"question": "Who said \\"no\\"?"}'),
        ("enumerator", "Which?\nA. red\nB. blue", "Which?\n(A) red\n(B) blue"),
        ("list", "Sort these: 5; 2; 9", "Sort these: 5; 2; 9"),
        ("punct", "Tom has 3. How many are left?", "Tom has 3. How many are left."),
        ("case", "Tom has 3 red ones. How many are left?", "Tom has 3 red ones. how many are left?"),
        ("case", "A train leaves early. Does it stop?", "a train leaves early. does it stop?"),
    ],
)
def test_what_is_left_is_the_same(change: str, before: str, after: str) -> None:
    left = compared_texts(Item("1", before), variant(after, "format", change))
    assert left[0] == left[1]


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        ("punct", "Is it at 5 p.m.", "Is it at 5 p.m?"),
        ("punct", "Who is left?", "Who is there?"),
        ("case", "May 5 was cold. Why is that?", "may 5 was cold. Why is that?"),
        ("case", "NASA was late. Why is that?", "nASA was late. Why is that?"),
        ("case", "Who is Ann Lee? Say it.", "Who is ann Lee? Say it."),
        ("case", "Who is it? Say it.", "who is it? Say it, please."),
        ("case", "", "a"),
    ],
)
def test_what_no_format_may_change_is_left_to_be_compared(change: str, before: str, after: str) -> None:
    assert compared_texts(Item("1", before), variant(after, "format", change)) == (before, after)


def test_a_list_is_read_on_one_line() -> None:
    text = "Sort these:\n- pear\n- fig\n\nBe brief."
    assert without_form(text, "list") == "Sort these: pear fig\n\nBe brief."


@pytest.mark.parametrize("text", ["{", '{"a": 1}', '{"a": "b", "c": "d"}', '["a"]', "plain", "[" * 100_000])
def test_what_is_not_one_text_in_json_is_left(text: str) -> None:
    assert without_form(text, "json") == text


def test_only_the_named_change_is_taken_off() -> None:
    listed = "Which?\nA. red\nB. blue"
    for kind, change in (("format", "punct"), ("paraphrase", "enumerator"), ("naturalistic", "json")):
        assert compared_texts(Item("1", listed), variant("other", kind, change)) == (listed, "other")


def test_the_order_of_paragraphs_and_turns_does_not_count() -> None:
    item = Item("1", (Message("system", "Be brief."), Message("user", "Read it.\n\n> one\n> two")))
    moved = (Message("system", "Be brief.\n\nRead it."), Message("user", "> one\n> two"))
    before, after = compared_texts(item, variant(moved, "position", "system"))
    assert before == after
    spaced = (Message("system", "Read it."), Message("user", "\n\n> one\n> two \n\n\nBe brief.\n "))
    assert compared_texts(item, variant(spaced, "position", "system")) == (before, before)
    other = (Message("system", "Be brief."), Message("user", "Read it.\n\n> two\n> one"))
    before, after = compared_texts(item, variant(other, "position", "system"))
    assert before != after


def test_fenced_code_stays_in_one_piece() -> None:
    code = "```\nz = 1\n\na = 2\n```"
    before, after = compared_texts(
        Item("1", f"Read it.\n\n{code}"), variant(f"{code}\n\nRead it.", "position", "")
    )
    assert before == after
    assert code in before
