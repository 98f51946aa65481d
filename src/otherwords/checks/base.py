"""What a check is, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from otherwords.checks.reading import Compared, Reading, compare
from otherwords.core.families import traits_of
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

ON_PURPOSE = "a control changes the meaning on purpose"


def is_control(variant: Variant) -> bool:
    return traits_of(variant.kind).is_control


@dataclass(frozen=True, slots=True)
class CheckTraits:
    """What a check declares of itself in its attribute `traits`; one without it has the defaults."""

    of_controls: bool = True
    """It applies to controls too, which change the meaning on purpose."""


_DEFAULTS = CheckTraits()


def is_exempt(check: object, variant: Variant) -> bool:
    """Whether `variant` is a control and `check` declares that it does not apply to controls."""
    traits: CheckTraits = getattr(check, "traits", _DEFAULTS)
    return not traits.of_controls and is_control(variant)


class Scope(Enum):
    """What a comparison needs to see."""

    CHANGED = "the sentences that differ, and all of them when it finds fault with these"
    LINES = "the same in a text of one line; else all, since a line's meaning depends on those around it"
    WHOLE = "all"


Judge: TypeAlias = Callable[[Compared], CheckResult]


class ComparedCheck:
    """A check of a variant beside its original."""

    def __init__(self, name: str, judge: Judge, traits: CheckTraits = _DEFAULTS) -> None:
        self.name, self.judge, self.traits = name, judge, traits

    def __call__(self, item: Item, variant: Variant) -> CheckResult:
        return self.judge(compare(item, variant))


class TextCheck(ComparedCheck):
    """A check that compares two texts and nothing else."""

    def __init__(
        self, name: str, problem_of: Comparison, scope: Scope, *, weighed: bool, of_controls: bool
    ) -> None:
        super().__init__(name, self.judged, CheckTraits(of_controls=of_controls))
        self.problem_of, self.scope, self.weighed = problem_of, scope, weighed
        self.passed = result(name, None)

    def judged(self, compared: Compared) -> CheckResult:
        if is_exempt(self, compared.variant):
            return not_applicable(self.name, ON_PURPOSE)
        narrow = self.scope is Scope.CHANGED or (self.scope is Scope.LINES and compared.one_line)
        if narrow and self.problem_of(compared.was, compared.now) is None:
            return self.passed
        return result(self.name, self.problem_of(compared.before, compared.after))


@lru_cache(maxsize=256)
def result(check: str, problem: str | None) -> CheckResult:
    """Fails with `problem`, passes without one."""
    return CheckResult(check, "fail" if problem else "pass", problem or "")


@lru_cache(maxsize=256)
def not_applicable(check: str, reason: str = "") -> CheckResult:
    return CheckResult(check, "not_applicable", reason)


def judges(name: str) -> Callable[[Judge], Judge]:
    """Registers a check that looks at more than two texts, or at them in its own way."""

    def register(judge: Judge) -> Judge:
        CHECKS.add(name, ComparedCheck(name, judge))
        return judge

    return register


def compares_meaning(
    name: str, scope: Scope = Scope.CHANGED, *, weighed: bool = True
) -> Callable[[Comparison], Comparison]:
    """Registers a comparison of two texts that must mean the same. Controls need not.

    `weighed`: it passes where both texts weigh the same.
    """
    return _compares(name, scope, weighed=weighed, of_controls=False)


def compares_form(
    name: str, scope: Scope = Scope.WHOLE, *, weighed: bool = False
) -> Callable[[Comparison], Comparison]:
    """Registers a comparison that every variant must pass, controls too."""
    return _compares(name, scope, weighed=weighed, of_controls=True)


def _compares(
    name: str, scope: Scope, *, weighed: bool, of_controls: bool
) -> Callable[[Comparison], Comparison]:
    def register(problem_of: Comparison) -> Comparison:
        CHECKS.add(name, TextCheck(name, problem_of, scope, weighed=weighed, of_controls=of_controls))
        return problem_of

    return register


def told(lost: list[str], added: list[str]) -> str | None:
    """`lost: a, b; added: c`, or None when nothing was."""
    said = [f"{what}: {', '.join(ones)}" for what, ones in (("lost", lost), ("added", added)) if ones]
    return "; ".join(said) or None


def short(text: str, longest: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
