"""Where the sentences of a masked prompt are, which of them ask or instruct, and which are data.

Data are the matter of the problem and not the asker's own words: lists, tables, quotations, code, whatever a
label such as `Passage:` introduces. The rules leave them alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from otherwords.variants.nouns import WH
from otherwords.variants.protect import MASK, Masked
from otherwords.variants.verbs import CONSTRAINTS, TASKS, TASKS_BEFORE_DETERMINERS, lexicon

_END = re.compile(r"[.?!]+[)”’\"'*]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|St|Prof|Jr|Sr|vs|etc|No|Fig|Eq|Inc|Ltd|Co|e\.g|i\.e|cf|approx|al|a\.m|p\.m)"
    r"|(?:^|[A-Z]\w* |[.(:] ?)[A-Z])\.$"
)
_ASKING_LABEL = (
    r"(?:[Qq]uestion|Q|[Pp]roblem|[Tt]ask|[Ii]nstructions?|[Pp]rompt|[Rr]equest|[Gg]oal|[Ee]xercise)"
    rf"(?: ?{MASK})?[:.]\s+"
)
_ASKED = re.compile(rf"\s*(?:\*\*|__)?{_ASKING_LABEL}")
_LATER_LABEL = re.compile(rf"(?<=[\s.?!])(?=(?:Question|Q|Task|Instructions?|Problem)(?: ?{MASK})?:\s)")
_LEAD = re.compile(rf"\s*(?:(?:\*\*|__)?{_ASKING_LABEL}|(?:\*\*|__)[^*_\n]{{1,60}}(?:\*\*|__):?\s+)?")
_MARKER = re.compile(rf"\s*{MASK}\s*")
_LABEL = re.compile(rf"\s*(?:[\w'’&/-]+|{MASK})(?: (?:[\w'’&/-]+|{MASK})){{0,3}} ?(?:\([^)\n]*\))?:(?:\s|$)")
_TEXT_LABEL = re.compile(
    r"\s*(?:\w+ )?(?:text|passage|context|article|input|output|document|data|code|e-?mail|message"
    r"|review|sentence|paragraph"
    r"|abstract|source|transcript|story|logs?|premises?|hypothesis|example|options|choices|tweet|post"
    r"|poem|conversation)s?\b",
    re.I,
)
_STEM = re.compile(
    r"\S \b(?:is|are|was|were|be|of|in|by|to|the|an?|that|as|for|with|from|includes?|called|means|when"
    r"|should|must) ?:",
    re.I,
)
_OPENS_NO_LABEL = lexicon(
    "here given consider note if suppose imagine assume please now then also for in to with by"
)
_CODE = re.compile(
    r"[{}=\\|]|;\s*$|\w\(\)|->|=>|::|^\s*(?:def |class |import |from \S+ import|return\b|elif|else:"
    r"|for \w+ in .*:$"
    r"|while .*:$|#include|//|/\*|>>>|\$ |@\w)"
)
_BOX = re.compile(rf"\n+\s*{MASK}? ?\[[ xX]\]")
_LINE = re.compile(r"[^\n]+")
_WRAPPED = 50
"""A line at least so long that does not end a sentence goes on in the next one."""

_MORE = re.compile(r" (?!not\b)\S")
_UNMARKED_QUESTION = re.compile(
    r"(?:what|who|where|when|why|how|which)(?: \w+)?(?:['’]s| is| are| was| were| do| does| did| many"
    r"| much| can) (?:\S+ )*[^\s.:;,!]*[^\s.:;,!]",
    re.I,
)
_DETERMINED = (
    r"(?:the|a|an|all|any|each|every|both|one|two|three|four|five|six|ten|your|my|our|his|her|their|its"
    r"|this|that|these"
    r"|those|me|it|how|what|which|who|where|when|whether|if)\b"
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
_NO_TASK = CONSTRAINTS | lexicon(
    "note let be don't remember see help bear consider assume suppose imagine feel ensure"
)
_OBJECT = re.compile(rf"{_DETERMINED}|{MASK}|[A-Z]\w*")
_ABOUT_WORDS = re.compile(
    r"\b(?:translat|proofread|paraphras|rewrit|reword|rephras|summari[sz]|sentiment|classif|grammar"
    r"|spelling|verbatim"
    r"|punctuation|sarcas|plagiari|contraction|(?:formal|polite|friendly|professional) tone)"
    r"|\b(?:following|this|these|above|below|given|each) (?:\w+ )?(?:texts?|passages?|sentences?"
    r"|paragraphs?|excerpts?|articles?"
    r"|reviews?|tweets?|e-?mails?|poem|story|stories|transcripts?|dialogues?|conversations?|statements?"
    r"|claims?|words?"
    r"|phrases?|strings?|abstracts?|posts?|comments?|messages?|letters?|documents?)\b"
    r"|\b(?:words|letters|characters|vowels|syllables|sentences) (?:are|in|of|does|do)\b",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Sentence:
    start: int
    end: int
    text: str
    led: bool = False
    """It follows a label such as `Question:` on its line."""
    data: bool = False
    """It stands among options, in a table, in code or in a labelled passage."""
    item: bool = False
    """It stands in a list."""
    wrapped: bool = False
    """It goes over more than one line."""
    first: str = ""
    """Its first word in lower case, but for "Then," and "Please"."""
    verb_at: int = 0
    """Where that word is in `text`."""
    polite: bool = False
    """That word follows "Please"."""
    tasked: bool = False
    """That word follows "Your task is to" or "I want you to"."""
    own: str = ""
    """The asker's own words: all of it, or up to the colon after which an instruction gives its data."""

    @property
    def asks(self) -> bool:
        return (
            not self.data
            and not self.item
            and (self.text.endswith("?") or bool(_UNMARKED_QUESTION.fullmatch(self.text)))
        )

    @property
    def instructs(self) -> bool:
        """It sets a task by an imperative."""
        if self.data or self.item or self.text.endswith("?"):
            return False
        if self.tasked or self.first in TASKS or (self.polite and self.first not in _NO_TASK):
            return bool(_MORE.match(self.text, self.verb_at + len(self.first)))
        return self.first in TASKS_BEFORE_DETERMINERS and self._has_object()

    @property
    def constrains(self) -> bool:
        """It is an imperative that says how to do a task."""
        return self.first in CONSTRAINTS and not self.data and not self.item and not self.text.endswith("?")

    def _has_object(self) -> bool:
        return bool(_OBJECT.match(self.text, self.verb_at + len(self.first) + 1))


