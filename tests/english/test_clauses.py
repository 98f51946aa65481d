from __future__ import annotations

import pytest

from otherwords.english.clauses import read_instruction, read_wish, split_sentences
from otherwords.english.parse import parse


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It is late. Go home!", ["It is late.", "Go home!"]),
        ("Dr. Who met Mr. Spock in the U.S. Senate.", ["Dr. Who met Mr. Spock in the U.S. Senate."]),
        ("What is 3.5 + 1? Say it", ["What is 3.5 + 1?", "Say it"]),
        ("", []),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in split_sentences(text)] == sentences


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Please list three rivers.", "list three rivers"),
        ("Define entropy.", "Define entropy"),
        ("Given the list, sort it in descending order.", "sort it in descending order"),
        ("Let x be 3.", None),
        ("State capitals are small.", None),
        ("The cat sleeps.", None),
        ("Can you swim?", None),
    ],
)
def test_instructions(text: str, phrase: str | None) -> None:
    doc = parse(text)
    found = read_instruction(doc)
    assert (found and doc[slice(*found.phrase)].text) == phrase


def test_a_wish_is_something_one_can_be_helped_with() -> None:
    doc = parse("I'd like to change my flight.")
    found = read_wish(doc)
    assert found is not None
    assert doc[slice(*found.phrase)].text == "change my flight"
    assert read_wish(parse("I want to know the time.")) is None
