"""Slips of the fingers: a word → the same word with one letter wrong, which is no other English word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain

from otherwords.english.lexicon import read_lexicon
from otherwords.english.quantities import unit_names
from otherwords.variants.style import Place, Rule, Source

_PLAIN = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")


@cache
def _letter_sequences() -> frozenset[str]:
    rows = read_lexicon("letter_sequences")["followers"].split()
    return frozenset(row[:2] + last for row in rows for last in row[2:])


def looks_english(word: str) -> bool:
    """Whether each three letters of `word` are in some common English word; else it is hardly any word."""
    padded = f"^{word}$"
    return all(padded[place : place + 3] in _letter_sequences() for place in range(len(padded) - 2))


@cache
def _kept() -> frozenset[str]:
    """Words that carry the problem: numbers, units, and those that turn a meaning round."""
    numbers = chain.from_iterable(read_lexicon("numbers").values())
    return unit_names() | {*numbers, *read_lexicon("typing")["kept"].split()}


def slip(
    change: str, slips: Callable[[str, int], Iterator[str]], is_another: Callable[[str], bool] = looks_english
) -> Rule:
    """One letter of a word is wrong, never the first or the last, and no other English word comes of it."""

    def rule(source: Source) -> Iterator[Place]:
        kept = _kept()
        for match in source.found(_PLAIN):
            word = match[0]
            if word in kept or word.endswith("est"):
                continue
            made = [
                slip
                for at in range(1, len(word) - 1)
                for slip in slips(word, at)
                if slip != word and not is_another(slip)
            ]
            if made:
                yield Place(*match.span(), source.random.choice(made), change)

    return rule


def doubled(word: str, at: int) -> Iterator[str]:
    if word[at] not in (word[at - 1], word[at + 1]):
        yield word[: at + 1] + word[at:]


def swapped(word: str, at: int) -> Iterator[str]:
    if at < len(word) - 2:
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def wrong_key(word: str, at: int) -> Iterator[str]:
    """Not in a short word, where a wrong or a missing letter is hard to read past."""
    if len(word) > 5:
        neighbours = read_lexicon("typing")["neighbours"].get(word[at], "")
        yield from (word[:at] + key + word[at + 1 :] for key in neighbours)


def dropped(word: str, at: int) -> Iterator[str]:
    if len(word) > 5:
        yield word[:at] + word[at + 1 :]
