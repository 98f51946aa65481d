"""A masked prompt, read once for all rules: its sentences, and which of them are data.

Data are the matter of the problem and not the asker's own words: options, tables, quotations, code, whatever
a label such as `Passage:` introduces. The rules leave them alone.
"""

from __future__ import annotations

import re
from string import ascii_letters
from typing import NamedTuple

from otherwords.english.sentences import is_addressed_line
from otherwords.variants.nouns import WH
from otherwords.variants.plain import has_one_of
from otherwords.variants.protect import MASK, Masked
from otherwords.variants.sentences import ASKING_LABEL, LEAD, Sentence, sentences_of
from otherwords.variants.verbs import CONSTRAINTS, TASKS, TASKS_BEFORE_DETERMINERS, lexicon

_ASKED = re.compile(rf"\s*(?:\*\*|__)?{ASKING_LABEL}")
_LATER_LABEL = re.compile(rf"(?<=[\s.?!])(?=(?:Question|Q|Task|Instructions?|Problem)(?: ?{MASK})?:\s)")
_LABEL = re.compile(rf"\s*(?:[\w'’&/-]+|{MASK})(?: (?:[\w'’&/-]+|{MASK})){{0,3}} ?(?:\([^)\n]*\))?:(?:\s|$)")
_TEXT_LABEL = re.compile(
    r"\s*(?:\w+ )?(?:text|passage|context|article|input|output|document|data|code|e-?mail|message|review"
    r"|sentence|paragraph|abstract|source|transcript|story|logs?|premises?|hypothesis|example|options|choices"
    r"|tweet|post|poem|conversation)s?\b",
    re.I,
)
_STEM = re.compile(
    r"\S \b(?:is|are|was|were|be|of|in|by|to|the|an?|that|as|for|with|from|includes?|called|means|when|should"
    r"|must) ?:",
    re.I,
)
_OPENS_NO_LABEL = (
    TASKS
    | TASKS_BEFORE_DETERMINERS
    | CONSTRAINTS
    | WH
    | lexicon("here given consider note if suppose imagine assume please now then also for in to with by")
)
_CODE_OPENING = re.compile(
    r"\s*(?:def |class |import |from \S+ import|return\b|elif|else:|for \w+ in .*:$|while .*:$|#include"
    r"|//|/\*|>>>"
    r"|\$ |@\w)"
)
_CODE_MARKS = ("{", "}", "=", "\\", "|", "()", "->", "::")
_BOX = re.compile(rf"\n+\s*{MASK}? ?\[[ xX]\]")
_LETTERS = bytes(ord(chr(code).lower()) if chr(code) in ascii_letters else ord(" ") for code in range(256))
_WRAPPED = 50
"""A line at least so long that does not end a sentence goes on in the next one."""
_WITH_S = re.compile(r"(?:What|Who|Where|When|How)(['’]s )(?!been\b|got\b|happened\b|going\b|up\b)", re.I)

_WORDING_STEMS = (
    " translat", " proofread", " paraphras", " rewrit", " reword", " rephras", " summariz", " summaris",
    " sentiment", " classif", " grammar", " spelling", " verbatim", " punctuat", " sarcas", " plagiari",
    " contraction",
)  # fmt: skip
_TEXTS = lexicon("""
    text texts passage passages sentence sentences paragraph paragraphs excerpt excerpts article
    articles review reviews tweet tweets email emails mail poem story stories transcript transcripts
    dialogue dialogues conversation conversations statement statements claim claims word words phrase
    phrases string strings abstract abstracts post posts comment comments message messages letter
    letters document documents characters vowels syllables tone
""")
_OFTEN_ELSEWHERE = lexicon("""
    conversation conversations statement statements claim claims post posts comment comments message
    messages letter letters document documents email emails mail
""")
_ABOUT_TEXTS = re.compile(  # from the space on, which `re` soon finds
    rf" (?:following|above|below|given) (?:[a-z]+ )?(?:{'|'.join(sorted(_TEXTS - {'tone'}))})\b"
    rf"| (?:this|these|each) (?:[a-z]+ )?(?:{'|'.join(sorted(_TEXTS - {'tone'} - _OFTEN_ELSEWHERE))})\b"
    r"| (?:words|letters|characters|vowels|syllables|sentences) (?:are|in|of|does|do)\b"
    r"| (?:formal|polite|friendly|professional) tone"
)
"""In what `_only_words` leaves."""
_SECOND_PERSON = re.compile(
    r"(?:You|Your)\b(?! (?:task|job|goal|can|may|will|should|must|could|answer|response|output|solution|code"
    r"|function)\b| need to\b"
    r"| are (?:an? (?:[\w-]+ )*(?:assistant|expert|agent|engineer|developer|analyst|teacher|writer|scientist)"
    r"|given|asked|provided)\b| have (?:been given|been asked|access)\b)"
)


