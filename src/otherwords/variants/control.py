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
from functools import cache, partial, reduce
from operator import add, mul, sub
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.lexicon import Patterns, read_lexicon
from otherwords.english.parse import parse
from otherwords.english.spans import Masked, find_spans, mask
from otherwords.variants.base import RuleFamily, reworded
from otherwords.variants.prose import prose

if TYPE_CHECKING:
    from spacy.tokens import Token

_BE = frozenset(("is", "are", "was", "were"))
_SAYS = Patterns("control")
Flip: TypeAlias = "tuple[str, dict[str, Any]]"
"""A prompt with another answer, and what its variant's params say of it."""


def _negated(question: str, masked: Masked) -> str:
    """`Which … is` ↔ `Which … is not`, in a question that negates nothing else."""
    plain = "".join("NOT" if masked.unmask(one) == "NOT" else one for one in question)
    cannot = _SAYS.cannot.fullmatch(plain)
    match = cannot or _SAYS.which.fullmatch(plain)
    if match is None or _SAYS.negation.search(match["rest"]):
        return ""
    if cannot or match["negation"]:
        return f"{match['asked']} {match['rest']}"
    if not _is_predicate(match["subject"], match["verb"], masked.unmask(match["rest"][:-1])):
        return ""
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
    is_open = _SAYS.in_subject.search(subject)
    return verb in _BE and not is_open and bool(_SAYS.predicate.fullmatch(words[0].text))


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


def _turned_round(question: str, masked: Masked) -> str:
    """The one superlative of the question turned round: `largest` → `smallest`."""
    superlative, opposites = _superlatives()
    found = superlative.findall(question)
    if len(found) != 1 or _SAYS.negation.search(superlative.sub("", question)):
        return ""
    return superlative.sub({"most": "least", "least": "most", **opposites}[found[0]], question)


@cache
def _superlatives() -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds superlatives, and each with its opposite; of several, the first one named."""
    found: dict[str, str] = {}
    for pair in read_lexicon("patterns")["superlatives"].split():
        one, other = pair.split(":")
        found.setdefault(one, other)
        found.setdefault(other, one)
    return Patterns("control", OPPOSITES="|".join(found)).superlative, found


def _with_new_question(change: Callable[[str, Masked], str], item: Item, seed: int) -> Flip | None:
    """The prompt with its one question changed; nothing where it has several, or no change is safe."""
    masked = mask(varied_text(item.prompt))
    questions = [
        (start + match.start(), match[0])
        for start, end in prose(masked)
        for match in _SAYS.question.finditer(masked.text[start:end])
    ]
    if len(questions) != 1 or not (new := change(questions[0][1], masked)):
        return None
    start, question = questions[0]
    return masked.unmask(masked.text[:start] + new + masked.text[start + len(question) :]), {}


# Sums whose answer shows how they are made, so that a changed number is sure to change it. "Tom has 3 boxes
# of 12 eggs. How many eggs?" with the answer 36 is 3 × 12. Only where the numbers in a prompt make the right
# answer in such a plain way, all of them used, is it safe to say that another number makes another answer.
_YEAR = range(1000, 2101)
_LARGEST_CHANGE = 9
Values: TypeAlias = "Sequence[Fraction]"
Way: TypeAlias = "Callable[[Values], Fraction]"


class _Number(NamedTuple):
    start: int
    end: int
    value: Fraction


def _divide(one: Fraction, other: Fraction) -> Fraction:
    return one / other if other else Fraction(-1)


_OPERATIONS = {"+": add, "-−–": sub, "*×·": mul, "/÷": _divide}


def _with_new_number(item: Item, seed: int) -> Flip | None:
    """One number of a sum changed, where the right answer shows how the numbers make it."""
    text, random = varied_text(item.prompt), Random(seed)
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    numbers = _numbers(text)
    if not numbers or not _SAYS.asked.search(text) or _SAYS.in_words.search(text):
        return None
    values = [number.value for number in numbers]
    if not (ways := _ways(text, values, right)):
        return None
    before = ways[0](values)
    places = [
        place
        for place, (start, _, value) in enumerate(numbers)
        if value.denominator == 1 and value >= 2 and not _SAYS.after_article.search(text[:start])
    ]
    random.shuffle(places)
    for place in places:
        all_steps = range(-_LARGEST_CHANGE, _LARGEST_CHANGE + 1)
        steps = [step for step in all_steps if step and values[place] + step >= 2]
        random.shuffle(steps)
        for new in (values[place] + step for step in steps):
            changed = [*values[:place], new, *values[place + 1 :]]
            after, *others = {way(changed) for way in ways}
            plausible = after >= 0 and (before.denominator > 1 or after.denominator == 1)
            if not others and plausible and after not in (before, *changed):
                start, end, _ = numbers[place]
                old = text[start:end]
                said = f"{int(new):,}" if "," in old else str(int(new))
                answer = str(after) if after.denominator == 1 else f"{float(after):g}"
                return text[:start] + said + text[end:], {"number": f"{old} -> {said}", "answer": answer}
    return None


def _numbers(text: str) -> list[_Number]:
    """The amounts in `text`; none where some number is a date, a year, a formula with letters, or in code."""
    found: list[_Number] = []
    for span in find_spans(text):
        said = text[span.start : span.end]
        if not any(character.isdigit() for character in said) or span.kind == "label":
            continue
        operands = _SAYS.sum.fullmatch(said) if span.kind == "formula" else None
        match = operands or (_SAYS.measure.fullmatch(said) if span.kind == "number" else None)
        if match is None:
            return []
        for start, end in [match.span(1), match.span(3)] if operands else [match.span(1)]:
            value = Fraction(said[start:end].replace(",", ""))
            if value in _YEAR and "," not in said[start:end]:
                return []
            found.append(_Number(span.start + start, span.start + end, value))
    return found


def _ways(text: str, values: Values, right: Sequence[str]) -> list[Way]:
    """How the numbers make the right answer: a sum that is written out, or whatever plain sum gives it."""
    sums = (_SAYS.sum.fullmatch(text[span.start : span.end]) for span in find_spans(text))
    written = [match for match in sums if match]
    if len(values) == 2 and len(written) == 1:
        return [partial(reduce, one) for signs, one in _OPERATIONS.items() if written[0][2] in signs]
    amounts = [_SAYS.amount.findall(one) for one in right]
    answers = {Fraction(one[0].replace(",", "")) for one in amounts if len(one) == 1}
    ways: list[Way] = []
    if len(values) == 2:
        ways = [_fold(one, order) for one in _OPERATIONS.values() for order in (1, -1)]
    elif len(values) == 3:
        ways = [partial(reduce, one) for one in (add, sub, mul)]
    return [] if written else [way for way in ways if answers == {way(values)}]


def _fold(operation: Callable[[Fraction, Fraction], Fraction], order: int) -> Way:
    return lambda values: reduce(operation, values[::order])


_FLIPS: dict[str, Callable[[Item, int], Flip | None]] = {
    "negate": partial(_with_new_question, _negated),
    "antonym": partial(_with_new_question, _turned_round),
    "number": _with_new_number,
}


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """Those of `control:negate`, `control:antonym` and `control:number` that are safe to make."""
    for change, flip in _FLIPS.items():
        if (flipped := flip(item, seed)) is not None:
            text, params = flipped
            params = {"expect": "another answer", **params}
            yield reworded(item, text, f"control:{change}", CONTROL, change, params)


CONTROL = RuleFamily("control", _variants, lambda item: "no change of it is sure to change the answer")
"""Controls: the answer must change."""
