from __future__ import annotations

import pytest

from otherwords.english.parse import parse, plain_text
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
        ("Why did the Soviet Union collapse?", "Why the Soviet Union collapsed"),
        ("When are taxes due in Canada?", "When taxes are due in Canada"),
        ("How common is red hair in Ireland?", "How common red hair is in Ireland"),
        ("What hospital is Pele staying in?", "What hospital Pele is staying in"),
        ("What is the actor famous for?", "What the actor is famous for"),
        ("How many miles is the Moon from the Earth?", "How many miles the Moon is from the Earth"),
        ("How many of the planets are gas giants?", "How many of the planets are gas giants"),
        ("How many planets are gas giants?", "How many planets are gas giants"),
        ("How many of the books are you taking?", "How many of the books you are taking"),
        ("How many games are there in the series?", "How many games there are in the series"),
        ("When did Rick Riordan first release the series?", "When Rick Riordan first released the series"),
        (
            "When did a Canadian team last win the Stanley Cup?",
            "When a Canadian team last won the Stanley Cup",
        ),
        ("Has Greenland ever been independent?", "whether Greenland Has ever been independent"),
        ("Who was the first player to score a goal?", "Who the first player to score a goal was"),
        ("What is the minimum wage in Tokyo right now?", "What the minimum wage in Tokyo is right now"),
        ("Who was US president when the Titanic sank?", "Who was US president when the Titanic sank"),
        ("Who are Romulus and Remus?", "Who Romulus and Remus are"),
        ("Who was West German chancellor in 1961?", "Who was West German chancellor in 1961"),
        ("What would be a good gift for a colleague?", "What would be a good gift for a colleague"),
        ("Which of the following best describes it?", "Which of the following best describes it"),
    ],
)
def test_a_question_as_a_clause(question: str, indirect: str) -> None:
    doc = parse(question)
    found = read_question(doc)
    assert found is not None
    assert plain_text(doc, found.indirect) == indirect


@pytest.mark.parametrize(
    ("question", "strands"),
    [
        ("What is the capital of Peru?", False),
        ("What is the best way to learn Python?", False),
        ("What is the difference between weather and climate?", False),
        ("What is the deepest lake in the world?", False),
        ("What was its price before the discount?", True),
        ("What was the population of Iceland in 1900?", True),
        ("When was the first successful human heart transplant performed?", False),
        ("Who wrote the longest novel that was ever printed in a newspaper?", False),
        ("What is the capital of the largest state in America?", True),
        ("What was the first image taken by the telescope?", True),
        ("Who was the person who invented the telephone?", True),
    ],
)
def test_a_clause_must_not_end_in_a_verb_far_from_its_question_word(question: str, strands: bool) -> None:
    found = read_question(parse(question))
    assert found is not None
    assert found.misreads is strands


@pytest.mark.parametrize(
    "question",
    [
        "How long was Winston Churchill prime minister?",
        "Who was the general Napoleon defeated at Austerlitz?",
        "What is the name of the company Jeff Bezos founded to build rockets?",
        "When did the Spanish Civil War start and end?",
        "What will be the population of Earth in 2050?",
        "Where was Einstein professor of physics in 1914?",
        "What does this Python code print?",
        "When is tuna season in Japan?",
        "How tall was Napoleon really?",
        "When is a triangle isosceles?",
        "Which blood type is the universal donor?",
        "How much is a Bitcoin worth right now?",
        "Where is the oldest pub in England still open?",
        "When is the next total solar eclipse visible from Spain?",
        "Why are all quickly verifiable problems also quickly solvable?",
        "The longest streak is how many matches?",
        "Which country is Kiwifruit native to? And why?",
        "What a day!",
        "When the user asks, say no.",
        "Who",
        "What are this year's Coachella festival dates?",
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
