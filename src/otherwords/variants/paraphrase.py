"""The family `paraphrase`: the same prompt in other words, by rules."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import TypeAlias

from otherwords.core.folding import folded
from otherwords.core.prompts import varied_text
from otherwords.core.types import Item, Variant, original
from otherwords.variants.base import FAMILIES, reworded
from otherwords.variants.passages import Passage, read_passage
from otherwords.variants.phrases import phrase_edits
from otherwords.variants.protect import keeps_spans, mask
from otherwords.variants.rule import Edits
from otherwords.variants.rules import CLASHES, CONTRACTIONS, FRAMES, REWRITES
from otherwords.variants.validate import require_count, require_text

_LONG = 400
"""Characters, about 70 words."""

Reword: TypeAlias = "tuple[tuple[str, ...], Edits]"
"""The rules, and what they change."""


class Paraphrase:
    name = "paraphrase"
    version = 3
    seeded = False

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """The first `k` rewordings, in a fixed order; `seed` changes nothing."""
        made: list[Variant] = []
        if not k:
            return made
        for rules, text in rewordings(varied_text(item.prompt)):
            name = f"para{len(made) + 1}"
            made.append(reworded(item, text, name, self, "+".join(rules), {"rules": list(rules)}))
            if len(made) == k:
                break
        return made


PARAPHRASE = Paraphrase()
FAMILIES.add(PARAPHRASE.name, PARAPHRASE)


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


def generate_paraphrases(stem: str, k: int = 2) -> list[Variant]:
    """`orig`, byte for byte, then up to `k` paraphrases `para1`, `para2`, … in a fixed order."""
    item = Item(id="stem", prompt=require_text("stem", stem))
    return [original(item), *PARAPHRASE.candidates(item, k=require_count("k", k), seed=0)]
