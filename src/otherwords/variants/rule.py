"""The shape of a paraphrase rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from otherwords.variants.passages import Passage
from otherwords.variants.protect import Edit

Edits = Sequence[Edit]


class Rule(NamedTuple):
    name: str
    edits: Callable[[Passage], Edits]
    """What to put where in the masked text; empty where the rule does not apply."""
    needs: frozenset[str] = frozenset()
    """It applies only where one of these words is; without any, it may always apply."""

    def edits_in(self, passage: Passage) -> Edits:
        if self.needs and self.needs.isdisjoint(passage.words):
            return ()
        return self.edits(passage)
