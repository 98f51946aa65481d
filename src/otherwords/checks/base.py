"""What a check is, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable, Set
from enum import Enum
from functools import lru_cache
from typing import TypeAlias

from otherwords.checks.reading import Compared, Reading, compare
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


class Scope(Enum):
    """What a comparison needs to see."""

    CHANGED = "the sentences that differ, and all of them when it finds fault with these"
    LINES = "the same in a text of one line; else all, since a line's meaning depends on those around it"
    WHOLE = "all"


class TextCheck:
    """A check that compares two texts and nothing else."""

    def __init__(self, name: str, problem_of: Comparison, scope: Scope, *, of_controls: bool) -> None:
        self.name, self.problem_of, self.of_controls = name, problem_of, of_controls
        self.scope = scope

    def __call__(self, item: Item, variant: Variant) -> CheckResult:
        if not self.of_controls and variant.kind == CONTROL:
            return not_applicable(variant, self.name, "a control changes the meaning on purpose")
        return result(variant, self.name, self.problem(compare(item, variant)))

    def problem(self, compared: Compared) -> str | None:
        narrow = self.scope is Scope.CHANGED or (self.scope is Scope.LINES and compared.one_line)
        if narrow and self.problem_of(compared.was, compared.now) is None:
            return None
        return self.problem_of(compared.before, compared.after)


def checks_in_order() -> list[tuple[str, Check]]:
    """The hard checks, then those of third parties."""
    known = dict(CHECKS)
    return [(name, known.pop(name)) for name in HARD_CHECKS] + list(known.items())


def result(variant: Variant, check: str, problem: str | None) -> CheckResult:
    """Fails with `problem`, passes without one."""
    return CheckResult(variant.id, check, "fail" if problem else "pass", problem or "")


def not_applicable(variant: Variant, check: str, reason: str = "") -> CheckResult:
    return CheckResult(variant.id, check, "not_applicable", reason)


_OF_WORDS: set[str] = set()
"""Names of the checks that pass where two texts weigh the same."""
_OF_TEXT: set[str] = set()
"""Names of the checks that pass where the text did not change."""
_OF_CHANGES: list[TextCheck] = []
"""The checks that need to see only the sentences that differ."""


def settled(compared: Compared) -> Set[str]:
    """The names of the checks that pass for sure; they need not be asked."""
    if compared.variant.kind == CONTROL:
        return frozenset()
    if compared.unchanged and compared.before.words:
        return _OF_TEXT
    return _OF_WORDS if same_weight(compared) else _content_with(compared.was, compared.now)


@lru_cache(maxsize=1024)  # a line put before many prompts is the same change in each
def _content_with(was: Reading, now: Reading) -> Set[str]:
    """The checks that find no fault with the sentences that differ."""
    return frozenset(check.name for check in _OF_CHANGES if check.problem_of(was, now) is None)


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
        check = TextCheck(name, problem_of, scope, of_controls=of_controls)
        CHECKS.add(name, check)
        _OF_TEXT.add(name)
        if scope is Scope.CHANGED:
            _OF_CHANGES.append(check)
        if weighed:
            _OF_WORDS.add(name)
        return problem_of

    return register


def told(lost: list[str], added: list[str]) -> str | None:
    """`lost: a, b; added: c`, or None when nothing was."""
    said = [f"{what}: {', '.join(ones)}" for what, ones in (("lost", lost), ("added", added)) if ones]
    return "; ".join(said) or None


def short(text: str, longest: int = 40) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1] + "…"
