"""`words`: negations, quantifiers, comparatives, modals and numbers in words are kept."""

from __future__ import annotations

import re
from collections import Counter

from otherwords.checks.base import CHECKS, result
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult, Item, Variant

NAME = "words"
_KEPT = ["no", "never", "none", "nor", "neither", "nobody", "nothing", "nowhere", "without", "except", "unless", "until", "only", "all", "some", "any", "most", "least", "more", "less", "fewer", "fewest", "few", "many", "much", "several", "both", "either", "half", "twice", "always", "often", "sometimes", "rarely", "usually", "exactly", "approximately", "can", "could", "may", "might", "must", "should", "shall", "will", "would", "cannot", "first", "second", "third", "last", "next", "previous", "before", "after", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "twenty", "thirty", "forty", "fifty", "hundred", "thousand", "million", "billion", "same", "different", "true", "false", "correct", "incorrect", "not", "each", "every", "likely", "probable"]
_WORD = re.compile(rf"\b(?:{'|'.join(_KEPT)})\b|n['’]t\b|\b[a-z]{{3,}}est\b", re.IGNORECASE)
_SAME = {"n't": "not", "n’t": "not", "every": "each", "probable": "likely"}
_NOT_SUPERLATIVE = frozenset(
    ["interest", "forest", "request", "suggest", "harvest", "honest", "digest", "contest"]
)


@CHECKS.register(NAME)
def words(item: Item, variant: Variant) -> CheckResult:
    before, after = _counted(varied_text(item.prompt)), _counted(varied_text(variant.prompt))
    if before == after:
        return result(variant, NAME, None)
    lost, added = before - after, after - before
    said = [f"{what}: {', '.join(sorted(ones))}" for what, ones in (("lost", lost), ("added", added)) if ones]
    return result(variant, NAME, "; ".join(said))


def _counted(text: str) -> Counter[str]:
    counted: Counter[str] = Counter()
    for match in _WORD.finditer(text):
        word = match.group().lower()
        if word == "cannot":
            counted.update(("can", "not"))
        elif word not in _NOT_SUPERLATIVE:
            counted[_SAME.get(word, word)] += 1
    return counted
