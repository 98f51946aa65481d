"""A direct question → the clause that asks the same after "Tell me …".

"What is the capital of France?" → "what the capital of France is"; "Who wrote Hamlet?" → "who wrote Hamlet".
Only shapes that are safe to recognise are turned; everything else gives None.
"""

from __future__ import annotations

import re
from functools import lru_cache

from otherwords.variants.nouns import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    MODALS,
    PREPOSITIONS,
    PRONOUNS,
    WH,
    is_noun_phrase,
    is_subject,
    looks_verbal,
    opens_noun_phrase,
)
from otherwords.variants.protect import MASK
from otherwords.variants.verbs import FORMS, PARTICIPLES, lexicon

_TWO_CLAUSES = re.compile(
    r"[,;:()—]|\b(?:and|or|but) (?:what|who|which|when|where|why|how|is|are|was|do|does|did|can)\b"
    r"|n't\b|\bnot\b",
    re.IGNORECASE,
)
_QUALITY = re.compile(
    r"(?:What|Which) (?:colou?r|shape|size|nationality|age|day|month|year|(?:type|kind|sort) of [a-z]+)"
    r" (is|are|was|were) (.+)"
)
_MASKED = re.compile(MASK)
_HOW_BIG = re.compile(r"How (?:old|tall|long|far|deep|big|wide|high|heavy|fast|large|hot|cold)")
_PREPOSITIONAL = re.compile(r"(?:In|On|At|By|To|For|From|With|Under|During) (?:which|what|whom|whose)\b")
_IN_WHICH_PLACE = re.compile(r"(?:In|On) (?:which|what) [a-z]+")
_SUBJECT_VERB = lexicon("made led gave began came became held kept took won wrote got")
_COMMON_QUALITIES = lexicon("""
    blue red green white black yellow orange pink dark bright hot cold warm cool hard soft round flat curved
    big small large tall short long deep wide fast slow high low old new rare safe good bad wet dry sour
""")
_PREDICATES = lexicon("most least best true false correct incorrect closest responsible made")


@lru_cache(maxsize=1024)  # several frames ask for the same clause
def indirect(question: str) -> str | None:
    """The clause for one masked sentence that ends in `?`; its first word in lower case."""
    body = question[:-1]
    words = body.split(" ")
    if len(words) < 3 or "" in words or not question.endswith("?") or _TWO_CLAUSES.search(body):
        return _negated_subject_question(body)
    if words[0].lower() not in WH and not _PREPOSITIONAL.match(body):
        return None
    for shape in _SHAPES:
        clause = shape(words)
        if clause is not None:
            return clause[0].lower() + clause[1:]
    return None


def _what_is(words: list[str]) -> str | None:
    if words[0] not in ("What", "Who") or words[1] not in BE or not is_noun_phrase(" ".join(words[2:])):
        return None
    subject, tail = words[2:], []
    if len(subject) > 3 and subject[-2] in ("in", "on") and _MASKED.fullmatch(subject[-1]):
        subject, tail = subject[:-2], subject[-2:]  # "what the capital of Brazil was in 1900"
    elif "during" in subject[1:]:
        at = subject.index("during")
        subject, tail = subject[:at], subject[at:]
    return " ".join([words[0], *subject, words[1], *tail])


def _who_is(words: list[str]) -> str | None:
    """ "Who was elected president?": who is the subject, so the order stays."""
    if words[0] == "Who" and words[1] in BE and looks_verbal(words[2]) and not words[2].endswith("ing"):
        return None if words[-1] in PREPOSITIONS else " ".join(words)
    return None


def _quality(words: list[str]) -> str | None:
    """ "What colour is the sky on a clear day?" → "what colour the sky is on a clear day"."""
    match = _QUALITY.fullmatch(" ".join(words))
    if match is None or not is_noun_phrase(match[2]):
        return None
    rest = match[2].split()
    cut = next((at for at, word in enumerate(rest) if word in PREPOSITIONS - {"of"}), len(rest))
    return " ".join([*match.string[: match.start(1)].split(), *rest[:cut], match[1], *rest[cut:]])


