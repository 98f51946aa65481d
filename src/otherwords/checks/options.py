"""`options`: the same options, and the right one is still the right one."""

from __future__ import annotations

from otherwords.checks.base import CHECKS, not_applicable, result
from otherwords.core.types import CheckResult, Item, Variant

NAME = "options"


@CHECKS.register(NAME)
def options(item: Item, variant: Variant) -> CheckResult:
    if not item.choices and not variant.choices:
        if variant.target != item.target:
            return result(variant, NAME, "the accepted answers changed")
        return not_applicable(variant, NAME, "no options")
    order = variant.option_order
    if sorted(order) != list(range(len(item.choices))):
        return result(
            variant, NAME, f"the option order {_shown(order)} is no order of {len(item.choices)} options"
        )
    if variant.choices != tuple(item.choices[place] for place in order):
        return result(variant, NAME, "the options are not the original's in the order given")
    if isinstance(item.target, int):
        target = variant.target
        if not isinstance(target, int) or not 0 <= target < len(order) or order[target] != item.target:
            return result(variant, NAME, "the target is another option than the original's")
    elif variant.target != item.target or order != tuple(range(len(order))):
        return result(variant, NAME, "the options moved, but the target cannot move with them")
    return result(variant, NAME, None)


def _shown(order: tuple[int, ...]) -> str:
    return ",".join(str(place) for place in order) or "(none)"
