"""`lines`: the original's lines and lists are there, in order; a frame may add lines before or after them."""

from __future__ import annotations

import re

from otherwords.checks.base import CHECKS, result
from otherwords.core.prompts import varied_text
from otherwords.core.types import CheckResult, Item, Variant

NAME = "lines"
MOST_ADDED = 2
_SHAPE = re.compile(
    r"(?P<fence>\s*(?:```|~~~))|\s*(?P<list>[-*+•]|\(?\w{1,2}[.)])\s|(?P<table>\s*\|)|(?P<head>#+\s)"
)


@CHECKS.register(NAME)
def lines(item: Item, variant: Variant) -> CheckResult:
    original, changed = varied_text(item.prompt), varied_text(variant.prompt)
    if "\n" not in original and "\n" not in changed:
        return result(variant, NAME, None)
    before, after = _shapes(original), _shapes(changed)
    added = len(after) - len(before)
    if added < 0:
        return result(variant, NAME, f"{len(after)} lines for the original's {len(before)}")
    if added > MOST_ADDED:
        return result(variant, NAME, f"{added} lines added")
    if after[: len(before)] != before and after[added:] != before:
        return result(variant, NAME, "lists, tables, code or blank lines moved")
    return result(variant, NAME, None)


def _shapes(text: str) -> list[str]:
    """What each line is: `fence`, `list`, `table`, `head`, `blank`, or `text`."""
    shapes = []
    for line in text.split("\n"):
        match = _SHAPE.match(line)
        shapes.append(str(match.lastgroup) if match else "text" if line.strip() else "blank")
    return shapes
