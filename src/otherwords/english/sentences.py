"""Splits a text into sentences, and finds the sentences in which two texts differ."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TypeAlias

_OPENING = frozenset("\"“«‘`\\{~$<'")
_OPENS = re.compile(  # a set first, since `re` soon finds those
    r"[\"“«‘`\\{~$<'](?:(?<=\$)(?!\d)|(?<=<)(?=[A-Za-z/_])|(?<=')(?<!\w')|(?<![$<']))"
)
_SENTENCE_END = re.compile(
    r"[.?!:\n](?:(?<=\n)|(?:(?<=[a-z]{3}.)|(?<=[a-z]/[a-z].)|(?<=\d\d.)) (?=[A-Z][a-z]|[AI] ))"
)


Change: TypeAlias = "tuple[int, int, int]"
"""Where two texts differ: from the first place on, to the second in the one and to the third in the other."""


def change(before: str, after: str) -> Change:
    """The sentences and lines in which both differ: without those that are the same at either end.

    All of both where something is opened that may go over the end of a sentence.
    """
    parts = sentences(before)
    if not parts:
        return 0, len(before), len(after)
    first, last = 0, len(parts)
    start, end, new_end = 0, len(before), len(after)
    for part in parts:
        if not after.startswith(part, start):
            break
        start += len(part)
        first += 1
    for part in reversed(parts[first:]):
        if not after.endswith(part, start, new_end):
            break
        last -= 1
        end -= len(part)
        new_end -= len(part)
    if _may_open(after[max(0, start - 1) : new_end + 1]) and _OPENS.search(after):
        return 0, len(before), len(after)
    while first and not _ends_at(after, start):
        first -= 1
        start -= len(parts[first])
    while last < len(parts) and not _ends_at(after, new_end):
        end += len(parts[last])
        new_end += len(parts[last])
        last += 1
    return start, end, new_end


def sentences(text: str) -> tuple[str, ...]:
    """With the gaps after them; none where something is opened that may go over the end of one."""
    if _OPENS.search(text):
        return ()
    ends = [0, *[match.end() for match in _SENTENCE_END.finditer(text)], len(text)]
    return tuple([text[start:end] for start, end in pairwise(ends)])


def _may_open(text: str) -> bool:
    """It has what may go over the end of a sentence, such as a quotation or code."""
    return not _OPENING.isdisjoint(text)


def _ends_at(text: str, place: int) -> bool:
    """A sentence or a line of `text` ends there."""
    if place in (0, len(text)) or text[place - 1] == "\n":
        return True
    match = _SENTENCE_END.match(text, max(0, place - 2))
    return match is not None and match.end() == place


_ADDRESSED = re.compile(r"\s+(?:You|Your|If|I|My)\b[^={}<>|]*[.?!,]\s*$")


def is_addressed_line(line: str) -> bool:
    """Whether it is an indented line that speaks to the reader in a punctuated sentence."""
    return bool(_ADDRESSED.match(line))
