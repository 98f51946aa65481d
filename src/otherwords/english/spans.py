"""A text → its sentences and protected spans, which no rewording may touch; two texts → where they differ.

Spans are found in one place because the variants must keep them and the checks must see that they were kept.
Protecting too much costs a little variety; protecting too little changes the problem. In doubt, protect.

A rule that rewords sees each span as one unbreakable word: a private character that has no other use stands
in its place, and the span is put back afterwards. Those that were in the text already are spans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from otherwords.english.lexicon import Patterns
from otherwords.english.words import shared_start


class Span(NamedTuple):
    start: int
    end: int
    kind: str


_SAYS = Patterns("spans")


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
    start, end, new_end = change(before, after)
    return span_texts(before[start:end]) == span_texts(after[start:new_end])


def change(before: str, after: str) -> tuple[int, int, int]:
    """Where the sentences in which both differ start, and where they end in the one and in the other.

    All of both where something is opened that may go over the end of a sentence.
    """
    old, new = sentences(before), sentences(after)
    if not old or not new:
        return 0, len(before), len(after)
    first = shared_start(old, new)
    last = shared_start(old[first:][::-1], new[first:][::-1])
    start, end = (len("".join(parts)) for parts in (old[:first], old[len(old) - last :]))
    return start, len(before) - end, len(after) - end


def sentences(text: str) -> tuple[str, ...]:
    """With the gaps after them; none where something is opened that may go over the end of one."""
    if _SAYS.opens.search(text):
        return ()
    ends = [0, *[match.end() for match in _SAYS.sentence_end.finditer(text)], len(text)]
    return tuple(text[start:end] for start, end in pairwise(ends))


def is_addressed_line(line: str) -> bool:
    """Whether it is an indented line that speaks to the reader in a punctuated sentence."""
    return bool(_SAYS.addressed.match(line))


_FIRST, _MOST = 0xF0000, 0xFFFE
MASK = f"[{chr(_FIRST)}-{chr(_FIRST + _MOST - 1)}]"
"""As a regular expression: one masked span."""
_MASK = re.compile(MASK)


@dataclass(slots=True, eq=False)  # one for each text, so that what is kept for it is soon found
class Masked:
    text: str
    original: str
    spans: tuple[Span, ...]
    places: tuple[int, ...]
    """Where each span's character is in the masked text."""

    def unmask(self, text: str) -> str:
        """`text` with what the spans said in place of their characters."""
        return _MASK.sub(lambda match: self.original[slice(*self.spans[ord(match[0]) - _FIRST][:2])], text)

    def kind_of(self, character: str) -> str:
        """What the masked span `character` is; empty for any other character or none."""
        return self.spans[ord(character) - _FIRST].kind if _MASK.fullmatch(character) else ""

    def in_original(self, place: int) -> int:
        """Where in the original the masked text's `place` is."""
        before = bisect_right(self.places, place - 1) - 1
        return place if before < 0 else self.spans[before].end + place - self.places[before] - 1


@lru_cache(maxsize=256)
def mask(text: str) -> Masked:
    spans = find_spans(text)
    if len(spans) > _MOST:  # a huge text's rest becomes one span
        spans = (*spans[: _MOST - 1], Span(spans[_MOST - 1].start, len(text), "rest"))
    masked, places, end = "", [], 0
    for number, span in enumerate(spans):
        masked += text[end : span.start]
        places.append(len(masked))
        masked += chr(_FIRST + number)
        end = span.end
    return Masked(masked + text[end:], text, spans, tuple(places))
