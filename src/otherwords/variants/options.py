"""The family `options`: the same options in another order, and the target moved along.

Options that speak of other options are not moved blindly. "All of the above" stays where it is, and so does
whatever stands below it, since moving that above would change what it says. Where an option or the question
names another by its letter or its place, nothing is moved at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.language import is_english
from otherwords.english.lexicon import Patterns
from otherwords.variants.base import RuleFamily, reworded

_SAYS = Patterns("options")
_FEW_WORDS = 5


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """None for short answers, nor where only the task's scorer knows which option is right."""
    if len(item.choices) < 2 or not isinstance(item.target, int):
        return
    movable = movable_places(varied_text(item.prompt), item.choices)
    kept = [place for place in range(len(item.choices)) if place not in movable]
    params = {"kept_in_place": kept} if kept else {}
    shown = {item.choices}
    count = len(movable)
    arrangements: list[tuple[str, str, Iterable[tuple[int, ...]]]] = [
        ("pert:order_swap", "order:swap", [(count - 1, *range(1, count - 1), 0)]),
        ("pert:order_rev", "order:reverse", [tuple(range(count))[::-1]]),
        ("pert:order_shuffle", "order:shuffle", _shuffles(count, seed)),
    ]
    for name, change, orders in arrangements if count > 1 else ():
        for arrangement in orders:
            order = list(range(len(item.choices)))
            for place, taken in zip(movable, arrangement, strict=True):
                order[place] = movable[taken]
            choices = tuple(item.choices[place] for place in order)
            if choices not in shown:
                shown.add(choices)
                moved = reworded(item, item.prompt, name, OPTIONS, change, params)
                target = order.index(item.target)
                yield replace(moved, choices=choices, target=target, option_order=tuple(order))
                break


def _why_none(item: Item) -> str:
    """Why the options cannot move, or not to a new order."""
    if len(item.choices) < 2:
        return "it has no answer options"
    if not isinstance(item.target, int):
        return "only the task's scorer knows which option is right"
    if len(movable_places(varied_text(item.prompt), item.choices)) < 2:
        return "an option or the question speaks of another option by its letter or place"
    return "the options are the same in every order"


OPTIONS = RuleFamily("options", _variants, _why_none, metadata_key=PERTURBATION_KIND)


def movable_places(stem: str, choices: Sequence[str]) -> list[int]:
    """The places of the options that may change places with each other; none where one names another."""
    texts = [choice.strip() for choice in choices]
    by_letter = any(_SAYS.several_letters.match(text) or _SAYS.one_letter.fullmatch(text) for text in texts)
    by_place = any(_SAYS.named.search(text) or _SAYS.placed.search(text) for text in texts)
    if by_letter or by_place or _SAYS.named.search(stem):
        return []
    # In the stem may be the texts that the options are only the labels of.
    if len(_SAYS.label_line.findall(stem)) > 1 and all(map(_SAYS.label.fullmatch, texts)):
        return []
    above = [*map(_SAYS.above.search, texts)]
    if not is_english(stem):
        if any(map(_may_name_a_letter, texts)):
            return []
        above = [one or _SAYS.above_elsewhere.search(text) for one, text in zip(above, texts, strict=True)]
    last = next((place for place, found in enumerate(above) if found), len(texts))
    return [place for place in range(last) if not _SAYS.closing.fullmatch(texts[place])]


def _may_name_a_letter(text: str) -> bool:
    """`A et B`, `nur C`, `A和B`: in a language whose words are not known, a letter among few words."""
    is_a_letter = text.strip("().") in "ABCDEFGHIJ"
    return not is_a_letter and len(text.split()) <= _FEW_WORDS and bool(_SAYS.letter_elsewhere.search(text))


_MOST_DRAWS = 64
_64_BITS = (1 << 64) - 1
_FACTOR, _STEP = 6364136223846793005, 1442695040888963407
"""Of a linear congruential generator, by Knuth."""


def _shuffles(count: int, seed: int) -> Iterator[tuple[int, ...]]:
    """By a generator of their own: what Python's draws for a seed may change from version to version."""
    state = seed & _64_BITS
    for _ in range(_MOST_DRAWS):
        left, order = list(range(count)), []
        for size in range(count, 0, -1):
            state = (state * _FACTOR + _STEP) & _64_BITS
            order.append(left.pop((state >> 33) % size))
        yield tuple(order)
