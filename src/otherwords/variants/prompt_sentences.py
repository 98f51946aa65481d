"""A prompt → the sentences of its own prose, parsed; and such a sentence with other words in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.parse import (
    AUXILIARIES,
    LONGEST,
    Instruction,
    Parts,
    Range,
    Wish,
    parse,
    parse_many,
    plain_text,
    read_instruction,
    read_wish,
    split_sentences,
)
from otherwords.english.questions import Question, read_question
from otherwords.english.spans import find_spans, mask
from otherwords.variants.parse_rules import Clause, Rule
from otherwords.variants.prose import prose

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SAYS = Patterns("rewording")
_words = partial(word_set, "instructions")


class Edit(NamedTuple):
    """Other words in place of some tokens of one sentence."""

    sentence: int
    span: Range
    new: str
    rule: Rule


@dataclass(frozen=True)
class Sentence:
    """One sentence of the prompt's own prose."""

    start: int
    end: int
    doc: Doc
    free: frozenset[int]
    """Tokens that words may replace: none of a protected span or of a name."""

    @cached_property
    def clause(self) -> Clause:
        text = self.doc.text
        if _SAYS.if_asked.search(text) or _SAYS.code_words.search(text):
            return None
        found = _request(self.doc) or read_question(self.doc) or read_instruction(self.doc)
        return found or read_wish(self.doc)

    @cached_property
    def kind(self) -> str:
        """The form of sentence that rules name; `several` where it is two questions in one."""
        text, clause = self.doc.text, self.clause
        if _SAYS.joint.search(text) and text.endswith("?") and not isinstance(clause, Instruction):
            return "several"
        if isinstance(clause, Question):
            return "question"
        return "wish" if isinstance(clause, Wish) else "instruction" if clause else "statement"

    @property
    def mark(self) -> str:
        last = self.doc[-1].text
        return last if last in (".", "!", ":", "?") else ""

    @property
    def asks_the_reader(self) -> bool:
        """Whether it asks yes or no of the reader, and for no opinion: "Do you have any tips?"."""
        words = [token.lower_ for token in self.doc[:3]]
        asks = words[0] in AUXILIARIES and words[1:2] == ["you"]
        return asks and not _words("opinions").issuperset(words[2:])

    @property
    def both_indirect(self) -> str:
        """Two questions in one as clauses that can follow "tell me"; empty where one of them is not sure."""
        said: list[str] = []
        text = self.doc.text
        joint = _SAYS.joint.search(text)
        for part in (text[: joint.start()] + "?", text[joint.end() :]) if joint else ():
            how_to = _SAYS.how_to.fullmatch(part)
            question = read_question(parse(part[0].upper() + part[1:]))
            if said and (short := _SAYS.short.fullmatch(part)):
                said.append(short[1])
            elif how_to:
                said.append(f"{how_to[1].lower()} to {how_to[2]}")
            elif question is None or question.misreads or question.lead[1] or _SAYS.unsure.search(part):
                return ""
            else:
                clause, opening = plain_text(question.doc, question.indirect), question.doc[0]
                said.append(re.sub(rf"\b{opening.text}\b", opening.lower_, clause, count=1))
        return joint[0].join(said) if joint else ""

    def say(self, parts: Parts, edits: Sequence[Edit]) -> tuple[str, list[Rule]]:
        """What the parts say with the edits inside them, and the rules of those edits."""
        said, ended, last = "", False, -1
        used: list[Rule] = []
        for part in parts:
            if isinstance(part, str):
                piece = part.strip()
                ended = piece.endswith((".", "?")) or (ended and not piece)
            elif part[0] < part[1]:
                own = [one for one in edits if part[0] <= one.span[0] and one.span[1] <= part[1]]
                used += [one.rule for one in own]
                piece = _with_edits(self.doc, part, own)
                if ended:
                    piece = piece[0].upper() + piece[1:]
                elif part[0] == 0 and said and not said.endswith(":") and self._may_be_small(piece):
                    piece = piece[0].lower() + piece[1:]
                ended = False
            else:
                continue
            closed = part[:1] == (last,) and not self.doc[last - 1].whitespace_  # "Paris–Roubaix"
            said += (" " if said and piece and not (closed or _SAYS.tight.match(piece)) else "") + piece
            last = -1 if isinstance(part, str) else part[1]
        if isinstance(parts[-1], str):
            said = _SAYS.two_ends.sub(lambda found: found[found.lastgroup or 0], said)
        return (said[:1].upper() + said[1:] if self.doc.text[0].isupper() else said), used

    def _may_be_small(self, piece: str) -> bool:
        """Whether the first word is no name, so that it may stand in the middle."""
        first, small = self.doc[0], piece[1:2].islower() or piece[1:2] == " "
        named = first.pos_ == "PROPN" or first.text == "I" or 0 not in self.free
        return (isinstance(self.clause, Instruction) and self.clause.verb == 0) or (small and not named)


