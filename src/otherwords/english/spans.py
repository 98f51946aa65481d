"""A text → its sentences and protected spans, which no rewording may touch; two texts → where they differ.

Spans are found in one place because the variants must keep them and the checks must see that they were kept.
Protecting too much costs a little variety; protecting too little changes the problem. In doubt, protect.

A rule that rewords sees each span as one unbreakable word: a character that has no other use stands in its
place, and the span is put back afterwards. In a plain text these are control characters, with which it still
takes one byte a character; elsewhere private ones, and those that were in the text already are spans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise, zip_longest
from typing import NamedTuple, TypeAlias

from otherwords.english.lexicon import Patterns


class Span(NamedTuple):
    start: int
    end: int
    kind: str


OPENS_SPAN = "Option|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
"""As a regular expression: how words open that a letter or a number after them may make a span of."""
_SAYS = Patterns("spans", OPENS=OPENS_SPAN)


@lru_cache(maxsize=256)
def find_spans(text: str) -> tuple[Span, ...]:
    """The protected spans of `text`, left to right, never overlapping."""
    found = (match for match in _SAYS.scan.finditer(text) if match.lastgroup is not None)
    # "number2" is another form of a number
    return tuple(Span(*match.span(), str(match.lastgroup).rstrip("23")) for match in found)


def span_texts(text: str) -> tuple[str, ...]:
    """What the protected spans say, sorted, so that two texts are soon compared."""
    return tuple(sorted(text[start:end].strip() for start, end, _ in find_spans(text)))


def same_spans(before: str, after: str) -> bool:
    """Whether the protected spans of both say the same, each as often."""
    if before == after:
        return True
    first, last, new_last = change(before, after)
    said = [before[start:end].strip() for start, end, _ in find_spans(before) if first <= start < last]
    return tuple(sorted(said)) == span_texts(after[first:new_last])


_OPENING = frozenset("\"“«‘`\\{~$<'")
"""What may go over the end of a sentence, such as a quotation or code."""
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
    if not _OPENING.isdisjoint(after[max(0, start - 1) : new_end + 1]) and _SAYS.opens.search(after):
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
    if _SAYS.opens.search(text):
        return ()
    ends = [0, *[match.end() for match in _SAYS.sentence_end.finditer(text)], len(text)]
    return tuple(text[start:end] for start, end in pairwise(ends))


def _ends_at(text: str, place: int) -> bool:
    """A sentence or a line of `text` ends there."""
    if place in (0, len(text)) or text[place - 1] == "\n":
        return True
    match = _SAYS.sentence_end.match(text, max(0, place - 2))
    return match is not None and match.end() == place


def is_addressed_line(line: str) -> bool:
    """Whether it is an indented line that speaks to the reader in a punctuated sentence."""
    return bool(_SAYS.addressed.match(line))


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
