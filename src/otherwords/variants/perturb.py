"""The perturbations that were named first, in one call: three of format, two of option order."""

from __future__ import annotations

from collections.abc import Sequence

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, original
from otherwords.variants.format import FORMAT
from otherwords.variants.options import OPTIONS
from otherwords.variants.validate import require_choices, require_count, require_text, require_whole

NAMES = ("pert:punct", "pert:space", "pert:preamble", "pert:order_swap", "pert:order_rev")
_ALL = 100


def generate_perturbations(stem: str, choices: Sequence[str], target_index: int, k: int = 3) -> list[Variant]:
    """`orig`, byte for byte, then up to `k` of punct, space, preamble, order_swap, order_rev, in that order.

    One that would change nothing is not made, and the next takes its place.
    """
    options = require_choices(choices)
    target = require_whole("target_index", target_index)
    if not 0 <= target < len(options):
        raise InputError(f"target_index must be from 0 to {len(options) - 1}, got {target}")
    item = Item(id="stem", prompt=require_text("stem", stem), choices=options, target=target)
    k = require_count("k", k)
    made = [*FORMAT.candidates(item, k=_ALL, seed=0), *OPTIONS.candidates(item, k=_ALL, seed=0)]
    return [original(item), *[one for one in made if one.name in NAMES][:k]]
