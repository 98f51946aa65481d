"""An item and its candidates → each candidate with the results of all checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from otherwords.checks import identity
from otherwords.checks.base import ON_PURPOSE, is_exempt, not_applicable
from otherwords.checks.meaning.base import MeaningCheck
from otherwords.checks.panel import Panel, panel
from otherwords.checks.reading import Wording, compare
from otherwords.core.contract import ORIG
from otherwords.core.errors import InputError
from otherwords.core.types import CheckResult, Item, Variant, Vetted

BATCH = 32
"""Items whose candidates a meaning check sees at once."""


def vet(item: Item, candidates: Sequence[Variant], extra: Sequence[MeaningCheck] = ()) -> list[Vetted]:
    """Run all checks on the candidates of one item.

    Args:
        item: The item that was reworded.
        candidates: Its variants. The original, if it is among them, is always accepted.
        extra: Meaning checks; they see what every other check has let pass.

    Returns:
        Each candidate with what the checks said of it, in the order given. A candidate that repeats one
        accepted before it is rejected.

    Raises:
        InputError: A candidate belongs to another item, or the variant `orig` is not the item.

    Example:
        >>> from otherwords import Item, generate_paraphrases, vet
        >>> item = Item("stem", "Which of the following is a mammal?")
        >>> [one.accepted for one in vet(item, generate_paraphrases(item.prompt, k=1))]
        [True, True]
    """
    return next(vet_all([(item, candidates)], extra))


def vet_all(
    groups: Iterable[tuple[Item, Sequence[Variant]]],
    extra: Sequence[MeaningCheck] = (),
    *,
    batch: int = BATCH,
) -> Iterator[list[Vetted]]:
    """As `vet`, for many items, each with its candidates."""
    checked = ((item, _hard(item, candidates)) for item, candidates in groups)
    return apply_meaning_checks(checked, extra, batch=batch)


def apply_meaning_checks(
    groups: Iterable[tuple[Item, list[Vetted]]],
    extra: Sequence[MeaningCheck] = (),
    *,
    batch: int = BATCH,
) -> Iterator[list[Vetted]]:
    """Adds the results of `extra` to those of the other checks; they see `batch` items at once."""
    waiting = iter(groups)
    while some := list(islice(waiting, batch if extra else 1)):
        vetted = [group for _, group in some]
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
        results = checks.results(compared)
        wording = identity.wording(compared)
        if wording in accepted:
            results = tuple([_as_twin(result, accepted[wording]) for result in results])
        one = Vetted(variant, results)
        vetted.append(one)
        if one.accepted:
            accepted[wording] = variant.name
    return vetted


def _as_twin(result: CheckResult, name: str) -> CheckResult:
    if result.check != identity.NAME or result.status == "fail":
        return result
    return CheckResult(identity.NAME, "fail", f"the same as {name}")


def _as_original(item: Item, variant: Variant, checks: Panel) -> Vetted:
    if (variant.prompt, variant.choices, variant.target) != (item.prompt, item.choices, item.target):
        raise InputError("the variant 'orig' must be the item, byte for byte", item=item.id)
    return Vetted(variant, checks.not_asked)


def _judged(check: MeaningCheck, items: Sequence[Item], vetted: list[list[Vetted]]) -> list[list[Vetted]]:
    asked = [
        (item, one)
        for item, group in zip(items, vetted, strict=True)
        for one in group
        if one.accepted and not one.variant.is_original and not is_exempt(check, one.variant)
    ]
    results = check.judge([(item, one.variant) for item, one in asked])
    result_of = dict(zip([one for _, one in asked], results, strict=True))
    return [[_with(one, check, result_of.get(one)) for one in group] for group in vetted]


def _with(one: Vetted, check: MeaningCheck, result: CheckResult | None) -> Vetted:
    if result is None:
        result = not_applicable(check.name, _why_not_asked(one, check))
    return Vetted(one.variant, (*one.checks, result))


def _why_not_asked(one: Vetted, check: MeaningCheck) -> str:
    if one.variant.is_original:
        return "the original"
    return ON_PURPOSE if one.accepted and is_exempt(check, one.variant) else "already rejected"
