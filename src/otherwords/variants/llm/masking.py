"""Protected spans as marks that a model can carry: "add 2.5 kg" is shown as "add ⟦1⟧".

Brackets of that shape in the source are marked as well, so that every mark in a reply is ours or an error.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from otherwords.variants.protect import MASK, mask

_TO_MARK = re.compile(rf"{MASK}|[⟦⟧]+")
_MARK = re.compile(r"⟦\s*(\d{1,6})\s*⟧")
_BRACKET = re.compile("[⟦⟧]")
_WORD = re.compile(r"[^\W\d_]{2}")
_IN_ORDER = ("label", "fence")
"""Marks that may not change places: a list's labels and blocks of code."""
_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Restored:
    text: str
    problem: str
    """Why it is not the original's spans in other words; empty when it is."""


@dataclass(frozen=True, slots=True)
class Marked:
    text: str
    originals: tuple[str, ...]
    kinds: tuple[str, ...]

    @property
    def has_words(self) -> bool:
        """False when nothing is left to reword."""
        return _WORD.search(_MARK.sub(" ", self.text)) is not None

    def restore(self, reply: str) -> Restored:
        found = [int(match[1]) for match in _MARK.finditer(reply)]
        return Restored(_MARK.sub(self._original, reply), "; ".join(self._problems(reply, found)))

    def _original(self, match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        return self.originals[place] if 0 <= place < len(self.originals) else match[0]

    def _problems(self, reply: str, found: list[int]) -> list[str]:
        times = Counter(found)
        ours = range(1, len(self.originals) + 1)
        lost = [self._shown(number) for number in ours if number not in times]
        repeated = [self._shown(number) for number in ours if times[number] > 1]
        unknown = [f"⟦{number}⟧" for number in times if number not in ours]
        in_order = [n for n in found if n in ours and self.kinds[n - 1] in _IN_ORDER]
        problems = [
            f"{what}: {', '.join(marks)}"
            for what, marks in (("lost", lost), ("repeated", repeated), ("unknown", unknown))
            if marks
        ]
        if not problems and in_order != sorted(in_order):
            problems.append("list labels or code blocks changed places")
        if _BRACKET.search(_MARK.sub("", reply)):
            problems.append("a broken mark")
        return problems

    def _shown(self, number: int) -> str:
        line = " ".join(self.originals[number - 1].split())
        return f"⟦{number}⟧ ({line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'})"


def mark_spans(text: str) -> Marked:
    masked = mask(text)
    originals: list[str] = []
    kinds: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        originals.append(masked.unmask(match[0]))
        kinds.append(masked.kind_of(match[0]) if len(match[0]) == 1 else "")
        return f"⟦{len(originals)}⟧"

    return Marked(_TO_MARK.sub(numbered, masked.text), tuple(originals), tuple(kinds))
