"""Options made comparable: case, apostrophes, underscores, punctuation and light plurals do not count.

Signs do: `-5` is not `5`, `x < 3` is not `x > 3`, and `Na+` is not `Na`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_APOSTROPHES = re.compile("['\u2018\u2019\u02bc\u0060\u00b4]")
_NOT_WORD = re.compile(r"[\W_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PART = re.compile(r"\d+(?:[.,:]\d+)+(?![^\W_])|[^\W_]+|[^\w\s]")
_SUPERSCRIPTS = str.maketrans({raised: f"^{digit}" for digit, raised in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_JOINING = frozenset("-/\u2010\u2011\u2012\u2013\u2014")
"""Between two words these join or part them; beside a number or at one end of a word they are signs."""
_MEANING = frozenset("%#*&")
"""Punctuation to Unicode, but not to a reader of options."""
_SYMBOLS = ("Sm", "Sc", "Sk", "So")
_SHORT = 3
_BOOLEAN = frozenset({"yes", "no", "true", "false", "maybe"})


@lru_cache(maxsize=65536)
def normalise(text: str) -> str:
    """The words alone. Contractions lose their apostrophe and stay one word: `don't` → `dont`."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _NOT_WORD.sub(" ", _APOSTROPHES.sub("", folded)).strip()


@lru_cache(maxsize=65536)
def parts(text: str) -> tuple[str, ...]:
    """Words, numbers and signs in their order.

    An option of up to three letters keeps its case: `AA`, `Aa` and `aa` are different genes.
    """
    plain = unicodedata.normalize("NFKC", text.translate(_SUPERSCRIPTS)).strip()
    if len(plain) > _SHORT or plain.casefold() in _BOOLEAN:
        plain = plain.casefold()
    plain = _THOUSANDS.sub("", _APOSTROPHES.sub("", plain)).replace("\u2212", "-")
    return tuple(
        match[0]
        for match in _PART.finditer(plain)
        if match[0][0].isalnum() or _is_sign(plain, match.start(), match.end())
    )


def folded(text: str) -> str:
    """Two options with the same one say the same."""
    return " ".join(parts(text)) or text.strip()


def tokens(text: str) -> frozenset[str]:
    return frozenset(in_singular(text))


@lru_cache(maxsize=65536)
def in_singular(text: str) -> tuple[str, ...]:
    return tuple(singular(part) for part in parts(text))


@lru_cache(maxsize=65536)
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
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared)


def _is_sign(text: str, start: int, end: int) -> bool:
    sign = text[start:end]
    if sign not in _JOINING:
        return sign in _MEANING or unicodedata.category(sign) in _SYMBOLS
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isalpha() and after.isalpha():
        return False
    if before.strip() or after.strip():
        return True
    return text[:start].rstrip()[-1:].isdigit() or text[end:].lstrip()[:1].isdigit()
