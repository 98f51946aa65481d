"""`leak`: the right answer is not said more often than in the original."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from otherwords.checks.base import invariant
from otherwords.checks.reading import Pair
from otherwords.core.types import Item, letter_of
from otherwords.english.quantities import mentions

_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_LAST_NAME = 5
"""A single word of an answer of several words gives it away from this length on."""
_SEVERAL = 3
_SHORT_ANSWERS = frozenset(("yes", "no", "true", "false"))
_SMALL_WORDS = frozenset("the a an of in on at to by for and or is are was were it its as with from".split())


@invariant("leak", of_controls=True, english=False)
def leak(pair: Pair) -> str | None:
    """A single letter is no leak, but "the answer is B" is one."""
    item, shown = pair.item, pair.variant.target
    letter = letter_of(shown) if item.choices and isinstance(shown, int) else ""
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    stripped = [_ARTICLE.sub("", answer.strip(), count=1).rstrip(".!? ") for answer in right]
    answers = [answer for answer in stripped if len(answer) > 1 or answer.isdigit()]
    if pair.unchanged or not (answers or letter):
        return None
    before, after = pair.whole_before, pair.whole_after
    for answer in answers:
        if _more_often(answer, before, after):
            return f"says the answer: {answer}"
    if letter and _names_option(letter, after) and not _names_option(letter, before):
        return f"says which option is right: {letter}"
    words_before, words_after = _words(before), _words(after)
    for answer in (answer for answer in answers if len(answer.split()) >= _SEVERAL):
        words = _words(answer) - _SMALL_WORDS
        if len(words) >= _SEVERAL and words <= words_after and len(words - words_before) > 1:
            return f"says the answer in other words: {answer}"
    name = _telling_name(item, answers, words_after - words_before)
    return f"says a part of the answer: {name}" if name else None


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _values(text: str) -> list[Fraction]:
    """The numbers of a text; in words, 1 is a pronoun as often as a number."""
    return [one.value for one in mentions(text) if one.value is not None and one.spelling != "vague"]


def _more_often(answer: str, before: str, after: str) -> bool:
    folded = answer.casefold()
    bare = folded.lstrip("$€£").removesuffix("%").strip()
    values = _values(bare) if bare.replace(",", "").replace(".", "").isdecimal() else []
    if len(values) == 1:
        return _values(after).count(values[0]) > _values(before).count(values[0])
    if folded not in after.casefold():
        return False
    pattern = _alone(folded) if folded in _SHORT_ANSWERS else _whole(folded)
    return len(pattern.findall(after.casefold())) > len(pattern.findall(before.casefold()))


@lru_cache(maxsize=8)
def _alone(answer: str) -> re.Pattern[str]:
    """Yes, no, true and false are words like others; only where they stand alone do they answer."""
    before = r"(?:^|[.?!:;,]\s*|\banswer(?: is|:)?\s+|\ba )"
    return re.compile(rf"{before}{answer}(?=\s*(?:[.,!?;:]|$)|\s+that\b)")


@lru_cache(maxsize=64)
def _whole(answer: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(answer)}(?!\w)")


def _names_option(letter: str, text: str) -> bool:
    pattern = rf"\b[Aa]nswer(?: is)?:? ?\(?(?:option )?{re.escape(letter)}\b"
    return "nswer" in text and re.search(pattern, text) is not None


def _telling_name(item: Item, answers: list[str], new: frozenset[str]) -> str | None:
    """A name within the answer, new in the variant, that no other option has: "Austen" for "Jane Austen"."""
    others = " ".join(choice.casefold() for choice in item.choices if choice not in answers)
    for name in (name for answer in answers if " " in answer for name in answer.split()):
        telling = len(name) >= _LAST_NAME and name[0].isupper()
        if telling and name.casefold() in new and name.casefold() not in others:
            return name
    return None
