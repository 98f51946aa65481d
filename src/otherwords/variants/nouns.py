"""Telling a plain noun phrase from a clause, well enough to move it and no more.

Word order is changed only around phrases that pass here. "What is the man holding?" must not become "what the
man holding is", so anything that may be a verb, a stranded preposition or a second clause disqualifies it.
"""

from __future__ import annotations

import re

from otherwords.variants.protect import MASK
from otherwords.variants.verbs import PARTICIPLES, lexicon

WH = lexicon("what who whom whose which when where why how")
BE = lexicon("is are was were")
MODALS = lexicon("can could will would shall should may might must")
AUXILIARIES = BE | MODALS | lexicon("do does did am be been being has have had")
PRONOUNS = lexicon("i you he she it we they me him her us them there")
DETERMINERS = lexicon("the a an this that these those my your his her its their our each every another")
PREPOSITIONS = lexicon("""
    of in on at by for with from to into onto about over under between among through during against
    across along around behind beside beyond as like than within without upon near per via after before
    since until towards toward up down out off
""")
_NOT_IN_NOUN_PHRASES = (
    WH
    | AUXILIARIES
    | (PRONOUNS - {"her"})
    | lexicon("""
    if because while although though unless whether but not never able unable likely unlikely going
    supposed famous known responsible worth due like so such called used too very more now today
    tomorrow yesterday currently ever yet
""")
)
_NOT_SUBJECTS = AUXILIARIES | PREPOSITIONS | DETERMINERS | WH | lexicon("me him us them there")
_BEFORE_DETERMINERS = PREPOSITIONS | lexicon("and or all both half")
_NOUNS_IN_ING = lexicon("""
    king ring spring string thing wing building meaning beginning ending morning evening boiling melting
    freezing following setting meeting painting wedding ceiling clothing being lightning nothing
    something anything everything rating ranking wiring breathing viking sibling sterling driving
    operating leading working living remaining missing opening closing programming engineering
    accounting reasoning warming training
""")
_NOT_PAST_IN_ED = lexicon(
    "red bed seed speed need hundred sacred breed weed deed feed reed shed sled wicked naked"
)
_NUMBER_WORDS = lexicon("one two three four five six seven eight nine ten eleven twelve half")
_NOUN_ENDING = re.compile(
    r"(?:tion|sion|ment|ness|ity|ism|ysis|esis|osis|logy|ics|ance|ence|ship|graphy|nomy|metry|ture|ion"
    r"|gen|ium)s?$"
)
_PLAIN = re.compile(rf"(?:[\w'’\-.&]|{MASK})+(?: (?:[\w'’\-.&]|{MASK})+)*")
_MASK = re.compile(MASK)


def looks_verbal(word: str) -> bool:
    """May be a participle; capitals are names."""
    if not word[:1].islower():
        return False
    if word.endswith("ing"):
        return word not in _NOUNS_IN_ING
    return word in PARTICIPLES or (word.endswith("ed") and word not in _NOT_PAST_IN_ED)


def opens_noun_phrase(word: str) -> bool:
    lower = word.lower()
    return bool(
        lower in DETERMINERS
        or lower in _NUMBER_WORDS
        or word[:1].isupper()
        or _MASK.match(word)
        or lower.endswith(("'s", "’s"))
        or _NOUN_ENDING.search(lower)
    )


def is_noun_phrase(phrase: str, *, relative: bool = False) -> bool:
    """`relative`: a relative clause at its end is welcome, since nothing will be put after it."""
    parts = phrase.split()
    if not _PLAIN.fullmatch(phrase) or not opens_noun_phrase(parts[0]):
        return False
    if relative:
        parts = _before_relative_clause(parts)
    if len(parts) == 1:
        word = parts[0].lower()
        return word not in DETERMINERS and word not in PRONOUNS
    last = parts[-1].lower()
    if last in PREPOSITIONS or last in DETERMINERS:
        return False
    return all(_fits(word, before) for before, word in zip(["", *parts], parts, strict=False))


def _fits(word: str, before: str) -> bool:
    """May `word` stand in a noun phrase after `before`?"""
    lower, before = word.lower(), before.lower()
    if lower in _NOT_IN_NOUN_PHRASES or lower.endswith("n't"):
        return False
    if lower in PREPOSITIONS:
        return before not in PREPOSITIONS
    if lower in DETERMINERS and before:
        return before in _BEFORE_DETERMINERS
    return not looks_verbal(word) or before in ("of", "for", "by")


def is_subject(phrase: str) -> bool:
    """A short subject in which no verb can hide."""
    parts = phrase.split()
    if len(parts) == 1:
        return parts[0].lower() not in _NOT_SUBJECTS and bool(_PLAIN.fullmatch(phrase))
    return "to" not in parts and is_noun_phrase(phrase) and len(parts) <= 7


def _before_relative_clause(parts: list[str]) -> list[str]:
    for place in range(2, len(parts) - 1):
        if parts[place] in ("that", "which", "who", "whose", "where"):
            return parts[: place - 1] if parts[place - 1] in PREPOSITIONS else parts[:place]
    return parts
