"""Whether letters could be an English word, so that a typing mistake never turns one word into another.

A word with a sequence of three letters that no common English word has is none of those, and hardly another.
"""

from __future__ import annotations

from functools import cache

from otherwords.english.lexicon import read_lexicon


@cache
def _seen() -> frozenset[str]:
    rows = read_lexicon("letter_sequences")["followers"].split()
    return frozenset(row[:2] + last for row in rows for last in row[2:])


def strange_sequences(word: str) -> set[str]:
    """The sequences of three letters in `word` that no common English word has."""
    padded = f"^{word}$"
    return {padded[place : place + 3] for place in range(len(padded) - 2)} - _seen()


def looks_english(word: str) -> bool:
    """Whether all its sequences of letters are those of English words."""
    return not strange_sequences(word)
