"""The family `options`: the same options in another order, and the target moved along.

Options that speak of other options are not moved blindly. "All of the above" stays where it is, and so does
whatever stands below it, since moving that above would change what it says. Where an option or the question
names another by its letter or its place, nothing is moved at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.registry import FamilyTraits
from otherwords.core.types import Item, Variant, variant_id, varied_text
from otherwords.english.language import is_english
from otherwords.variants.base import generator

Order: TypeAlias = "tuple[int, ...]"

_ABOVE = re.compile(
    r"\b(?:of|all|none|any|both|neither|either) (?:of )?(?:the |these )?(?:above|preceding|foregoing)\b"
    r"|\b(?:above|preceding|previous|foregoing) (?:options?|choices?|answers?|statements?|alternatives?)\b",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"(?:(?:all|none|any|some|both|neither|either|two|more than one) of (?:these|those|them)"
    r"(?: (?:options|choices|answers|statements))?"
    r"|(?:i|we) (?:do not|don['’]t) know|(?:it )?(?:cannot|can not|can['’]t) be (?:determined|said|known"
    r"|inferred)"
    r"|not enough information|unknown|uncertain|unsure|other|something else|no (?:correct|right) answer)[.]?",
    re.IGNORECASE,
)
_LETTER = r"\(?[A-J]\)?"
_SEVERAL_LETTERS = re.compile(
    rf"(?:(?i:both|either|neither|only|all|all of|none of) )?{_LETTER}"
    rf"(?:(?:,| ?[&/+]| and| or| nor|, and|, or| but not) ?{_LETTER})+(?![\w-])"
)
_ONE_LETTER = re.compile(
    rf"(?i:only|all (?:but|except)|same as|not|except|everything (?:but|except)) {_LETTER}\W*"
)
_NAMED = re.compile(r"\b(?i:options?|choices?|answers?|alternatives?) \(?(?:[A-J]|[1-9])\)?(?![\w-])")
_PLACED = re.compile(
    r"\b(?:first|second|third|fourth|fifth|last|next|following|other) "
    r"(?:(?:one|two|three|four) )?(?:options?|choices?|answers?|alternatives?|ones?)\b|\bof the (?:below"
    r"|following)\b",
    re.IGNORECASE,
)
_ABOVE_ELSEWHERE = re.compile(
    r"ci-dessus|ci-avant|précédent|susmentionn|\boben\b|obige|vorstehend|vorherig|genannten|anterior|\barriba\b"
    r"|antedich|acima|sopra|precedent|bovenstaand|выше|предыдущ|以上|上述|前述|上記|上の|위의|أعلاه|سبق|السابق"
    r"|उपरोक्त|उपर्युक्त|ऊपर",
    re.IGNORECASE,
)
"""How options in other languages speak of those above them."""
_LETTER_ELSEWHERE = re.compile(r"(?<![A-Za-z0-9])[A-J](?![A-Za-z0-9'’])")
_FEW_WORDS = 5
_LABEL = re.compile(r"\(?(?:[A-Ja-j]|[1-9])[.)]?|\([ivx]+\)")


def swap_ends(order: Sequence[int]) -> Order:
    return (order[-1], *order[1:-1], order[0])


def reverse(order: Sequence[int]) -> Order:
    return tuple(reversed(order))


class Options:
    """Other orders of the options."""

    name = "options"
    version = 2
    traits = FamilyTraits(
        keeps_meaning=True,
        summary="the order of answer options",
        keeps_words=True,
        moves_options=True,
        shared_by_items=True,
        metadata_key=PERTURBATION_KIND,
        advice="the order of the options sways the answer: ask in several orders, or for the option's text",
    )

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """None for short answers, nor where only the task's scorer knows which option is right."""
        if len(item.choices) < 2 or not isinstance(item.target, int):
            return []
        count = len(item.choices)
        movable = movable_places(varied_text(item.prompt), item.choices)
        kept = [place for place in range(count) if place not in movable] if len(movable) < count else []
        made: list[Variant] = []
        shown = {item.choices}
        for name, change, orders in _arrangements(len(movable), seed) if len(movable) > 1 else ():
            if len(made) == k:
                break
            for arrangement in orders:
                order = _whole_order(count, movable, arrangement) if kept else arrangement
                choices = tuple([item.choices[place] for place in order])
                if choices not in shown:
                    shown.add(choices)
                    made.append(self._moved(item, name, change, order, choices, kept))
                    break
        return made

    def _moved(
        self,
        item: Item,
        name: str,
        change: str,
        order: Order,
        choices: tuple[str, ...],
        kept: Sequence[int],
    ) -> Variant:
        return Variant(
            variant_id(item.id, name),
            item.id,
            name,
            self.name,
            item.prompt,
            choices,
            order.index(item.target) if isinstance(item.target, int) else item.target,
            order,
            change,
            generator(self),
            {"kept_in_place": [*kept]} if kept else {},
        )

    def why_none(self, item: Item) -> str:
        """Why the options cannot move, or not to a new order."""
        if len(item.choices) < 2:
            return "it has no answer options"
        if not isinstance(item.target, int):
            return "only the task's scorer knows which option is right"
        if len(movable_places(varied_text(item.prompt), item.choices)) < 2:
            return "an option or the question speaks of another option by its letter or place"
        return "the options are the same in every order"


