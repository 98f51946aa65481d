"""What a check is, its layer, and the registry of checks."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias, TypeVar

from otherwords.checks.reading import Pair
from otherwords.core.contract import FLAG, INVARIANT, NOT_APPLICABLE, CheckStatus, Layer
from otherwords.core.registry import Registry
from otherwords.core.types import CheckResult, Item, Variant

T = TypeVar("T")
Check: TypeAlias = Callable[[Item, Variant], CheckResult]
"""Passes, fails or flags with a reason, or does not apply."""
Comparison: TypeAlias = Callable[[Pair], "str | None"]
"""What is wrong, or to be looked at, in a variant beside its original; None: nothing."""

CHECKS: Registry[Check] = Registry("check", "otherwords.checks")
SIGNS: dict[str, Comparison] = {}
"""What alone decides nothing; the flag `wording` weighs it together with its other signs."""


@dataclass(frozen=True, slots=True)
class CheckTraits:
    """What a check declares of itself in its attribute `traits`; one without it has the defaults."""

    layer: Layer = INVARIANT
    """An invariant refuses; a flag asks for a look by a judge or a person."""
    of_controls: bool = True
    """It applies to controls too, which change the meaning on purpose."""
    english_only: bool = False
    """It knows English words, and applies to English prompts only."""


def check_traits(check: object) -> CheckTraits:
    """What `check` declares of itself."""
    traits: CheckTraits = getattr(check, "traits", CheckTraits())
    return traits


@dataclass(frozen=True, slots=True)
class PairCheck:
    """A check of ours: compares a variant with its original."""

    name: str
    compare: Comparison
    traits: CheckTraits

    def __call__(self, item: Item, variant: Variant) -> CheckResult:
        return self.result(Pair(item, variant))

    def result(self, pair: Pair) -> CheckResult:
        """What it says of a pair that has been read."""
        if self.traits.english_only and pair.unread:
            return CheckResult(self.name, NOT_APPLICABLE, pair.unread)
        found = self.compare(pair)
        status: CheckStatus = "pass" if found is None else "flag" if self.traits.layer == FLAG else "fail"
        return CheckResult(self.name, status, found or "")


def invariant(
    name: str, layer: Layer = INVARIANT, *, of_controls: bool = False, english: bool = True
) -> Callable[[Comparison], Comparison]:
    """Registers a comparison whose objection refuses the variant."""

    def register(compare: Comparison) -> Comparison:
        CHECKS.add(name, PairCheck(name, compare, CheckTraits(layer, of_controls, english)))
        return compare

    return register


flag = partial(invariant, layer=FLAG)
"""Registers a comparison whose objection is a reason to look, by a judge or a person."""


def sign(name: str) -> Callable[[Comparison], Comparison]:
    """Registers a comparison whose finding the flag `wording` weighs."""
    return lambda compare: SIGNS.setdefault(name, compare)


def format_diff(lost: Collection[T], added: Collection[T], shown: Callable[[T], str] = str) -> str | None:
    """`lost: a, b; added: c`, or None when nothing was."""
    sides = {"lost": lost, "added": added}
    parts = [f"{side}: {', '.join(sorted(map(shown, ones)))}" for side, ones in sides.items() if ones]
    return "; ".join(parts) or None


def short(text: str, longest: int = 40) -> str:
    """`text` on one line, cut where it is longer."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
