"""Item, variant → check results. A variant is accepted if no check fails."""

from __future__ import annotations

from otherwords.checks import (  # noqa: F401  each registers itself
    asks,
    code,
    constraints,
    identity,
    leak,
    length,
    lines,
    names,
    numbers,
    options,
    refusal,
    spans,
    units,
    words,
)
from otherwords.checks.base import CHECKS, HARD_CHECKS, Check, CheckTraits
from otherwords.checks.meaning import MEANING_CHECKS, MeaningCheck, make_check
from otherwords.checks.run_checks import apply_meaning_checks, vet, vet_all

CHECKS.seal_own()

__all__ = [
    "CHECKS",
    "HARD_CHECKS",
    "MEANING_CHECKS",
    "Check",
    "CheckTraits",
    "MeaningCheck",
    "apply_meaning_checks",
    "make_check",
    "vet",
    "vet_all",
]
