"""Scores and answers of every form, made comparable."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from otherwords.core.letters import index_of, letter_of

FORMAT = "format"
"""The reason of a row whose answer's format failed."""
NOT_ACCEPTED = "(no accepted answer)"
"""Stands for every wrong answer that is a sentence: its words differ each time, which is no flip."""
LONGEST_COMPARED = 5
"""Words of a wrong answer that is compared as it is."""
LONGEST_REASON = 500

_LETTER_SCORES = {"C": 1.0, "I": 0.0, "P": 0.5}
_WORD_SCORES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "false": 0.0, "no": 0.0, "incorrect": 0.0}
_WORD = re.compile(r"[-+]?\d+(?:[.,]\d+)*|\w+")


def score_number(value: Any) -> float | None:
    """A score as a number, or None when it is not one. It may lie outside [0, 1]."""
    if isinstance(value, str):
        text = value.strip()
        if text in _LETTER_SCORES:
            return _LETTER_SCORES[text]
        if text.lower() in _WORD_SCORES:
            return _WORD_SCORES[text.lower()]
        try:
            value = float(text)
        except ValueError:
            return None
    if not isinstance(value, bool | int | float) or math.isnan(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def why_no_number(value: Any) -> str:
    if value is None or isinstance(value, float):
        return "the scorer gave no score"
    if value == "N":
        return "no answer"
    return "the score is not one number"


def free_answer(answer: str | None, value: float | None, target: Any) -> str | None:
    """Free text made comparable over wordings: all right answers are one answer."""
    if value == 1.0:
        first = target[0] if isinstance(target, list) and target else target
        return str(first) if first else answer
    if answer is None:
        return None
    words = _WORD.findall(str(answer).casefold())
    return " ".join(words) if len(words) <= LONGEST_COMPARED else NOT_ACCEPTED


def chosen_options(answer: Any, order: Sequence[int]) -> tuple[str, int | None]:
    """The answer in terms of the original options, and its place among them if it is one option.

    `order[shown] = original`. An answer that names no options stays as it is.
    """
    originals = originals_of([answer], order)
    if originals is None:
        return str(answer), None
    return ", ".join(map(letter_of, sorted(originals))), originals[0] if len(originals) == 1 else None


def originals_of(letters: Sequence[Any], order: Sequence[int]) -> list[int] | None:
    """Places in the original order of all letters named, or None if any is no option's letter."""
    shown = [index_of(part) for text in letters for part in str(text).replace(",", " ").split()]
    if not shown or any(place is None or place >= len(order) for place in shown):
        return None
    return [order[place] for place in shown if place is not None]
