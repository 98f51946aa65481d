from __future__ import annotations

from collections.abc import Callable

import pytest

from otherwords.checks.asked import (
    Question,
    asked,
    changed_questions,
    clash,
    question_signs,
    questions,
)
from otherwords.checks.reading import Pair, read

Pairing = Callable[[str, str], Pair]

ASKED = [
    ("When did the war end?", [("time", "")]),
    ("In what year was it built?", [("time", "year")]),
    ("At what point did he stop?", [("thing", "point")]),
    ("Where is Lima?", [("place", "")]),
    ("Which city hosted the games?", [("place", "city")]),
    ("Which of the rivers is the longest?", [("place", "river")]),
    ("Who wrote Hamlet?", [("person", "")]),
    ("Whose car is it?", [("person", "")]),
    ("I wonder who won.", [("person", "")]),
    ("Why is the sky blue?", [("reason", "")]),
    ("What is the reason for the delay?", [("reason", "reason")]),
    ("How high a rent can I pay?", [("price", "rent")]),
    ("When it rains, who pays?", [("person", "")]),
    ("How does a pump work?", [("manner", "")]),
    ("How reliable is the method?", [("degree", "")]),
    ("How many eggs are in the box?", [("number", "egg")]),
    ("What is the number of eggs in the box?", [("number", "egg")]),
    ("How much flour does she need?", [("amount", "flour")]),
    ("How much does it cost?", [("price", "")]),
    ("How many hours does it take?", [("duration", "hour")]),
    ("How long does the flight take?", [("duration", "")]),
    ("How long is the bridge?", [("length", "")]),
    ("How many miles did he walk?", [("distance", "mile")]),
    ("How many kilometres per hour does it go?", [("speed", "kilometre")]),
    ("How old is the tree?", [("age", "")]),
    ("What percentage of people smoke?", [("percentage", "percentage")]),
    ("What is it?", [("thing", "")]),
    ("What is the name of the bird?", [("thing", "bird")]),
    ("What is the boiling point of water?", [("thing", "point")]),
    ("Name the largest desert.", [("thing", "desert")]),
    ("Name its longest river and tell me where it rises.", [("place", ""), ("place", "river")]),
    ("I need the price and the weight.", [("price", "price"), ("weight", "weight")]),
    ("Tom gives a talk each week.", []),
    ("What does the ticket cost?", [("price", "")]),
    ("What happened after the war?", [("consequence", "")]),
    ("Is a whale a fish?", [("yes or no", "")]),
    ("The man who came is old. Is he ill?", [("yes or no", "")]),
    ("Tell me when the shop opens.", [("time", "")]),
    ("When you are done, tell me why it failed.", [("reason", "")]),
    ("Who won? Where was it?", [("person", ""), ("place", "")]),
    ("The shop opens at nine.", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "found"), ASKED)
def test_what_a_text_asks_for(text: str, found: list[tuple[str, str]]) -> None:
    assert [tuple(one) for one in questions(read(text))] == found


@pytest.mark.parametrize(
    ("before", "after", "lost", "added"),
    [
        ("Which river is the longest?", "What is the longest river?", [], []),
        ("How many children came?", "How many kids came?", [], []),
        ("Who won? When was it?", "When was it, and who won it?", [], []),
        ("Who won? When was it?", "Who won? Where was it?", [("time", "")], [("place", "")]),
        (
            "How many eggs does a cake with flour need?",
            "How much flour does a cake with eggs need?",
            [("number", "egg")],
            [("amount", "flour")],
        ),
        (
            "It takes eggs and nuts. How many eggs does she buy?",
            "There are eggs and nuts in it. How many nuts does she buy?",
            [("number", "egg")],
            [("number", "nut")],
        ),
    ],
)
def test_questions_without_a_counterpart(
    before: str, after: str, lost: list[object], added: list[object], pair_of: Pairing
) -> None:
    assert changed_questions(pair_of(before, after)) == (tuple(lost), tuple(added))


@pytest.mark.parametrize(
    ("one", "other", "clashes"),
    [
        ("time", "place", True),
        ("person", "reason", True),
        ("age", "duration", True),
        ("number", "number", False),
        ("number", "amount", False),
        ("amount", "number", False),
        ("duration", "time", False),
        ("thing", "place", False),
        ("person", "yes or no", False),
        ("manner", "difference", False),
    ],
)
def test_classes_of_which_one_cannot_answer_the_other(one: str, other: str, clashes: bool) -> None:
    assert clash(Question(one), Question(other)) is clashes
    assert clash(Question(other), Question(one)) is clashes


@pytest.mark.parametrize(
    ("before", "after", "refused"),
    [
        ("When did she leave?", "Where did she leave?", "asks for a place instead of a time"),
        ("When did she leave?", "At what time did she go?", None),
        ("Who won? When was it?", "Who was the winner? Where was it?", None),
        ("How many moons has Mars?", "Which moons has Mars?", None),
        ("When did it end?", "What was the date of its end?", None),
    ],
)
def test_one_question_for_another_class_is_refused(
    before: str, after: str, refused: str | None, pair_of: Pairing
) -> None:
    assert asked(pair_of(before, after)) == refused


@pytest.mark.parametrize(
    ("before", "after", "sign", "times"),
    [
        ("Who won? When was it?", "Who won? Where was it?", "no longer asks for: time", 1),
        ("Who won? When was it?", "Who won? Where was it?", "now asks for: place", 1),
        ("Who won? When was it?", "Who won? Where was it?", "questions of clashing classes", 1),
        ("How many moons has Mars?", "Which moons has Mars?", "no longer asks for: number", 1),
        ("Who won the cup?", "Who won the cup, and why?", "of a class not spoken of", 1),
        ("Why did they leave?", "What made them leave?", "of a class not spoken of", 0),
        ("Who won the cup?", "Who won the cup? When was it?", "more questions", 1),
    ],
)
def test_signs_of_another_question(before: str, after: str, sign: str, times: int, pair_of: Pairing) -> None:
    assert question_signs(pair_of(before, after))[sign] == times