def _where_is(words: list[str]) -> str | None:
    """ "Where is Paris?", "How tall is Mount Everest?", "How far is the Moon from Earth?"."""
    place = _first_auxiliary(words)
    if place is None or words[place] not in BE:
        return None
    opening, be, subject, tail = " ".join(words[:place]), words[place], words[place + 1 :], list[str]()
    somewhere = opening in ("Where", "When") or _IN_WHICH_PLACE.fullmatch(opening)
    if not somewhere and not _HOW_BIG.fullmatch(opening):
        return None
    if opening == "How far" and "from" in subject:
        at = subject.index("from")
        subject, tail = subject[:at], subject[at:]
    plain = is_noun_phrase(" ".join(subject)) and (not tail or is_noun_phrase(" ".join(tail[1:])))
    return " ".join([opening, *subject, be, *tail]) if plain else None


def _why_is(words: list[str]) -> str | None:
    """ "Why is the sky blue?": one word at the end that can only be a quality."""
    rest = words[2:]
    if words[0] != "Why" or words[1] not in BE or not 2 <= len(rest) <= 4 or set(rest[1:]) & DETERMINERS:
        return None
    cut = -2 if rest[-2] in ("so", "very") else -1
    subject, predicate = rest[:cut], rest[cut:]
    if not subject or not _sounds_like_quality(predicate[-1]) or not is_subject(" ".join(subject)):
        return None
    return " ".join(["why", *subject, words[1], *predicate])


def _sounds_like_quality(word: str) -> bool:
    return word.islower() and (
        word.endswith(("y", "ous", "ful", "ive", "al", "ic", "able", "ible", "ant", "ent", "less"))
        or word in _COMMON_QUALITIES
    )


def _how_many_are_there(words: list[str]) -> str | None:
    place = _first_auxiliary(words)
    if place is None or words[0] != "How" or words[1] not in ("many", "much"):
        return None
    if words[place] in BE and words[place + 1 : place + 2] == ["there"] and place > 2:
        tail = words[place + 2 :]
        if not tail or tail[0] in PREPOSITIONS:
            return " ".join([*words[:place], "there", words[place], *tail])
    return None


def _do_support(words: list[str]) -> str | None:
    place = _first_auxiliary(words)
    if place is None or words[place] not in ("do", "does", "did"):
        return None
    opening, rest = words[:place], words[place + 1 :]
    if len(rest) < 2 or opening == ["Who"] or set(rest) & (AUXILIARIES - {"have", "do", "be"}):
        return None
    if words[place] == "do":  # a plural subject: its verb needs no ending
        return " ".join([*opening, *rest]) if rest[0] not in PREPOSITIONS else None
    return _inflected(opening, rest, form=0 if words[place] == "does" else 1)


def _inflected(opening: list[str], rest: list[str], form: int) -> str | None:
    """The verb is the first known one after a subject in which none can hide."""
    for place in range(1, len(rest)):
        if rest[place] not in FORMS:
            continue
        subject = " ".join(rest[:place])
        only_names = all(
            word[0].isupper() or word in ("of", "the") or not word[0].isalpha() for word in rest[:place]
        )
        at_end = place == len(rest) - 1 or rest[place + 1] in PREPOSITIONS
        if is_subject(subject) and (only_names or at_end or rest[0].lower() in PRONOUNS):
            return " ".join([*opening, subject, FORMS[rest[place]][form], *rest[place + 1 :]])
        return None
    return None


