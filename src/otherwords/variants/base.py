"""What a variant family is, and the registry of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol

from otherwords.core.prompts import with_varied_text
from otherwords.core.registry import Registry
from otherwords.core.types import Item, Prompt, Variant, variant_id


class Family(Protocol):
    """Makes candidates for an item: without the original, in a fixed order, the same for the same seed.

    One whose attribute `seeded` is False makes the same for every seed, and is spared the making of one.
    """

    name: str
    version: int

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]: ...


FAMILIES: Registry[Family] = Registry("variant family", "otherwords.variants")


def reworded(
    item: Item, text: str, *, name: str, family: Family, change: str, params: Mapping[str, Any] | None = None
) -> Variant:
    """`item` with other words; its options as they were."""
    prompt = with_varied_text(item.prompt, text)
    return reprompted(item, prompt, name=name, family=family, change=change, params=params)


def reprompted(
    item: Item,
    prompt: Prompt,
    *,
    name: str,
    family: Family,
    change: str,
    params: Mapping[str, Any] | None = None,
) -> Variant:
    """`item` with another prompt, whose turns may be other ones too; its options as they were."""
    choices = item.choices
    return Variant(  # by place, since by name it takes twice as long, and this is done for each variant
        variant_id(item.id, name),
        item.id,
        name,
        family.name,
        prompt,
        choices,
        item.target,
        in_order(len(choices)),
        change,
        generator(family),
        dict(params) if params else {},
    )


@lru_cache(maxsize=64)
def in_order(count: int) -> tuple[int, ...]:
    """The option order of the original."""
    return tuple(range(count))


def generator(family: Family) -> str:
    return f"{family.name}/{family.version}"
