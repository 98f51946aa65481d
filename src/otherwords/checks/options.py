"""`options`: the same options, and the right one is still the right one."""

from __future__ import annotations

from functools import lru_cache

from otherwords.checks.base import judges, not_applicable, result
from otherwords.checks.reading import Compared
from otherwords.core.types import CheckResult, Item, Variant

NAME = "options"
_PASSED = result(NAME, None)


@judges(NAME)
def options(compared: Compared) -> CheckResult:
    item, variant = compared.item, compared.variant
    if item.choices or variant.choices:
        problem = _problem(item, variant)
        return result(NAME, problem) if problem else _PASSED
    if variant.target != item.target:
        return result(NAME, "the accepted answers changed")
    return not_applicable(NAME, "no options")


def _problem(item: Item, variant: Variant) -> str | None:
    order, target = variant.option_order, variant.target
    same = variant.choices == item.choices and target == item.target
    if same and order == tuple(range(len(item.choices))):
        return None
    if not _is_order(order, len(item.choices)):
        return f"the option order {_shown(order)} is no order of {len(item.choices)} options"
    if variant.choices != tuple([item.choices[place] for place in order]):
        return "the options are not the original's in the order given"
    if isinstance(item.target, int):
        follows = isinstance(target, int) and 0 <= target < len(order) and order[target] == item.target
        return None if follows else "the target is another option than the original's"
    in_place = target == item.target and order == tuple(range(len(order)))
    return None if in_place else "the options moved, but the target cannot move with them"


@lru_cache(maxsize=256)
def _is_order(order: tuple[int, ...], count: int) -> bool:
    return sorted(order) == list(range(count))


def _shown(order: tuple[int, ...]) -> str:
    return ",".join(str(place) for place in order) or "(none)"
