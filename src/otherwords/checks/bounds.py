"""Limits, number by number: "under 5" and "over 5" are opposites, however the rest is worded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.quantities import UNIT_OF
from otherwords.checks.senses import negative_words

_MOST = """
    under, below, beneath, less than, fewer than, smaller than, lower than, shorter than, younger than,
    cheaper than, lighter than, slower than, at most, up to, within, no more than, no greater than, no
    longer than, no higher than, no larger than, no bigger than, no older than, no later than, no further
    than, no heavier than, no wider than, not more than, not exceed, not exceeding, not over, not above, max,
    maximum, maximum of, cap of, capped at, limit of, limited to, short of, as little as"""
_LEAST = """
    over, above, beyond, more than, greater than, larger than, bigger than, higher than, longer than, taller
    than, older than, heavier than, faster than, dearer than, at least, no less than, no fewer than, no lower
    than, no shorter than, no smaller than, no younger than, no earlier than, not less than, not fewer than,
    not under, not below, exceed, exceeds, exceeding, exceeded, in excess of, min, minimum, minimum of,
    upwards of, as many as, surpass, surpasses, surpassing"""
_MOST_AFTER = """
    or less, or fewer, or under, or below, or lower, or younger, or shorter, or smaller, or earlier, at most,
    at the most, maximum, max, tops, and below, and under"""
_LEAST_AFTER = """
    or more, or over, or above, or higher, or older, or longer, or larger, or greater, or later, at least,
    at minimum, minimum, and up, and above, and over, upwards"""


def _phrases(most: str, least: str) -> Mapping[tuple[str, ...], int]:
    return {
        tuple(phrase.split()): sign
        for sign, phrases in ((-1, most), (1, least))
        for phrase in phrases.split(",")
    }


_BEFORE, _AFTER = _phrases(_MOST, _LEAST), _phrases(_MOST_AFTER, _LEAST_AFTER)
BOUND_WORDS = frozenset(word for phrase in (*_BEFORE, *_AFTER) for word in phrase) - frozenset(
    "than of or and no not in as the to at".split()
)
"""Where these are the same, so are the limits."""
_LONGEST = 3
_BETWEEN = frozenset("a an the of about $ € £ ¥ ₹ than total just only exactly".split())
_UNITS = 2
"""So many words may stand between a number and what follows it: "5 mg or more"."""
_PERIODS = frozenset("second minute hour day night week month year decade century".split())


def turned_bounds(one: Clauses, other: Clauses) -> list[str]:
    """Numbers that limit from above in one text and from below in the other."""
    was, now = dict(_bounds(one)), dict(_bounds(other))
    return [
        number
        for number in was.keys() & now.keys()
        if was[number][0] == -now[number][0] and was[number][1] == now[number][1]
    ]


def _bounds(text: Clauses) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each number that stands in one clause only: its limit, and how negative its clause is."""
    for number, places in text.places.items():
        if number[0].isdigit() and len(places) == 1:
            clause = text.each[places[0]]
            place = clause.stems.index(number)
            if sign := _before(clause, place) or _after(clause, place):
                yield number, (sign, negative_words(clause))


def _before(clause: Clause, place: int) -> int:
    words = clause.words[:place]
    while words and words[-1] in _BETWEEN and tuple(words[-2:]) not in _BEFORE:
        words = words[:-1]
    for length in range(_LONGEST, 0, -1):
        if (sign := _BEFORE.get(tuple(words[-length:]), 0)) and len(words) >= length:
            return 0 if words[-1] == "over" and _is_period(clause, place) else sign
    return 0


def _is_period(clause: Clause, place: int) -> bool:
    """ "over 3 days" may be "during 3 days"."""
    return any(UNIT_OF.get(word) in _PERIODS for word in clause.words[place + 1 : place + 2])


def _after(clause: Clause, place: int) -> int:
    for start in range(place + 1, place + 2 + _UNITS):
        for length in (3, 2, 1):
            if sign := _AFTER.get(tuple(clause.words[start : start + length]), 0):
                return sign
    return 0