@dataclass(slots=True)
class Passage:
    """A prompt with its spans masked, read once for all rules."""

    masked: Masked
    sentences: tuple[Sentence, ...]
    questions: tuple[Sentence, ...]
    instructions: tuple[Sentence, ...]
    statements: tuple[Sentence, ...]
    """Sentences whose words may be changed; where words are the matter, only those that ask or instruct."""

    @property
    def text(self) -> str:
        return self.masked.text

    @property
    def question(self) -> Sentence | None:
        """The question to be answered: the last one, since those before it lead up to it."""
        return self.questions[-1] if self.questions else None


def read_passage(masked: Masked) -> Passage:
    sentences = tuple(_all_sentences(masked))
    questions = tuple(one for one in sentences if one.asks and not _is_form_field(masked.text, one))
    instructions = tuple(
        one for place, one in enumerate(sentences) if one.instructs or (not place and one.constrains)
    )
    if not instructions and not questions:
        instructions = tuple(one for one in sentences if one.constrains)
    about_words = bool(_ABOUT_WORDS.search(masked.text))
    own = []
    for one in sentences:
        addressed = one.asks or one.instructs or one.constrains
        if one.data or (about_words and not addressed):
            continue
        colon = one.text.find(": ") if addressed else -1
        one.own = one.text if colon < 0 else one.text[: colon + 1]
        own.append(one)
    return Passage(masked, sentences, questions, instructions, tuple(own))


