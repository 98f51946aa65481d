"""Options made comparable: case, apostrophes, underscores, punctuation and light plurals do not count."""

from __future__ import annotations

import re
import unicodedata

_APOSTROPHES = re.compile("['\u2018\u2019\u02bc\u0060\u00b4]")
_NOT_WORD = re.compile(r"[\W_]+")


def normalise(text: str) -> str:
    """Contractions lose their apostrophe and stay one word: `don't` → `dont`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _NOT_WORD.sub(" ", _APOSTROPHES.sub("", folded)).strip()


def tokens(text: str) -> frozenset[str]:
    return frozenset(singular(word) for word in normalise(text).split())


def singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """0 when either is empty: nothing overlaps with nothing."""
    if not one or not other:
        return 0.0
    return len(one & other) / len(one | other)
