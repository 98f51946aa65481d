"""Quantifiers, comparatives and modals, clause by clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.lexicon import marks_of
from otherwords.checks.senses import negative_words

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
_DIMENSIONS = frozenset("long old tall high wide deep".split())
"""They measure as often as they praise: "ten words long"."""


def may_have_turned(gone: Iterable[str], new: Iterable[str]) -> bool:
    """Whether phrases that are gone and phrases that came lie on one scale; quickly seen."""
    lost = {mark for phrase in gone for mark in _own(phrase)}
    came = {mark for phrase in new for mark in (*_own(phrase), *marks_of(phrase).soft)} if lost else ()
    return any(opposite(mark) in came for mark in lost) or any(
        not lost.isdisjoint(scale) and any(mark in scale for mark in came) for scale in _OF_CLAUSES if came
    )


def opposite(end: str) -> str:
    """The other end of a scale."""
    return end[:-1] + ("-" if end[-1] == "+" else "+")


def turned_scales(one: Clauses, other: Clauses) -> Iterator[tuple[str, str]]:
    """Words of one scale that changed into others of it, where both texts speak of the same."""
    was, now = _counted(one), _counted(other)
    lost, gained = was - now, now - was
    if not lost or not gained:
        return
    for clause in one.each:
        for phrase in clause.phrases:
            said = phrase.phrase
            if said in _DIMENSIONS or lost.keys().isdisjoint(_own(said)):
                continue
            partners = [other.each[at] for at in other.holding(clause.about(phrase), one).once]
            for became in _opposed(said, clause, partners):
                if not gained.keys().isdisjoint(_own(became)) and all(
                    _offsets(clause, said) == _offsets(part, became) for part in partners
                ):
                    yield said, became


def _counted(text: Clauses) -> Counter[str]:
    return Counter(mark for clause in text.each for one in clause.phrases for mark in _own(one.phrase))


def _own(phrase: str) -> tuple[str, ...]:
    """What a phrase says for sure; that of a scale's end is said by all of its words."""
    marks = marks_of(phrase)
    return (*marks.firm, *marks.ends)


def same_polarity(one: str, other: str, before: Clauses, after: Clauses) -> bool:
    """Whether nothing offsets the change of one phrase to its opposite: "not open" is "closed"."""
    here = {_offsets(clause, one) % 2 for clause in before.each if clause.says(one)}
    there = {_offsets(clause, other) % 2 for clause in after.each if clause.says(other)}
    return not here or not there or bool(here & there)


def _offsets(clause: Clause, phrase: str) -> int:
    """What may turn a phrase of the clause round: "not", "least", "skip" …"""
    return sum(
        one.phrase != phrase and not _TURNING.isdisjoint(marks_of(one.phrase).firm) for one in clause.phrases
    ) + negative_words(clause, but=phrase)


def _marks(phrase: str, scale: tuple[str, ...]) -> tuple[str, ...]:
    """Where a scale has two ends only, a word that leans to one is on its side: "greatest" is no "least"."""
    marks = marks_of(phrase)
    return (*marks.firm, *marks.soft) if scale in _TWO_ENDS else marks.firm


def _opposed(phrase: str, clause: Clause, partners: Iterable[Clause]) -> Iterator[str]:
    """Phrases of the partners that stand elsewhere on a scale, where the clause has none of that kind."""
    here = {one.phrase for one in clause.phrases}
    there = {one.phrase for part in partners for one in part.phrases}
    had = {mark for one in here for mark in _own(one)}
    kept = {mark for one in there for kind in marks_of(one) for mark in kind}
    wanted = [(mark, scale) for mark in marks_of(phrase).firm for scale in _OF_CLAUSES if mark in scale]
    opposites = {opposite(end) for end in marks_of(phrase).ends if end not in kept}
    for other in there - here - _DIMENSIONS:
        on_scale = any(
            mark not in kept and any(one in scale and one not in had for one in _marks(other, scale))
            for mark, scale in wanted
        )
        if on_scale or (opposites - had).intersection(marks_of(other).ends):
            yield other
