"""What a check is, its layer, and the registry of checks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from otherwords.checks.reading import Pair
from otherwords.core.contract import FLAG, INVARIANT, CheckStatus, Layer
from otherwords.core.registry import Registry, traits_of
from otherwords.core.types import CheckResult, Item, Variant

Check: TypeAlias = Callable[[Item, Variant], CheckResult]
"""Passes, fails or flags with a reason, or does not apply."""
Comparison: TypeAlias = Callable[[Pair], "str | None"]
"""What is wrong, or to be looked at, in a variant beside its original; None: nothing."""

CHECKS: Registry[Check] = Registry("check", "otherwords.checks")

ON_PURPOSE = "a control changes the meaning on purpose"
NOT_ENGLISH = "the prompt is not in English"
TOO_LONG = "more text changed than is compared word by word"


@dataclass(frozen=True, slots=True)
class CheckTraits:
    """What a check declares of itself in its attribute `traits`; one without it has the defaults."""

    layer: Layer = INVARIANT
    """An invariant refuses; a flag asks for a look by a judge or a person."""
    of_controls: bool = True
    """It applies to controls too, which change the meaning on purpose."""
    english_only: bool = False
    """It knows English words, and applies to English prompts only."""


_DEFAULTS = CheckTraits()


def check_traits(check: object) -> CheckTraits:
    """What `check` declares of itself."""
    traits: CheckTraits = getattr(check, "traits", _DEFAULTS)
    return traits


def is_control(variant: Variant) -> bool:
    """Whether the variant changes the problem on purpose."""
    return traits_of(variant.kind).is_control


def is_exempt(check: object, variant: Variant) -> bool:
    """Whether `variant` is a control and `check` declares that it does not apply to controls."""
    return not check_traits(check).of_controls and is_control(variant)


class PairCheck:
    """A check of ours: compares a variant with its original."""

    def __init__(self, name: str, compare: Comparison, traits: CheckTraits) -> None:
        self.name, self.compare, self.traits = name, compare, traits

    def __call__(self, item: Item, variant: Variant) -> CheckResult:
        return self.result(Pair(item, variant))

    def result(self, pair: Pair) -> CheckResult:
        """What it says of a pair that has been read."""
        if is_exempt(self, pair.variant):
            return not_applicable(self.name, ON_PURPOSE)
        if self.traits.english_only and not pair.english:
            return not_applicable(self.name, NOT_ENGLISH)
        if self.traits.english_only and pair.too_long:
            return not_applicable(self.name, TOO_LONG)
        found = self.compare(pair)
        status: CheckStatus = "pass" if found is None else "flag" if self.traits.layer == FLAG else "fail"
        return CheckResult(self.name, status, found or "")


def not_applicable(check: str, reason: str = "") -> CheckResult:
    """The result of a check that has nothing to say."""
    return CheckResult(check, "not_applicable", reason)


def invariant(
    name: str, *, of_controls: bool = False, english: bool = True
) -> Callable[[Comparison], Comparison]:
    """Registers a comparison whose objection refuses the variant."""
    return _registering(name, CheckTraits(INVARIANT, of_controls, english))


def flag(name: str, *, english: bool = True) -> Callable[[Comparison], Comparison]:
    """Registers a comparison whose objection is a reason to look, by a judge or a person."""
    return _registering(name, CheckTraits(FLAG, of_controls=False, english_only=english))


SIGNS: dict[str, Comparison] = {}
"""What alone decides nothing; the flag `wording` weighs it together with its other signs."""


def sign(name: str) -> Callable[[Comparison], Comparison]:
    """Registers a comparison whose finding the flag `wording` weighs."""

    def register(compare: Comparison) -> Comparison:
        SIGNS[name] = compare
        return compare

    return register


def _registering(name: str, traits: CheckTraits) -> Callable[[Comparison], Comparison]:
    def register(compare: Comparison) -> Comparison:
        CHECKS.add(name, PairCheck(name, compare, traits))
        return compare

    return register


def format_diff(lost: list[str], added: list[str]) -> str | None:
    """`lost: a, b; added: c`, or None when nothing was."""
    parts = [f"{what}: {', '.join(ones)}" for what, ones in (("lost", lost), ("added", added)) if ones]
    return "; ".join(parts) or None


def short(text: str, longest: int = 40) -> str:
    """`text` on one line, cut where it is longer."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
