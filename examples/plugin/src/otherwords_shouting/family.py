"""A variant family: every prompt with an exclamation mark at its end."""

from __future__ import annotations

from otherwords import FamilyTraits, Item, Variant
from otherwords.core.types import varied_text
from otherwords.variants.base import reworded


class Shout:
    """The words stay, the form changes; advice is what `otherwords fix` says where it breaks an agent."""

    name, version = "shout", 7
    traits = FamilyTraits(keeps_words=True, changes_form=True, advice="ask it to calm down")

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """At most `k` variants of an item, the same ones for the same seed."""
        text = varied_text(item.prompt) + "!"
        return [reworded(item, text, name="shout", family=self, change="loud")][:k]


SHOUT = Shout()
