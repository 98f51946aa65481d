"""All checks at once: which of them pass for sure, and what the others say when they are asked.

Most candidates are good, and most of their checks are settled by one look at what has changed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from otherwords.checks import asks, form
from otherwords.checks.base import (
    CHECKS,
    CONTROL,
    HARD_CHECKS,
    Check,
    ComparedCheck,
    Judge,
    Scope,
    TextCheck,
    not_applicable,
    result,
)
from otherwords.checks.form import same_form
from otherwords.checks.reading import Compared, read
from otherwords.checks.weight import same_weight
from otherwords.core.types import CheckResult


class Asking(NamedTuple):
    passed: tuple[CheckResult, ...]
    """What all checks say where those that are asked find no fault."""
    judges: tuple[tuple[int, Judge], ...]
    """Those that are asked, by their places."""


class Panel:
    """The checks in the order in which they speak."""

    def __init__(self, checks: tuple[tuple[str, Check], ...]) -> None:
        self.names = tuple([name for name, _ in checks])
        self._judges = [_judge(check) for _, check in checks]
        self.not_asked = tuple([not_applicable(name, "the original") for name in self.names])
        """What they say of the original."""
        self.all_passed = tuple([result(name, None) for name in self.names])
        texts = [check for _, check in checks if isinstance(check, TextCheck)]
        self._of_text = frozenset([check.name for check in texts]) | {asks.NAME}
        """Those that pass where the text did not change."""
        self._of_words = frozenset([check.name for check in texts if check.weighed])
        """Those that pass where two texts weigh the same."""
        self._of_words_and_form = self._of_words | form.SETTLED
        self._of_changes = [check for check in texts if check.scope is Scope.CHANGED]
        """Those that need to see only the sentences that differ."""
        self._content_with = lru_cache(maxsize=256)(self._find_no_fault)
        self._asking = lru_cache(maxsize=256)(self._without)

    def verdicts(self, compared: Compared) -> tuple[CheckResult, ...]:
        passed, judges = self._asking(self._settled(compared))
        found: list[CheckResult] | None = None
        for place, judge in judges:
            said = judge(compared)
            if said is not passed[place]:
                found = found or list(passed)
                found[place] = said
        return passed if found is None else tuple(found)

    def _settled(self, compared: Compared) -> frozenset[str]:
        """The names of the checks that pass for sure."""
        if compared.variant.kind == CONTROL:
            return _NONE
        if compared.unchanged and compared.before.text.strip():
            return self._of_text
        if not compared.was.text or not same_weight(compared):
            return self._content_with(compared.was.text, compared.now.text)
        return self._of_words_and_form if same_form(compared) else self._of_words

    def _find_no_fault(self, before: str, after: str) -> frozenset[str]:
        """With the sentences that differ; a line put before many prompts is the same change in each."""
        was, now = read(before), read(after)
        return frozenset([check.name for check in self._of_changes if check.problem_of(was, now) is None])

    def _without(self, settled: frozenset[str]) -> Asking:
        asked = [place for place, name in enumerate(self.names) if name not in settled]
        return Asking(self.all_passed, tuple([(place, self._judges[place]) for place in asked]))


_NONE: frozenset[str] = frozenset()


def panel() -> Panel:
    """The hard checks, then those of third parties."""
    return _panel(len(CHECKS))


@lru_cache(maxsize=8)
def _panel(_count: int) -> Panel:
    """Checks are added and never taken away, so that their number tells whether there are new ones."""
    known = dict(CHECKS)
    return Panel((*((name, known.pop(name)) for name in HARD_CHECKS), *known.items()))


def _judge(check: Check) -> Judge:
    if isinstance(check, ComparedCheck):
        return check.judge
    return lambda compared: check(compared.item, compared.variant)
