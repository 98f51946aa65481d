"""A prompt → which parts are prose that a person typed, and where its sentences open.

Typing mistakes, chat style and letter case belong to the person's own words. Code, tables, lists, quotations,
tagged or fenced blocks, labelled passages and whatever follows a colon are the matter of the problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from otherwords.english.lexicon import read_lexicon
from otherwords.english.parse import parse
from otherwords.english.words import is_base_verb, is_word
from otherwords.variants.protect import MASK, Masked, mask


class Stretch(NamedTuple):
    start: int
    end: int


_DATA_WORDS = """
    texts? passages? contexts? articles? inputs? outputs? documents? data code e-?mails? messages?
    reviews? tables? sentences? paragraphs? abstracts? sources? transcripts? story logs? premises?
    hypothes[ie]s examples? options? choices? tweets? posts? headlines? quotes? words? numbers? names?
    schema json csv sql
"""
DATA_LABEL = re.compile(
    rf"[ \t]*(?:\w+ )?(?:{'|'.join(_DATA_WORDS.split())})(?: ?\d{{1,2}})?:", re.IGNORECASE
)
_ASKING_LABEL = re.compile(
    r"[ \t]*(?:(?:your|the|here is (?:the|your|a)) )?"
    r"(?:question|q|problem|task|goal|job|instructions?|prompt|request)(?: ?\d{1,2})?:[ \t]*",
    re.IGNORECASE,
)
_STATEMENTS = """
    def class import return elif else except print public private static const let var function func
    fn using package SELECT INSERT UPDATE DELETE CREATE
"""
_CODE = re.compile(
    rf"\s*(?:{'|'.join(_STATEMENTS.split())}|from \w+ import|#include)\b.*[=;:(){{}}*<]"
    r"|\s*(?:\$|>>>|//|/\*|--|#!)|\s*[\w.\[\]]+ ?[-+*/]?= "
)
_STATEMENT = re.compile(r"\s*\(?[ivxIVX]{1,5}[.)]\s")
_LETTERS = re.compile(r"[^\W\d_]{2}")
_RECORD = re.compile(r"[^\s,;=]*[,;=]\S*")
_TRIPLE = re.compile(r"(\"\"|'').*?\1", re.DOTALL)
_RULED = re.compile(r"^([-=*#~_])\1{2,}[ \t]*$.*?^\1{3,}[ \t]*$", re.DOTALL | re.MULTILINE)
_TAG = re.compile(r"<(\w[\w-]*)[^>]*>")
_COLON = re.compile(r":(?=\s|$)")
_GIVEN_KINDS = frozenset({"label", "fence", "date"})


@lru_cache(maxsize=256)
def prose(masked: Masked) -> tuple[Stretch, ...]:
    """Left to right, never over a line break."""
    lines = masked.text.split("\n")
    alone = len(lines) - lines.count("") == 1
    blocks = enclosed(masked)
    found: list[Stretch] = []
    passage = False
    start = 0
    for line in lines:
        end = start + len(line)
        passage = bool(line) and (passage or (":" in line and bool(DATA_LABEL.match(line))))
        given = passage or (bool(blocks) and any(begin <= start < stop for begin, stop in blocks))
        if line and not given and not _is_data(masked, line, alone=alone):
            own = _own_words(line, start) if ":" in line else Stretch(start, end)
            if own.end > own.start:
                found.append(own)
        start = end + 1
    return tuple(found)


def own_words(text: str) -> list[tuple[int, int]]:
    """Where a person's own words stand in `text`, without protected spans."""
    masked = mask(text)
    found: list[tuple[int, int]] = []
    for start, end in prose(masked):
        inside = [place for place in masked.places if start <= place < end]
        edges = [start, *(edge for place in inside for edge in (place, place + 1)), end]
        found += [
            (masked.in_original(a), masked.in_original(b))
            for a, b in zip(edges[::2], edges[1::2], strict=True)
            if a < b
        ]
    return found


def is_about_form(text: str) -> bool:
    """Whether a prompt is about letters, spelling or forms of words, so that these may not change."""
    return bool(_about_form().search(text))


@cache
def _about_form() -> re.Pattern[str]:
    return re.compile("|".join(read_lexicon("typing")["about_form"]), re.IGNORECASE)


def ends_in_prose(masked: Masked) -> bool:
    stretches = prose(masked)
    return bool(stretches) and stretches[-1].end >= len(masked.text.rstrip())


def edit_prose_lines(masked: Masked, change: Callable[[str], str]) -> str:
    """The whole masked text, with `change` applied to each line that holds some prose."""
    own = {masked.text.count("\n", 0, stretch.start) for stretch in prose(masked)}
    lines = masked.text.split("\n")
    return "\n".join([change(line) if place in own else line for place, line in enumerate(lines)])


def _own_words(line: str, offset: int) -> Stretch:
    """The line after a label such as `Question:`, up to the next colon."""
    label = _ASKING_LABEL.match(line)
    start = label.end() if label else 0
    colon = _COLON.search(line, start)
    end = colon.start() if colon else len(line)
    if colon and len(line[start:end].split()) < 2:  # another label, such as `Answer:`
        end = start
    return Stretch(offset + start, offset + end)


