"""Passages of a text that have nothing in their place in another."""

from __future__ import annotations

from collections.abc import Iterator

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.lexicon import marks_of
from otherwords.checks.quantities import UNIT_OF
from otherwords.checks.verbs import VERBS

_LEAST = 2
"""So many words in a row must be gone; a single one may be a matter of style."""
_MOSTLY = 0.5
_QUESTIONS = frozenset("what which who whom whose when where why how".split())


def lost_passage(before: Clauses, after: Clauses) -> str | None:
    """A clause is gone and none came, or words within one are gone and its rest has no new ones."""
    still_asks = _questions(after) >= _questions(before)
    gone = [
        clause
        for clause in before.each
        if _is_gone(clause, after) and not (still_asks and _QUESTIONS & {*clause.words})
    ]
    if len(gone) > sum(_is_new(clause, before) for clause in after.each):
        return f'lost: "{" ".join(gone[0].words)}"'
    for clause in before.each:
        for run in _runs(clause, after):
            places = after.holding([one for one in clause.stems if one], before).once
            if places and not any(_new(after.each[at], before) for at in places):
                return f"lost: {' … '.join(run)}"
    return None


def _questions(text: Clauses) -> int:
    return sum(word in _QUESTIONS for clause in text.each for word in clause.words)


def _says_much(place: int, words: list[str]) -> bool:
    """Verbs of instructions have many synonyms; units, and the ends of scales, are checked elsewhere."""
    word = words[place]
    if word in VERBS and (place <= 1 or words[place - 1] == "to"):
        return False
    return word not in UNIT_OF and not marks_of(word).ends


def _content(clause: Clause) -> list[str]:
    return [one for place, one in enumerate(clause.stems) if one and _says_much(place, clause.words)]


def _is_gone(clause: Clause, other: Clauses) -> bool:
    content = _content(clause)
    return len(content) >= _LEAST and not any(one in other.places for one in content)


def _new(clause: Clause, other: Clauses) -> list[str]:
    return [one for one in _content(clause) if one not in other.places]


def _is_new(clause: Clause, other: Clauses) -> bool:
    """At least half of its words are."""
    content = _content(clause)
    return bool(content) and len(_new(clause, other)) >= _MOSTLY * len(content)


def _runs(clause: Clause, other: Clauses) -> Iterator[list[str]]:
    """Words next to each other that the other text lacks."""
    run: list[str] = []
    for place, one in enumerate(clause.stems):
        if one and one not in other.places and _says_much(place, clause.words):
            run.append(clause.words[place])
        elif one:
            if len(run) >= _LEAST:
                yield run
            run = []
    if len(run) >= _LEAST:
        yield run
