"""`length`: between half and twice as many words.

Eight words more or fewer are always allowed, since a frame such as "Here is a question to answer:" would
double a short question without changing it.
"""

from __future__ import annotations

from otherwords.checks.base import CHECKS, result
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult, Item, Variant

NAME = "length"
SHORTEST, LONGEST = 0.5, 2.0
SLACK = 8


@CHECKS.register(NAME)
def length(item: Item, variant: Variant) -> CheckResult:
    before, after = len(varied_text(item.prompt).split()), len(varied_text(variant.prompt).split())
    if not after:
        return result(variant, NAME, "the text is empty")
    within = SHORTEST * before <= after <= LONGEST * before
    if within or abs(after - before) <= SLACK:
        return result(variant, NAME, None)
    return result(variant, NAME, f"{after} words for the original's {before}")
