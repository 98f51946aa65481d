"""Item, variant → check results, in layers: invariants refuse, flags ask for a look."""

from __future__ import annotations

from otherwords.checks import (  # noqa: F401  each registers itself
    asked,
    flags,
    form,
    leak,
    polarity,
    quantities,
    refusal,
    roles,
    spans,
)
from otherwords.checks.base import CHECKS, Check, CheckTraits
from otherwords.checks.meaning import MEANING_CHECKS, MeaningCheck, make_check
from otherwords.checks.run_checks import (
    apply_meaning_checks,
    checks_in_order,
    pairs_to_ask,
    vet,
    vet_all,
    with_results,
)

CHECKS.seal_own()

__all__ = [
    "CHECKS",
    "MEANING_CHECKS",
    "Check",
    "CheckTraits",
    "MeaningCheck",
    "apply_meaning_checks",
    "checks_in_order",
    "make_check",
    "pairs_to_ask",
    "vet",
    "vet_all",
    "with_results",
]
