"""Text → its rewordings by rules, in a fixed order, each with the names of the rules that made it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import TypeAlias

from otherwords.english.normalize import folded
from otherwords.variants.passages import Passage, read_passage
from otherwords.variants.phrases import phrase_edits
from otherwords.variants.protect import keeps_spans, mask
from otherwords.variants.rule import Edits
from otherwords.variants.rules import CLASHES, CONTRACTIONS, FRAMES, REWRITES

_LONG = 400
"""Characters, about 70 words."""

Reword: TypeAlias = "tuple[tuple[str, ...], Edits]"
"""The rules, and what they change."""


def rewordings(text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """(rules, new text) for each rewording of `text` that was not given before."""
    masked = mask(text)
    given = {folded(text)}
    for rules, edits in _rewords(read_passage(masked)):
        new = masked.edited(edits)
        plain = folded(new)
        if plain not in given and keeps_spans(text, new):
            given.add(plain)
            yield rules, new


def _rewords(passage: Passage) -> Iterator[Reword]:
    """True rewordings first, then two of them at once, then frames around the same words, and last only half
    of the places that a rule changes.

    One small change would be lost in a long prompt, so there all of them at once come first, then two.
    """
    if len(passage.text) < _LONG:
        applied: list[Reword] = []
        for reword in _singles(passage):
            applied.append(reword)
            yield reword
        yield from _pairs(applied)
    else:
        applied = list(_singles(passage))
        yield from _all_at_once(applied)
        yield from _pairs(applied)
        yield from applied
    yield from FRAMES.edits_in(passage)
    for rules, edits in applied:
        half = len(edits) // 2
        if half:
            yield rules, edits[:half]
            yield rules, edits[half:]


def _singles(passage: Passage) -> Iterator[Reword]:
    yield from REWRITES.edits_in(passage)
    for name, edits in phrase_edits(passage).items():
        yield (name,), edits
    yield from CONTRACTIONS.edits_in(passage)


def _pairs(applied: list[Reword]) -> Iterator[Reword]:
    for one, other in combinations(applied, 2):
        both = _together(one, other)
        if both:
            yield both


def _all_at_once(applied: list[Reword]) -> Iterator[Reword]:
    """Each rule in its turn, unless it touches what one before it changed."""
    whole: Reword = ((), ())
    for reword in applied:
        whole = _together(whole, reword) or whole
    if len(whole[0]) > 2:
        yield whole


def _together(one: Reword, other: Reword) -> Reword | None:
    """Both, in order; None where they touch, or where one would undo the style of the other."""
    rules = (*one[0], *other[0])
    edits = sorted((*one[1], *other[1]))
    apart = all(before.end < after.start for before, after in pairwise(edits))
    return (rules, edits) if apart and not any(clash <= set(rules) for clash in CLASHES) else None
