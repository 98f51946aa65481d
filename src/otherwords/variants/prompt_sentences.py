"""A prompt → the sentences of its own prose, parsed; and such a sentence with other words in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from otherwords.core.types import Item, varied_text
from otherwords.english.language import is_english
from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.parse import (
    AUXILIARIES,
    LONGEST,
    Instruction,
    Parts,
    Range,
    parse,
    parse_many,
    plain_text,
    read_instruction,
    read_wish,
    split_sentences,
)
from otherwords.english.questions import read_question
from otherwords.english.spans import find_spans, mask
from otherwords.variants.parse_rules import Clause, Rule
from otherwords.variants.prose import prose

if TYPE_CHECKING:
    from spacy.tokens import Doc

_SAYS = Patterns("rewording")
_words = partial(word_set, "instructions")


@dataclass(frozen=True)
class Edit:
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

    @property
    def mark(self) -> str:
        last = self.doc[-1].text
        return last if last in (".", "!", ":", "?") else ""


def refusal(text: str) -> str:
    """Why the rules leave a prompt as it is, in a few words; empty where they may try."""
    if not text.strip():
        return "it is empty"
    if len(text) > LONGEST:
        return f"it is longer than {LONGEST:,} characters"
    labels = [label.lower() for label in _SAYS.label.findall(text)]
    if len(set(labels)) < len(labels) or "assistant" in labels:
        return "it has examples with their answers"
    if _SAYS.select_all.search(text):
        return "it asks to select several options"
    return ""


def is_well_formed(text: str, new: str) -> bool:
    """Whether it has other words, and no doubled words or marks and small first letters that are new."""
    another = re.sub(r"\W+", "", text).lower() != re.sub(r"\W+", "", new).lower()
    faults = (_SAYS.twice, _SAYS.small_start, _SAYS.two_marks)
    return another and all(len(fault.findall(new)) <= len(fault.findall(text)) for fault in faults)


def count_refusals(items: Iterable[Item]) -> dict[str, int]:
    """Why the rules leave prompts in English as they are, and how many."""
    texts = [varied_text(item.prompt) for item in items]
    return dict(Counter(why for text in texts if (why := refusal(text)) and is_english(text)))


def _request(doc: Doc) -> Instruction | None:
    """ "Can you VERB …?" is an instruction, and no question such as "Can you get ill from it?"."""
    asks = _SAYS.asking.match(doc.text)
    verb = len(asks[0].split()) if asks and len(doc) > 4 else 0
    if asks and verb and doc[verb].tag_ == "VB" and doc[-1].text == "?":
        asked = len(asks[0].split()) > 2 or doc[verb].lower_ in _words("requested")
        if asked or any(token.lower_ in _words("mine") for token in doc):
            return Instruction(doc, (0, verb), verb, len(doc) - 1)
    return None


def read_sentences(text: str) -> list[Sentence]:
    """The sentences of the prompt's prose, each parsed on its own."""
    masked = mask(text)
    given = _SAYS.given.search(text)
    places: list[Range] = []
    for stretch in prose(masked):
        start, end = masked.in_original(stretch.start), masked.in_original(stretch.end)
        if given is not None and start >= given.end():
            break
        if text[end : end + 1] == ":":
            end += 1
        places += [(start + one, start + other) for one, other in split_sentences(text[start:end])]
    spans, names = find_spans(text), _words("named")
    docs = parse_many([text[start:end] for start, end in places])
    found = []
    for (start, end), doc in zip(places, docs, strict=True):
        inside = [span for span in spans if span.start < end and span.end > start]
        if any(span.start < start or span.end > end for span in inside):
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


def asks_twice(sentence: Sentence) -> bool:
    """Whether it is two questions in one."""
    text = sentence.doc.text
    asks = text.endswith("?") and not isinstance(sentence.clause, Instruction)
    return asks and _SAYS.joint.search(text) is not None and not _SAYS.and_why.match(text)


