"""The family `control`: almost the same words, another problem. The right answer must change.

A model that gives the original's answer to these does not read its input, however stable it looks. So they
are no part of a robustness score, and the checks that ask for the same meaning do not apply to them. The
target stays the original's: to be responsive is to be wrong by it. Where the new answer is known, it is in
`params["answer"]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import reduce
from operator import add, mul, sub
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from otherwords.core.registry import FamilyTraits
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.parse import parse
from otherwords.english.spans import find_spans
from otherwords.variants.base import reworded
from otherwords.variants.prose import prose
from otherwords.variants.protect import Masked, mask

if TYPE_CHECKING:
    from spacy.tokens import Token

_BE = frozenset(("is", "are", "was", "were"))
_WHICH = re.compile(
    r"(?P<asked>Which (?P<subject>of (?:the following|these|those)(?: [a-z]+){0,2}|[a-z]+(?: [a-z]+)?)"
    r" (?P<verb>is|are|was|were|can|could|would|should|must)) (?P<negation>(?:not|NOT) )?(?P<rest>[^?]+\?)"
)
_CANNOT = re.compile(
    r"(?P<asked>Which of (?:the following|these|those)(?: [a-z]+){0,2} can)not (?P<rest>[^?]+\?)"
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|except|without|most|least|neither|nor|cannot|unless|only|always|all)\b|n['’]t\b",
    re.IGNORECASE,
)
_PREDICATES = frozenset(
    "known found used located made called considered responsible composed true false correct able associated "
    "caused classified defined described formed produced required related involved capable part".split()
)
_IN_SUBJECT = frozenset(("who", "that", "which", "in", "of", "to", "for", "with"))

_OPPOSITES = {
    one: other
    for pair in (
        "largest:smallest biggest:smallest highest:lowest longest:shortest tallest:shortest oldest:youngest"
        " heaviest:lightest hottest:coldest warmest:coldest fastest:slowest strongest:weakest"
        " deepest:shallowest widest:narrowest brightest:dimmest richest:poorest easiest:hardest"
        " earliest:latest thickest:thinnest ascending:descending"
    ).split()
    for one, other in (pair.split(":"), pair.split(":")[::-1])
}
_OPPOSITES |= {"smallest": "largest", "shortest": "longest", "coldest": "hottest", "greatest": "smallest"}
_GRADED = (
    r"(?:likely|common|abundant|populous|important|expensive|dense|frequent|efficient|reactive|stable|recent)"
)
_COMMON = r"(?! common (?:\w*sequence|substring|multiple|divisor|factor|denominator|ancestor)\b)"
_SUPERLATIVE = re.compile(rf"\b(?:{'|'.join(_OPPOSITES)}|(?:most|least)(?= {_GRADED}\b))\b{_COMMON}")


class Flip(NamedTuple):
    text: str
    params: dict[str, Any]


class Control:
    """Controls: the answer must change."""

    name = "control"
    version = 1
    traits = FamilyTraits(
        summary="changes the problem, so that the answer must change", is_control=True, english_only=True
    )

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """Those of `control:negate`, `control:antonym` and `control:number` that are safe to make."""
        made: list[Variant] = []
        for change, flip in _FLIPS:
            if len(made) < k and (flipped := flip(item, seed)) is not None:
                made.append(
                    reworded(
                        item,
                        flipped.text,
                        name=f"control:{change}",
                        family=self,
                        change=change,
                        params={"expect": "another answer", **flipped.params},
                    )
                )
        return made

    def why_none(self, item: Item) -> str:
        """Why no control is safe to make."""
        return "no change of it is sure to change the answer"


def negate(item: Item, seed: int) -> Flip | None:
    """`Which … is` ↔ `Which … is not`, in the one question of a prompt, which negates nothing else."""
    found = _question(item)
    if found is None:
        return None
    masked, start, question = found
    plain = "".join("NOT" if masked.unmask(one) == "NOT" else one for one in question)
    new = _negated(plain, masked.unmask)
    return _with_question(masked, start, question, new) if new else None


def _negated(question: str, unmask: Callable[[str], str]) -> str | None:
    cannot = _CANNOT.fullmatch(question)
    match = cannot or _WHICH.fullmatch(question)
    if match is None or _NEGATION.search(match["rest"]):
        return None
    if cannot or match["negation"]:
        return f"{match['asked']} {match['rest']}"
    if not _is_predicate(match["subject"], match["verb"], unmask(match["rest"][:-1])):
        return None
    return f"{match['asked']}{'not' if match['verb'] == 'can' else ' not'} {match['rest']}"


def _is_predicate(subject: str, verb: str, rest: str) -> bool:
    """`rest` says something of the subject; in "Which year was the treaty signed?" it is a subject itself."""
    words = [token for token in parse(rest) if not token.is_space]
    if not words or not words[0].is_lower or words[0].pos_ == "PRON" or words[-1].pos_ == "ADP":
        return False
    if words[0].pos_ == "DET":
        return verb in _BE and _is_noun_phrase(words)
    if subject.startswith("of "):
        return True
    return verb in _BE and words[0].text in _PREDICATES and not _IN_SUBJECT & set(subject.split())


def _is_noun_phrase(words: list[Token]) -> bool:
    """A noun with what belongs to it; a verb only inside a relative clause, and not as the last word."""
    verbs = [word for word in words if word.pos_ in ("VERB", "AUX")]
    inside = all(any(above.dep_ in ("relcl", "acl") for above in (word, *word.ancestors)) for word in verbs)
    roots = [word for word in words if word.dep_ == "ROOT"]
    return (
        inside
        and len(roots) == 1
        and roots[0].pos_ in ("NOUN", "PROPN", "ADJ")
        and words[-1].tag_ not in ("VBN", "VBG", "VBD", "VB")
    )


def antonym(item: Item, seed: int) -> Flip | None:
    """The one superlative of the question turned round: `largest` → `smallest`."""
    found = _question(item)
    if found is None:
        return None
    masked, start, question = found
    superlatives = _SUPERLATIVE.findall(question)
    if len(superlatives) != 1 or _NEGATION.search(_SUPERLATIVE.sub("", question)):
        return None
    opposite = {"most": "least", "least": "most", **_OPPOSITES}[superlatives[0]]
    return _with_question(masked, start, question, _SUPERLATIVE.sub(opposite, question))


def number(item: Item, seed: int) -> Flip | None:
    """One number of a sum changed, where the right answer shows how the numbers make it."""
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    changed = change_number(varied_text(item.prompt), right, Random(seed))
    return Flip(changed.text, {"number": changed.number, "answer": changed.answer}) if changed else None


_FLIPS: tuple[tuple[str, Callable[[Item, int], Flip | None]], ...] = (
    ("negate", negate),
    ("antonym", antonym),
    ("number", number),
)
CONTROL = Control()


def _question(item: Item) -> tuple[Masked, int, str] | None:
    """The prompt's one question, where it starts, and what it says."""
    masked = mask(varied_text(item.prompt))
    questions = list(_questions(masked))
    return (masked, *questions[0]) if len(questions) == 1 else None


def _questions(masked: Masked) -> Iterator[tuple[int, str]]:
    for start, end in prose(masked):
        for match in re.finditer(r"(?:(?<=[.?!] )|\A)[^.?!]*\?", masked.text[start:end]):
            yield start + match.start(), match.group()


def _with_question(masked: Masked, start: int, question: str, new: str) -> Flip:
    return Flip(masked.unmask(masked.text[:start] + new + masked.text[start + len(question) :]), {})


# Sums whose answer shows how they are made, so that a changed number is sure to change it. "Tom has 3 boxes
# of 12 eggs. How many eggs?" with the answer 36 is 3 × 12. Only where the numbers in a prompt make the right
# answer in such a plain way, all of them used, is it safe to say that another number makes another answer.
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
