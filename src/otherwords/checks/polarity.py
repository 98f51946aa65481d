"""Negations, clause by clause: each is compared with what the other text says of the same things.

A count over the whole text is blind where one negation goes and another comes, and it is too strict where a
clause says the same without one ("no room left", "fully booked").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.lexicon import PLAIN_NEGATIONS, marks_of
from otherwords.checks.phrases import Placed
from otherwords.checks.senses import denied, leaves_out, negations, stand_ins


class Polarity(NamedTuple):
    turned: list[str]
    """The clauses whose negation has no counterpart where the other text speaks of the same."""
    unsettled: list[Placed]
    """Negations that could not be compared."""

    @property
    def plain(self) -> int:
        """How many of the unsettled ones are "not" or the like: others may come into a free wording."""
        return sum(is_plain(one.phrase) for one in self.unsettled)


def is_plain(phrase: str) -> bool:
    return phrase in PLAIN_NEGATIONS or "unless" in marks_of(phrase).firm


def lost_negations(one: Clauses, other: Clauses, *, plain: bool = False) -> Polarity:
    """The negations of `one` that `other` lacks; if `plain`, only "not" and the like matter."""
    found = Polarity([], [])
    fewer = _all(other) < _all(one)
    for clause in one.each:
        said = negations(clause)
        if not said:
            continue
        wanted = sum(is_plain(phrase.phrase) for phrase in said) if plain else len(said)
        shared, once = other.holding(dict.fromkeys(near for one in said for near in clause.about(one)), one)
        if once and _negativity(once, other, clause, one) >= wanted:
            continue
        if not once and sum(stand_ins(other.each[at], other, clause, one) for at in shared) >= wanted:
            continue
        if _may_be_said_otherwise(clause, said, once, one, other):
            continue
        lacks = bool(shared) and _negativity(shared, other, clause, one) < wanted
        if lacks and (once or fewer):
            found.turned.append(" ".join(clause.words))
        else:
            found.unsettled.extend(said)
    return found


def _may_be_said_otherwise(
    clause: Clause, said: Iterable[Placed], once: Iterable[int], one: Clauses, other: Clauses
) -> bool:
    """The other text has none of the words that are denied, and new ones in their place, or in a clause of
    which the first text has nothing."""
    if any(near in other.places for negation in said for near in denied(clause, negation)):
        return False
    places = once or other.holding(one.stems_before(clause), one).once
    return any(_says_new(other.each[number], one) for number in places) or any(
        _is_all_new(each, one) for each in other.each
    )


def _says_new(clause: Clause, other: Clauses) -> bool:
    return any(one and one not in other.places for one in clause.stems)


def _is_all_new(clause: Clause, other: Clauses) -> bool:
    return any(clause.stems) and not any(one in other.places for one in clause.stems)


def _all(text: Clauses) -> int:
    return sum(len(negations(clause)) for clause in text.each)


def _negativity(numbers: Iterable[int], text: Clauses, other: Clause, whole: Clauses) -> int:
    """How many words of some clauses may stand for a negation of `other`, which is a part of `whole`."""
    found = 0
    for number in numbers:
        clause = text.each[number]
        found += len(negations(clause)) + sum(len(negations(near)) for near in text.beside(number))
        found += stand_ins(clause, text, other, whole) + leaves_out(text.with_next(number))
    return found
