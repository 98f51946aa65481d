"""Builds the variant that a family makes from an item and a new text or prompt."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from otherwords.core.families import Family, declared_traits
from otherwords.core.types import Item, Prompt, Variant, variant_id, varied_text, with_varied_text
from otherwords.english.language import is_english


def reworded(
    item: Item, text: str, name: str, family: Family, change: str, params: dict[str, Any] | None = None
) -> Variant:
    """`item` with other words; its options as they were."""
    return reprompted(item, with_varied_text(item.prompt, text), name, family, change, params)


def reprompted(
    item: Item,
    prompt: Prompt,
    name: str,
    family: Family,
    change: str,
    params: dict[str, Any] | None = None,
) -> Variant:
    """`item` with another prompt, whose turns may be other ones too; its options as they were."""
    choices = item.choices
    return Variant(
        variant_id(item.id, name),
        item.id,
        name,
        family.name,
        prompt,
        choices,
        item.target,
        tuple(range(len(choices))),
        change,
        _label(family.name, family.version),
        {} if params is None else params,
    )


def applies_to(family: Family, item: Item) -> bool:
    """Whether the family may make something of `item`: rules of English are for English prompts."""
    return not declared_traits(family).english_only or is_english(varied_text(item.prompt))


def generator(family: Family) -> str:
    return _label(family.name, family.version)


@lru_cache(maxsize=64)
def _label(name: str, version: int) -> str:
    return f"{name}/{version}"
