"""The sentences of one stretch of masked text, and which of them ask or instruct."""

from __future__ import annotations

import re

from otherwords.variants.protect import MASK
from otherwords.variants.verbs import CONSTRAINTS, TASKS, TASKS_BEFORE_DETERMINERS, lexicon

_END = re.compile(r"[.?!][.?!]*[)”’\"'*]*(?=\s|$)")  # a set first, since `re` soon finds those
_ABBREVIATIONS = lexicon(
    "Mr Mrs Ms Dr St Prof Jr Sr vs etc No Fig Eq Inc Ltd Co e.g i.e cf approx al a.m p.m"
)
_ABBREVIATION = re.compile(
    rf"(?:\b(?:{'|'.join(map(re.escape, sorted(_ABBREVIATIONS)))})|(?:^|[A-Z]\w* |[.(:] ?)[A-Z])\.$"
)
_MAY_END = re.compile(r"(?:etc|a\.m|p\.m|Inc|Ltd|Co|Jr|Sr)\.$")
"""Abbreviations after which a capital letter opens another sentence."""
_CAPITAL = re.compile(r"\s+[A-Z]")
_TAIL = 24
"""An abbreviation is looked for in so many characters."""
ASKING_LABEL = (
    r"(?:[Qq]uestion|Q|[Pp]roblem|[Tt]ask|[Ii]nstructions?|[Pp]rompt|[Rr]equest|[Gg]oal|[Ee]xercise)"
    rf"(?: ?{MASK})?[:.]\s+"
)
LEAD = re.compile(rf"\s*(?:(?:\*\*|__)?{ASKING_LABEL}|(?:\*\*|__)[^*_\n]{{1,60}}(?:\*\*|__):?\s+)?")
_LEAD_OPENERS = frozenset("QqPpTtIiRrGgEe*_")
"""What comes first in a lead that is more than white space."""
_MARKER = re.compile(rf"\s*{MASK}\s*")

_MORE = re.compile(r" (?!not\b)\S")
_UNMARKED_QUESTION = re.compile(
    r"(?:what|who|where|when|why|how|which)(?: \w+)?(?:['’]s| is| are| was| were| do| does| did| many"
    r"| much| can)"
    r" (?:\S+ )*[^\s.:;,!]*[^\s.:;,!]",
    re.I,
)
_DETERMINED = (
    r"(?:the|a|an|all|any|each|every|both|one|two|three|four|five|six|ten|your|my|our|his|her|their|its"
    r"|this|that"
    r"|these|those|me|it|how|what|which|who|where|when|whether|if)\b"
)
_CLAUSE_THEN_VERB = re.compile(
    r"(?:Given|If|For|Using|In|When|Based|Assuming|With|After|Before|From|To|Without|Once|On|At|By|As)\b"
    r"[^.?!]*?, (please )?"
    rf"(?=(?:{'|'.join(sorted(TASKS))}) \S|(?:{'|'.join(sorted(TASKS_BEFORE_DETERMINERS))}) {_DETERMINED})"
)
_YOUR_TASK = re.compile(
    r"(?:Your (?:task|job|goal|objective|aim|assignment) is to|I (?:want|need) you to) (please )?(?=[a-z])"
)
_OPENING = re.compile(
    r"(?:(?:First|Then|Next|Now|Finally|Also|Afterwards|Lastly|Second|Third),? (?=[a-z]))?(please )?", re.I
)
_OPENERS = lexicon("first then next now finally also afterwards lastly second third please")
_NO_TASK = CONSTRAINTS | lexicon(
    "note let be don't remember see help bear consider assume suppose imagine feel ensure"
)
_OBJECT = re.compile(rf"{_DETERMINED}|{MASK}|[A-Z]\w*")


