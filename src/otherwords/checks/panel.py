"""All checks at once: which of them pass for sure, and what the others say when they are asked.

Most candidates are good, and most of their checks are settled by one look at what has changed.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import TypeAlias

from otherwords.checks import asks, form, spans
from otherwords.checks.base import (
    CHECKS,
    HARD_CHECKS,
    ON_PURPOSE,
    Check,
    ComparedCheck,
    Judge,
    Scope,
    TextCheck,
    is_control,
    is_exempt,
    not_applicable,
    result,
)
from otherwords.checks.form import may_have_code, same_form
from otherwords.checks.reading import Compared, read
from otherwords.checks.weight import same_weight
from otherwords.core.types import CheckResult
from otherwords.english.spans import same_spans

Asked: TypeAlias = "tuple[tuple[int, Judge, CheckResult], ...]"
"""The checks that are asked, by their places, and what each says when it finds no fault."""


class Panel:
    """The checks in the order in which they speak."""

    def __init__(self, checks: tuple[tuple[str, Check], ...]) -> None:
        self.names = tuple([name for name, _ in checks])
        self._judges = [_judge(name, check) for name, check in checks]
        self.not_asked = tuple([not_applicable(name, "the original") for name in self.names])
        """What they say of the original."""
        self.all_passed = tuple([result(name, None) for name in self.names])
        texts = [check for _, check in checks if isinstance(check, TextCheck)]
        of_words = {check.name for check in texts if check.weighed}
        self._all = self._but(())
        self._same_text = self._but({*[check.name for check in texts], asks.NAME})
        """Asked where the text did not change."""
        self._same_weight = self._but(of_words)
        """Asked where two texts weigh the same."""
        self._same_weight_and_form = self._but(of_words | form.SETTLED)
        self._of_changes = [check for check in texts if check.scope is Scope.CHANGED]
        """Those that need to see only the sentences that differ."""
        self._at_fault = lru_cache(maxsize=256)(self._find_fault)

    def results(self, compared: Compared) -> tuple[CheckResult, ...]:
        passed = self.all_passed
        found: list[CheckResult] | None = None
        for place, judge, content in self._asked(compared):
            said = judge(compared)
            if said != content:
                found = found or list(passed)
                found[place] = said
        return passed if found is None else tuple(found)

    def _asked(self, compared: Compared) -> Asked:
        """The checks that do not pass for sure."""
        if is_control(compared.variant):
            return self._all
        if compared.unchanged and compared.before.text.strip():
            return self._same_text
        if not compared.was.text or not same_weight(compared):
            return self._at_fault(compared.was.text, compared.now.text, _settled_of_all(compared))
        return self._same_weight_and_form if same_form(compared) else self._same_weight

    def _find_fault(self, before: str, after: str, settled: frozenset[str]) -> Asked:
        """With the sentences that differ; a line put before many prompts is the same change in each."""
        was, now = read(before), read(after)
        content = [check.name for check in self._of_changes if check.problem_of(was, now) is None]
        return self._but(settled.union(content))

    def _but(self, settled: Collection[str]) -> Asked:
        return tuple(
            [
                (place, self._judges[place], self.all_passed[place])
                for place, name in enumerate(self.names)
                if name not in settled
            ]
        )


def _settled_of_all(compared: Compared) -> frozenset[str]:
    """Of the checks that look at all of a text, those that pass for sure."""
    kept = same_spans(compared.before.text, compared.after_text)
    return _OF_ALL[kept, may_have_code(compared)]


_OF_ALL = {
    (kept, code): frozenset({spans.NAME} if kept else ()) | (frozenset() if code else form.OF_CODE)
    for kept in (False, True)
    for code in (False, True)
}


def panel() -> Panel:
    """The hard checks, then those of third parties."""
    return _panel(len(CHECKS))


@lru_cache(maxsize=8)
def _panel(_count: int) -> Panel:
    """Checks are added and never taken away, so that their number tells whether there are new ones."""
    known = dict(CHECKS)
    return Panel((*((name, known.pop(name)) for name in HARD_CHECKS), *known.items()))


def _judge(name: str, check: Check) -> Judge:
    if isinstance(check, ComparedCheck):
        return check.judge

    def judge(compared: Compared) -> CheckResult:
        if is_exempt(check, compared.variant):
            return not_applicable(name, ON_PURPOSE)
        return check(compared.item, compared.variant)

    return judge
