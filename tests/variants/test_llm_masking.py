from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.english.spans import protected_texts
from otherwords.variants.llm.masking import mark_spans

CODE = "Fix this function:\n\n```python\ndef f(x):\n    return x + 1\n```\n\nKeep `f` and its 2 lines."


def test_protected_spans_become_marks() -> None:
    marked = mark_spans("Add 2.5 kg to http://a.org/x, but NOT before 5 May 2024.")
    assert marked.text == "Add ⟦1⟧ to ⟦2⟧, but ⟦3⟧ before ⟦4⟧."
    assert marked.originals == ("2.5 kg", "http://a.org/x", "NOT", "5 May 2024")


def test_code_comes_back_with_its_lines() -> None:
    marked = mark_spans(CODE)
    assert marked.text == "Fix this function:\n\n⟦1⟧\n\nKeep ⟦2⟧ and its ⟦3⟧ lines."
    restored = marked.restore("Repair this function:\n\n⟦1⟧\n\nLeave ⟦2⟧ with its ⟦3⟧ lines.")
    assert restored.problem == ""
    assert restored.text == CODE.replace("Fix", "Repair").replace("Keep", "Leave").replace("and", "with")


def test_marks_of_the_source_are_marked_themselves() -> None:
    text = "What does ⟦1⟧ mean beside 7 and ⟦⟦?"
    marked = mark_spans(text)
    assert marked.text == "What does ⟦1⟧⟦2⟧⟦3⟧ mean beside ⟦4⟧ and ⟦5⟧?"
    assert marked.originals == ("⟦", "1", "⟧", "7", "⟦⟦")
    assert marked.restore(marked.text).text == text
    assert marked.restore(marked.text).problem == ""


def test_marks_may_move_and_may_hold_spaces() -> None:
    restored = mark_spans("Add 3 to 4.").restore("To ⟦ 2 ⟧ add ⟦1⟧.")
    assert (restored.text, restored.problem) == ("To 4 add 3.", "")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("Sum ⟦1⟧.", "lost: ⟦2⟧ (4 kg)"),
        ("Sum 3 and 4 kg.", "lost: ⟦1⟧ (3), ⟦2⟧ (4 kg)"),
        ("Sum ⟦1⟧, ⟦1⟧ and ⟦2⟧.", "repeated: ⟦1⟧ (3)"),
        ("Sum ⟦1⟧, ⟦2⟧ and ⟦3⟧.", "unknown: ⟦3⟧"),
        ("Sum ⟦1⟧ and ⟦5⟧.", "lost: ⟦2⟧ (4 kg); unknown: ⟦5⟧"),
        ("Sum ⟦1⟧ and ⟦2⟧ ⟧.", "a broken mark"),
        ("Sum ⟦1⟧ and ⟦2.", "lost: ⟦2⟧ (4 kg); a broken mark"),
    ],
)
def test_what_cannot_be_restored_is_said(reply: str, problem: str) -> None:
    assert mark_spans("Add 3 and 4 kg.").restore(reply).problem == problem


def test_list_labels_keep_their_order() -> None:
    marked = mark_spans("Pick one:\nA) red\nB) blue")
    assert marked.text == "Pick one:\n⟦1⟧ red\n⟦2⟧ blue"
    assert marked.restore("Choose:\n⟦1⟧ red\n⟦2⟧ blue").problem == ""
    moved = marked.restore("Choose:\n⟦2⟧ blue\n⟦1⟧ red")
    assert moved.problem == "list labels or code blocks changed places"


def test_a_long_span_is_named_shortly() -> None:
    marked = mark_spans('Say "' + "long words " * 20 + '" twice.')
    assert marked.restore("Say.").problem == 'lost: ⟦1⟧ ("long words long words long words long …)'


@pytest.mark.parametrize(
    ("text", "has_words"),
    [("Add 3.", True), ("`x = 1`", False), ("3 + 4 =", False), ("", False), ("法国的首都是哪里？", True)],
)
def test_whether_there_is_anything_to_reword(text: str, has_words: bool) -> None:
    assert mark_spans(text).has_words is has_words


TEXTS = st.lists(
    st.sampled_from(
        [
            "Add",
            " ",
            "2.5 kg",
            "⟦1⟧",
            "⟦",
            "⟧",
            "\n",
            "- ",
            "`a b`",
            "NOT",
            "\U000f0001",
            "é",
            "12",
            "?",
            "Q4",
        ]
    )
).map("".join)


@given(TEXTS | st.text())
def test_marking_and_restoring_is_the_identity(text: str) -> None:
    marked = mark_spans(text)
    restored = marked.restore(marked.text)
    assert restored.text == text
    assert restored.problem == ""


@given(TEXTS, st.text("ab⟦⟧12 ", max_size=12))
def test_whatever_is_restored_has_the_spans_of_the_source(text: str, added: str) -> None:
    """Words put around the marks change no span unless they form one of their own."""
    marked = mark_spans(text)
    restored = marked.restore(f"so {added} then\n{marked.text}")
    if not restored.problem and not protected_texts(f"so {added} then\n"):
        assert not set(protected_texts(text)) - set(protected_texts(restored.text))