class Sentence:
    """Read once; the rules ask it many times."""

    __slots__ = (
        "asks",
        "constrains",
        "data",
        "end",
        "first",
        "instructs",
        "item",
        "led",
        "own",
        "polite",
        "start",
        "tasked",
        "text",
        "verb_at",
        "wrapped",
    )

    def __init__(self, start: int, text: str, led: bool, data: bool, item: bool) -> None:
        self.start = start
        self.end = start + len(text)
        self.text = text
        self.led = led
        """It follows a label such as `Question:` on its line."""
        self.data = data
        """It stands among options, in a table, in code or in a labelled passage."""
        self.item = item
        """It stands in a list."""
        self.wrapped = "\n" in text
        """It goes over more than one line."""
        self.own = text
        """The asker's own words: all of it, or up to the colon after which an instruction gives its data."""
        self.first, self.verb_at = "", 0
        """Its first word in lower case, but for "Then," and "Please", and where it is."""
        self.polite = self.tasked = False
        """The first word follows "Please", or "Your task is to" or "I want you to"."""
        self.asks = self.instructs = self.constrains = False
        """It is a question; it sets a task by an imperative; it says by one how a task is to be done."""
        if not data and not item:
            self._read()

    def _read(self) -> None:
        text = self.text
        first = _word_at(text, 0)
        task = _YOUR_TASK.match(text) if first in ("your", "i") else None
        opening = task or (", " in text and _CLAUSE_THEN_VERB.match(text))
        if not opening and (first in _OPENERS or not first.isascii()):
            opening = _OPENING.match(text)
        if opening:
            self.verb_at = opening.end()
            self.polite, self.tasked = bool(opening[1]) and not task, bool(task)
            first = _word_at(text, self.verb_at)
        self.first = first
        if text[-1] == "?" or (text[-1] not in ".!:" and _UNMARKED_QUESTION.fullmatch(text)):
            self.asks = True
        else:
            self.instructs = self._sets_task()
            self.constrains = self.first in CONSTRAINTS and self._goes_on()

    def _sets_task(self) -> bool:
        if self.tasked or self.first in TASKS or (self.polite and self.first not in _NO_TASK):
            return self._goes_on()
        if self.first not in TASKS_BEFORE_DETERMINERS:
            return False
        return bool(_OBJECT.match(self.text, self.verb_at + len(self.first) + 1))

    def _goes_on(self) -> bool:
        return bool(_MORE.match(self.text, self.verb_at + len(self.first)))


def _word_at(text: str, place: int) -> str:
    stop = text.find(" ", place)
    return (text[place:] if stop < 0 else text[place:stop]).rstrip(",:.?!").lower()


def sentences_of(content: str, offset: int, *, marked: bool, data: bool, item: bool) -> list[Sentence]:
    """`content` stands at `offset`; `marked`: a list's marker or code opens it."""
    found: list[Sentence] = []
    start = 0
    for stop in [*[match.end() for match in _END.finditer(content)], len(content)]:
        piece = content[start:stop]
        spaces = len(piece) - len(piece.lstrip())
        if spaces == len(piece):
            continue
        if piece[-1] == "." and _is_abbreviated(piece) and not _may_end(piece, content, stop):
            continue
        opens = marked and not start
        skipped = _lead(piece, spaces) if not opens else _marker(piece)
        body = piece[skipped:].rstrip()
        if body:
            led = not opens and skipped > spaces
            found.append(Sentence(offset + start + skipped, body, led, data, item))
        start = stop
    return found


def _is_abbreviated(piece: str) -> bool:
    """Its full stop may belong to its last word."""
    word = piece[piece.rfind(" ") + 1 : -1]
    if word.isalpha() and word.islower():
        return word in _ABBREVIATIONS
    return piece[-2:-1].isalpha() and bool(_ABBREVIATION.search(piece[-_TAIL:]))


def _may_end(piece: str, content: str, stop: int) -> bool:
    return bool(_MAY_END.search(piece[-_TAIL:]) and _CAPITAL.match(content, stop))


def _lead(piece: str, spaces: int) -> int:
    """The length of what leads up to the sentence: its white space, and a label such as `Question:`."""
    lead = LEAD.match(piece) if piece[spaces] in _LEAD_OPENERS else None
    return lead.end() if lead else spaces


def _marker(piece: str) -> int:
    marker = _MARKER.match(piece)
    return marker.end() if marker else 0
