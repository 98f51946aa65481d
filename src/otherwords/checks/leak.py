"""`leak`: the right answer is not said more often than in the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from otherwords.checks.base import CHECKS, not_applicable, result
from otherwords.checks.quantities import numbers_in_digits
from otherwords.checks.reading import Reading, readings
from otherwords.core.letters import letter_of
from otherwords.core.types import CheckResult, Item, Variant

NAME = "leak"
_ARTICLE = re.compile(r"(?:the|a|an)\s+", re.IGNORECASE)
_LAST_NAME = 5
"""A single word of an answer of several words gives it away from this length on."""
_SHORT_ANSWERS = frozenset(("yes", "no", "true", "false"))


@CHECKS.register(NAME)
def leak(item: Item, variant: Variant) -> CheckResult:
    """A single letter is no leak, but "the answer is B" is one."""
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    answers, letter = _answers(right), _letter(item, variant)
    if not answers and not letter:
        return not_applicable(variant, NAME, "no answer that could be recognised")
    before, after = readings(item, variant)
    for answer in answers if before is not after else ():
        if _more_often(answer, before, after):
            return result(variant, NAME, f"says the answer: {answer}")
    if letter and _names_option(letter, after.text) and not _names_option(letter, before.text):
        return result(variant, NAME, f"says which option is right: {letter}")
    word = _telling_word(item, answers, before, after)
    return result(variant, NAME, f"says a part of the answer: {word}" if word else None)


@lru_cache(maxsize=256)
def _answers(right: tuple[str, ...]) -> tuple[str, ...]:
    stripped = (_ARTICLE.sub("", answer.strip(), count=1).rstrip(".!? ") for answer in right)
    return tuple(answer for answer in stripped if len(answer) > 1 or answer.isdigit())


def _letter(item: Item, variant: Variant) -> str:
    return letter_of(variant.target) if item.choices and isinstance(variant.target, int) else ""


def _names_option(letter: str, text: str) -> bool:
    return "nswer" in text and _answer_is(letter).search(text) is not None


@lru_cache(maxsize=64)
def _answer_is(letter: str) -> re.Pattern[str]:
    return re.compile(rf"\b[Aa]nswer(?: is)?:? ?\(?(?:option )?{re.escape(letter)}\b")


def _more_often(answer: str, before: Reading, after: Reading) -> bool:
    said = answer.casefold()
    key = said.lstrip("$€£").removesuffix("%").strip()
    if key.replace(",", "").replace(".", "").isdigit():
        value = next(iter(numbers_in_digits(key)))
        return _count(value, after) > _count(value, before)
    now = after.text.casefold()
    if said not in now:
        return False
    was = before.text.casefold()
    if said in _SHORT_ANSWERS:
        # They are words like others; only where they stand alone do they answer.
        alone = _alone(said)
        return len(alone.findall(now)) > len(alone.findall(was))
    return _times(said, now) > _times(said, was)


def _count(value: str, reading: Reading) -> int:
    return reading.digits.get(value, 0) + reading.spelled.get(value, 0)


@lru_cache(maxsize=8)
def _alone(answer: str) -> re.Pattern[str]:
    before = r"(?:^|[.?!:;,]\s*|\banswer(?: is|:)?\s+|\ba )"
    return re.compile(rf"{before}{answer}(?=\s*(?:[.,!?;:]|$)|\s+that\b)")


def _times(answer: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", text))


def _telling_word(item: Item, answers: Sequence[str], before: Reading, after: Reading) -> str | None:
    """A name within the answer, new in the variant, that no other option has: "Austen" for "Jane Austen"."""
    for answer in answers:
        for word in answer.split() if " " in answer else ():
            if len(word) < _LAST_NAME or not word[0].isupper():
                continue
            lower = word.casefold()
            if lower in after.word_set and lower not in before.word_set:
                others = (choice.casefold() for choice in item.choices if choice not in answers)
                if not any(lower in other for other in others):
                    return word
    return None
