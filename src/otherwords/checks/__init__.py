"""Item, variant → verdicts. A variant is worth running only if it passes them all."""

from __future__ import annotations

from otherwords.checks import identity, leak, length, lines, options, spans, words
from otherwords.checks.base import CHECKS, Check
from otherwords.checks.vet import vet

__all__ = ["CHECKS", "Check", "identity", "leak", "length", "lines", "options", "spans", "vet", "words"]
