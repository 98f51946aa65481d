"""What a check is, and the registry of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from otherwords.core.registry import Registry
from otherwords.core.types import CheckResult, Item, Variant, Verdict

Check: TypeAlias = Callable[[Item, Variant], CheckResult]
"""Passes, fails with a reason, or does not apply."""

CHECKS: Registry[Check] = Registry("check", "otherwords.checks")


def result(variant: Variant, check: str, problem: str | None) -> CheckResult:
    """Fails with `problem`, passes without one."""
    verdict: Verdict = "pass" if problem is None else "fail"
    return CheckResult(variant.id, check, verdict, problem or "")


def not_applicable(variant: Variant, check: str, reason: str = "") -> CheckResult:
    return CheckResult(variant.id, check, "not_applicable", reason)
