"""Where two wordings of a prompt differ. They share most of their text, which need not be read again."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import NamedTuple

_MAY_OPEN = re.compile(r"[\"“«‘`\\{~$<']")
_OPENS = re.compile(r"[\"“«‘`\\{~]|\$(?!\d)|<(?=[A-Za-z/_])|'(?<!\w')")
"""What may go over the end of a sentence, such as a quotation or code."""
_SENTENCE_END = re.compile(r"[.?!\n](?:(?<=\n)|(?:(?<=[a-z]{3}.)|(?<=\d\d.)) (?=[A-Z][a-z]|[AI] ))")
_SEEN_AFTER, _SEEN_BEFORE = 2, 5
"""So many characters after and before the end of a sentence tell that it is one."""
_LAST_GAP = re.compile(r".* [a-z]{2,} (?=[a-z]{2})", re.DOTALL)
_NEXT_GAP = re.compile(r" [a-z]{2,} (?=[a-z]{2})")
"""The gap between two plain words. Nothing that must stay together goes over it."""
_REACH = 60
"""So many characters on either side of a change are searched for it."""


class Change(NamedTuple):
    """Where two texts differ: from `start` on, to `end` in the first and to `new_end` in the second."""

    start: int
    end: int
    new_end: int


def shared_start(one: str, other: str) -> int:
    """How many characters both begin with."""
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    shared = 0
    while most - shared > 1:
        middle = (shared + most) // 2
        if one[shared:middle] == other[shared:middle]:
            shared = middle
        else:
            most = middle
    return shared


def shared_end(one: str, other: str, most: int) -> int:
    """How many characters both end with, `most` at the most."""
    if not most or one[-most:] == other[-most:]:
        return most
    shared = 0
    while most - shared > 1:
        middle = (shared + most) // 2
        if one[len(one) - middle : len(one) - shared] == other[len(other) - middle : len(other) - shared]:
            shared = middle
        else:
            most = middle
    return shared


@lru_cache(maxsize=256)  # who makes a variant asks, and who checks it asks again
def change(before: str, after: str) -> Change:
    start = shared_start(before, after)
    end = shared_end(before, after, min(len(before), len(after)) - start)
    return Change(start, len(before) - end, len(after) - end)


@lru_cache(maxsize=256)
def _sentence_ends(text: str) -> tuple[int, ...]:
    """From 0 to the end of the text; none where something is opened that may go over them."""
    if _MAY_OPEN.search(text) and _OPENS.search(text):
        return ()
    return (0, *[match.end() for match in _SENTENCE_END.finditer(text)], len(text))


def differing(before: str, after: str) -> tuple[str, str]:
    """The sentences and lines in which both differ: without those that are the same at either end."""
    start, end, new_end = _sentences(before, after)
    return before[start:end], after[start:new_end]


@lru_cache(maxsize=256)
def _sentences(before: str, after: str) -> Change:
    found = change(before, after)
    ends = _sentence_ends(before)
    if not ends or _OPENS.search(after, max(0, found.start - 1), found.new_end + 1):
        return Change(0, len(before), len(after))
    first = bisect_right(ends, found.start) - 1
    while found.start < ends[first] + _SEEN_AFTER and not _ends_at(after, ends[first]):
        first -= 1
    last, longer = bisect_left(ends, found.end), found.new_end - found.end
    while ends[last] < found.end + _SEEN_BEFORE and not _ends_at(after, ends[last] + longer):
        last += 1
    return Change(ends[first], ends[last], ends[last] + longer)


def _ends_at(text: str, place: int) -> bool:
    if place in (0, len(text)) or text[place - 1] == "\n":
        return True
    match = _SENTENCE_END.match(text, max(0, place - 2))
    return match is not None and match.end() == place


def words_around(before: str, after: str) -> Change:
    """The change and a plain word or more on either side of it, where there are such; else its sentences."""
    found = _sentences(before, after)
    if "(" in before or found == (0, len(before), len(after)):  # "(2 and more) + 3"
        return found
    start, end, new_end = change(before, after)
    opening = _LAST_GAP.match(before, max(found.start, start - _REACH), start)
    closing = _NEXT_GAP.search(before, end, min(found.end, end + _REACH))
    first = opening.end() if opening else found.start
    last = closing.end() if closing else found.end
    return Change(first, last, last + new_end - end)