def _is_data(masked: Masked, line: str, *, alone: bool) -> bool:
    body = line.strip()
    opening = body[:1]
    if line.startswith(("    ", "\t")) or (not alone and opening and masked.kind_of(opening) in _GIVEN_KINDS):
        return True
    if not alone and _STATEMENT.match(masked.unmask(line[:12])):
        return True
    if opening in ("|", ">") or body.endswith((";", "{", "}")) or _CODE.match(line):
        return True
    return (" " not in body and bool(_RECORD.fullmatch(body))) or not _LETTERS.search(line)


def enclosed(masked: Masked) -> list[Stretch]:
    """Where tags, triple quotes or rules enclose something, unless they enclose the whole prompt."""
    text = masked.text
    blocks: list[Stretch] = []
    if "\n" in text:
        blocks += [Stretch(*match.span()) for match in _RULED.finditer(text)]
    if '""' in text or "''" in text:
        blocks += [Stretch(*match.span()) for match in _TRIPLE.finditer(text)]
    if "placeholder" in masked.kinds:
        blocks += _tagged(masked)
    if not blocks:
        return []
    outside = "".join(char for place, char in enumerate(text) if not any(a <= place < b for a, b in blocks))
    return blocks if outside.strip() else []


def _tagged(masked: Masked) -> Iterator[Stretch]:
    opened: dict[str, int] = {}
    for match in re.finditer(MASK, masked.text):
        original = masked.unmask(match.group())
        tag = _TAG.fullmatch(original)
        if tag:
            opened.setdefault(tag[1], match.start())
        elif original.startswith("</") and original[2:-1].strip() in opened:
            yield Stretch(opened.pop(original[2:-1].strip()), match.end())


_FUNCTION_WORDS = frozenset(("PRON", "DET", "ADP", "SCONJ", "CCONJ", "AUX", "ADV", "PART"))
_OF_PLACES = ("ish", "an", "ans", "ese", "ic", "eek", "ench", "utch", "iss", "i", "is")
_LONGEST = 20_000
"""Characters of a prompt beyond which it is not parsed."""
_CAPITALISED = r"(?P<word>[A-Z][a-z]*)\b(?!['’](?!s\b|re\b|ll\b)|[.-])"
_OPENING = re.compile(rf"(?:\A[ \t]*|(?<=[.?!]) ){_CAPITALISED}")
_SMALL_OPENING = re.compile(r"(?:\A\s*|(?<=[.?!]) )(?P<word>[a-z]+)\b(?!['’./=_(-])")
_A_THING = re.compile(r" (?!and\b|or\b|is\b|has\b|was\b)[a-z]{3,}")
_TELLING = re.compile(
    r"(?:Please |Now |Then |Carefully )?([A-Za-z]+) (?!of\b|is\b|are\b|was\b|were\b|has\b|had\b)"
)


@cache
def imperatives() -> frozenset[str]:
    """Verbs with which a prompt tells somebody to do something."""
    words = f"{read_lexicon('requests')['commands']} {read_lexicon('openers')['verbs']}"
    return frozenset(words.split()) - {"for"}


@cache
def _openers() -> frozenset[str]:
    return imperatives() | frozenset(read_lexicon("openers")["others"].split())


def tells(text: str) -> bool:
    """`text` opens by telling somebody to do something."""
    match = _TELLING.match(text)
    return bool(match and match[1].lower() in imperatives() and text[:1].isupper())


def capital_openers(text: str) -> list[int]:
    """Where the sentences of a person's own words open with a capital that is no part of a name."""
    masked = mask(text)
    found = [
        (masked.in_original(start + match.start("word")), match["word"], masked.text[start + match.end() :])
        for start, end in prose(masked)
        for match in _OPENING.finditer(masked.text[start:end])
    ]
    return [at for at, word, after in found if _is_no_name(text, at, word, after)]


def _is_no_name(text: str, at: int, word: str, after: str) -> bool:
    if word.lower() in _openers() or (word == "A" and _A_THING.match(after)):
        return True
    if len(word) == 1 or len(text) > _LONGEST:
        return False
    token = next((token for token in parse(text) if token.idx == at), None)
    if token is None or token.text != word or token.pos_ in ("PROPN", "X"):
        return False
    if token.pos_ in ("ADJ", "NOUN") and word.endswith(_OF_PLACES):  # "Polish", "Romans"
        return False
    return token.pos_ in _FUNCTION_WORDS or is_base_verb(word.lower()) or is_word(word.lower())


def small_openers(text: str) -> list[int]:
    """Where they open with a small letter, in a word that may have a large one."""
    masked = mask(text)
    return [
        masked.in_original(start + match.start("word"))
        for start, end in prose(masked)
        for match in _SMALL_OPENING.finditer(masked.text[start:end])
        if match["word"] in _openers()
    ]


def with_case(text: str, places: list[int], *, upper: bool) -> str:
    """`text` with the letters at `places` large or small."""
    for at in places:
        text = text[:at] + (text[at].upper() if upper else text[at].lower()) + text[at + 1 :]
    return text
