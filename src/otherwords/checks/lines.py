"""`lines`: the original's lines and lists are there, in order; a frame may add lines before or after them."""

from __future__ import annotations

import re

from otherwords.checks.base import compares_form
from otherwords.checks.reading import Reading

NAME = "lines"
MOST_ADDED = 2
_SHAPE = re.compile(
    r"(?P<fence>\s*(?:```|~~~))|\s*(?P<list>[-*+•]|\(?\w{1,2}[.)])\s|(?P<table>\s*\|)|(?P<head>#+\s)"
)


@compares_form(NAME)
def lines(before: Reading, after: Reading) -> str | None:
    if "\n" not in before.text and "\n" not in after.text:
        return None
    was, now = _shapes(before.text), _shapes(after.text)
    added = len(now) - len(was)
    if added < 0:
        return f"{_counted(len(now))} for the original's {len(was)}"
    if added > MOST_ADDED:
        return f"{_counted(added)} added"
    if now[: len(was)] != was and now[added:] != was:
        return "lists, tables, code or blank lines moved"
    return None


def _shapes(text: str) -> list[str]:
    """What each line is: `fence`, `list`, `table`, `head`, `blank`, or `text`."""
    shapes = []
    for line in text.split("\n"):
        match = _SHAPE.match(line)
        shapes.append(str(match.lastgroup) if match else "text" if line.strip() else "blank")
    return shapes


def _counted(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"
