"""Item, variant → verdicts. A variant is worth running only if it passes them all."""

from __future__ import annotations

from otherwords.checks import (
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
from otherwords.checks.base import CHECKS, Check
from otherwords.checks.meaning import MEANING_CHECKS, MeaningCheck, make_check
from otherwords.checks.vet import vet, vet_all

HARD_CHECKS = tuple(
    check.NAME
    for check in (
        identity,
        spans,
        code,
        numbers,
        units,
        words,
        constraints,
        names,
        asks,
        refusal,
        leak,
        length,
        lines,
        options,
    )
)
"""The names of the checks that need no model."""

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
