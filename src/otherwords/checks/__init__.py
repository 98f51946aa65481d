"""Item, variant → check results, in layers: invariants refuse, flags ask for a look."""

from __future__ import annotations

# Each of these modules registers its checks.
from otherwords.checks import answers, asked, flags, form, polarity, quantities, roles, spans  # noqa: F401
from otherwords.checks.base import CHECKS, CheckTraits
from otherwords.checks.meaning import MeaningCheck, make_check
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
