"""What a variant family is, and the registry of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Protocol

from otherwords.core.prompts import with_varied_text
from otherwords.core.registry import Registry
from otherwords.core.types import Item, Prompt, Variant, in_order, variant_id


class Family(Protocol):
    """Makes candidates for an item: without the original, in a fixed order, the same for the same seed.

    One whose attribute `seeded` is False makes the same for every seed, and is spared the making of one.
    """

    name: str
    version: int

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]: ...


FAMILIES: Registry[Family] = Registry("variant family", "otherwords.variants")


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
    return Variant(  # by place here and in the calls, since by name it takes twice as long
        variant_id(item.id, name),
        item.id,
        name,
        family.name,
        prompt,
        choices,
        item.target,
        in_order(len(choices)),
        change,
        _label(family.name, family.version),
        {} if params is None else params,
    )


def generator(family: Family) -> str:
    return _label(family.name, family.version)


@lru_cache(maxsize=64)
def _label(name: str, version: int) -> str:
    return f"{name}/{version}"
