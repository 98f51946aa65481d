from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.english.spans import change, is_addressed_line, sentences

TEXT = "Tom has 3 red apples. He eats 2 of them. How many are left?"
PIECES = st.sampled_from(
    [
        "Tom has 3. ",
        "It is 12. ",
        "He eats. ",
        "why. ",
        "A cat. ",
        "at 5 p.m. ",
        "\n",
        "- a\n",
        'Say "no. ',
        "x",
    ]
)


def differing(before: str, after: str) -> tuple[str, str]:
    start, end, new_end = change(before, after)
    return before[start:end], after[start:new_end]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (TEXT, ("", "")),
        (TEXT.replace("eats", "gives"), ("He eats 2 of them. ", "He gives 2 of them. ")),
        (f"Read it well. {TEXT}", ("", "Read it well. ")),
        (f"Question: {TEXT}", ("", "Question: ")),
        (TEXT.replace("He eats 2 of them. ", ""), ("He eats 2 of them. ", "")),
        (TEXT.replace("?", "."), ("How many are left?", "How many are left.")),
        (f"{TEXT} Now?", ("How many are left?", "How many are left? Now?")),
    ],
)
def test_only_sentences_that_differ_are_left(after: str, expected: tuple[str, str]) -> None:
    assert differing(TEXT, after) == expected


def test_a_sentence_that_opens_small_is_not_parted_from_the_one_before_it() -> None:
    after = TEXT.replace("How", "how")
    assert differing(TEXT, after) == (TEXT[22:], after[22:])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f'He said: "{TEXT}"', f'He said: "{TEXT[:-1]}!"'),
        (TEXT, f"“{TEXT}”"),
        (TEXT, TEXT.replace("red", "{red}")),
    ],
)
def test_what_is_opened_may_go_over_the_end_of_a_sentence(before: str, after: str) -> None:
    assert differing(before, after) == (before, after)


@given(st.lists(PIECES), st.lists(PIECES), st.lists(PIECES), st.lists(PIECES))
def test_what_is_left_out_is_the_same_in_both(
    first: list[str], one: list[str], other: list[str], last: list[str]
) -> None:
    before, after = "".join((*first, *one, *last)), "".join((*first, *other, *last))
    start, end, new_end = change(before, after)
    assert before[:start] == after[:start]
    assert before[end:] == after[new_end:]
    assert start <= end <= len(before)
    assert start <= new_end <= len(after)


@given(st.lists(PIECES).map("".join))
def test_sentences_make_the_text_again(text: str) -> None:
    assert "".join(sentences(text)) in ("", text)


@pytest.mark.parametrize(
    ("line", "prose"),
    [
        ("\tYou want to cancel reservation EHGLP3. ", True),
        ("\tIf the agent says no,", True),
        ("    Your user id is emma_kim_9957.", True),
        ("You want to cancel.", False),
        ("\tYou = 3.", False),
        ("    if x > 1:", False),
        ("\treturn value", False),
        ("\tI", False),
    ],
)
def test_indented_prose_is_told_from_code(line: str, prose: bool) -> None:
    assert is_addressed_line(line) is prose
