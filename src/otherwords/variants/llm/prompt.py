"""A prompt's text → the messages that ask a model for rewordings, and its reply → the text with its spans.

The text is somebody's data, and it may say "ignore your instructions". It therefore stands between tags with
a name that it cannot contain. Protected spans are shown as marks: "add 2.5 kg" is "add ⟦1⟧".
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from otherwords.core.contract import SPREAD, STRENGTHS
from otherwords.core.errors import UnknownNameError
from otherwords.core.types import stable_hash
from otherwords.english.lexicon import read_lexicon
from otherwords.english.spans import MASK, mask

_TOLD = read_lexicon("prompts")["reword"]
PROMPT_VERSION: int = _TOLD["version"]
INSTRUCTIONS: dict[str, str] = _TOLD["strengths"]
"""How far a rewording may go from the original, as the model is told."""
KEY = "rewordings"
_LONGEST_PART = 60
_MOST_EARLIER = 6


class Earlier(NamedTuple):
    """A rewording that was not usable; `text` with its marks."""

    text: str
    problem: str


class Request(NamedTuple):
    """The system's and the user's message."""

    system: str
    user: str


def strengths_of(strength: str, k: int) -> list[str]:
    """How far each of `k` rewordings may go: as `strength` says, or all strengths in turn."""
    if strength != SPREAD and strength not in INSTRUCTIONS:
        raise UnknownNameError("strength", strength, (*STRENGTHS, SPREAD))
    return [STRENGTHS[place % len(STRENGTHS)] if strength == SPREAD else strength for place in range(k)]


def make_request(
    source: Marked,
    strengths: Sequence[str],
    *,
    taken: Sequence[str] = (),
    rejected: Sequence[Earlier] = (),
    problems: Sequence[str] = (),
) -> Request:
    """Asks for one rewording of each of the `strengths`, other than those `taken`.

    It tells why others were `rejected`, and what was wrong with earlier replies as a whole (`problems`).
    """
    count, told = len(strengths), _TOLD["request"]
    marks = [_json(_short(original, _LONGEST_PART)) for original in source.originals]
    shown = {
        "text": source.text,
        "marks": "\n".join(f"⟦{number}⟧ {mark}" for number, mark in enumerate(marks, start=1)),
        "taken": "\n".join(map(_json, taken)),
        "rejected": "\n".join(_json(one._asdict()) for one in rejected[-_MOST_EARLIER:]),
    }
    tag = _tag([*shown.values()])
    ways = "1 way" if count == 1 else f"{count} different ways"
    texts = "1 text" if count == 1 else f"{count} texts"
    blocks = [told["text"].format(tag=tag, ways=ways + _how_far(strengths))]
    for what, content in shown.items():
        if what != "text" and content:
            blocks.append(told[what])
        if what == "text" or content:
            blocks.append(f"<{what}-{tag}>\n{content}\n</{what}-{tag}>")
    blocks += [told["problem"].format(problem=problem) for problem in problems]
    blocks.append(told["reply"].format(tag=tag, texts=texts, key=_json(KEY)))
    return Request(_TOLD["rules"], "\n\n".join(blocks))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _how_far(strengths: Sequence[str]) -> str:
    if len(set(strengths)) == 1:
        return f". {INSTRUCTIONS[strengths[0]]}"
    lines = [f"{place}. {INSTRUCTIONS[one]}" for place, one in enumerate(strengths, start=1)]
    return ", in this order:\n" + "\n".join(lines)


def _tag(contents: Sequence[str]) -> str:
    """The end of the tags' names, which depends on all that they enclose and stands in none of it."""
    turn = 0
    while any((name := stable_hash([turn, *contents])) in content for content in contents):
        turn += 1
    return name


def _short(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


_TO_MARK = re.compile(rf"{MASK}|[⟦⟧]+")
_MARK = re.compile(r"⟦\s*(\d{1,6})\s*⟧")
_WORD = re.compile(r"[^\W\d_]{2}")
_IN_ORDER = ("label", "fence")
"""Marks that may not change places: a list's labels and blocks of code."""
_SHOWN = 40


class Restored(NamedTuple):
    """A rewording with the original's spans in it."""

    text: str
    problem: str
    """Why they are not all there, or not as they were; empty when they are."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with marks such as ⟦1⟧ in place of its protected spans, and of brackets of that shape."""

    text: str
    originals: tuple[str, ...]
    kinds: tuple[str, ...]

    @property
    def has_words(self) -> bool:
        """False when nothing is left to reword."""
        return _WORD.search(_MARK.sub(" ", self.text)) is not None

    def restore(self, reply: str) -> Restored:
        """The reply with every mark replaced by its span; a span that is written out counts as its mark."""
        reply = self._marked_again(reply)
        found = [int(match[1]) for match in _MARK.finditer(reply)]
        return Restored(_MARK.sub(self._original, reply), "; ".join(self._problems(reply, found)))

    def _marked_again(self, reply: str) -> str:
        """Models write "2.5 kg" where they were shown ⟦1⟧: each lost mark in place of its span, once."""
        there = {int(match[1]) for match in _MARK.finditer(reply)}
        for number in sorted(range(1, len(self.originals) + 1), key=lambda n: -len(self.originals[n - 1])):
            said = self.originals[number - 1].strip()
            if number not in there and said and said.strip("⟦⟧"):
                written = rf"(?<![\w⟦.,]){re.escape(said)}(?![\w⟧]|[.,]\d)"
                reply = re.sub(written, f"⟦{number}⟧", reply, count=1)
        return reply

    def _original(self, match: re.Match[str]) -> str:
        place = int(match[1]) - 1
        return self.originals[place] if 0 <= place < len(self.originals) else match[0]

    def _problems(self, reply: str, found: list[int]) -> list[str]:
        times = Counter(found)
        ours = range(1, len(self.originals) + 1)
        wrong = {
            "lost": [self._shown(number) for number in ours if number not in times],
            "repeated": [self._shown(number) for number in ours if times[number] > 1],
            "unknown": [f"⟦{number}⟧" for number in times if number not in ours],
        }
        in_order = [n for n in found if n in ours and self.kinds[n - 1] in _IN_ORDER]
        problems = [f"{what}: {', '.join(marks)}" for what, marks in wrong.items() if marks]
        if not problems and in_order != sorted(in_order):
            problems.append("list labels or code blocks changed places")
        if re.search("[⟦⟧]", _MARK.sub("", reply)):
            problems.append("a broken mark")
        return problems

    def _shown(self, number: int) -> str:
        return f"⟦{number}⟧ ({_short(' '.join(self.originals[number - 1].split()), _SHOWN)})"


def mark_spans(text: str) -> Marked:
    """`text` with its protected spans as marks."""
    masked = mask(text)
    originals: list[str] = []
    kinds: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        originals.append(masked.unmask(match[0]))
        kinds.append(masked.kind_of(match[0]) if len(match[0]) == 1 else "")
        return f"⟦{len(originals)}⟧"

    return Marked(_TO_MARK.sub(numbered, masked.text), tuple(originals), tuple(kinds))
