"""Where the sentences of a masked prompt are, and which one asks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from otherwords.variants.protect import MASK, Masked

_END = re.compile(r"[.?!]+(?=\s|$)")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|No|Fig|[A-Z]|e\.g|i\.e|cf|approx)\.$")
_LEAD = re.compile(r"\s*(?:(?:Question|Q|Problem|Task)\s?\d*:\s+)?")
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

    @property
    def questions(self) -> tuple[Sentence, ...]:
        return tuple(one for one in self.sentences if one.text.endswith("?") and not one.listed)

    @property
    def question(self) -> Sentence | None:
        """The question, when there is exactly one."""
        questions = self.questions
        return questions[0] if len(questions) == 1 else None

    def with_sentence(self, sentence: Sentence, new: str) -> str:
        return self.text[: sentence.start] + new + self.text[sentence.end :]


def read_passage(masked: Masked) -> Passage:
    text = masked.text
    sentences: list[Sentence] = []
    for line in _LINE.finditer(text):
        content = line.group()
        bare = content.lstrip()
        listed = bool(bare) and (
            masked.kind_of(bare[0]) == "label" or bare[0] in "|>" or content.startswith(("    ", "\t"))
        )
        if listed and text.count("\n") == 0 and masked.kind_of(bare[0]) == "label":
            listed = False  # a lone numbered question
        start = line.start()
        stops = [line.start() + match.end() for match in _END.finditer(content)]
        for stop in [*stops, line.end()]:
            piece = text[start:stop]
            if not piece.strip() or _ABBREVIATION.search(piece):
                continue
            lead = _LEAD.match(piece)
            skipped = lead.end() if lead else 0
            if bare and start == line.start() and masked.kind_of(bare[0]) == "label":
                skipped = re.match(rf"\s*{MASK}\s*", piece).end()  # type: ignore[union-attr]
            led = bool(piece[:skipped].strip())
            body = piece[skipped:].rstrip()
            if body:
                sentences.append(Sentence(start + skipped, start + skipped + len(body), body, led, listed))
            start = stop
    return Passage(text, tuple(sentences))
