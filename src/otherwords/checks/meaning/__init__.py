"""Checks that ask a model whether two wordings mean the same. They are off unless switched on by name.

`make_check("embedding")`, `make_check("entailment")` and `make_check("judge=openai/gpt-4o-mini")` make one.
"""

from __future__ import annotations

from otherwords.checks.meaning.base import MEANING_CHECKS, MeaningCheck, make_check

__all__ = ["MEANING_CHECKS", "MeaningCheck", "make_check"]
