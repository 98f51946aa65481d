"""Item, variant → verdicts. A variant is worth running only if it passes them all."""

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
from otherwords.checks.base import CHECKS, HARD_CHECKS, Check
from otherwords.checks.meaning import MEANING_CHECKS, MeaningCheck, make_check
from otherwords.checks.vet import vet, vet_all

__all__ = [
    "CHECKS",
    "HARD_CHECKS",
    "MEANING_CHECKS",
    "Check",
    "MeaningCheck",
    "make_check",
    "vet",
    "vet_all",
]
