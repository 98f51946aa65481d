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
_BOUNDS = frozenset(bound for bound, _ in _DENIED_BOUNDS)
_DENYING = frozenset("not never don't doesn't didn't won't cannot can't shouldn't mustn't".split())
_NEARLY = frozenset(("about", "around"))
_RANGE_OPENERS = frozenset(("from", "between"))
_RANGE = 6
"""A range is no longer than so many words: "from 20 °C up to 80 °C"."""
_ALONE = {word: word if head.alone else "" for word, head in HEADS.items()}
_LONGER = {word: head.longer for word, head in HEADS.items()}


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
    for place in [place for place, word in enumerate(words) if word in _LONGER]:
        if place < free_from:
            continue
        word = words[place]
        phrase, end = _ALONE[word], place + 1
        longer = _LONGER[word]
        if place < last and (second := words[end]) in longer:
            for rest, whole in longer[second]:
                if words[end : end + len(rest)] == rest:
                    phrase, end = whole, end + len(rest)
                    break
        if phrase:
            if word in _NEARLY and is_number(words, place + 1):
                phrase = "approximately"
            elif phrase == "up to" and not _is_limit(words, place):
                continue
            free_from = end
            found.append((phrase, place, end))
    return found


def counted_phrases(
    words: Sequence[str], placed: Iterable[tuple[str, int, int]], may_have_superlatives: bool
) -> dict[str, int]:
    found: dict[str, int] = {}
    for phrase, _, _ in placed:
        if phrase in found:
            found[phrase] += 1
        else:
            found[phrase] = 1
    if may_have_superlatives:
        for word in words:
            if "est" in word and word not in HEADS and is_superlative(word):
                found[word] = found.get(word, 0) + 1
    for bound, denied in () if _BOUNDS.isdisjoint(found) else _DENIED_BOUNDS:
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
