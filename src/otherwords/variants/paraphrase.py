"""The family `paraphrase`: the same prompt in other words, by rules on its parse."""

from __future__ import annotations

from collections.abc import Iterator

from otherwords.core.contract import PARAPHRASE_ID
from otherwords.core.types import Item, Variant, original, varied_text
from otherwords.variants.base import RuleFamily, applies_to, require_text, require_whole, reworded


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """Rewordings, those first that differ most; `seed` changes nothing."""
    from otherwords.variants.rewording import rewordings  # whoever asks for the traits needs no rules

    for number, one in enumerate(rewordings(varied_text(item.prompt)), start=1):
        params = {"rules": list(one.rules), "strength": one.strength}
        yield reworded(item, one.text, f"para{number}", PARAPHRASE, "+".join(one.rules), params)


PARAPHRASE = RuleFamily("paraphrase", _variants, metadata_key=PARAPHRASE_ID)


def generate_paraphrases(stem: str, k: int = 2) -> list[Variant]:
    """Reword a prompt by rules, without a model.

    Args:
        stem: The prompt.
        k: Most paraphrases.

    Returns:
        The original as the variant `orig`, then up to `k` paraphrases `para1`, `para2`, …, those first that
        differ most; none of a prompt that is not in English.

    Raises:
        InputError: `stem` is empty or no text, or `k` is no whole number from 0 on.

    Example:
        >>> from otherwords import generate_paraphrases
        >>> [one.prompt for one in generate_paraphrases("Which of the following is a mammal?", k=1)]
        ['Which of the following is a mammal?', 'I would like to know which one of these is a mammal.']
    """
    item, k = Item(id="stem", prompt=require_text("stem", stem)), require_whole("k", k, least=0)
    made = PARAPHRASE.candidates(item, k=k, seed=0) if applies_to(PARAPHRASE, item) else []
    return [original(item), *made]
