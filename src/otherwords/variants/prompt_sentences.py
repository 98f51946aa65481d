"""A prompt → the sentences of its own prose, parsed; and such a sentence with other words in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from otherwords.core.types import Item, varied_text
from otherwords.english.language import is_english
from otherwords.english.parse import (
    AUXILIARIES,
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
from otherwords.variants.parse_rules import Clause, Rule
from otherwords.variants.prose import prose
from otherwords.variants.protect import find_spans, mask

if TYPE_CHECKING:
    from spacy.tokens import Doc

LONGEST = 20_000
"""Characters of a prompt beyond which it is left as it is."""
_LABEL = re.compile(
    r"^[ \t]*(Q|A|Input|Output|Question|Answer|User|Assistant|Human|Example)(?: \d+)?\s*:", re.M | re.I
)
_SELECT_ALL = re.compile(
    r"\b(?:select|choose|pick) (?:all|any|every|each)\b|\ball that apply\b"
    r"|\b(?:mark|check|tick) (?:all|any|every|each) (?:that|of|correct|the correct)\b"
    r"|\b(?:select|choose|pick|mark|check|tick) (?:two|three|four|\d+)"
    r"(?=\s*(?:[^\w\s]|$)|\s(?:of|options|answers|that|correct)\b)",
    re.I,
)
IF_ASKED = re.compile(
    r"\b(?:if|when|whenever|unless|until)\b[^.]*\bask(?:s|ed)?\b|\bask\w* (?:\w+ )?(?:if|whether)\b", re.I
)
_CODE_WORDS = re.compile(
    r"(?:^|\s)(?:sudo|chmod|grep|awk|sed|curl|ssh|--?[a-z]\w*=?)(?=\s|$)|[|&]{2}|\s\|\s|[{}<>\\]"
)
_GIVEN = re.compile(
    r"(?:\b(?:following|below)\b|\b[Tt]his (?:text|sentence|paragraph|passage|e-?mail|article|review|code|"
    r"message|story|poem|letter|document|list|function|question|problem)\b)[^\n]*\n"
)
"""The line that says that what comes after it is given: to be translated, summarized or answered."""
_ASKING = re.compile(r"(?:can|could) you (?:please )?|would you (?:please|be able to) ", re.I)
_MINE = frozenset(("me", "my", "us", "our"))
_REQUESTED = frozenset(
    "write explain describe summarize summarise translate calculate compute list name identify compare "
    "classify generate rewrite paraphrase recommend suggest tell provide draft compose proofread solve "
    "define outline analyze analyse evaluate check schedule come brainstorm "
    "review edit shorten extract debug refactor implement rephrase reword".split()
)
"""Verbs that "Can you" asks somebody to do, whoever is spoken of."""
_NAMED = frozenset(
    "folder directory file table column field function class method variable branch module package service "
    "database repository named called".split()
)
"""Nouns that a name may follow: "the folder photos"."""
_DOTTED = re.compile(r"(?:\b[A-Za-z]\.){2,}$|\b(?:etc|Inc|Jr|Sr|Ltd|Co)\.$")

_WH = r"(?:when|where|why|how|who|whom|whose|what|which)"
_SECOND = (
    rf"(?:(?:(?:in|at|on|by|for|into|from|to|with|of|under|through|during|since) )?{_WH}\b"
    r"|(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should) "
    r"(?:I|you|he|she|it|we|they|there)\b)"
)
JOINT = re.compile(rf",? \b(?:and|or|but),? (?:if (?:so|not|yes), )?(?={_SECOND})", re.I)
"""Between two questions in one."""
UNSURE = re.compile(rf"{JOINT.pattern}|^how (?:many|much)(?: \w+)? (?:is|are|was|were)\b", re.I)
"""In a part of a question: that it is two itself, or it is not sure which of its nouns is the subject."""
_AND_WHY = re.compile(r"[^,]*,? and (?:when|where|why|how)\?$", re.I)
"""Two questions in one, of which the second is a word."""
HOW_DO_I = re.compile(r"(?:How do (?:I|you|we|one)|Where do (?:I|we))\b", re.I)
"""Followed by "tell me", this is "how to" or "where to"."""
_HOW_TO = re.compile(r"(how|where) do (?:I|we) (?!look|feel|sound|do\b|know|stand|live)([a-z].*)\?", re.I)
_OPINIONS = frozenset(("think", "believe", "agree", "recommend", "prefer"))
_FAULTS = (re.compile(r"\b(\w+(?: \w+)?) \1\b", re.I), re.compile(r"[.?!] +[a-z]"), re.compile(r"\?[?.]"))
"""Words twice in a row, a sentence that begins with a small letter, and two marks at an end."""


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
        if IF_ASKED.search(text) or _CODE_WORDS.search(text):
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
    labels = [label.lower() for label in _LABEL.findall(text)]
    if len(set(labels)) < len(labels) or "assistant" in labels:
        return "it has examples with their answers"
    if _SELECT_ALL.search(text):
        return "it asks to select several options"
    return ""


def is_well_formed(text: str, new: str) -> bool:
    """Whether it has other words, and no doubled words or marks and small first letters that are new."""
    another = re.sub(r"\W+", "", text).lower() != re.sub(r"\W+", "", new).lower()
    return another and all(len(fault.findall(new)) <= len(fault.findall(text)) for fault in _FAULTS)


def count_refusals(items: Iterable[Item]) -> dict[str, int]:
    """Why the rules leave prompts in English as they are, and how many."""
    texts = [varied_text(item.prompt) for item in items]
    return dict(Counter(why for text in texts if (why := refusal(text)) and is_english(text)))


def _request(doc: Doc) -> Instruction | None:
    """ "Can you VERB …?" is an instruction, and no question such as "Can you get ill from it?"."""
    asks = _ASKING.match(doc.text)
    verb = len(asks[0].split()) if asks and len(doc) > 4 else 0
    if asks and verb and doc[verb].tag_ == "VB" and doc[-1].text == "?":
        asked = len(asks[0].split()) > 2 or doc[verb].lower_ in _REQUESTED
        if asked or any(token.lower_ in _MINE for token in doc):
            return Instruction(doc, (0, verb), verb, len(doc) - 1)
    return None


def read_sentences(text: str) -> list[Sentence]:
    """The sentences of the prompt's prose, each parsed on its own."""
    masked = mask(text)
    given = _GIVEN.search(text)
    places: list[Range] = []
    for stretch in prose(masked):
        start, end = masked.in_original(stretch.start), masked.in_original(stretch.end)
        if given is not None and start >= given.end():
            break
        if text[end : end + 1] == ":":
            end += 1
        places += [(start + one, start + other) for one, other in split_sentences(text[start:end])]
    spans = find_spans(text)
    docs = parse_many([text[start:end] for start, end in places])
    found = []
    for (start, end), doc in zip(places, docs, strict=True):
        inside = [span for span in spans if span.start < end and span.end > start]
        if any(span.start < start or span.end > end for span in inside) or not len(doc):
            continue
        free = frozenset(
            token.i
            for token in doc
            if not any(
                span.start < start + token.idx + len(token) and start + token.idx < span.end
                for span in inside
            )
            and (token.i == 0 or token.text == "I" or not token.text[0].isupper())
            and not (token.i and doc[token.i - 1].lower_ in _NAMED and token.pos_ in ("NOUN", "PROPN", "X"))
        )
        found.append(Sentence(start, end, doc, free))
    return found


