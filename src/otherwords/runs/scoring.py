"""Scorers that keep a failed answer format apart from a wrong answer.

A response without a usable answer gets `Score.unscored()`: it counts as neither right nor wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    Score,
    Scorer,
    Target,
    accuracy,
    choice,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

LONGEST_ANSWER = 300
"""Characters of a wrong answer that are kept beside its score; the whole is in the log."""

# fmt: off
_NUMBERS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]
# fmt: on
_DIGITS = {word: str(number) for number, word in enumerate(_NUMBERS)}
_ARTICLES = frozenset({"a", "an", "the"})
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_APOSTROPHES = re.compile(r"['’]")
# A number keeps its sign and its decimals; everything else is split at what is not a letter or a digit.
_WORD = re.compile(r"(?<![\w.])[-−]\d+(?:\.\d+)?|\d+(?:\.\d+)+|[^\W_]+")


def normalise(text: str) -> list[str]:
    """The words of `text` that matter: lower case, no punctuation, no articles, numbers as digits."""
    flat = _APOSTROPHES.sub("", unicodedata.normalize("NFKC", text).casefold())
    words = _WORD.findall(_THOUSANDS.sub("", flat))
    return [_DIGITS.get(word, word.replace("−", "-")) for word in words if word not in _ARTICLES]


def contains_answer(response: str, accepted: Iterable[str]) -> bool:
    """Whether any accepted answer occurs in the response as whole words."""
    said = normalise(response)
    return any(_occurs(normalise(answer), said, answer, response) for answer in accepted)


def _occurs(wanted: list[str], said: list[str], answer: str, response: str) -> bool:
    if not wanted:  # an answer that is all punctuation or articles, such as "+": compared as it stands
        return bool(answer.strip()) and answer.strip().casefold() == response.strip().casefold()
    return any(said[at : at + len(wanted)] == wanted for at in range(len(said) - len(wanted) + 1))


def score_short_answer(response: str, accepted: list[str]) -> Score:
    if contains_answer(response, accepted):
        return Score(value=CORRECT, answer=accepted[0], explanation=response)
    if not any(character.isalnum() for character in response):
        return Score.unscored(reason="no_response", answer="", explanation=response)
    return Score(value=INCORRECT, answer=response.strip()[:LONGEST_ANSWER], explanation=response)


@scorer(metrics=[accuracy(), stderr()])
def short_answer() -> Scorer:
    """Right when any accepted answer is said; `Score.answer` is then the first of them."""

    async def score(state: TaskState, target: Target) -> Score:
        return score_short_answer(state.output.completion, list(target))

    return score


@scorer(metrics=[accuracy(), stderr()])
def answers() -> Scorer:
    """Inspect's `choice` where the sample has choices, `short_answer` elsewhere."""
    chosen = choice()

    async def score(state: TaskState, target: Target) -> Score:
        if len(state.choices) == 0:
            return score_short_answer(state.output.completion, list(target))
        result = await chosen(state, target)
        if result is None or not result.answer:
            return Score.unscored(
                reason=(result.reason if result else None) or "invalid_response_format",
                answer="",
                explanation=state.output.completion,
            )
        return result

    return score