def _is_form_field(text: str, sentence: Sentence) -> bool:
    """Boxes to tick come after it."""
    return bool(_BOX.match(text, sentence.end))


def _all_sentences(masked: Masked) -> Iterator[Sentence]:
    lines = list(_LINE.finditer(masked.text))
    alone = "\n" not in masked.original.strip()
    in_passage = False
    end = place = 0
    while place < len(lines):
        line = lines[place]
        content = line.group()
        if masked.text.count("\n", end, line.start()) > 1 or _ASKED.match(content):
            in_passage = False
        opening = content.lstrip()[:1]
        kind = masked.kind_of(opening) if opening else ""
        listed = opening in ("|", ">") or (
            not alone and (kind in ("label", "fence") or content.startswith(("    ", "\t")))
        )
        item = (
            listed and kind == "label" and not alone and not masked.unmask(opening).strip(" \t(")[0].isalpha()
        )
        labelled = not listed and _labels_data(content)
        in_passage = in_passage or (labelled and bool(_TEXT_LABEL.match(content)))
        data = (listed and not item) or in_passage or labelled or bool(_CODE.search(content))
        last = place
        if not data and not item:
            while last + 1 < len(lines) and _goes_on(lines[last], lines[last + 1], masked):
                last += 1
        begin, end = line.start(), lines[last].end()
        later = _LATER_LABEL.search(content) if labelled else None
        if later:  # "Passage: … Question: …" on one line
            begin += later.start()
            yield from _sentences(content[: later.start()], line.start(), marked=False, data=True, item=False)
        data = data and not later
        yield from _sentences(
            masked.text[begin:end], begin, marked=kind in ("label", "fence"), data=data, item=item
        )
        place = last + 1


def _labels_data(line: str) -> bool:
    """ "Passage: …", "Anna: …", but not "Question: …" or "Solve for x: …"."""
    match = _LABEL.match(line)
    if match is None or _LEAD.match(line).end():  # type: ignore[union-attr]
        return False
    if _STEM.search(match.group()):
        return False
    first = line.split(None, 1)[0].rstrip(":").lower()
    known = first in TASKS | TASKS_BEFORE_DETERMINERS | CONSTRAINTS | WH | _OPENS_NO_LABEL
    return not known


def _goes_on(line: re.Match[str], following: re.Match[str], masked: Masked) -> bool:
    """Text that was wrapped by hand."""
    text, after = line.group().rstrip(), following.group()
    if following.start() - line.end() > 1 or text.endswith((".", "?", "!", ":", ";")) or len(text) < _WRAPPED:
        return False
    opening = after[:1]
    return opening.isalnum() or (
        bool(opening.strip()) and masked.kind_of(opening) not in ("", "label", "fence")
    )


def _sentences(content: str, offset: int, *, marked: bool, data: bool, item: bool) -> Iterator[Sentence]:
    start = 0
    for stop in [*(match.end() for match in _END.finditer(content)), len(content)]:
        piece = content[start:stop]
        if not piece.strip() or _ABBREVIATION.search(piece):
            continue
        opens = marked and start == 0
        lead = (_MARKER if opens else _LEAD).match(piece)
        skipped = lead.end() if lead else 0
        body = piece[skipped:].rstrip()
        if body:
            begin = offset + start + skipped
            led = not opens and bool(piece[:skipped].strip())
            yield Sentence(begin, begin + len(body), body, led, data, item, "\n" in body, *_first_word(body))
        start = stop


def _first_word(body: str) -> tuple[str, int, bool, bool]:
    """The first word, where it is, and whether "Please" or "Your task is to" come before it."""
    task = _YOUR_TASK.match(body)
    opening = task or _CLAUSE_THEN_VERB.match(body) or _OPENING.match(body)
    at = opening.end() if opening else 0
    stop = body.find(" ", at)
    word = body[at:] if stop < 0 else body[at:stop]
    return word.rstrip(",:.?!").lower(), at, bool(opening and opening[1]) and not task, bool(task)
