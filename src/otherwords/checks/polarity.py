"""Negations, clause by clause: each is compared with what the other text says of the same things.

A count over the whole text is blind where one negation goes and another comes, and it is too strict where a
clause says the same without one ("no room left", "fully booked").
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.lexicon import NEGATIONS, PLAIN_NEGATIONS, marks_of
from otherwords.checks.phrases import Placed
from otherwords.checks.stems import stem

_STANDS_IN = frozenset(("except", "only", "at most", "less than", "until", "few", "rarely", "least"))
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "mis", "de", "anti")
_SHORTEST_BARE = 3
_DENIED = 2
_SENSE = frozenset(
    map(
        stem,
        """abandon absence absent abstain against alone ban banned bar barred blank block blocked boycott
        broken cancel cease close closed conceal contrary defect delay delete deny deprive devoid dismiss
        dispense ditch doubt drop eliminate empty exclude exempt exhausted expired extinct fail failure fault
        flawed forbid forget forgot forgotten forgo foreign free full gone halt hide hidden ignore illegal
        instead intact keep kept lack leave left lose loss lost miss missing mistake neglect nil null
        occupied omit oppose opposite outside overlook postpone prevent prohibit quit refrain refuse reject
        remain remove rid same scrap secret shortage shun silent skip sober sold spare stay stop strip taboo
        taken unable vacant vain void waive wait withdraw withhold wrong zero""".split(),
    )
)
"""Words with a negation in their meaning, which may stand for one where the other text lacks them."""


class Polarity(NamedTuple):
    turned: list[str]
    """The clauses whose negation has no counterpart where the other text speaks of the same."""
    settled: bool
    """Every negation was compared."""


def lost_negations(one: Clauses, other: Clauses, *, plain: bool = False) -> Polarity:
    """The negations of `one` that `other` lacks; only "not", "never", "without" and the like if `plain`."""
    turned, settled = [], True
    fewer = _all(other) < _all(one)
    for clause in one.each:
        negations = [phrase for phrase in _negations(clause) if not plain or _is_plain(phrase.phrase)]
        if not negations:
            continue
        stems = dict.fromkeys(near for phrase in negations for near in clause.about(phrase))
        shared, once = other.holding(stems, one)
        if once and _negativity(once, other, clause, one) >= len(negations):
            continue
        denied = {near for phrase in negations for near in _denied(clause, phrase)}
        if once and not denied & other.places.keys() and _says_new(once, other, one):
            continue
        lacks = bool(shared) and _negativity(shared, other, clause, one) < len(negations)
        if lacks and (once or fewer):
            turned.append(" ".join(clause.words))
        else:
            settled = False
    return Polarity(turned, settled)


def _denied(clause: Clause, negation: Placed) -> list[str]:
    """The words right after a negation, or else before it."""
    after = [one for one in clause.stems[negation.end :] if one]
    return after[:_DENIED] or [one for one in clause.stems if one]


def _says_new(numbers: Iterable[int], text: Clauses, other: Clauses) -> bool:
    """Some of the clauses has a word of its own, which may say by itself what the other text denies."""
    return any(one and one not in other.places for number in numbers for one in text.each[number].stems)


def negative_words(clause: Clause) -> int:
    """Negations, and words with a negation in their meaning."""
    return len(_negations(clause)) + sum(one in _SENSE for one in clause.stems)


def _all(text: Clauses) -> int:
    return sum(len(_negations(clause)) for clause in text.each)


def _negations(clause: Clause) -> list[Placed]:
    return [one for one in clause.phrases if one.phrase in NEGATIONS]


def _is_plain(phrase: str) -> bool:
    return phrase in PLAIN_NEGATIONS or "unless" in marks_of(phrase).firm


def _negativity(numbers: Iterable[int], text: Clauses, other: Clause, whole: Clauses) -> int:
    """How many words of some clauses may stand for a negation of `other`, which is a part of `whole`."""
    said = {one.phrase for one in other.phrases}
    found = 0
    for number in numbers:
        clause = text.each[number]
        found += len(_negations(clause)) + sum(len(_negations(near)) for near in text.beside(number))
        found += sum(one.phrase not in said and _stands_in(one.phrase) for one in clause.phrases)
        found += sum(_is_negative(word, whole) for word in clause.words)
        found += _opposites(clause, other)
    return found


def _stands_in(phrase: str) -> bool:
    marks = marks_of(phrase)
    return phrase not in NEGATIONS and (
        not _STANDS_IN.isdisjoint(marks.firm)
        or "at most" in marks.soft
        or ("not" in marks.soft and " " in phrase)
    )


def _is_negative(word: str, other: Clauses) -> bool:
    """ "unpaid", where the other says "paid"; "skip", where it says "not"."""
    root = stem(word)
    if root in other.places or marks_of(word).firm:
        return False
    if root in _SENSE:
        return True
    if word.startswith("un") or word.endswith("less"):
        return len(word) > 5
    prefix = next((one for one in _PREFIXES if word.startswith(one)), "")
    bare = word[len(prefix) :]
    return bool(prefix) and len(bare) > _SHORTEST_BARE and stem(bare) in other.places


def _opposites(clause: Clause, other: Clause) -> int:
    """ "closed", where the other says "open"."""
    ends = {end for one in clause.phrases for end in marks_of(one.phrase).ends}
    others = {end for one in other.phrases for end in marks_of(one.phrase).ends}
    return sum(end[:-1] + ("-" if end[-1] == "+" else "+") in others for end in ends)
