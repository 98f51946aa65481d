"""`leak`: the right answer is not said more often than in the original."""

from __future__ import annotations

import re

from otherwords.checks.base import CHECKS, not_applicable, result
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult, Item, Variant

NAME = "leak"


@CHECKS.register(NAME)
def leak(item: Item, variant: Variant) -> CheckResult:
    """A single letter is no leak: it is an article or a label."""
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    answers = [answer.strip() for answer in right if len(answer.strip()) > 1]
    if not answers:
        return not_applicable(variant, NAME, "no answer that could be recognised")
    before, after = varied_text(item.prompt).casefold(), varied_text(variant.prompt).casefold()
    for answer in answers:
        said = answer.casefold()
        if said in after and _times(said, after) > _times(said, before):
            return result(variant, NAME, f"says the answer: {answer}")
    return result(variant, NAME, None)


def _times(answer: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", text))
