"""`different` and `options`: another wording than all others, with the same options and right answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from otherwords.checks.base import invariant
from otherwords.checks.reading import Pair
from otherwords.core.registry import traits_of
from otherwords.core.types import Prompt, Variant, varied_text
from otherwords.english.normalize import unmarked

DIFFERENT = "different"
Wording: TypeAlias = "tuple[Prompt, tuple[str, ...]]"
"""What two candidates of an item must not share."""


@invariant(DIFFERENT, of_controls=True, english=False)
def different(pair: Pair) -> str | None:
    """The variant is not the original again."""
    item, variant = pair.item, pair.variant
    if wording(variant) != wording(replace(variant, prompt=item.prompt, choices=item.choices)):
        return None
    how = "byte for byte" if variant.prompt == item.prompt else "but for spaces, case or its last mark"
    return f"the same as the original, {how}"


def wording(variant: Variant) -> Wording:
    """What the variant must not share with another one."""
    if traits_of(variant.kind).changes_form:
        return variant.prompt, variant.choices
    return unmarked(varied_text(variant.prompt)), variant.choices


@invariant("options", of_controls=True, english=False)
def options(pair: Pair) -> str | None:
    """The options are the same, and the right one is still the right one."""
    item, variant = pair.item, pair.variant
    order, in_place = variant.option_order, tuple(range(len(item.choices)))
    if item.choices and tuple(sorted(order)) != in_place:
        shown = ",".join(map(str, order)) or "(none)"
        return f"the option order {shown} is no order of {len(item.choices)} options"
    if variant.choices != tuple(item.choices[place] for place in order if item.choices):
        return "the options are not the original's in the order given"
    if isinstance(item.target, int):
        follows = order.index(item.target) == variant.target
        return None if follows else "the target is another option than the original's"
    if item.choices and order != in_place:
        return "the options moved, but the target cannot move with them"
    return "the accepted answers changed" if variant.target != item.target else None
