"""All checks on all candidates of an item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from otherwords.checks import identity
from otherwords.checks.base import not_applicable
from otherwords.checks.meaning.base import MeaningCheck
from otherwords.checks.panel import Panel, panel
from otherwords.checks.reading import Wording, compare
from otherwords.core.errors import InputError
from otherwords.core.types import ORIG, CheckResult, Item, Variant, Vetted

BATCH = 32
"""Items whose candidates a meaning check sees at once."""


def vet(item: Item, candidates: Sequence[Variant], extra: Sequence[MeaningCheck] = ()) -> list[Vetted]:
    """Each candidate with its verdicts, in the order given. The original is always accepted.

    `extra` are meaning checks; they see what every other check has let pass.
    """
    return next(vet_all([(item, candidates)], extra)) if extra else _hard(item, candidates)


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
    accepted: dict[Wording, str] = {}
    checks = panel()
    for variant in candidates:
        if variant.item_id != item.id:
            raise InputError(
                f"the variant '{variant.name}' belongs to item '{variant.item_id}'", item=item.id
            )
        if variant.name == ORIG:
            vetted.append(_as_original(item, variant, checks))
            continue
        compared = compare(item, variant)
        results = checks.verdicts(compared)
        wording = identity.wording(compared)
        if wording in accepted:
            results = tuple([_as_twin(result, accepted[wording]) for result in results])
        one = Vetted(variant, results)
        vetted.append(one)
        if results is checks.all_passed or one.accepted:
            accepted[wording] = variant.name
    return vetted


def _as_twin(result: CheckResult, name: str) -> CheckResult:
    if result.check != identity.NAME or result.verdict == "fail":
        return result
    return CheckResult(identity.NAME, "fail", f"the same as {name}")


def _as_original(item: Item, variant: Variant, checks: Panel) -> Vetted:
    if (variant.prompt, variant.choices, variant.target) != (item.prompt, item.choices, item.target):
        raise InputError("the variant 'orig' must be the item, byte for byte", item=item.id)
    return Vetted(variant, checks.not_asked)


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
        result = not_applicable(check, reason)
    return Vetted(one.variant, (*one.checks, result))