def _passive(words: list[str]) -> str | None:
    """ "When was the Eiffel Tower built?", "In which country is Machu Picchu located?"."""
    place = _first_auxiliary(words)
    if place is None or words[place] not in BE or len(words) < place + 3:
        return None
    opening, subject, verb = words[:place], " ".join(words[place + 1 : -1]), words[-1]
    timely = opening[0] in ("What", "Which") and opening[-1] in ("year", "century", "decade", "month", "day")
    if not timely and opening[0] not in ("When", "Where", "In", "On", "At", "By", "Why"):
        return None
    passive = verb in PARTICIPLES or verb.endswith("ed")
    if passive and is_subject(subject) and opens_noun_phrase(words[place + 1]):
        return " ".join([*opening, subject, words[place], verb])
    return None


def _subject_question(words: list[str]) -> str | None:
    """The question word is the subject, or part of it, so that the order is already that of a clause."""
    counting = words[0] == "How" and words[1] in ("many", "much") and len(words) > 4
    if not counting and words[0] not in ("Which", "What", "Who"):
        return None
    if words[1] in ("if", "about", "else", "for", "with", "a", "an"):
        return None
    place = _first_auxiliary(words)
    keeps_order = _has_verb(words) if place is None else _is_predicate(words, place)
    return " ".join(words) if keeps_order else None


def _is_predicate(words: list[str], place: int) -> bool:
    """What follows the auxiliary at `place` is no subject, so that there is no inversion to undo."""
    following = words[place + 1 :]
    if not following or words[-1] in PREPOSITIONS:
        return False
    if words[place] in BE:
        return _after_be(following, partitive=words[0] == "Which" and (words[1] == "of" or place == 1))
    return (place > 1 or words[0] == "Who") and _after_auxiliary(words[place], following)


def _has_verb(words: list[str]) -> bool:
    second = words[1]
    if words[0] == "Who":
        return second[0].islower() and second not in ("else", "in", "on", "at", "among", "of")
    if words[0] == "What" and (second in PREPOSITIONS or len(words) < 3):
        return False
    candidates = (
        words[1:2] if words[0] == "What" and second.endswith("s") and len(words) == 3 else words[1:-1]
    )
    return any(
        word.islower() and (word in _SUBJECT_VERB or word in FORMS or _ends_like_verb(word))
        for word in candidates
    )


def _ends_like_verb(word: str) -> bool:
    return len(word) > 3 and word.endswith(("s", "ed")) and not word.endswith(("ss", "us", "is"))


def _after_be(following: list[str], partitive: bool) -> bool:
    first = following[0]
    if first.lower() in PRONOUNS or not first[0].islower() or first.endswith("ing"):
        return False
    if first in DETERMINERS:
        return partitive and not any(looks_verbal(word) for word in following[1:])
    a_quality = first in PREPOSITIONS | _PREDICATES or looks_verbal(first) or first.endswith("est")
    at_once = following[1:2] and following[1] in ("at", "in", "on", "to", "than")
    return a_quality or bool(at_once) or (partitive and not opens_noun_phrase(first))


def _after_auxiliary(auxiliary: str, following: list[str]) -> bool:
    first = following[0]
    if auxiliary in MODALS:
        return first in ("be", "have", "most", "best", "happen", "occur")
    if auxiliary not in ("has", "have", "had"):
        return False
    owned = first in ("been", "the", "a", "an", "no", "more", "fewer", "won")
    return owned and not any(word in ("been", "had") or looks_verbal(word) for word in following[1:])


def _negated_subject_question(body: str) -> str | None:
    """ "Which of these is not a mammal?" keeps its order, and its `not` with it."""
    if re.match(r"Which of (?:the following|these)(?: [a-z]+)? (?:is|are) not ", body) and "," not in body:
        return "which" + body[len("Which") :]
    return None


def _first_auxiliary(words: list[str]) -> int | None:
    return next((place for place, word in enumerate(words) if word in AUXILIARIES and place), None)


_SHAPES = (
    _what_is,
    _who_is,
    _quality,
    _where_is,
    _why_is,
    _how_many_are_there,
    _do_support,
    _passive,
    _subject_question,
)
