"""The shape of a paraphrase rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from otherwords.variants.sentences import Passage


class Rule(NamedTuple):
    name: str
    rewrite: Callable[[Passage], str | None]
    """The whole new masked text, or None where the rule does not apply."""
