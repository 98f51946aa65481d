"""A text → its language; a reply → whether it refuses; an error → whether a service or code is to blame.

Refusals are made not to be wrong where they say yes: a reply that merely hedges ("I cannot be certain,
but …"), that says what it lacks ("I have no access to …"), or that answers after its reservations is none.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.spans import find_spans

UNKNOWN = "und"
"""The code of a text whose language cannot be told."""
_SAYS = Patterns("language")
_NOT_PROSE = frozenset(("fence", "code", "url", "email", "path", "formula", "placeholder", "quoted"))
_LONGEST = 4_000
"""Characters that are looked at."""
_FEW_WORDS = 6
_ENGLISH_SHARE = 0.2
"""A longer text with fewer of the commonest English words among its words is not English."""
_LATIN_SHARE = 0.85


def is_english(text: str) -> bool:
    """Whether `text` is English, code and quotations apart; False where that is not sure.

    Examples:
        >>> is_english("Who wrote Hamlet?"), is_english("Qui a écrit Hamlet ?")
        (True, False)
    """
    return language(text) == "en"


@lru_cache(maxsize=256)
def language(text: str) -> str:
    """The ISO 639-1 code of the language of `text`; `und` where it cannot be told."""
    prose = _prose(text[:_LONGEST])
    words = [word.lower().replace("’", "'") for word in _SAYS.word.findall(prose)]
    if not words:
        return UNKNOWN
    if _looks_english(prose, words):
        return "en"
    guess = _classify(prose)
    theirs, ours = _count(words)
    return guess if guess != "en" and theirs >= ours else UNKNOWN


def _count(words: list[str]) -> tuple[int, int]:
    """How many of the words are of other languages, and how many of English.

    Beside words of other languages, those that both have ("was", "no") tell nothing.
    """
    english, foreign = word_set("languages", "english"), word_set("languages", "foreign")
    theirs = sum(word in foreign and word not in english for word in words)
    return theirs, sum(word in english and not (theirs and word in foreign) for word in words)


def _looks_english(prose: str, words: list[str]) -> bool:
    """Whether it is in Latin letters, with words of English in all its parts, and enough of them."""
    letters = [char for char in prose if char.isalpha()]
    latin = sum("LATIN" in unicodedata.name(char, "") for char in letters)
    if latin < _LATIN_SHARE * len(letters) or any(map(_is_foreign, _SAYS.part.split(prose))):
        return False
    theirs, ours = _count(words)
    if ours == theirs == 0:
        few = len(words) <= read_lexicon("languages")["longest_without"]
        return few and prose.isascii() and _classify(prose) == "en"
    enough = ours >= _ENGLISH_SHARE * len(words) or len(words) <= _FEW_WORDS
    return ours > theirs and (enough or _classify(prose) == "en")


def _is_foreign(part: str) -> bool:
    """Whether a part of a text has several words of other languages and none of English."""
    words = [word.lower() for word in _SAYS.word.findall(part)]
    foreign = sum(word in word_set("languages", "foreign") for word in words)
    return foreign > 1 and word_set("languages", "english").isdisjoint(words)


def _prose(text: str) -> str:
    """`text` without code, addresses, formulas and quotations, unless nothing else is in it."""
    kept, end = [], 0
    for span in find_spans(text):
        if span.kind in _NOT_PROSE:
            kept.append(text[end : span.start])
            end = span.end
    prose = _SAYS.statement.sub("", " ".join((*kept, text[end:])))
    return prose if _SAYS.word.search(prose) else ""


def _classify(text: str) -> str:
    from py3langid import classify

    return str(classify(text)[0])


_REPLY = Patterns("refusals")
LONGEST = 2000
"""Characters from which a reply says more than no."""
_OPENING = 400
"""Characters at the beginning that are looked at for the refusing sentence."""

_MARKS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "*": "", "_": "", "#": "", ">": ""})


def is_refusal(text: str) -> bool:
    """Whether the reply says that it will not answer.

    Example:
        >>> from otherwords.english.language import is_refusal
        >>> is_refusal("I'm sorry, but I can't help with that.")
        True
        >>> is_refusal("I cannot be sure, but I think it is Paris.")
        False
    """
    if len(text) > LONGEST:
        return False
    said = " ".join(text.translate(_MARKS).split()).casefold()
    said = said.lstrip("\"' ").removeprefix("assistant: ")
    found = _REPLY.declines.match(said[:_OPENING])
    if found is None:
        return False
    rest = said[found.end() :]
    if _REPLY.has_answer.search(rest):
        return False
    goes_on = _REPLY.goes_on.search(rest)
    return goes_on is None or _REPLY.offer.match(goes_on[1]) is not None


def names_service_failure(text: str) -> bool:
    """Whether the text names an error of a provider or of the way to it.

    Example:
        >>> from otherwords.english.language import names_service_failure
        >>> names_service_failure("Error code: 429 - slow down"), names_service_failure("KeyError: 'x'")
        (True, False)
    """
    return _REPLY.of_services.search(text) is not None


def names_code_failure(text: str) -> bool:
    """Whether the text begins with an error that neither a service nor the machine is to blame for.

    Example:
        >>> from otherwords.english.language import names_code_failure
        >>> names_code_failure("KeyError('flight')"), names_code_failure("RuntimeError('503')")
        (True, False)
    """
    return _REPLY.of_code.match(text) is not None
