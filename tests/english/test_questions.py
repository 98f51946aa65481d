from __future__ import annotations

import pytest

from otherwords.english.clauses import plain_text
from otherwords.english.parse import parse
from otherwords.english.questions import read_question


@pytest.mark.parametrize(
    ("question", "indirect"),
    [
        ("When did the Titanic sink?", "When the Titanic sank"),
        ("How many moons does Jupiter have?", "How many moons Jupiter has"),
        ("What is the capital of Peru?", "What the capital of Peru is"),
        ("What's the capital of Peru?", "What the capital of Peru is"),
        ("Which planet is closest to the sun?", "Which planet is closest to the sun"),
        ("What kind of animal is a Komodo dragon?", "What kind of animal a Komodo dragon is"),
        ("How far is the Moon from the Earth?", "How far the Moon is from the Earth"),
        ("How many games are there in the series?", "How many games there are in the series"),
        ("When did Rick Riordan first release the series?", "When Rick Riordan first released the series"),
        ("Has Greenland ever been independent?", "whether Greenland Has ever been independent"),
        ("Who was the first player to score a goal?", "Who the first player to score a goal was"),
        ("What is the minimum wage in Tokyo right now?", "What the minimum wage in Tokyo is right now"),
        ("Which of the following best describes it?", "Which of the following best describes it"),
    ],
)
def test_a_question_as_a_clause(question: str, indirect: str) -> None:
    doc = parse(question)
    found = read_question(doc)
    assert found is not None
    assert plain_text(doc, found.indirect) == indirect


@pytest.mark.parametrize(
    "question",
    [
        "Why are all quickly verifiable problems also quickly solvable?",
        "Which city was the capital of California the year it became a state?",
        "The longest streak is how many matches?",
        "Which country is Kiwifruit native to? And why?",
        "What a day!",
        "When the user asks, say no.",
        "Who",
    ],
)
def test_nothing_where_it_is_not_sure(question: str) -> None:
    assert read_question(parse(question)) is None


def test_a_phrase_before_the_question_is_its_lead() -> None:
    doc = parse("In Greek mythology, what is the name of the sun god?")
    found = read_question(doc)
    assert found is not None
    assert doc[slice(*found.lead)].text == "In Greek mythology,"
    assert found.copular
