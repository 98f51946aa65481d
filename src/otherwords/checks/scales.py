"""Quantifiers, comparatives and modals, clause by clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.lexicon import marks_of
from otherwords.checks.polarity import negative_words

BOUNDS = ("at least", "at most", "more than", "less than")
SCALES: tuple[tuple[str, ...], ...] = (
    ("all", "most", "many", "some", "few"),
    ("always", "usually", "sometimes", "rarely"),
    BOUNDS,
    ("more", "less"),
    ("most", "least"),
    ("both", "either"),
    ("exactly", "about"),
    ("before", "after"),
)
_OF_CLAUSES = (*SCALES, ("must", "may"), ("all", "one of"), ("each", "in total"))


_TWO_ENDS = (("most", "least"),)
_TURNING = frozenset(("less", "least"))


def turned_scales(one: Clauses, other: Clauses) -> Iterator[tuple[str, str]]:
    """Words of one scale that changed into others of it, where both texts speak of the same."""
    for clause in one.each:
        for phrase in clause.phrases:
            marks = marks_of(phrase.phrase)
            if not marks.firm and not marks.ends:
                continue
            near = clause.about(phrase)
            partners = [other.each[at] for at in other.holding(near, one).once]
            own = not _TURNING.isdisjoint(marks.firm)
            if partners and all(_operators(clause, own) == _operators(part) for part in partners):
                yield from (
                    (phrase.phrase, became)
                    for became in _turned(phrase.phrase, clause, partners)
                    if one.says(phrase.phrase) > other.says(phrase.phrase)
                    or other.says(became) > one.says(became)
                )


def _operators(clause: Clause, but: int = 0) -> int:
    """What turns a scale round: "not", "least" …"""
    turning = -but + sum(not _TURNING.isdisjoint(marks_of(one.phrase).firm) for one in clause.phrases)
    return turning + negative_words(clause)


def _marks(phrase: str, scale: tuple[str, ...]) -> tuple[str, ...]:
    """Where a scale has two ends only, a word that leans to one is on its side: "greatest" is no "least"."""
    marks = marks_of(phrase)
    return (*marks.firm, *marks.soft) if scale in _TWO_ENDS else marks.firm


def _turned(phrase: str, clause: Clause, partners: Iterable[Clause]) -> Iterator[str]:
    marks = marks_of(phrase)
    said = {one.phrase for one in clause.phrases}
    had = {mark for one in said for mark in (*marks_of(one).firm, *marks_of(one).ends)}
    new = {one.phrase for part in partners for one in part.phrases} - said
    kept = {
        mark for part in partners for one in part.phrases for kind in marks_of(one.phrase) for mark in kind
    }
    for mark in marks.firm:
        if mark in kept:
            continue
        for scale in _OF_CLAUSES:
            if mark in scale:
                yield from (
                    other
                    for other in new
                    if any(one in scale and one not in had for one in _marks(other, scale))
                )
    for end in marks.ends:
        opposite = end[:-1] + ("-" if end[-1] == "+" else "+")
        if end not in kept and opposite not in had:
            yield from (other for other in new if opposite in marks_of(other).ends)
