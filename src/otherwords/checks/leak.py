"""`leak`: the right answer is not said more often than in the original."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from otherwords.checks.base import judges, not_applicable, result
from otherwords.checks.light import LIGHT
from otherwords.checks.quantities import numbers_in_digits
from otherwords.checks.reading import Compared, Reading
from otherwords.checks.tokens import words_in
from otherwords.core.types import CheckResult, Item, letter_of

NAME = "leak"
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_LAST_NAME = 5
"""A single word of an answer of several words gives it away from this length on."""
_SEVERAL = 3
_SHORT_ANSWERS = frozenset(("yes", "no", "true", "false"))


class Answer(NamedTuple):
    text: str
    folded: str
    value: str
    """Of a number; else empty."""
    names: tuple[str, ...]
    """Words within it that may give it away by themselves."""
    words: frozenset[str]
    """All of weight."""


_PASSED = result(NAME, None)


@judges(NAME)
def leak(compared: Compared) -> CheckResult:
    """A single letter is no leak, but "the answer is B" is one."""
    item, shown = compared.item, compared.variant.target
    letter = ""
    if item.choices and isinstance(shown, int):
        if compared.unchanged:
            return _PASSED
        letter = letter_of(shown)
    answers = _answers((item.choices[item.target],) if isinstance(item.target, int) else item.target)
    if not answers and not letter:
        return not_applicable(NAME, "no answer that could be recognised")
    if compared.unchanged or not _leaked(item, answers, letter, compared.was, compared.now):
        return _PASSED
    return result(NAME, _leaked(item, answers, letter, compared.before, compared.after))


def _leaked(
    item: Item, answers: Sequence[Answer], letter: str, before: Reading, after: Reading
) -> str | None:
    if not (letter and "nswer" in after.text) and not _may_be_said(answers, after):
        return None
    for answer in answers:
        if _more_often(answer, before, after):
            return f"says the answer: {answer.text}"
    if letter and _names_option(letter, after.text) and not _names_option(letter, before.text):
        return f"says which option is right: {letter}"
    for answer in answers:
        if _says_otherwise(answer, before, after):
            return f"says the answer in other words: {answer.text}"
    word = _telling_word(item, answers, before, after)
    return f"says a part of the answer: {word}" if word else None


def _may_be_said(answers: Sequence[Answer], text: Reading) -> bool:
    """Soon seen, and no for most texts and answers."""
    for answer in answers:
        if answer.value or answer.names or answer.words or answer.folded in text.folded:
            return True
    return False


def _says_otherwise(answer: Answer, before: Reading, after: Reading) -> bool:
    """All its words of weight are there, and more than one of them is new."""
    if len(answer.words) < _SEVERAL or not answer.words <= after.word_set:
        return False
    return len(answer.words - before.word_set) > 1


@lru_cache(maxsize=256)
def _answers(right: tuple[str, ...]) -> tuple[Answer, ...]:
    stripped = [_ARTICLE.sub("", answer.strip(), count=1).rstrip(".!? ") for answer in right]
    return tuple([_answer(answer) for answer in stripped if len(answer) > 1 or answer.isdigit()])


def _answer(text: str) -> Answer:
    folded = text.casefold()
    number = folded.lstrip("$€£").removesuffix("%").strip()
    is_number = number.replace(",", "").replace(".", "").isdecimal()
    value = next(iter(numbers_in_digits(number))) if is_number else ""
    words = text.split() if " " in text else []
    names = tuple(word for word in words if len(word) >= _LAST_NAME and word[0].isupper())
    weighty = frozenset(words_in(text)) - LIGHT if len(words) >= _SEVERAL else frozenset()
    return Answer(text, folded, value, names, weighty)


def _names_option(letter: str, text: str) -> bool:
    return "nswer" in text and _answer_is(letter).search(text) is not None


@lru_cache(maxsize=64)
def _answer_is(letter: str) -> re.Pattern[str]:
    return re.compile(rf"\b[Aa]nswer(?: is)?:? ?\(?(?:option )?{re.escape(letter)}\b")


def _more_often(answer: Answer, before: Reading, after: Reading) -> bool:
    if answer.value:
        return _count(answer.value, after) > _count(answer.value, before)
    said = answer.folded
    if said not in after.folded:
        return False
    if said in _SHORT_ANSWERS:
        # They are words like others; only where they stand alone do they answer.
        alone = _alone(said)
        return len(alone.findall(after.folded)) > len(alone.findall(before.folded))
    return _times(said, after.folded) > _times(said, before.folded)


def _count(value: str, reading: Reading) -> int:
    """In words, 1 is a pronoun as often as a number: "the larger one"."""
    return reading.digits.get(value, 0) + (reading.spelled.get(value, 0) if value != "1" else 0)


@lru_cache(maxsize=8)
def _alone(answer: str) -> re.Pattern[str]:
    before = r"(?:^|[.?!:;,]\s*|\banswer(?: is|:)?\s+|\ba )"
    return re.compile(rf"{before}{answer}(?=\s*(?:[.,!?;:]|$)|\s+that\b)")


def _times(answer: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w){re.escape(answer)}(?!\w)", text))


def _telling_word(item: Item, answers: Sequence[Answer], before: Reading, after: Reading) -> str | None:
    """A name within the answer, new in the variant, that no other option has: "Austen" for "Jane Austen"."""
    for answer in answers:
        for name in answer.names:
            lower = name.casefold()
            if lower in after.word_set and lower not in before.word_set:
                right = [one.text for one in answers]
                others = (choice.casefold() for choice in item.choices if choice not in right)
                if not any(lower in other for other in others):
                    return name
    return None
