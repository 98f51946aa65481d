"""Where the subject of a question ends, so that its verb can be put after it.

"will | the train | arrive at noon", "is | Marie Curie | known for". A place is given only where what follows
can be nothing but the rest of the predicate.
"""

from __future__ import annotations

import re

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
)
from otherwords.variants.protect import MASK
from otherwords.variants.verbs import FORMS, PARTICIPLES, lexicon

_MASKED = re.compile(MASK)
SUBJECT_PRONOUNS = lexicon("i I you he she it we they there")
_BEFORE_NOUNS = DETERMINERS | PREPOSITIONS | lexicon("and or")
_BEFORE_ARTICLES = PREPOSITIONS | lexicon("and or than such what")
_ADVERBS = lexicon("""
    also actually always currently ever first initially just never now often originally probably really
    still then together typically usually eventually both mainly mostly
""")
_AFTER_VERBS = lexicon("""
    to and or if when while because so that now then left together altogether again away back today
    tomorrow yesterday here there daily weekly monthly yearly more less most least only not than all any
    some much many enough first last next home each every faster slower better worse longer sooner
    further farther
""")
_COMMON_QUALITIES = lexicon("""
    blue red green white black yellow orange pink dark bright hot cold warm cool hard soft round flat
    curved big small large tall short long deep wide fast slow high low old new rare safe good bad wet
    dry sour true false correct incorrect right wrong open closed empty full odd even prime equal alive
    dead free ready visible worth allowed likely unlikely older younger famous known
""")


def predicate_start(auxiliary: str, rest: list[str], *, predicated: bool = False) -> int | None:
    """Where in `rest`, which follows `auxiliary`, the subject ends.

    `predicated`: nothing but the predicate can come at the end, as in "Why is …?" and "Is …?".
    """
    if not rest:
        return None
    first = rest[0]
    if first in SUBJECT_PRONOUNS:
        return 1
    if _is_name(first):
        return _after_names(auxiliary, rest, predicated)
    if auxiliary in BE:
        return _after_subject_of_be(rest, predicated)
    for place in range(1, min(len(rest), 8)):
        if _starts_predicate(auxiliary, rest, place, bare=place == 1):
            subject = rest[:place]
            several = [at for at in range(place + 1, len(rest)) if _base_verb_at(rest, at, strict=True)]
            joined = "and" in subject or "or" in subject
            plain = is_subject(" ".join(subject)) and not joined
            return place if plain and not (auxiliary not in ("have", "has", "had") and several) else None
    return None


def _is_name(word: str) -> bool:
    return word[0].isupper() and word != "I" and word.lower() not in DETERMINERS


def _after_names(auxiliary: str, rest: list[str], predicated: bool) -> int | None:
    place = 1
    while place < len(rest) and (
        _is_name(rest[place])
        or _MASKED.fullmatch(rest[place])
        or (
            rest[place] in ("of", "and", "the", "de", "van", "von")
            and place + 1 < len(rest)
            and _is_name(rest[place + 1])
        )
    ):
        place += 1
    if place == len(rest) or rest[place - 1].endswith(("'s", "’s", "s'")):
        return None
    if auxiliary in BE:
        word = rest[place]
        follows = word in PREPOSITIONS or is_quality(word) or _is_participle(word) or _is_progressive(word)
        return place if follows or (predicated and word in ("a", "an", "the", "one")) else None
    return place if _starts_predicate(auxiliary, rest, place, bare=True) else None


def _starts_predicate(auxiliary: str, rest: list[str], place: int, *, bare: bool) -> bool:
    """`bare`: one word comes before, so that it cannot be a determiner."""
    if bare and rest[0].lower() in DETERMINERS:
        return False
    word = rest[place]
    if auxiliary in ("has", "have", "had"):
        if word in _ADVERBS and place + 1 < len(rest):
            word, place = rest[place + 1], place + 1
        return word == "been" or (_is_participle(word) and _may_follow(rest, place))
    if word in ("be", "have") and auxiliary in MODALS:
        return True
    return _base_verb_at(rest, place)