def refusal(text: str) -> str:
    """Why the rules leave a prompt as it is, in a few words; empty where they may try."""
    if not text.strip():
        return "it is empty"
    if len(text) > LONGEST:
        return f"it is longer than {LONGEST:,} characters"
    labels = [label.lower() for label in _SAYS.label.findall(text)]
    if len(set(labels)) < len(labels) or "assistant" in labels:
        return "it has examples with their answers"
    return "it asks to select several options" if _SAYS.select_all.search(text) else ""


def is_well_formed(text: str, new: str) -> bool:
    """Whether it has other words, and no doubled words or marks and small first letters that are new."""
    another = re.sub(r"\W+", "", text).lower() != re.sub(r"\W+", "", new).lower()
    faults = (_SAYS.twice, _SAYS.small_start, _SAYS.two_marks, _SAYS.please_twice)
    return another and all(len(fault.findall(new)) <= len(fault.findall(text)) for fault in faults)


def _request(doc: Doc) -> Instruction | None:
    """ "Can you VERB …?" is an instruction, and no question such as "Can you get ill from it?"."""
    asks = _SAYS.asking.match(doc.text)
    verb = len(asks[0].split()) if asks and len(doc) > 4 else 0
    if not verb or doc[verb].tag_ != "VB" or doc[-1].text != "?":
        return None
    asked = verb > 2 or doc[verb].lower_ in _words("requested")
    mine = any(token.lower_ in _words("mine") for token in doc)
    return Instruction(doc, (0, verb), verb, len(doc) - 1) if asked or mine else None


def read_sentences(text: str) -> list[Sentence]:
    """The sentences of the prompt's prose, each parsed on its own."""
    masked = mask(text)
    given = _SAYS.given.search(text)
    places: list[Range] = []
    for stretch in prose(masked):
        start, end = map(masked.in_original, stretch)
        if given is not None and start >= given.end():
            break
        end += text[end : end + 1] == ":"
        places += [(start + one, start + other) for one, other in split_sentences(text[start:end])]
    spans, names = find_spans(text), _words("named")
    found = []
    for (start, end), doc in zip(places, parse_many([text[slice(*place)] for place in places]), strict=True):
        inside = [span for span in spans if span.start < end and span.end > start]
        is_option = _SAYS.option.match(doc.text)
        if is_option or any(span.start < start or span.end > end for span in inside):
            continue
        kept = {place - start for span in inside for place in range(span.start, span.end)}
        free = frozenset(
            token.i
            for token in doc
            if kept.isdisjoint(range(token.idx, token.idx + len(token)))
            and (token.i == 0 or token.text == "I" or not token.text[0].isupper())
            and not (token.i and doc[token.i - 1].lower_ in names and token.pos_ in ("NOUN", "PROPN", "X"))
        )
        found.append(Sentence(start, end, doc, free))
    return found


def _with_edits(doc: Doc, span: Range, edits: Sequence[Edit]) -> str:
    """The text of the span with other words in it; "a" and "an" fit them."""
    words = {token.i: token.text_with_ws for token in doc[slice(*span)]}
    for edit in edits:
        (start, stop), new = edit.span, edit.new
        gap = doc[stop - 1].whitespace_
        if start > span[0] and doc[start - 1].lower_ in ("a", "an") and new[0].isalpha():
            start -= 1
            new = f"{'an' if new[0].lower() in 'aeio' else 'a'} {new}"
        if new and doc[start].text[0].isupper():
            new = new[0].upper() + new[1:]
        if start > span[0] and (not new or new.startswith(("'", "n't"))):
            words[start - 1] = words[start - 1].rstrip()
        words |= {**dict.fromkeys(range(start, stop), ""), start: new + gap}
    return "".join(words.values()).rstrip()
