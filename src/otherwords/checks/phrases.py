"""The phrases of the lexicon in a text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from otherwords.checks.lexicon import HEADS, is_superlative
from otherwords.checks.quantities import NUMBER_WORDS

_DENIED_BOUNDS = (
    ("more than", "no more than"),
    ("less than", "no less than"),
    ("fewer than", "no fewer than"),
    ("longer than", "no longer than"),
)
_DENYING = frozenset("not never don't doesn't didn't won't cannot can't shouldn't mustn't".split())
_NEARLY = frozenset(("about", "around"))
_RANGE_OPENERS = frozenset(("from", "between"))
_RANGE = 6
"""A range is no longer than so many words: "from 20 °C up to 80 °C"."""


class Placed(NamedTuple):
    """A phrase and where it stands: from its first word to the one after its last."""

    phrase: str
    place: int
    end: int


def placed_phrases(words: Sequence[str]) -> list[tuple[str, int, int]]:
    """What makes a `Placed`, from left to right; none overlaps another."""
    found: list[tuple[str, int, int]] = []
    free_from = 0
    last = len(words) - 1
    for place in [place for place, word in enumerate(words) if word in HEADS]:
        if place < free_from:
            continue
        word = words[place]
        alone, longer = HEADS[word]
        phrase, length = (word, 1) if alone else ("", 0)
        if longer and place < last:
            for rest, whole in longer.get(words[place + 1], ()):
                if words[place + 1 : place + 1 + len(rest)] == rest:
                    phrase, length = whole, 1 + len(rest)
                    break
        if length:
            if word in _NEARLY and is_number(words, place + 1):
                phrase = "approximately"
            elif phrase == "up to" and not _is_limit(words, place):
                continue
            free_from = place + length
            found.append((phrase, place, free_from))
    return found


def counted_phrases(
    words: Sequence[str], placed: Iterable[tuple[str, int, int]], may_have_superlatives: bool
) -> dict[str, int]:
    found: dict[str, int] = {}
    for phrase, _, _ in placed:
        found[phrase] = found.get(phrase, 0) + 1
    if may_have_superlatives:
        for word in words:
            if "est" in word and word not in HEADS and is_superlative(word):
                found[word] = found.get(word, 0) + 1
    for bound, denied in _DENIED_BOUNDS:
        if bound in found:
            _join_denials(words, found, bound, denied)
    return found


def _is_limit(words: Sequence[str], place: int) -> bool:
    """ "up to 3", but not "from 1 up to 3", "up to now" or "lead up to it"."""
    if not is_number(words, place + 2) and words[place + 2 : place + 3] not in (["$"], ["€"], ["£"], ["a"]):
        return False
    return _RANGE_OPENERS.isdisjoint(words[max(0, place - _RANGE) : place])


def _join_denials(words: Sequence[str], found: dict[str, int], bound: str, denied: str) -> None:
    """ "not cost more than 30" has the bound of "no more than 30"."""
    first, second = bound.split()
    for place in range(2, len(words) - 1):
        if words[place] == first and words[place + 1] == second:
            negation = next((word for word in words[max(0, place - 3) : place] if word in _DENYING), "")
            if found.get(negation) and found.get(bound):
                for phrase, change in ((negation, -1), (bound, -1), (denied, 1)):
                    found[phrase] = found.get(phrase, 0) + change
                    if not found[phrase]:
                        del found[phrase]


def is_number(words: Sequence[str], place: int) -> bool:
    return place < len(words) and (words[place][0].isdigit() or words[place] in NUMBER_WORDS)
