"""The family `options`: the same options in another order, and the target moved along.

Options that speak of other options are not moved blindly. "All of the above" stays where it is, and so does
whatever stands below it, since moving that above would change what it says. Where an option or the question
names another by its letter or its place, nothing is moved at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from otherwords.core.contract import PERTURBATION_KIND
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.language import is_english
from otherwords.english.lexicon import Patterns
from otherwords.variants.base import RuleFamily, reworded

_SAYS = Patterns("options")
_MOST_DRAWS = 64


def _variants(item: Item, seed: int) -> Iterator[Variant]:
    """None for short answers, nor where only the task's scorer knows which option is right."""
    movable = movable_places(varied_text(item.prompt), item.choices)
    if len(movable) < 2 or not isinstance(item.target, int):
        return
    kept = [place for place in range(len(item.choices)) if place not in movable]
    params = {"kept_in_place": kept} if kept else {}
    shown, random = {item.choices}, Random(seed)
    first, *middle, last = movable
    draws = [random.sample(movable, len(movable)) for _ in range(_MOST_DRAWS)]
    arrangements = {
        ("pert:order_swap", "order:swap"): [[last, *middle, first]],
        ("pert:order_rev", "order:reverse"): [movable[::-1]],
        ("pert:order_shuffle", "order:shuffle"): draws,
    }
    for (name, change), arranged in arrangements.items():
        for taken in arranged:
            moved = dict(zip(movable, taken, strict=True))
            order = [moved.get(place, place) for place in range(len(item.choices))]
            choices = tuple(item.choices[place] for place in order)
            if choices not in shown:
                shown.add(choices)
                said = reworded(item, item.prompt, name, OPTIONS, change, params)
                target = order.index(item.target)
                yield replace(said, choices=choices, target=target, option_order=tuple(order))
                break


class Options(RuleFamily):
    """The one family whose reasons to make nothing are of three kinds; families.yaml has the last."""

    def why_none(self, item: Item) -> str:
        if len(item.choices) < 2:
            return "it has no answer options"
        return "" if isinstance(item.target, int) else "only the task's scorer knows which option is right"


OPTIONS = Options("options", _variants, metadata_key=PERTURBATION_KIND)


def movable_places(stem: str, choices: Sequence[str]) -> list[int]:
    """The places of the options that may change places with each other; none where one names another."""
    texts, english = [choice.strip() for choice in choices], is_english(stem)
    # In the stem may be the texts that the options are only the labels of.
    labels = len(_SAYS.label_line.findall(stem)) > 1 and all(map(_SAYS.label.fullmatch, texts))
    if labels or _SAYS.named.search(stem) or any(map(_SAYS.names_another.search, texts)):
        return []
    # `A et B`, `A和B`: where the words are not known, a letter beside others may be that of an option.
    if not english and any(_SAYS.letter_elsewhere.search(text.strip("().")) for text in texts):
        return []
    above = _SAYS.above if english else _SAYS.above_elsewhere
    last = next((place for place, text in enumerate(texts) if above.search(text)), len(texts))
    return [place for place in range(last) if not _SAYS.closing.fullmatch(texts[place])]
