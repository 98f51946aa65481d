"""All candidates of an item, from every family that was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest

from otherwords.core.contract import KINDS, LLM
from otherwords.core.errors import InputError
from otherwords.core.families import FAMILIES, declared_traits
from otherwords.core.hashing import derive_seed
from otherwords.core.types import Item, Variant, original
from otherwords.variants.base import applies_to
from otherwords.variants.validate import require_count, require_whole

RULE_FAMILIES = tuple(kind for kind in KINDS if kind != LLM)
"""The names of our own families that need no model."""
DEFAULT_FAMILIES = RULE_FAMILIES[:3]
PER_FAMILY = 2


def default_k(families: Sequence[str]) -> int:
    """Room for two of each family, so that every family that was asked for is reached."""
    return PER_FAMILY * len(families)


DEFAULT_K = default_k(DEFAULT_FAMILIES)


def make_candidates(
    item: Item, families: Sequence[str] = DEFAULT_FAMILIES, *, k: int | None = None, seed: int = 0
) -> list[Variant]:
    """The original, then up to `k` candidates taken in turns, so that each family has its share.

    Without a `k` there is room for two of each family. A `k` below the number of families is a bound like any
    other: the families named first are served first.
    """
    k = default_k(families) if k is None else require_count("k", k)
    seed = require_whole("seed", seed)
    if len(set(families)) != len(families):
        raise InputError(f"a variant family is named twice: {', '.join(families)}")
    share = -(-k // max(1, len(families)))
    made = {name: candidates_of(item, name, share, seed) for name in families}
    if sum(map(len, made.values())) < k:  # a family had less than its share, so the others may give more
        for name in [name for name in families if len(made[name]) == share]:
            made[name] = candidates_of(item, name, k, seed)
    in_turns = [one for one in chain.from_iterable(zip_longest(*made.values())) if one is not None]
    chosen = [original(item), *in_turns[:k]]
    if len({variant.name for variant in chosen}) < len(chosen):
        names = [variant.name for variant in chosen]
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two families made a variant named '{twice}'", item=item.id)
    return chosen


def candidates_of(item: Item, name: str, k: int, seed: int) -> list[Variant]:
    """What one family makes of `item`; nothing where its rules are for another language."""
    family = FAMILIES.get(name)
    if not applies_to(family, item):
        return []
    seeded = declared_traits(family).seeded
    return family.candidates(item, k=k, seed=derive_seed(seed, item.id, name) if seeded else 0)
