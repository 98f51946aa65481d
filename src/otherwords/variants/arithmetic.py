"""Sums whose answer shows how they are made, so that a changed number is sure to change it.

"Tom has 3 boxes of 12 eggs. How many eggs?" with the answer 36 is 3 × 12. Only where the numbers in a
prompt make the right answer in such a plain way, all of them used, is it safe to say that another number
makes another answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul, sub
from random import Random
from typing import NamedTuple, TypeAlias

from otherwords.english.spans import find_spans

_ASKED = re.compile(
    r"\b[Hh]ow (?:many|much|far|long|old|fast)\b|\b[Ww]hat(?:['’]s| is| are| was| were| will)\b"
    r"|\b(?:Calculate|Compute|Find|Evaluate|Determine)\b"
)
_AMOUNT = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)")
_MEASURE = re.compile(rf"[$€£]?{_AMOUNT.pattern}(?:[ -]\D+)?")
_AFTER_ARTICLE = re.compile(r"\b[Aa]n? [$€£]?\Z")
_SUM = re.compile(r"(\d+) ?([-−–+*×·/÷]) ?(\d+)(?:(?: ?= ?\??)?)")
_IN_WORDS = re.compile(
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty"
    r"|forty|fifty"
    r"|hundred|thousand|dozen|half|halves|third|thirds|quarter|quarters|twice|double|triple|pair|couple"
    r"|once|percent"
    r"|average|mean|round|nearest|remainder|maximum|minimum|most|least|at least|at most|digits?)\b|%",
    re.IGNORECASE,
)
_YEAR = range(1000, 2101)
_LARGEST_CHANGE = 9

Operation: TypeAlias = "Callable[[Fraction, Fraction], Fraction]"


class Changed(NamedTuple):
    text: str
    number: str
    """The number before and after, such as `12 -> 15`."""
    answer: str
    """The new right answer."""


class _Number(NamedTuple):
    start: int
    end: int
    value: Fraction


def _divide(one: Fraction, other: Fraction) -> Fraction:
    return one / other if other else Fraction(-1)


_OPERATIONS: tuple[Operation, ...] = (add, sub, mul, _divide)
_SIGNS: dict[str, Operation] = {
    **dict.fromkeys("-−–", sub),
    "+": add,
    **dict.fromkeys("*×·", mul),
    **dict.fromkeys("/÷", _divide),
}


def change_number(text: str, right: Sequence[str], random: Random) -> Changed | None:
    """`text` with one of its numbers changed; None where no change is sure to change the answer."""
    numbers = _numbers(text)
    if not numbers or not _ASKED.search(text) or _IN_WORDS.search(text):
        return None
    ways = _ways(text, numbers, right)
    if not ways:
        return None
    values = [number.value for number in numbers]
    before = ways[0](values)
    places = [
        place
        for place, (start, _, value) in enumerate(numbers)
        if value.denominator == 1 and value >= 2 and not _AFTER_ARTICLE.search(text[:start])
    ]
    random.shuffle(places)
    for place in places:
        steps = [
            step
            for step in range(-_LARGEST_CHANGE, _LARGEST_CHANGE + 1)
            if step and values[place] + step >= 2
        ]
        random.shuffle(steps)
        for step in steps:
            changed = [*values[:place], values[place] + step, *values[place + 1 :]]
            answers = {way(changed) for way in ways}
            if len(answers) == 1 and _plausible(before, after := answers.pop(), changed):
                return _put(text, numbers[place], values[place] + step, after)
    return None


def _numbers(text: str) -> list[_Number]:
    """The amounts in `text`; none where some number is a date, a year, a formula with letters, or in code."""
    found: list[_Number] = []
    for span in find_spans(text):
        said = text[span.start : span.end]
        if not any(character.isdigit() for character in said) or span.kind == "label":
            continue
        operands = _SUM.fullmatch(said) if span.kind == "formula" else None
        amount = _MEASURE.fullmatch(said) if span.kind == "number" else None
        match = operands or amount
        if match is None:
            return []
        for start, end in [match.span(1), match.span(3)] if operands else [match.span(1)]:
            value = Fraction(said[start:end].replace(",", ""))
            found.append(_Number(span.start + start, span.start + end, value))
    in_years = any(number.value in _YEAR and "," not in text[number.start : number.end] for number in found)
    return [] if in_years else found


Way: TypeAlias = "Callable[[Sequence[Fraction]], Fraction]"


def _ways(text: str, numbers: Sequence[_Number], right: Sequence[str]) -> list[Way]:
    """How the numbers make the right answer: a sum that is written out, or whatever plain sum gives it."""
    written = [match for span in find_spans(text) if (match := _SUM.fullmatch(text[span.start : span.end]))]
    if len(numbers) == 2 and len(written) == 1:
        operation = _SIGNS[written[0][2]]
        return [lambda values: operation(values[0], values[1])]
    answer = _answer(right)
    if written or answer is None:
        return []
    values = [number.value for number in numbers]
    return [way for way in _plain_ways(len(values)) if way(values) == answer]


def _plain_ways(count: int) -> list[Way]:
    if count == 2:
        return [
            way
            for operation in _OPERATIONS
            for way in (_fold(operation), lambda values, operation=operation: operation(values[1], values[0]))
        ]
    return [_fold(add), _fold(sub), _fold(mul)] if count == 3 else []


def _fold(operation: Operation) -> Way:
    return lambda values: reduce(operation, values)


def _answer(right: Sequence[str]) -> Fraction | None:
    """The one number that the accepted answers agree on."""
    found = {
        Fraction(amounts[0].replace(",", "")) for one in right if len(amounts := _AMOUNT.findall(one)) == 1
    }
    return found.pop() if len(found) == 1 else None


def _plausible(before: Fraction, after: Fraction, values: Sequence[Fraction]) -> bool:
    whole = before.denominator > 1 or after.denominator == 1
    return after != before and after >= 0 and whole and after not in values


def _put(text: str, number: _Number, value: Fraction, answer: Fraction) -> Changed:
    old = text[number.start : number.end]
    new = f"{int(value):,}" if "," in old else str(int(value))
    shown = str(answer.numerator) if answer.denominator == 1 else f"{float(answer):g}"
    return Changed(text[: number.start] + new + text[number.end :], f"{old} -> {new}", shown)
