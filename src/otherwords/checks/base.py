"""What a check is, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import TypeAlias

from otherwords.checks.reading import Reading, changed_readings, readings
from otherwords.checks.weight import same_weight
from otherwords.core.registry import Registry
from otherwords.core.types import CheckResult, Item, Variant

Check: TypeAlias = Callable[[Item, Variant], CheckResult]
"""Passes, fails with a reason, or does not apply."""

Comparison: TypeAlias = Callable[[Reading, Reading], "str | None"]
"""What is wrong with the variant (second) as another wording of the original (first), or None."""

CHECKS: Registry[Check] = Registry("check", "otherwords.checks")

HARD_CHECKS = (
    *("different", "spans", "code", "numbers", "units", "words", "constraints", "names"),
    *("asks", "refusal", "leak", "length", "lines", "options"),
)
"""The checks that need no model, in the order in which they speak: the first failure is the one counted."""

CONTROL = "control"
"""The kind of variants that change the problem on purpose."""


def checks_in_order() -> list[tuple[str, Check]]:
    """The hard checks, then those of third parties."""
    known = dict(CHECKS)
    return [(name, known.pop(name)) for name in HARD_CHECKS] + list(known.items())


def result(variant: Variant, check: str, problem: str | None) -> CheckResult:
    """Fails with `problem`, passes without one."""
    return CheckResult(variant.id, check, "fail" if problem else "pass", problem or "")


def not_applicable(variant: Variant, check: str, reason: str = "") -> CheckResult:
    return CheckResult(variant.id, check, "not_applicable", reason)


_SETTLED_BY_WEIGHT: set[str] = set()
"""Names of the checks that pass where two texts weigh the same."""


def settled(item: Item, variant: Variant) -> Set[str]:
    """The names of the checks that pass for sure; they need not be asked."""
    if variant.kind != CONTROL and same_weight(*changed_readings(item, variant)):
        return _SETTLED_BY_WEIGHT
    return frozenset()


def compares_meaning(name: str, *, whole: bool = False) -> Callable[[Comparison], Comparison]:
    """Registers a comparison of two texts that must mean the same. Controls need not.

    It sees the sentences that differ, and all of them when it finds fault with these. A comparison that needs
    to see the lines around a change asks for the `whole` at once.
    """

    def register(problem_of: Comparison) -> Comparison:
        if not whole:
            _SETTLED_BY_WEIGHT.add(name)

        def check(item: Item, variant: Variant) -> CheckResult:
            if variant.kind == CONTROL:
                return not_applicable(variant, name, "a control changes the meaning on purpose")
            if not whole and problem_of(*changed_readings(item, variant)) is None:
                return result(variant, name, None)
            return result(variant, name, problem_of(*readings(item, variant)))

        CHECKS.add(name, check)
        return problem_of

    return register


def compares_form(name: str) -> Callable[[Comparison], Comparison]:
    """Registers a comparison that every variant must pass, controls too."""

    def register(problem_of: Comparison) -> Comparison:
        def check(item: Item, variant: Variant) -> CheckResult:
            return result(variant, name, problem_of(*readings(item, variant)))

        CHECKS.add(name, check)
        return problem_of

    return register


def told(lost: list[str], added: list[str]) -> str | None:
    """`lost: a, b; added: c`, or None when nothing was."""
    said = [f"{what}: {', '.join(ones)}" for what, ones in (("lost", lost), ("added", added)) if ones]
    return "; ".join(said) or None


def short(text: str, longest: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
