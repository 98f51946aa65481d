"""A multiple-choice question → variants of its format (three) and of the order of its options (two)."""

from __future__ import annotations

from collections.abc import Sequence

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, original
from otherwords.variants.format import FORMAT
from otherwords.variants.options import OPTIONS
from otherwords.variants.validate import require_choices, require_count, require_text, require_whole

NAMES = ("pert:punct", "pert:space", "pert:preamble", "pert:order_swap", "pert:order_rev")
_ALL = 100


def generate_perturbations(stem: str, choices: Sequence[str], target_index: int, k: int = 3) -> list[Variant]:
    """Change the format of a multiple-choice question or the order of its options.

    Args:
        stem: The question.
        choices: Its options, at least two.
        target_index: Which of them is right.
        k: Most perturbations.

    Returns:
        The original as the variant `orig`, then up to `k` of punct, space, preamble, order_swap and
        order_rev, in that order, each with the right option where it is now. One that would change nothing
        is not made, and the next takes its place.

    Raises:
        InputError: An argument is of the wrong type or out of range.

    Example:
        >>> from otherwords import generate_perturbations
        >>> made = generate_perturbations("Which is a fish?", ["cod", "cow"], target_index=0, k=1)
        >>> [(one.name, one.prompt) for one in made]
        [('orig', 'Which is a fish?'), ('pert:punct', 'Which is a fish.')]
    """
    options = require_choices(choices)
    target = require_whole("target_index", target_index)
    if not 0 <= target < len(options):
        raise InputError(f"target_index must be from 0 to {len(options) - 1}, got {target}")
    item = Item(id="stem", prompt=require_text("stem", stem), choices=options, target=target)
    k = require_count("k", k)
    made = [*FORMAT.candidates(item, k=_ALL, seed=0), *OPTIONS.candidates(item, k=_ALL, seed=0)]
    return [original(item), *[one for one in made if one.name in NAMES][:k]]
