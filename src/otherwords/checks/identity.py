"""`different`: the variant is not the original again, nor another candidate again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from otherwords.checks.base import CHECKS, result
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult, Item, Prompt, Variant

NAME = "different"
Wording: TypeAlias = "tuple[str, tuple[str, ...]]"


@CHECKS.register(NAME)
def different(item: Item, variant: Variant) -> CheckResult:
    """A change of spaces or of the last mark is a change only where that is the point: in `format`."""
    if variant.prompt == item.prompt and variant.choices == item.choices:
        return result(variant, NAME, "the same as the original, byte for byte")
    exact = variant.kind == "format"
    if not exact and wording(variant) == _wording(item.prompt, item.choices, exact=False):
        return result(variant, NAME, "the same as the original but for spaces, case or its last mark")
    return result(variant, NAME, None)


def twin(variant: Variant, earlier: Sequence[Variant]) -> str | None:
    """The name of an earlier candidate that says the same, if there is one."""
    mine = wording(variant)
    return next((other.name for other in earlier if wording(other) == mine), None)


def wording(variant: Variant) -> Wording:
    return _wording(variant.prompt, variant.choices, exact=variant.kind == "format")


def _wording(prompt: Prompt, choices: tuple[str, ...], *, exact: bool) -> Wording:
    text = varied_text(prompt)
    return (text if exact else " ".join(text.casefold().split()).rstrip(".?! "), choices)
