from __future__ import annotations

import pytest

from otherwords.english.language import is_english, language

ENGLISH = [
    "Will this query count customers without orders?\n\nSELECT c.id, COUNT(o.id)\nFROM customers c\n"
    "LEFT JOIN orders o ON o.customer_id = c.id\nGROUP BY c.id\nHAVING COUNT(o.id) < 3;",
    "Who wrote Hamlet?",
    "Capital of France?",
    "Summarize this article in three sentences.",
    "What does `def f(x): return x` return?",
    "Translate 'bonjour le monde' to English.",
    'What does "Wie geht es dir?" mean in English?',
    "Where is the Champs-Élysées?",
    "how do i undo a git commit",
    "Name three cafés in São Paulo that are open on Sundays.",
]
OTHERS = [
    ("Quelle est la capitale de la France ?", "fr"),
    ("Wie heißt die Hauptstadt von Frankreich?", "de"),
    ("¿Cuál es la capital de Francia?", "es"),
    ("法国的首都是哪里？", "zh"),
    ("ما هي عاصمة فرنسا؟", "ar"),
    ("फ्रांस की राजधानी क्या है?", "hi"),
    ("Qual é a capital da França e quantas pessoas vivem lá?", "pt"),
]
NEITHER = [
    "",
    "12 + 30 = ?",
    "```python\nprint('hello')\n```",
    "Écris un résumé du texte: The cat sat on the mat and then it left the house for good.",
    "法国的首都 is where?",
]


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_recognised(text: str) -> None:
    assert is_english(text)


@pytest.mark.parametrize(("text", "code"), OTHERS)
def test_other_languages_are_told(text: str, code: str) -> None:
    assert language(text) == code


@pytest.mark.parametrize("text", NEITHER)
def test_what_is_unsure_is_not_english(text: str) -> None:
    assert not is_english(text)


def test_a_long_text_costs_no_more_than_its_beginning() -> None:
    assert is_english("The cat sat on the mat. " * 20_000)
