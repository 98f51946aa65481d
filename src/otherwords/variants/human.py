"""The family `human`: wordings that people wrote, which the dataset brings along in its field `wordings`."""

from __future__ import annotations

from otherwords.core.contract import HUMAN
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant
from otherwords.variants.base import declared, reworded

FIELD = "wordings"


class HumanWordings:
    """`human1`, `human2`, …: the texts under `wordings` in an item's metadata, in their order.

    They are checked like those of a model: what carries a flag waits for a judge or for a person's decision.
    """

    name = HUMAN
    version, traits = declared(HUMAN)

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """The first `k` of them; `seed` changes nothing."""
        given = item.metadata.get(FIELD, [])
        texts = given if isinstance(given, list | tuple) else [given]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise InputError(f"'{FIELD}' must be a list of texts, none of them empty", item=item.id)
        return [
            reworded(item, text, f"{HUMAN}{number}", self, HUMAN)
            for number, text in enumerate(texts[:k], start=1)
        ]

    def why_none(self, item: Item) -> str:
        """Why there is none."""
        return f"the dataset has no '{FIELD}' of it"


HUMAN_WORDINGS = HumanWordings()
