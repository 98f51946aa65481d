"""All checks on all candidates of an item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from otherwords.checks import identity
from otherwords.checks.base import CONTROL, Check, TextCheck, checks_in_order, not_applicable, settled
from otherwords.checks.meaning.base import MeaningCheck
from otherwords.checks.reading import compare
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant, Vetted

BATCH = 32
"""Items whose candidates a meaning check sees at once."""


def vet(item: Item, candidates: Sequence[Variant], extra: Sequence[MeaningCheck] = ()) -> list[Vetted]:
    """Each candidate with its verdicts, in the order given. The original is always accepted.

    `extra` are meaning checks; they see what every other check has let pass.
    """
    return next(vet_all([(item, candidates)], extra))


def vet_all(
    groups: Iterable[tuple[Item, Sequence[Variant]]],
    extra: Sequence[MeaningCheck] = (),
    *,
    batch: int = BATCH,
) -> Iterator[list[Vetted]]:
    """As `vet`, for each item and its candidates; a meaning check sees the candidates of `batch` items at
    once."""
    waiting = iter(groups)
    while some := list(islice(waiting, batch if extra else 1)):
        vetted = [_hard(item, candidates) for item, candidates in some]
        for check in extra:
            vetted = _judged(check, [item for item, _ in some], vetted)
        yield from vetted


def _hard(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
    vetted: list[Vetted] = []
    accepted: dict[identity.Wording, str] = {}
    checks = checks_in_order()
    for variant in candidates:
        if variant.item_id != item.id:
            raise InputError(
                f"the variant '{variant.name}' belongs to item '{variant.item_id}'", item=item.id
            )
        if variant.is_original:
            vetted.append(_as_original(item, variant))
            continue
        results = _verdicts(item, variant, checks)
        wording = identity.wording(variant)
        if wording in accepted:
            results = [_as_twin(result, accepted[wording]) for result in results]
        one = Vetted(variant, tuple(results))
        vetted.append(one)
        if one.accepted:
            accepted[wording] = variant.name
    return vetted


def _verdicts(item: Item, variant: Variant, checks: Sequence[tuple[str, Check]]) -> list[CheckResult]:
    compared = compare(item, variant)
    passed = settled(compared)
    control = variant.kind == CONTROL
    results: list[CheckResult] = []
    for name, check in checks:
        if name in passed:
            results.append(_PASSED(CheckResult, (variant.id, name, "pass", "")))
        elif control or not isinstance(check, TextCheck):
            results.append(check(item, variant))
        else:
            problem = check.problem(compared)
            results.append(CheckResult(variant.id, name, "fail" if problem else "pass", problem or ""))
    return results


_PASSED = tuple.__new__
"""Quicker than to call the type, and it is done a dozen times for each candidate."""


def _as_twin(result: CheckResult, name: str) -> CheckResult:
    if result.check != identity.NAME or result.verdict == "fail":
        return result
    return CheckResult(result.variant_id, identity.NAME, "fail", f"the same as {name}")


def _as_original(item: Item, variant: Variant) -> Vetted:
    if (variant.prompt, variant.choices, variant.target) != (item.prompt, item.choices, item.target):
        raise InputError("the variant 'orig' must be the item, byte for byte", item=item.id)
    return Vetted(
        variant, tuple(not_applicable(variant, name, "the original") for name, _ in checks_in_order())
    )


def _judged(check: MeaningCheck, items: Sequence[Item], vetted: list[list[Vetted]]) -> list[list[Vetted]]:
    pairs = [
        (item, one.variant)
        for item, group in zip(items, vetted, strict=True)
        for one in group
        if one.accepted and not one.variant.is_original
    ]
    results = dict(zip(((id(variant)) for _, variant in pairs), check.judge(pairs), strict=True))
    return [[_with(one, check.name, results.get(id(one.variant))) for one in group] for group in vetted]


def _with(one: Vetted, check: str, result: CheckResult | None) -> Vetted:
    if result is None:
        reason = "the original" if one.variant.is_original else "already rejected"
        result = not_applicable(one.variant, check, reason)
    return Vetted(one.variant, (*one.checks, result))
