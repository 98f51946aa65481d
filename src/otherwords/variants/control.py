"""The family `control`: almost the same words, another problem. The right answer must change.

A model that gives the original's answer to these does not read its input, however stable it looks. They are
no part of a robustness score, and no check of the meaning applies to them. The target stays the original's:
to be responsive is to be wrong by it. Where the new answer is known, it is in `params["answer"]`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random

from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.lexicon import Patterns, read_lexicon
from otherwords.english.parse import parse
from otherwords.english.spans import Masked, find_spans, mask
from otherwords.variants.base import RuleFamily, reworded
from otherwords.variants.prose import prose

_BE = frozenset(("is", "are", "was", "were"))
_SAYS = Patterns("control")


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """Those of `control:negate`, `control:antonym` and `control:number` that are safe to make."""
    masked, params = mask(varied_text(item.prompt)), {"expect": "another answer"}
    questions = [
        (start + match.start(), match[0])
        for start, end in prose(masked)
        for match in _SAYS.question.finditer(masked.text[start:end])
    ]
    for change, turned in (("negate", _negated), ("antonym", _turned_round)):
        at, question = questions[0] if len(questions) == 1 else (0, "")
        if new := turned(question, masked):
            text = masked.unmask(masked.text[:at] + new + masked.text[at + len(question) :])
            yield reworded(item, text, f"control:{change}", CONTROL, change, params)
    for text, more in _with_new_number(item, seed):
        yield reworded(item, text, "control:number", CONTROL, "number", {**params, **more})


CONTROL = RuleFamily("control", _variants)
"""Controls: the answer must change."""


def _negated(question: str, masked: Masked) -> str:
    """`Which … is` ↔ `Which … is not`, in a question that negates nothing else."""
    plain = "".join("NOT" if masked.unmask(one) == "NOT" else one for one in question)
    match = _SAYS.which.fullmatch(plain)
    if match is None or _SAYS.negation.search(match["rest"]):
        return ""
    if match["negation"]:
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
        roots = [word.pos_ for word in words if word.dep_ == "ROOT"]
        is_noun = roots in (["NOUN"], ["PROPN"], ["ADJ"])
        return verb in _BE and is_noun and words[-1].tag_ not in ("VB", "VBD", "VBG", "VBN")
    is_open = _SAYS.in_subject.search(subject) or not _SAYS.predicate.fullmatch(words[0].text)
    return subject.startswith("of ") or (verb in _BE and not is_open)


def _turned_round(question: str, masked: Masked) -> str:
    """The one superlative of the question turned round: `largest` → `smallest`."""
    opposites = read_lexicon("patterns")["superlatives"]
    found = [match for match in _SAYS.superlative.finditer(question) if match[0] in opposites]
    if len(found) != 1:
        return ""
    before, after = question[: found[0].start()], question[found[0].end() :]
    return "" if _SAYS.negation.search(before + after) else before + opposites[found[0][0]] + after


# "Tom has 3 boxes of 12 eggs. How many eggs?" with the answer 36 is 3 × 12. Only where all numbers of a
# prompt make the right answer in such a plain way is it safe to say that another number makes another one.
_YEAR = range(1000, 2101)
_LARGEST_CHANGE = 9


def _results(values: Sequence[Fraction]) -> list[Fraction]:
    """What two or three numbers make by plain sums, always in the same order."""
    if len(values) == 2 and 0 not in values:
        a, b = values
        return [a + b, a - b, b - a, a * b, a / b, b / a]
    if len(values) == 3:
        a, b, c = values
        return [a + b + c, a - b - c, a * b * c]
    return []


def _with_new_number(item: Item, seed: int) -> Iterator[tuple[str, dict[str, str]]]:
    """The text with one number of a sum changed, once if at all; what was changed, and the new answer."""
    text = varied_text(item.prompt)
    right = (item.choices[item.target],) if isinstance(item.target, int) else item.target
    if not _SAYS.asked.search(text) or _SAYS.in_words.search(text):
        return
    numbers = _numbers(text)
    values = [value for _, _, value in numbers]
    amounts = [_SAYS.amount.findall(one) for one in right]
    answers = {Fraction(one[0].replace(",", "")) for one in amounts if len(one) == 1}
    ways = [way for way, result in enumerate(_results(values)) if {result} == answers]
    steps = [
        (place, value + step)
        for place, (start, _, value) in enumerate(numbers)
        if value.denominator == 1 and value >= 2 and not _SAYS.after_article.search(text[:start])
        for step in range(-_LARGEST_CHANGE, _LARGEST_CHANGE + 1)
        if step and value + step >= 2
    ]
    Random(seed).shuffle(steps)
    for place, new in steps if ways else ():
        changed = [*values[:place], new, *values[place + 1 :]]
        results = _results(changed)
        after, *others = {results[way] for way in ways}
        [before] = answers
        plausible = after >= 0 and (before.denominator > 1 or after.denominator == 1)
        if not others and plausible and after not in (before, *changed):
            start, end, _ = numbers[place]
            said = f"{int(new):,}" if "," in text[start:end] else str(int(new))
            answer = str(after) if after.denominator == 1 else f"{float(after):g}"
            more = {"number": f"{text[start:end]} -> {said}", "answer": answer}
            yield text[:start] + said + text[end:], more
            return


def _numbers(text: str) -> list[tuple[int, int, Fraction]]:
    """Where the amounts in `text` are; none where a number is a date, a year, with letters, or in code."""
    found: list[tuple[int, int, Fraction]] = []
    for start, end, kind in find_spans(text):
        said = text[start:end]
        if kind == "label" or not any(character.isdigit() for character in said):
            continue
        if kind not in ("number", "formula") or not _SAYS.plain.fullmatch(said):
            return []
        for match in _SAYS.amount.finditer(said):
            value = Fraction(match[0].replace(",", ""))
            if value in _YEAR and "," not in match[0]:
                return []
            found.append((start + match.start(), start + match.end(), value))
    return found
