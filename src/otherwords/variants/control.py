"""The family `control`: almost the same words, another problem. The right answer must change.

A model that gives the original's answer to these does not read its input, however stable it looks. So they
are no part of a robustness score, and the checks that ask for the same meaning do not apply to them. The
target stays the original's: to be responsive is to be wrong by it. Where the new answer is known, it is in
`params["answer"]`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

from otherwords.core.families import FamilyTraits
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.clauses import DETERMINERS, PREPOSITIONS, PRONOUNS, is_noun_phrase
from otherwords.variants.arithmetic import change_number
from otherwords.variants.base import reworded
from otherwords.variants.openers import lexicon
from otherwords.variants.prose import prose
from otherwords.variants.protect import Masked, mask

_BE = lexicon("is are was were")
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
_PREDICATES = lexicon("""
    known found used located made called considered responsible composed true false correct able
    associated caused classified defined described formed produced required required related involved
    capable part
""")
_IN_SUBJECT = lexicon("who that which in of to for with")

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


def negate(item: Item, seed: int) -> Flip | None:
    """`Which … is` ↔ `Which … is not`, in the one question of a prompt, which negates nothing else."""
    found = _question(item)
    if found is None:
        return None
    masked, start, question = found
    new = _negated("".join("NOT" if masked.unmask(one) == "NOT" else one for one in question))
    return _with_question(masked, start, question, new) if new else None


def _negated(question: str) -> str | None:
    cannot = _CANNOT.fullmatch(question)
    match = cannot or _WHICH.fullmatch(question)
    if match is None or _NEGATION.search(match["rest"]):
        return None
    if cannot or match["negation"]:
        return f"{match['asked']} {match['rest']}"
    if not _is_predicate(match["subject"], match["verb"], match["rest"][:-1]):
        return None
    return f"{match['asked']}{'not' if match['verb'] == 'can' else ' not'} {match['rest']}"


def _is_predicate(subject: str, verb: str, rest: str) -> bool:
    """`rest` says something of the subject; in "Which year was the treaty signed?" it is a subject itself."""
    words = rest.split()
    if not words or not words[0].islower() or words[0] in PRONOUNS or words[-1] in PREPOSITIONS:
        return False
    opening = words[0]
    if opening in DETERMINERS:
        return verb in _BE and is_noun_phrase(rest)
    if subject.startswith("of "):
        return True
    return verb in _BE and opening in _PREDICATES and not _IN_SUBJECT & set(subject.split())


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