def _base_verb_at(rest: list[str], place: int, *, strict: bool = False) -> bool:
    """`strict`: nothing but a verb, as when it would be a second one."""
    word = rest[place]
    if word in _ADVERBS and place + 1 < len(rest) and not strict:
        return _base_verb_at(rest, place + 1)
    if word not in FORMS or (strict and rest[place - 1] in _BEFORE_NOUNS):
        return False
    return _may_follow(rest, place)


def _may_follow(rest: list[str], place: int) -> bool:
    """What comes after a verb at `place` shows that it is one."""
    if place + 1 == len(rest):
        return True
    after = rest[place + 1].rstrip(",")
    return bool(
        rest[place].endswith(",")
        or after in PREPOSITIONS
        or after in DETERMINERS
        or after in PRONOUNS
        or after in WH
        or after in _AFTER_VERBS
        or _MASKED.match(after)
        or after[:1].isupper()
        or after.endswith("ly")
    )


def _after_subject_of_be(rest: list[str], predicated: bool) -> int | None:
    """A second "a …", a comparison, a participle, or a quality at the end."""
    for place in range(1, len(rest)):
        word = rest[place]
        second = ("a", "an", "the") if predicated else ("a", "an")
        if word in second and rest[place - 1] not in _BEFORE_ARTICLES:
            if _MASKED.search(rest[place - 1]):  # "$3 a gallon"
                return None
            return place if _ends_subject(rest, place) else None
        compared = (word.endswith("er") or word in ("more", "less")) and "than" in rest[place + 1 :]
        if compared or (word in ("equal", "identical", "similar") and rest[place + 1 : place + 2] == ["to"]):
            return place if _ends_subject(rest, place) else None
        if (_is_participle(word) or _is_progressive(word)) and _may_follow(rest, place):
            alone = not any(looks_verbal(later) or is_quality(later) for later in rest[place + 1 :])
            return place if alone and _ends_subject(rest, place) else None
        if (
            predicated
            and is_quality(word)
            and rest[place + 1 : place + 2]
            and rest[place + 1] in PREPOSITIONS
        ):
            return place if _ends_subject(rest, place) else None
    return _before_last_quality(rest, predicated)


def _before_last_quality(rest: list[str], predicated: bool) -> int | None:
    place = len(rest) - 1
    stressed = place > 1 and (rest[place - 1] in ("so", "very", "too") or rest[place - 1].endswith("ly"))
    if predicated and stressed and _ends_subject(rest, place - 1):
        return place - 1
    if place > 1 and rest[place - 1] == "or" and is_quality(rest[place]):
        place -= 2
    if place < 1 or not is_quality(rest[place]):
        return None
    if rest[place - 1] in ("so", "very", "too") or (place > 1 and rest[place - 1].endswith("ly")):
        place -= 1
    return place if _ends_subject(rest, place) else None


def _ends_subject(rest: list[str], place: int) -> bool:
    if place == 1 and rest[0].lower() in ("this", "that", "these", "those"):
        return True
    subject = " ".join(rest[:place])
    return (
        is_noun_phrase(subject) if place > 1 else is_subject(subject) and rest[0].lower() not in DETERMINERS
    )


def _is_participle(word: str) -> bool:
    word = word.rstrip(",")
    return word.islower() and (word in PARTICIPLES or (word.endswith("ed") and looks_verbal(word)))


def _is_progressive(word: str) -> bool:
    return word.endswith("ing") and looks_verbal(word)


def is_quality(word: str) -> bool:
    return word.islower() and (
        word.endswith(("ous", "ful", "ive", "ical", "able", "ible", "less", "ier"))
        or word in _COMMON_QUALITIES
    )


def inflected(rest: list[str], place: int, form: int) -> list[str] | None:
    """`rest` with its verb at `place`, or after an adverb there, given -s (0) or its past (1)."""
    at = place + 1 if rest[place] in _ADVERBS and place + 1 < len(rest) else place
    bare = rest[at].rstrip(",")
    if bare not in FORMS:
        return None
    return [*rest[:at], FORMS[bare][form] + rest[at][len(bare) :], *rest[at + 1 :]]


__all__ = ["AUXILIARIES", "SUBJECT_PRONOUNS", "inflected", "is_quality", "predicate_start"]
