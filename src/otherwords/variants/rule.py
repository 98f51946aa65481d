"""The shape of a paraphrase rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from otherwords.variants.protect import Edit
from otherwords.variants.sentences import Passage

Edits = Sequence[Edit]


class Rule(NamedTuple):
    name: str
    edits: Callable[[Passage], Edits]
    """What to put where in the masked text; empty where the rule does not apply."""
