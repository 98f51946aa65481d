"""What a person in a hurry types → standard English, so that it can be compared with the original.

A slip in a word that turns a meaning round is not mended: "nit" for "not" is no variant worth running.
"""

from __future__ import annotations

import re
from functools import cache

from otherwords.english.lexicon import read_lexicon

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SHORTEST_MENDED = 4


@cache
def _short_forms() -> tuple[dict[str, str], re.Pattern[str]]:
    long_of: dict[str, str] = read_lexicon("informal")["short_forms"]
    any_of = "|".join(map(re.escape, sorted(long_of, key=len, reverse=True)))
    return long_of, re.compile(rf"(?<![\w/'’])(?:{any_of})(?![\w/'’])", re.IGNORECASE)


def in_plain_english(text: str, original: str) -> str:
    """Short forms that the original does not have are written out; words with one slip become its words."""
    known = {word.lower() for word in _WORD.findall(original)}
    long_of, pattern = _short_forms()
    long = pattern.sub(
        lambda short: short[0] if short[0].lower() in known else long_of[short[0].lower()], text
    )
    words = {word.lower() for word in _WORD.findall(long)}
    negations = frozenset(read_lexicon("negations")["words"])
    missing = [word for word in known - words if len(word) >= _SHORTEST_MENDED and word not in negations]
    slips = {
        strange: right
        for strange in words - known
        for right in missing
        if abs(len(strange) - len(right)) <= 1 and is_one_slip(right, strange)
    }
    return _WORD.sub(lambda word: slips.get(word[0].lower(), word[0]), long) if slips else long


def is_one_slip(right: str, typed: str) -> bool:
    """One letter dropped, added or changed, or two neighbours swapped."""
    start = next(
        (at for at, (one, other) in enumerate(zip(right, typed, strict=False)) if one != other),
        min(len(right), len(typed)),
    )
    if len(right) == len(typed):
        swapped = right[start + 1 : start + 2] + right[start : start + 1] + right[start + 2 :]
        return right[start + 1 :] == typed[start + 1 :] or swapped == typed[start:]
    longer, shorter = (right, typed) if len(right) > len(typed) else (typed, right)
    return longer[start + 1 :] == shorter[start:]