def both_indirect(text: str) -> str:
    """Two questions in one as clauses that can follow "tell me"; empty where one of them is not sure."""
    joint = _SAYS.joint.search(text)
    said = []
    for part in (text[: joint.start()] + "?", text[joint.end() :]) if joint else ():
        how_to = _SAYS.how_to.fullmatch(part)
        if how_to:
            said.append(f"{how_to[1].lower()} to {how_to[2]}")
            continue
        question = read_question(parse(part[0].upper() + part[1:]))
        if (
            question is None
            or _SAYS.how_do_i.match(part)
            or question.strands_verb
            or question.lead != (0, 0)
            or _SAYS.unsure.search(part)
        ):
            return ""
        clause, opening = plain_text(question.doc, question.indirect), question.doc[0]
        said.append(re.sub(rf"\b{opening.text}\b", opening.lower_, clause, count=1))
    return joint[0].join(said) if joint else ""


def asks_the_reader(sentence: Sentence) -> bool:
    """Whether it asks yes or no of the reader, but for an opinion: "Do you have any tips?" is a request."""
    words = [token.lower_ for token in sentence.doc[:3]]
    return words[0] in AUXILIARIES and words[1:2] == ["you"] and not _words("opinions").issuperset(words[2:])


def render(sentence: Sentence, parts: Parts, edits: Sequence[Edit]) -> tuple[str, list[Rule]]:
    """What the parts say with the edits inside them, and the rules of those edits."""
    doc = sentence.doc
    said = ""
    used: list[Rule] = []
    ended = False
    for part in parts:
        if isinstance(part, str):
            piece = part
            ended = part.rstrip().endswith((".", "?"))
        elif part[1] <= part[0]:
            continue
        else:
            own = [one for one in edits if part[0] <= one.span[0] and one.span[1] <= part[1]]
            used += [one.rule for one in own]
            piece = _with_edits(doc, part, own)
            opens = part[0] == 0 and said.strip() and said[-1] != ":"
            if ended:
                piece, ended = piece[0].upper() + piece[1:], False
            elif opens and piece and _may_be_small(sentence, piece):
                piece = piece[0].lower() + piece[1:]
        said = _joined(said, piece)
    if doc.text[0].isupper() and said[:1].islower():
        said = said[0].upper() + said[1:]
    return said, used


def _may_be_small(sentence: Sentence, piece: str) -> bool:
    first = sentence.doc[0]
    if isinstance(sentence.clause, Instruction) and sentence.clause.verb == 0:
        return True
    small = piece[1:2].islower() or piece[1:2] == " "
    return first.pos_ != "PROPN" and first.text != "I" and 0 in sentence.free and small


def _joined(before: str, piece: str) -> str:
    piece = piece.strip()
    if not before or not piece:
        return before + piece
    if piece == "." and _SAYS.closed.search(before):
        return before
    if piece in (".", "?", ":") and before.endswith("."):  # of an abbreviation, or taken for one
        return before if piece == "." else (before if _SAYS.dotted.search(before) else before[:-1]) + piece
    tight = _SAYS.tight.match(piece)
    return before + ("" if tight or before.endswith(("(", "“")) else " ") + piece


def _with_edits(doc: Doc, span: Range, edits: Sequence[Edit]) -> str:
    pieces: list[str] = []
    at = doc[span[0]].idx
    for edit in sorted(edits, key=lambda one: one.span):
        first, last = doc[edit.span[0]], doc[edit.span[1] - 1]
        new = edit.new
        start = first.idx
        if first.i > span[0] and doc[first.i - 1].lower_ in ("a", "an") and new[0].isalpha():
            start = doc[first.i - 1].idx
            article = "an" if new[0].lower() in "aeio" else "a"
            new = (article.capitalize() if doc.text[start].isupper() else article) + " " + new
        elif new and doc.text[start].isupper():
            new = new[0].upper() + new[1:]
        tight = new.startswith(("'", "n't")) and start > at
        before = doc.text[at:start]
        pieces += (before.rstrip() if tight else before, new)
        if not new:
            pieces[-2] = before.rstrip()
        at = last.idx + len(last)
    final = doc[span[1] - 1]
    pieces.append(doc.text[at : final.idx + len(final)])
    return "".join(pieces)
