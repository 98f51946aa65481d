"""A text → its language; a reply → whether it refuses; an error → whether a service or code is to blame.

Refusals are made not to be wrong where they say yes: a reply that merely hedges ("I cannot be certain,
but …"), that says what it lacks ("I have no access to …"), or that answers after its reservations is none.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

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
_ASCII_SHARE = 0.85


def is_english(text: str) -> bool:
    """Whether `text` is English, code and quotations apart; False where that is not sure."""
    return language(text) == "en"


@lru_cache(maxsize=256)
def language(text: str) -> str:
    """The ISO 639-1 code of the language of `text`; `und` where it cannot be told."""
    prose = text[:_LONGEST]
    for start, end, kind in reversed(find_spans(prose)):
        if kind in _NOT_PROSE:
            prose = f"{prose[:start]} {prose[end:]}"
    prose = _SAYS.statement.sub("", prose)
    parts = [
        [word.lower().replace("’", "'") for word in _SAYS.word.findall(part)]
        for part in _SAYS.part.split(prose)
    ]
    words = [*chain.from_iterable(parts)]
    if not words:
        return UNKNOWN
    english, foreign = word_set("languages", "english"), word_set("languages", "foreign")
    theirs = sum(word in foreign and word not in english for word in words)
    # Beside words of other languages, those that both have ("was", "no") tell nothing.
    ours = sum(word in english and not (theirs and word in foreign) for word in words)
    letters = [letter for letter in prose if letter.isalpha()]
    has_foreign = any(english.isdisjoint(part) and sum(map(foreign.__contains__, part)) > 1 for part in parts)
    may_be = sum(map(str.isascii, letters)) >= _ASCII_SHARE * len(letters) and not has_foreign
    if may_be and ours > theirs and (ours >= _ENGLISH_SHARE * len(words) or len(words) <= _FEW_WORDS):
        return "en"
    from py3langid import classify

    guess = str(classify(prose)[0])
    few = ours == theirs == 0 and len(words) <= read_lexicon("languages")["longest_without"]
    may_be = may_be and (ours > theirs or (few and prose.isascii()))
    return guess if (may_be if guess == "en" else theirs >= ours) else UNKNOWN


_REPLY = Patterns("refusals")
LONGEST = 2000
"""Characters from which a reply says more than no."""
_OPENING = 400
"""Characters at the beginning that are looked at for the refusing sentence."""

_MARKS = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "*": "", "_": "", "#": "", ">": ""})


def is_refusal(text: str) -> bool:
    """Whether the reply says that it will not answer."""
    if len(text) > LONGEST:
        return False
    said = " ".join(text.translate(_MARKS).split()).casefold()
    said = said.lstrip("\"' ").removeprefix("assistant: ")
    found = _REPLY.declines.match(said[:_OPENING])
    if found is None:
        return False
    rest = said[found.end() :]
    goes_on = _REPLY.goes_on.search(rest)
    answers = _REPLY.has_answer.search(rest) or (goes_on and not _REPLY.offer.match(goes_on[1]))
    return not answers


def names_service_failure(text: str) -> bool:
    """Whether the text names an error of a provider or of the way to it."""
    return _REPLY.of_services.search(text) is not None


def names_code_failure(text: str) -> bool:
    """Whether the text begins with an error that neither a service nor the machine is to blame for."""
    return _REPLY.of_code.match(text) is not None
