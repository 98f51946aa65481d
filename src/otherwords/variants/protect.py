"""Rewording that cannot touch protected spans.

Each span is replaced by one private character, so that a rule sees it as one unbreakable word, and put back
afterwards. Private characters that were in the text already are spans themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from otherwords.core.spans import Span, find_spans, protected_texts

__all__ = ["MASK", "Masked", "Span", "find_spans", "keeps_spans", "mask", "protected_texts", "rewrite"]

MASK = "[\U000f0000-\U000ffffd]"
"""As a regular expression: one masked span."""
_FIRST = 0xF0000
_MOST = 0xFFFD


@dataclass(frozen=True, slots=True)
class Masked:
    text: str
    originals: tuple[str, ...]
    kinds: tuple[str, ...]

    def unmask(self, text: str) -> str:
        if not self.originals:
            return text
        return text.translate({_FIRST + place: original for place, original in enumerate(self.originals)})

    def kind_of(self, character: str) -> str:
        """What the masked span `character` is; empty for any other character."""
        place = ord(character) - _FIRST
        return self.kinds[place] if 0 <= place < len(self.kinds) else ""


def mask(text: str) -> Masked:
    pieces: list[str] = []
    originals: list[str] = []
    kinds: list[str] = []
    end = 0
    for span in find_spans(text):
        stop = span.end if len(originals) < _MOST else len(text)  # a huge text's rest becomes one span
        pieces += (text[end : span.start], chr(_FIRST + len(originals)))
        originals.append(text[span.start : stop])
        kinds.append(span.kind)
        end = stop
        if end == len(text):
            break
    pieces.append(text[end:])
    return Masked("".join(pieces), tuple(originals), tuple(kinds))


def rewrite(text: str, change: Callable[[str], str]) -> str:
    """`change` applied to `text` with its protected spans out of reach."""
    masked = mask(text)
    return masked.unmask(change(masked.text))


def keeps_spans(before: str, after: str) -> bool:
    return protected_texts(before) == protected_texts(after)
