"""Where the sentences of a masked prompt are, and which one asks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from otherwords.variants.protect import MASK, Masked

_END = re.compile(r"[.?!]+(?=\s|$)")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|No|Fig|[A-Z]|e\.g|i\.e|cf|approx)\.$")
_LEAD = re.compile(r"\s*(?:(?:Question|Q|Problem|Task)\s?\d*:\s+)?")
_LABEL = re.compile(rf"\s*{MASK}\s*")
_LINE = re.compile(r"[^\n]+")


@dataclass(frozen=True, slots=True)
class Sentence:
    start: int
    end: int
    text: str
    led: bool = False
    """It follows a label such as `Question:` on its line."""
    listed: bool = False
    """It stands in a list, a table or among options."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A prompt with its spans masked, read once for all rules."""

    text: str
    sentences: tuple[Sentence, ...]
    questions: tuple[Sentence, ...]

    @property
    def question(self) -> Sentence | None:
        """The question, when there is exactly one."""
        return self.questions[0] if len(self.questions) == 1 else None

    def with_sentence(self, sentence: Sentence, new: str) -> str:
        return self.text[: sentence.start] + new + self.text[sentence.end :]


def read_passage(masked: Masked) -> Passage:
    lines = list(_LINE.finditer(masked.text))
    sentences: list[Sentence] = []
    for line in lines:
        opening = line.group().lstrip()[:1]
        kind = masked.kind_of(opening) if opening else ""
        listed = opening in ("|", ">") or line.group().startswith(("    ", "\t"))
        listed = listed or (kind == "label" and len(lines) > 1)  # a lone numbered question is no list
        sentences += _sentences(line, labelled=kind in ("label", "fence"), listed=listed)
    questions = tuple(one for one in sentences if one.text.endswith("?") and not one.listed)
    return Passage(masked.text, tuple(sentences), questions)


def _sentences(line: re.Match[str], *, labelled: bool, listed: bool) -> Iterator[Sentence]:
    content = line.group()
    start = 0
    for stop in [*(match.end() for match in _END.finditer(content)), len(content)]:
        piece = content[start:stop]
        if not piece.strip() or _ABBREVIATION.search(piece):
            continue
        opens = labelled and start == 0
        lead = (_LABEL if opens else _LEAD).match(piece)
        skipped = lead.end() if lead else 0
        body = piece[skipped:].rstrip()
        if body:
            begin = line.start() + start + skipped
            led = not opens and bool(piece[:skipped].strip())
            yield Sentence(begin, begin + len(body), body, led, listed)
        start = stop
