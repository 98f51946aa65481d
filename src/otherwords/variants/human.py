"""The family `human`: wordings that people wrote, which the dataset brings along in its field `wordings`."""

from __future__ import annotations

from collections.abc import Iterator

from otherwords.core.contract import HUMAN
from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant
from otherwords.variants.base import RuleFamily, reworded

FIELD = "wordings"


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """`human1`, `human2`, …: the texts under `wordings` in an item's metadata, in their order.

    They are checked like those of a model: what carries a flag waits for a judge or for a person's decision.
    """
    given = item.metadata.get(FIELD, [])
    texts = given if isinstance(given, list | tuple) else [given]
    if not all(isinstance(text, str) and text.strip() for text in texts):
        raise InputError(f"'{FIELD}' must be a list of texts, none of them empty", item=item.id)
    for number, text in enumerate(texts, start=1):
        yield reworded(item, text, f"{HUMAN}{number}", HUMAN_WORDINGS, HUMAN)


HUMAN_WORDINGS = RuleFamily(HUMAN, _variants)
