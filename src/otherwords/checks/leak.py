"""`leak`: the right answer is not said more often than in the original."""

from __future__ import annotations

import re

from otherwords.checks.base import invariant
from otherwords.checks.reading import Pair
from otherwords.core.types import letter_of
from otherwords.english.quantities import mentions

_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_SHORT_ANSWERS = frozenset(("yes", "no", "true", "false"))


@invariant("leak", of_controls=True, english=False)
def leak(pair: Pair) -> str | None:
    """A single letter is no leak, but "the answer is B" is one."""
    item, shown = pair.item, pair.variant.target
    before, after = pair.whole_before, pair.whole_after
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    stripped = [_ARTICLE.sub("", answer.strip(), count=1).rstrip(".!? ") for answer in right]
    answers = [answer for answer in stripped if len(answer) > 1 or answer.isdigit()]
    for answer in answers:
        if _times_said(answer, after) > _times_said(answer, before):
            return f"says the answer: {answer}"
    if item.choices and isinstance(shown, int):
        names = rf"\b[Aa]nswer(?: is)?:? ?\(?(?:option )?{letter_of(shown)}\b"
        if re.search(names, after) and not re.search(names, before):
            return f"says which option is right: {letter_of(shown)}"
    others = " ".join(choice.casefold() for choice in item.choices if choice not in answers)
    new = {*_WORD.findall(after.casefold())}.difference(_WORD.findall(before.casefold()))
    for name in (name for answer in answers if " " in answer for name in answer.split()):
        is_name = len(name) > 4 and name[0].isupper()  # "Austen" for "Jane Austen"
        if is_name and name.casefold() in new and name.casefold() not in others:
            return f"says a part of the answer: {name}"
    return None


def _times_said(answer: str, text: str) -> int:
    """How often a text says the answer; a number in digits or in words."""
    folded, text = answer.casefold(), text.casefold()
    bare = folded.lstrip("$€£").removesuffix("%").strip()
    numbers = _numbers(bare) if bare.replace(",", "").replace(".", "").isdecimal() else []
    if len(numbers) == 1:
        return _numbers(text).count(numbers[0])
    if folded in _SHORT_ANSWERS:  # words like others; only where they stand alone do they answer
        alone = rf"(?:^|[.?!:;,]\s*|\banswer(?: is|:)?\s+|\ba ){folded}(?=\s*(?:[.,!?;:]|$)|\s+that\b)"
        return len(re.findall(alone, text))
    return len(re.findall(rf"(?<!\w){re.escape(folded)}(?!\w)", text))


def _numbers(text: str) -> list[object]:
    """The values of the numbers; in words, 1 is a pronoun as often as a number."""
    return [one.value for one in mentions(text) if one.value is not None and one.spelling != "vague"]
