"""Rewording that cannot touch protected spans.

Each span is replaced by one private character, so that a rule sees it as one unbreakable word, and put back
afterwards. Private characters that were in the text already are spans themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from otherwords.core.spans import Span, find_spans, protected_texts, same_spans

__all__ = [
    "MASK",
    "Edit",
    "Masked",
    "Span",
    "find_spans",
    "keeps_spans",
    "mask",
    "protected_texts",
    "rewrite",
]

MASK = "[\U000f0000-\U000ffffd]"
"""As a regular expression: one masked span."""
_MASK = re.compile(MASK)
_FIRST = 0xF0000
_MOST = 0xFFFD


class Edit(NamedTuple):
    """`new` in place of the masked text from `start` to `end`."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True, eq=False)  # one for each text, so that what is kept for it is soon found
class Masked:
    text: str
    original: str
    spans: tuple[str, ...]
    kinds: tuple[str, ...]
    places: tuple[int, ...]
    """Where each span's character is in the masked text."""
    shifts: tuple[int, ...]
    """How much further right the original is, after each span."""

    def unmask(self, text: str) -> str:
        if not self.spans or text.isascii():
            return text
        return _MASK.sub(lambda match: self.spans[ord(match[0]) - _FIRST], text)

    def edited(self, edits: Iterable[Edit]) -> str:
        """The original with `edits`, which are in order and do not overlap."""
        pieces: list[str] = []
        end = 0
        for start, stop, new in edits:
            pieces += (self.original[end : self._in_original(start)], self.unmask(new))
            end = self._in_original(stop)
        pieces.append(self.original[end:])
        return "".join(pieces)

    def kind_of(self, character: str) -> str:
        """What the masked span `character` is; empty for any other character or none."""
        place = ord(character) - _FIRST if character else -1
        return self.kinds[place] if 0 <= place < len(self.kinds) else ""

    def _in_original(self, place: int) -> int:
        before = bisect_right(self.places, place - 1)
        return place + self.shifts[before - 1] if before else place


@lru_cache(maxsize=64)  # the families of one item mask the same text
def mask(text: str) -> Masked:
    pieces: list[str] = []
    originals: list[str] = []
    kinds: list[str] = []
    places: list[int] = []
    shifts: list[int] = []
    end = shift = 0
    for start, stop, kind in find_spans(text):
        if len(originals) == _MOST:  # a huge text's rest becomes one span
            return Masked(
                "".join(pieces) + chr(_FIRST + _MOST),
                text,
                (*originals, text[end:]),
                (*kinds, "rest"),
                (*places, end - shift),
                (*shifts, 0),
            )
        pieces += (text[end:start], chr(_FIRST + len(originals)))
        originals.append(text[start:stop])
        kinds.append(kind)
        places.append(start - shift)
        shift += stop - start - 1
        shifts.append(shift)
        end = stop
        if end == len(text):
            break
    pieces.append(text[end:])
    return Masked("".join(pieces), text, tuple(originals), tuple(kinds), tuple(places), tuple(shifts))


def rewrite(text: str, change: Callable[[str], str]) -> str:
    """`change` applied to `text` with its protected spans out of reach."""
    masked = mask(text)
    return masked.unmask(change(masked.text))


keeps_spans = same_spans
"""Whether a rewording left every protected span as it was."""
