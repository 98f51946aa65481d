"""`words`: negations, quantifiers, comparatives, modals and numbers in words are kept."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from otherwords.checks.base import CHECKS, result
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult, Item, Variant

NAME = "words"
_KEPT = frozenset(
    "not|no|never|none|nor|neither|nobody|nothing|nowhere|without|except|unless|until"
    "|only|all|each|every|some|any|most|least|more|less|fewer|fewest|few|many|much|several|both|either|half|twice"
    "|always|often|sometimes|rarely|usually|exactly|approximately|likely|probable"
    "|can|could|may|might|must|should|shall|will|would|cannot"
    "|first|second|third|last|next|previous|before|after|same|different|true|false|correct|incorrect"
    "|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|thirty|forty|fifty"
    "|hundred|thousand|million|billion".split("|")
)
_WORD = re.compile(r"[a-z]+")
_SAME = {"every": "each", "probable": "likely"}
_NOT_SUPERLATIVE = frozenset("test rest west interest forest request suggest honest contest".split(" "))
_CONTRACTED = re.compile(r"n['’]t\b")
"""The n is put back, so that "can't" reads as "cannot" does; "don not" harms nobody."""


@CHECKS.register(NAME)
def words(item: Item, variant: Variant) -> CheckResult:
    before, after = _counted(varied_text(item.prompt)), _counted(varied_text(variant.prompt))
    if before == after:
        return result(variant, NAME, None)
    lost, added = before - after, after - before
    said = [f"{what}: {', '.join(sorted(ones))}" for what, ones in (("lost", lost), ("added", added)) if ones]
    return result(variant, NAME, "; ".join(said))


@lru_cache(maxsize=1024)
def _counted(text: str) -> Counter[str]:
    lower = _CONTRACTED.sub("n not", text.lower()).replace("cannot", "can not")
    return Counter(
        _SAME.get(word, word) for word in _WORD.findall(lower) if word in _KEPT or _superlative(word)
    )


def _superlative(word: str) -> bool:
    return word.endswith("est") and word not in _NOT_SUPERLATIVE