OPTIONS = Options()


def movable_places(stem: str, choices: Sequence[str]) -> list[int]:
    """The places of the options that may change places with each other; none where one names another."""
    texts = [choice.strip() for choice in choices]
    if _NAMED.search(stem):
        return []
    if any(map(_names_by_letter, texts)):
        return []
    if any(_NAMED.search(text) or _PLACED.search(text) for text in texts):
        return []
    foreign = not is_english(stem)
    if (all(map(_LABEL.fullmatch, texts)) and _lists_labels(stem)) or (
        foreign and any(map(_may_name_a_letter, texts))
    ):
        return []
    last = len(texts)
    if foreign:
        last = next((place for place, text in enumerate(texts) if _ABOVE_ELSEWHERE.search(text)), last)
    last = next((place for place, text in enumerate(texts[:last]) if _ABOVE.search(text)), last)
    return [place for place in range(last) if not _CLOSING.fullmatch(texts[place])]


def _names_by_letter(text: str) -> bool:
    return bool(_SEVERAL_LETTERS.match(text) or _ONE_LETTER.fullmatch(text))


def _may_name_a_letter(text: str) -> bool:
    """`A et B`, `nur C`, `A和B`: in a language whose words are not known, a letter among few words."""
    is_a_letter = text.strip("().") in "ABCDEFGHIJ"
    return not is_a_letter and len(text.split()) <= _FEW_WORDS and bool(_LETTER_ELSEWHERE.search(text))


def _lists_labels(stem: str) -> bool:
    """The stem carries the texts that the options are only the labels of."""
    return len(re.findall(rf"(?m)^[ \t]*(?:{_LABEL.pattern})(?=\s)", stem)) > 1


_Arrange: TypeAlias = "Callable[[Sequence[int]], Order]"
_FIXED: tuple[tuple[str, str, _Arrange], ...] = (
    ("pert:order_swap", "order:swap", swap_ends),
    ("pert:order_rev", "order:reverse", reverse),
)
_MOST_DRAWS = 64
_64_BITS = (1 << 64) - 1
_FACTOR, _STEP = 6364136223846793005, 1442695040888963407
"""Of a linear congruential generator, by Knuth."""


def _arrangements(count: int, seed: int) -> Iterator[tuple[str, str, Iterable[Order]]]:
    yield from _fixed(count)
    yield "pert:order_shuffle", "order:shuffle", _shuffles(count, seed)


@lru_cache(maxsize=64)
def _fixed(count: int) -> tuple[tuple[str, str, tuple[Order]], ...]:
    return tuple((name, change, (arrange(range(count)),)) for name, change, arrange in _FIXED)


def _shuffles(count: int, seed: int) -> Iterator[Order]:
    """By a generator of their own: what Python's draws for a seed may change from version to version."""
    state = seed & _64_BITS
    for _ in range(_MOST_DRAWS):
        left, order = list(range(count)), []
        for size in range(count, 0, -1):
            state = (state * _FACTOR + _STEP) & _64_BITS
            order.append(left.pop((state >> 33) % size))
        yield tuple(order)


def _whole_order(count: int, movable: Sequence[int], arrangement: Order) -> Order:
    order = list(range(count))
    for place, taken in zip(movable, arrangement, strict=True):
        order[place] = movable[taken]
    return tuple(order)
