"""Forms of one word: "stopping" is "stop", "allergic" is "allergy"."""

from __future__ import annotations

from functools import lru_cache

from otherwords.checks.quantities import NUMBERS_IN_WORDS

_ENDINGS = ("ings", "ing", "ies", "ied", "es", "ed", "ly", "er", "s", "e", "y")
_SHORTEST, _LONGEST = 3, 5


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """Equal for forms of one word; numbers in words are those in digits."""
    if word in NUMBERS_IN_WORDS:
        return NUMBERS_IN_WORDS[word]
    if not word[0].isalpha():
        return word
    bare = word.split("'", 1)[0]
    ending = next((one for one in _ENDINGS if bare.endswith(one) and len(bare) - len(one) >= _SHORTEST), "")
    root = bare[: len(bare) - len(ending)] if ending else bare
    if len(root) > _SHORTEST and root[-1] == root[-2]:
        root = root[:-1]
    return root[:_LONGEST]
