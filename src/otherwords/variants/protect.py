"""Rewording that cannot touch protected spans.

Each span is replaced by one character that has no other use, so that a rule sees it as one unbreakable word,
and put back afterwards. In a plain text these are control characters, with which it still takes one byte a
character; elsewhere private ones, and those that were in the text already are spans themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, zip_longest

from otherwords.english.spans import Span, find_spans

_CONTROL = range(0x86, 0xA0)
_PRIVATE = range(0xF0000, 0xFFFFE)
MASK = f"[{chr(_CONTROL[0])}-{chr(_CONTROL[-1])}{chr(_PRIVATE[0])}-{chr(_PRIVATE[-1])}]"
"""As a regular expression: one masked span."""
_MASK = re.compile(MASK)


@dataclass(slots=True, eq=False)  # one for each text, so that what is kept for it is soon found
class Masked:
    text: str
    original: str
    spans: tuple[str, ...]
    kinds: tuple[str, ...]
    places: tuple[int, ...]
    """Where each span's character is in the masked text."""
    shifts: tuple[int, ...]
    """How much further right the original is, after each span."""
    first: int
    """The character of the first span, by its number; those of the others follow."""

    def unmask(self, text: str) -> str:
        if not self.spans or text.isascii():
            return text
        return _MASK.sub(self._unmasked, text)

    def _unmasked(self, match: re.Match[str]) -> str:
        place = ord(match[0]) - self.first
        return self.spans[place] if place >= 0 else match[0]

    def kind_of(self, character: str) -> str:
        """What the masked span `character` is; empty for any other character or none."""
        place = ord(character) - self.first if character else -1
        return self.kinds[place] if 0 <= place < len(self.kinds) else ""

    def in_original(self, place: int) -> int:
        """Where in the original the masked text's `place` is."""
        before = bisect_right(self.places, place - 1)
        return place + self.shifts[before - 1] if before else place


@lru_cache(maxsize=256)
def mask(text: str) -> Masked:
    spans = list(find_spans(text))
    masks = _CONTROL if text.isascii() and len(spans) < len(_CONTROL) else _PRIVATE
    if len(spans) >= len(masks):  # a huge text's rest becomes one span
        rest = spans[len(masks) - 2].end
        spans[len(masks) - 1 :] = [Span(rest, len(text), "rest")]
    shifts = tuple(accumulate(span.end - span.start - 1 for span in spans))
    places = tuple(span.start - before for span, before in zip(spans, (0, *shifts), strict=False))
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    between = [text[end:start] for end, start in zip([0, *ends], [*starts, len(text)], strict=True)]
    masked = "".join(map("".join, zip_longest(between, map(chr, masks[: len(spans)]), fillvalue="")))
    originals = tuple(text[start:stop] for start, stop, _ in spans)
    kinds = tuple(span.kind for span in spans)
    return Masked(masked, text, originals, kinds, places, shifts, masks[0])
