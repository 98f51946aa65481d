"""Scores and answers as tools write them → numbers in [0, 1] and answers comparable over wordings."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from otherwords.core.contract import FORMAT_FAILURE, INVALID_FORMAT, NO_RESPONSE, SCORED, UNSCORED, Status
from otherwords.core.types import index_of, letter_of

NOT_ACCEPTED = "(no accepted answer)"
"""Stands for every wrong answer that is a sentence: its words differ each time, which is no flip."""
LONGEST_COMPARED = 5
"""Words of a wrong answer that is compared as it is."""
LONGEST_REASON = 500

ScoreStatus = tuple[Status, float | None, str | None]
"""Status, score, and the reason why there is no score."""

_LETTER_SCORES = {"C": 1.0, "I": 0.0, "P": 0.5}
_WORD_SCORES = {"true": 1.0, "yes": 1.0, "correct": 1.0, "false": 0.0, "no": 0.0, "incorrect": 0.0}
_FORMAT_REASONS = frozenset({INVALID_FORMAT, NO_RESPONSE, FORMAT_FAILURE})
# A number with its sign, points and commas is one word.
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


def score_status(value: Any, reason: Any, format_failed: bool) -> ScoreStatus:
    """What a scorer's value and its reason come to."""
    if reason in _FORMAT_REASONS or format_failed:
        return UNSCORED, None, FORMAT_FAILURE
    number = score_number(value)
    if number is None:
        return UNSCORED, None, str(reason or _why_no_number(value))
    return SCORED, number, None


def _why_no_number(value: Any) -> str:
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


def option_order(given: str, n_choices: int) -> tuple[int, ...] | None:
    """`order[shown] = original` of "2,0,1"; as they stand if nothing is given, None if it does not fit."""
    if not given:
        return tuple(range(n_choices))
    try:
        order = tuple(int(part) for part in given.split(","))
    except ValueError:
        return None
    return order if sorted(order) == list(range(n_choices)) else None


def chosen_options(answer: Any, order: Sequence[int]) -> tuple[str, int | None]:
    """The answer in terms of the original options, and its place among them if it is one option.

    `order[shown] = original`. An answer that names no options stays as it is.
    """
    originals = _original_places(answer, order)
    if originals is None:
        return str(answer), None
    return ", ".join(map(letter_of, sorted(originals))), originals[0] if len(originals) == 1 else None


def target_place(letters: str, order: Sequence[int]) -> int | None:
    """The place of the right option in the original order, if exactly one is right."""
    originals = _original_places(letters, order)
    return originals[0] if originals is not None and len(originals) == 1 else None


def _original_places(letters: Any, order: Sequence[int]) -> list[int] | None:
    """Places in the original order of all letters named, or None if any is no option's letter."""
    shown = [index_of(part) for part in str(letters).replace(",", " ").split()]
    if not shown or any(place is None or place >= len(order) for place in shown):
        return None
    return [order[place] for place in shown if place is not None]
