"""What is compared clause by clause: the same count of small words may say the opposite."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.checks import CHECKS
from otherwords.checks.clauses import Clauses
from otherwords.checks.kinds import exchanged_things
from otherwords.checks.stems import stem
from otherwords.core.types import Item, original, variant_id


def compared(check: str, before: str, after: str) -> str:
    item = Item("i", before, (), ())
    variant = replace(original(item), id=variant_id("i", "v"), name="v", kind="llm", prompt=after)
    return CHECKS.get(check)(item, variant).reason


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            "The lift is not working, so nobody uses it. Why?",
            "The lift works, so nobody uses it and no one asks why.",
            'lost: not, in "the lift is not working"',
        ),
        (
            "Don't merge the branch; report what failed and delete nothing.",
            "Merge the branch, report what failed and don't delete anything, and never stop.",
            'lost: not, in "don\'t merge the branch"',
        ),
        (
            "Cancel the order unless it has shipped.",
            "If it has shipped, cancel the order.",
            'lost: not, in "unless it has shipped"',
        ),
        (
            "You don't want to change the hotel, but you do want to cancel the tour.",
            "You want to change the hotel, but you don't want to cancel the tour.",
            'lost: not, in "you don\'t want to change the hotel"; '
            'added: not, in "but you don\'t want to cancel the tour"',
        ),
        ("The guests don't eat fish or meat.", "The guests eat fish and meat.", "lost: not"),
        ("Draft a note. Max 90 words, no jokes.", "Draft a note without jokes. Don't go over 90 words.", ""),
        ("The printer is out of paper. Why?", "There is no paper left in the printer. Why?", ""),
        ("Sum it up, and leave the price out.", "Sum it up. Do not mention the price.", ""),
        ("Don't answer if you are unsure.", "Answer only if you are sure.", ""),
        ("Don't send it before you have asked me.", "Before you send it, ask me.", ""),
        ("The shop doesn't open until 9.", "The shop stays closed until 9.", ""),
        ("No commas, no dashes.", "Commas and dashes are not allowed.", ""),
        ("Rewrite it, but keep the names.", "Rewrite it without changing the names.", ""),
    ],
)
def test_negations(before: str, after: str, problem: str) -> None:
    assert compared("words", before, after) == problem


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            "Skip files smaller than 10 KB.",
            "Files over 10 KB should be skipped.",
            "10 limits from the other side",
        ),
        ("Never take more than 3 pills a day.", "Take 3 pills a day at most.", ""),
        ("Heat it from 20 to 80 degrees.", "Heat it from 20 up to 80 degrees.", ""),
        ("So far 8 have come. Why?", "Up to now, 8 have come. Why?", ""),
        ("Take up to 3 pills.", "Take 3 pills.", "lost: at most"),
        ("Three pens at $4 each. Why?", "Three pens at $4 altogether. Why?", '"each" became "altogether"'),
        ("Cook for six, one of whom is ill.", "Cook for six, all of whom are ill.", '"one of" became "all"'),
        ("Who can be in the middle seat?", "Who must sit in the middle?", '"can" became "must"'),
        ("Squash the last three commits.", "Squash some of the last three commits.", "added: part of"),
        ("Liz is lighter than Noa. Why?", "Noa is heavier than Liz. Why?", ""),
        ("Bo is as old as his sister Ann. Why?", "Ann's brother Bo is as old as she is. Why?", ""),
        ("Bo borrowed a pen from Ann. Why?", "Ann lent Bo a pen. Why?", ""),
        (
            "Bo borrowed a pen from Ann. Why?",
            "Why is it that Bo lent a pen to Ann?",
            '"borrowed" became "lent"',
        ),
    ],
)
def test_limits_and_scales(before: str, after: str, problem: str) -> None:
    assert compared("words", before, after) == problem


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("Stay under 40 characters.", "Use fewer than 40 words.", "lost: 40 character; added: 40 word"),
        ("Write two short sentences.", "Write two short paragraphs.", "lost: 2 sentence; added: 2 paragraph"),
        ("Stay under 40 words.", "Let the count of words be under 40.", ""),
        ("Pay $60 per person.", "Pay $60 per table.", "lost: 60 per person; added: 60 per table"),
        ("Pay $60 per person.", "Pay $60 per head.", ""),
        ("A cough of 3 weeks. Why?", "A cough of 3 weeks' duration. Why?", ""),
    ],
)
def test_units_of_texts_and_rates(before: str, after: str, problem: str) -> None:
    assert compared("units", before, after) == problem


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("Do spiders spin webs?", "Do beetles spin webs?", "lost: spiders; added: beetles"),
        ("How is a virus unlike a bacterium?", "How do viruses differ from bacteria?", ""),
        ("Is hypothermia common?", "Is hyperthermia common?", "lost: hypothermia; added: hyperthermia"),
        ("I took the car to work. Why?", "Why did I take the automobile to work?", ""),
        (
            "In a row of friends, Ann sits to the left of Ben. Who is first?",
            "Some friends form a line in which Ben has his seat left of Ann. Who is first?",
            "names changed places",
        ),
        ("They want to cancel it. Why?", "Say why Cancelling it is their wish.", ""),
    ],
)
def test_names_and_things(before: str, after: str, problem: str) -> None:
    assert compared("names", before, after) == problem


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        (
            "List the countries, in alphabetical order, with semicolons.",
            "With semicolons, name the countries that you know of.",
            'lost: "in alphabetical order"',
        ),
        ("Who wrote it, and in what decade did it appear?", "Who wrote it, and when?", ""),
    ],
)
def test_passages(before: str, after: str, problem: str) -> None:
    assert compared("constraints", before, after) == problem


def test_an_answer_within_the_question_leaks() -> None:
    item = Item("i", "Why does ice float?", ("It is less dense than water.", "It is cold."), 0)
    text = "Since it is less dense than water, why does ice float?"
    variant = replace(original(item), id=variant_id("i", "v"), name="v", kind="llm", prompt=text)
    assert CHECKS.get("leak")(item, variant).reason == "says the answer: It is less dense than water"


def test_an_answer_in_another_order_leaks() -> None:
    item = Item("i", "Why does ice float?", ("Ice has a low density.", "It is cold."), 0)
    text = "Ice floats: is it that the density it has is low?"
    variant = replace(original(item), id=variant_id("i", "v"), name="v", kind="llm", prompt=text)
    assert CHECKS.get("leak")(item, variant).reason == "says the answer in other words: Ice has a low density"


def test_clauses_end_at_marks_and_conjunctions() -> None:
    text = (
        'One of whom, for instance, came at 9 a.m. or later; "Stop. Now!" is all but one said, unless asked.'
    )
    assert [" ".join(clause.words) for clause in Clauses(text).each] == [
        "one of whom for instance",
        "came at 9 am or later",
        "stop now is all but one said",
        "unless asked",
    ]


@pytest.mark.parametrize(
    ("one", "other"), [("stopping", "stop"), ("allergic", "allergy"), ("went", "goes"), ("simply", "simple")]
)
def test_forms_of_one_word_have_one_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_a_thing_has_several_names() -> None:
    assert exchanged_things({"car"}, {"automobile"}) is None
    assert exchanged_things({"cars"}, {"trains"}) == ("cars", "trains")
    assert exchanged_things({"car", "train"}, {"automobile", "trains"}) is None


@pytest.mark.slow
@given(st.text(max_size=80))
def test_every_word_is_in_one_clause(text: str) -> None:
    clauses = Clauses(text)
    assert all(clause.words and len(clause.words) == len(clause.stems) for clause in clauses.each)
    assert {at for places in clauses.places.values() for at in places} <= set(range(len(clauses.each)))
