"""All checks on all candidates of an item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from otherwords.checks import identity
from otherwords.checks.base import CHECKS, not_applicable
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant, Vetted


def vet(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
    """Each candidate with its verdicts, in the order given. The original is always accepted."""
    vetted: list[Vetted] = []
    accepted: list[Variant] = []
    for variant in candidates:
        if variant.item_id != item.id:
            raise InputError(
                f"the variant '{variant.name}' belongs to item '{variant.item_id}'", item=item.id
            )
        if variant.is_original:
            vetted.append(_as_original(item, variant))
            continue
        one = Vetted(
            variant, tuple(_against_twins(check(item, variant), variant, accepted) for _, check in CHECKS)
        )
        vetted.append(one)
        if one.accepted:
            accepted.append(variant)
    return vetted


def _against_twins(found: CheckResult, variant: Variant, accepted: Sequence[Variant]) -> CheckResult:
    if found.check != identity.NAME or found.verdict == "fail":
        return found
    name = identity.twin(variant, accepted)
    return found if name is None else replace(found, verdict="fail", reason=f"the same as {name}")


def _as_original(item: Item, variant: Variant) -> Vetted:
    if (variant.prompt, variant.choices, variant.target) != (item.prompt, item.choices, item.target):
        raise InputError("the variant 'orig' must be the item, byte for byte", item=item.id)
    return Vetted(variant, tuple(not_applicable(variant, name, "the original") for name, _ in CHECKS))
