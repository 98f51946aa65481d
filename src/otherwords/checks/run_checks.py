"""An item and its candidates → each candidate with the results of all checks, layer by layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from otherwords.checks.base import CHECKS, Check, PairCheck, check_traits, flag
from otherwords.checks.form import DIFFERENT, Wording, wording
from otherwords.checks.meaning import MeaningCheck
from otherwords.checks.reading import Pair
from otherwords.core.contract import FAIL, FLAG, FLAG_STATUS, INVARIANT, JUDGING, NOT_APPLICABLE
from otherwords.core.errors import InputError, MissingDependencyError
from otherwords.core.registry import traits_of
from otherwords.core.types import CheckResult, Item, Variant, Vetted
from otherwords.english.parse import INSTALL, EnglishModelError, parse_many

BATCH = 32
"""Items whose candidates a meaning check sees at once."""
BY_RULE = "made by a rule that keeps the meaning"
ON_PURPOSE = "a control changes the meaning on purpose"
IS_ORIGINAL = "the original"


@flag("unread", english=False)
def unread(pair: Pair) -> str | None:
    """What the checks of English words cannot read is for a judge or a person."""
    return pair.unread or None


def vet(item: Item, candidates: Sequence[Variant], extra: Sequence[MeaningCheck] = ()) -> list[Vetted]:
    """Run all checks on the candidates of one item.

    Args:
        item: The item that was reworded.
        candidates: Its variants. The original, if it is among them, is always accepted.
        extra: Meaning checks, such as a judge; they see what no other check has refused.

    Returns:
        Each candidate with what the checks said of it, in the order given. A candidate that repeats one
        before it that was not refused is refused.

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
    groups: Iterable[tuple[Item, Sequence[Variant]]], extra: Sequence[MeaningCheck] = ()
) -> Iterator[list[Vetted]]:
    """As `vet`, for many items, each with its candidates."""
    return apply_meaning_checks(((item, _vet_one(item, some)) for item, some in groups), extra)


def apply_meaning_checks(
    groups: Iterable[tuple[Item, list[Vetted]]], extra: Sequence[MeaningCheck] = ()
) -> Iterator[list[Vetted]]:
    """Adds the results of `extra` to those of the other checks; they see `BATCH` items at once."""
    waiting = iter(groups)
    while some := list(islice(waiting, BATCH if extra else 1)):
        vetted = [group for _, group in some]
        for check in extra:
            pairs = pairs_to_ask(check, zip([item for item, _ in some], vetted, strict=True))
            said = {variant.id: one for (_, variant), one in zip(pairs, check.judge(pairs), strict=True)}
            vetted = [with_results(check, group, said) for group in vetted]
        yield from vetted


def pairs_to_ask(
    check: MeaningCheck, groups: Iterable[tuple[Item, Sequence[Vetted]]]
) -> list[tuple[Item, Variant]]:
    """The variants that `check` is to speak of, each with its item."""
    return [(item, one.variant) for item, group in groups for one in group if not _why_not_asked(one, check)]


def with_results(
    check: MeaningCheck, group: Sequence[Vetted], said: Mapping[str, CheckResult]
) -> list[Vetted]:
    """The variants of an item with what `check` said of them, by their ids, or why it was not asked.

    Beside the judge, entailment and embedding, only a check whose attribute `layer` says `invariant`
    refuses; what another one refuses is flagged.
    """
    refuses = check.name in JUDGING or getattr(check, "layer", FLAG) == INVARIANT
    vetted = []
    for one in group:
        result = said.get(one.variant.id)
        result = result or CheckResult(check.name, NOT_APPLICABLE, _why_not_asked(one, check))
        if result.status == FAIL and not refuses:
            result = CheckResult(result.check, FLAG_STATUS, result.reason)
        vetted.append(replace(one, checks=(*one.checks, result)))
    return vetted


def checks_in_order() -> list[tuple[str, Check]]:
    """Invariants first, then flags; those of third parties last in each layer."""
    return sorted(CHECKS, key=lambda one: check_traits(one[1]).layer == FLAG)


def _vet_one(item: Item, candidates: Sequence[Variant]) -> list[Vetted]:
    strange = next((variant for variant in candidates if variant.item_id != item.id), None)
    if strange is not None:
        raise InputError(f"the variant '{strange.name}' belongs to item '{strange.item_id}'", item=item.id)
    checks = checks_in_order()
    pairs = [Pair(item, variant) for variant in candidates]
    vetted: list[Vetted] = []
    known: dict[Wording, str] = {}
    try:
        parse_many(part for pair in pairs if pair.is_parsed for part in pair.parts if part)
        for pair in pairs:
            results = [_result(name, check, pair) for name, check in checks]
            said = wording(pair.variant)
            if said in known:
                twin = CheckResult(DIFFERENT, FAIL, f"the same as {known[said]}")
                results = [twin if one.check == DIFFERENT and one.status != FAIL else one for one in results]
            vetted.append(Vetted(pair.variant, tuple(results)))
            if not pair.variant.is_original and not vetted[-1].failures:
                known[said] = pair.variant.name
    except EnglishModelError as error:
        raise MissingDependencyError(str(error).removesuffix(f": {INSTALL}") + ".", INSTALL) from error
    return vetted


def _result(name: str, check: Check, pair: Pair) -> CheckResult:
    item, variant = pair.item, pair.variant
    if variant.is_original:
        if (variant.prompt, variant.choices, variant.target) != (item.prompt, item.choices, item.target):
            raise InputError("the variant 'orig' must be the item, byte for byte", item=item.id)
        return CheckResult(name, NOT_APPLICABLE, IS_ORIGINAL)
    if check_traits(check).layer == FLAG and traits_of(variant.kind).keeps_meaning:
        return CheckResult(name, NOT_APPLICABLE, BY_RULE)
    if _is_exempt(check, variant):
        return CheckResult(name, NOT_APPLICABLE, ON_PURPOSE)
    return check.result(pair) if isinstance(check, PairCheck) else check(item, variant)


def _is_exempt(check: object, variant: Variant) -> bool:
    return traits_of(variant.kind).is_control and not check_traits(check).of_controls


def _why_not_asked(one: Vetted, check: MeaningCheck) -> str:
    reasons = {
        IS_ORIGINAL: one.variant.is_original,
        "already refused": bool(one.failures),
        "decided by a person": one.decision is not None,
        ON_PURPOSE: _is_exempt(check, one.variant),
        "nothing to decide": getattr(check, "only_flagged", False) and not one.flags,
    }
    return next((why for why, holds in reasons.items() if holds), "")