class Passage:
    __slots__ = (
        "asked",
        "instructions",
        "masked",
        "question",
        "questions",
        "sentences",
        "statements",
        "words",
    )

    def __init__(self, masked: Masked, sentences: tuple[Sentence, ...]) -> None:
        self.masked = masked
        self.sentences = sentences
        words = _only_words(masked.text)
        self.words = frozenset(words.split())
        """All words, in lower case."""
        self.questions = tuple(
            [one for one in sentences if one.asks and not _is_form_field(masked.text, one)]
        )
        self.question = self.questions[-1] if self.questions else None
        """The question to be answered: the last one, since those before it lead up to it."""
        self.asked = _as_asked(self.question)
        """It, with a capital and a question mark, without `'s`; empty where it cannot be reworded whole."""
        self.instructions = tuple(
            [one for one in sentences if one.instructs or (one.constrains and one is sentences[0])]
        )
        if not self.instructions and not self.questions:
            self.instructions = tuple([one for one in sentences if one.constrains])
        about_words = has_one_of(_WORDING_STEMS, words) or self._is_about_texts(words)
        self.statements = _own_sentences(sentences, about_words=about_words)
        """Those whose words may be changed; where words are the matter, only those that ask or instruct."""

    @property
    def text(self) -> str:
        return self.masked.text

    def _is_about_texts(self, words: str) -> bool:
        """Another wording of the text to be corrected or counted would be another problem."""
        return not _TEXTS.isdisjoint(self.words) and bool(_ABOUT_TEXTS.search(words))

    def tells_of_you(self) -> bool:
        """It tells a story in the second person, so that imperatives in it may be details of the story."""
        return any(_SECOND_PERSON.match(one.text) for one in self.sentences if not one.data and not one.item)


def read_passage(masked: Masked) -> Passage:
    return Passage(masked, tuple(_all_sentences(masked)))


def _as_asked(question: Sentence | None) -> str:
    if question is None or question.wrapped:
        return ""
    text = question.text.removeprefix("And ")
    match = _WITH_S.match(text)
    if match:
        text = f"{text[: match.start(1)]} is {text[match.end() :]}"
    return text[0].upper() + text[1:] + ("" if text[-1] == "?" else "?")


def _own_sentences(sentences: tuple[Sentence, ...], *, about_words: bool) -> tuple[Sentence, ...]:
    own = []
    for one in sentences:
        addressed = one.asks or one.instructs or one.constrains
        if not one.data and (addressed or not about_words):
            if addressed and ": " in one.text:
                one.own = one.text[: one.text.index(": ") + 1]
            own.append(one)
    return tuple(own)


def _only_words(text: str) -> str:
    """`text` in lower case, each word from a to z after a space, and nothing but spaces besides."""
    return " " + text.encode("latin-1", "replace").translate(_LETTERS).decode("ascii")


def _is_form_field(text: str, sentence: Sentence) -> bool:
    """Boxes to tick come after it."""
    return text.startswith("\n", sentence.end) and bool(_BOX.match(text, sentence.end))


def _all_sentences(masked: Masked) -> list[Sentence]:
    found: list[Sentence] = []
    lines = _lines(masked.text)
    alone = "\n" not in masked.original.strip()
    in_passage = False
    end = place = 0
    while place < len(lines):
        line = lines[place]
        content = line.text
        if in_passage and (masked.text.count("\n", end, line.start) > 1 or _ASKED.match(content)):
            in_passage = False
        kind = masked.kind_of(content.lstrip()[:1])
        listed = _is_listed(content, kind, alone=alone)
        item = listed and _is_item(content, masked)
        labelled = not listed and ":" in content and _labels_data(content)
        in_passage = in_passage or (labelled and bool(_TEXT_LABEL.match(content)))
        data = (listed and not item) or in_passage or labelled or _is_code(content)
        last = place
        if not data and not item:
            while last + 1 < len(lines) and _goes_on(lines[last], lines[last + 1], masked):
                last += 1
        begin, end = line.start, lines[last].end
        later = _LATER_LABEL.search(content) if labelled else None
        if later:  # "Passage: … Question: …" on one line
            found += sentences_of(content[: later.start()], begin, marked=False, data=True, item=False)
            begin, data = begin + later.start(), False
        marked = kind in ("label", "fence")
        found += sentences_of(masked.text[begin:end], begin, marked=marked, data=data, item=item)
        place = last + 1
    return found


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def _lines(text: str) -> list[_Line]:
    """Those that are not empty."""
    found: list[_Line] = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line:
            found.append(_Line(start, end, line))
        start = end + 1
    return found


def _is_listed(line: str, kind: str, *, alone: bool) -> bool:
    """In a list, a table, a quotation or code; a lone line that is numbered is no list."""
    if line.lstrip()[:1] in ("|", ">"):
        return True
    if line.startswith(("    ", "\t")) and not is_addressed_line(line):
        return True
    return not alone and kind in ("label", "fence")


def _is_item(line: str, masked: Masked) -> bool:
    """After a bullet or a number; after a letter there are options."""
    opening = line.lstrip()[:1]
    return masked.kind_of(opening) == "label" and not masked.unmask(opening).strip(" \t(")[0].isalpha()


def _is_code(line: str) -> bool:
    return has_one_of(_CODE_MARKS, line) or line.rstrip().endswith(";") or bool(_CODE_OPENING.match(line))


def _labels_data(line: str) -> bool:
    """ "Passage: …", "Anna: …", but not "Question: …" or "Solve for x: …"."""
    match = _LABEL.match(line)
    lead = LEAD.match(line)
    if match is None or (lead and lead.end()) or _STEM.search(match.group()):
        return False
    return line.split(None, 1)[0].rstrip(":").lower() not in _OPENS_NO_LABEL


def _goes_on(line: _Line, following: _Line, masked: Masked) -> bool:
    """Text that was wrapped by hand."""
    text, opening = line.text.rstrip(), following.text[:1]
    if following.start - line.end > 1 or text.endswith((".", "?", "!", ":", ";")) or len(text) < _WRAPPED:
        return False
    return opening.isalnum() or masked.kind_of(opening) not in ("", "label", "fence")
