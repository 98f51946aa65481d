"""A prompt → where its sentences open with a word that is no name, so that its case may change."""

from __future__ import annotations

import re
from functools import cache

from otherwords.english.inflection import is_base_verb, is_word
from otherwords.english.lexicon import read_lexicon
from otherwords.english.parse import parse
from otherwords.variants.prose import prose
from otherwords.variants.protect import mask

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
