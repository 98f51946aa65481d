"""The families `format` and `options`: the same words in another dress, the same options in another order."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from otherwords.core.errors import InputError
from otherwords.core.prompts import varied_text
from otherwords.core.types import Item, Variant, original, variant_id
from otherwords.variants.base import FAMILIES, generator, reworded
from otherwords.variants.protect import keeps_spans, mask, rewrite
from otherwords.variants.validate import require_choices, require_count, require_text, require_whole

PREAMBLE = "Read this carefully and respond."
_LAST_MARK = re.compile(r"(?<![.?!…])([.?])(\s*)\Z")
_SPACES = re.compile(r"(?<=\S)[ \t]+")
_TIGHT = re.compile(
    r"(?<=[a-z\U000f0000-\U000ffffd])[,;?!](?=[A-Za-z])|(?<=[a-z]{2})\.(?=(?:The|A|An|It|He|She|They|What|Which|Who|When|How|Why|In|If)\b)"
)
_KEPT_LINE = re.compile(r"    |\t|.*\||.*\S\t")
_STRUCTURED_START = re.compile(r"\s*(?:[|>#]|\n)")


def change_mark(text: str) -> str:
    """`?` at the very end becomes `.`, and the other way round."""
    return rewrite(
        text, lambda masked: _LAST_MARK.sub(lambda m: ("." if m[1] == "?" else "?") + m[2], masked)
    )


def normalise_spaces(text: str) -> str:
    """One space between words and after punctuation; indents, tables and line breaks as they were."""
    return rewrite(text, lambda masked: "\n".join(_normalise_line(line) for line in masked.split("\n")))


def _normalise_line(line: str) -> str:
    if _KEPT_LINE.match(line):
        return line
    ending = "\r" if line.endswith("\r") else ""
    return _TIGHT.sub(lambda match: match.group() + " ", _SPACES.sub(" ", line.rstrip())) + ending


def add_preamble(text: str) -> str:
    """On a line of its own where the prompt opens with a list, a table, a heading or code."""
    masked = mask(text)
    opening = masked.text.lstrip()[:1]
    structured = _STRUCTURED_START.match(masked.text) or (
        opening and masked.kind_of(opening) in ("label", "fence")
    )
    return f"{PREAMBLE}\n\n{text}" if structured or text[:1].isspace() else f"{PREAMBLE} {text}"


FORMATS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("punct", change_mark),
    ("space", normalise_spaces),
    ("preamble", add_preamble),
)


class Format:
    name = "format"
    version = 1

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        text = varied_text(item.prompt)
        made: list[Variant] = []
        for change, apply in FORMATS if text.strip() else ():
            new = apply(text)
            if len(made) < k and new != text and keeps_spans(text, new):
                made.append(reworded(item, new, name=f"pert:{change}", family=self, change=change))
        return made


def swap_ends(order: Sequence[int]) -> tuple[int, ...]:
    return (order[-1], *order[1:-1], order[0])


def reverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(reversed(order))


ORDERS: tuple[tuple[str, str, Callable[[Sequence[int]], tuple[int, ...]]], ...] = (
    ("pert:order_swap", "order:swap", swap_ends),
    ("pert:order_rev", "order:reverse", reverse),
)


class Options:
    name = "options"
    version = 1

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """None for short answers, nor where only the task's scorer knows which option is right."""
        if len(item.choices) < 2 or not isinstance(item.target, int):
            return []
        made: list[Variant] = []
        shown = {item.choices}
        for name, change, arrange in ORDERS:
            order = arrange(range(len(item.choices)))
            choices = tuple(item.choices[place] for place in order)
            if len(made) == k or choices in shown:
                continue
            shown.add(choices)
            made.append(
                replace(
                    original(item),
                    id=variant_id(item.id, name),
                    name=name,
                    kind=self.name,
                    choices=choices,
                    target=order.index(item.target),
                    option_order=order,
                    change=change,
                    generator=generator(self),
                )
            )
        return made


FORMAT, OPTIONS = Format(), Options()
FAMILIES.add(FORMAT.name, FORMAT)
FAMILIES.add(OPTIONS.name, OPTIONS)


def generate_perturbations(stem: str, choices: Sequence[str], target_index: int, k: int = 3) -> list[Variant]:
    """`orig`, byte for byte, then up to `k` of punct, space, preamble, order_swap, order_rev, in that order.

    One that would change nothing is not made, and the next takes its place.
    """
    options = require_choices(choices)
    target = require_whole("target_index", target_index)
    if not 0 <= target < len(options):
        raise InputError(f"target_index must be from 0 to {len(options) - 1}, got {target}")
    item = Item(id="stem", prompt=require_text("stem", stem), choices=options, target=target)
    k = require_count("k", k)
    made = [*FORMAT.candidates(item, k=k, seed=0), *OPTIONS.candidates(item, k=k, seed=0)]
    return [original(item), *made[:k]]