def asks_twice(sentence: Sentence) -> bool:
    """Whether it is two questions in one."""
    text = sentence.doc.text
    asks = text.endswith("?") and not isinstance(sentence.clause, Instruction)
    return asks and JOINT.search(text) is not None and not _AND_WHY.match(text)


def both_indirect(text: str) -> str:
    """Two questions in one as clauses that can follow "tell me"; empty where one of them is not sure."""
    joint = JOINT.search(text)
    said = []
    for part in (text[: joint.start()] + "?", text[joint.end() :]) if joint else ():
        how_to = _HOW_TO.fullmatch(part)
        if how_to:
            said.append(f"{how_to[1].lower()} to {how_to[2]}")
            continue
        question = read_question(parse(part[0].upper() + part[1:]))
        if (
            question is None
            or HOW_DO_I.match(part)
            or question.strands_verb
            or question.lead != (0, 0)
            or UNSURE.search(part)
        ):
            return ""
        clause, opening = plain_text(question.doc, question.indirect), question.doc[0]
        said.append(re.sub(rf"\b{opening.text}\b", opening.lower_, clause, count=1))
    return joint[0].join(said) if joint else ""


def asks_the_reader(sentence: Sentence) -> bool:
    """Whether it asks yes or no of the reader, but for an opinion: "Do you have any tips?" is a request."""
    words = [token.lower_ for token in sentence.doc[:3]]
    return words[0] in AUXILIARIES and words[1:2] == ["you"] and not _OPINIONS.issuperset(words[2:])


def lead_of(clause: Clause) -> Range:
    """The phrase with a comma that comes before the question or the verb; empty where there is none."""
    if isinstance(clause, Instruction):
        return clause.opener if clause.has_lead else (0, 0)
    return clause.lead if clause is not None else (0, 0)


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
    if piece == "." and re.search(r"[.?!][\"”’']$", before):
        return before
    if piece in (".", "?", ":") and before.endswith("."):  # of an abbreviation, or taken for one
        return before if piece == "." else (before if _DOTTED.search(before) else before[:-1]) + piece
    tight = re.match(r"[,.?!;:)]|['’](?:s|re|ll|ve|d|m)?\b|n['’]t\b", piece)
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
