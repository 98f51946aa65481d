"""A direct question → the clause that asks the same after "Tell me …".

"What is the capital of France?" → "what the capital of France is"; "Who wrote Hamlet?" → "who wrote Hamlet";
"Is Pluto a planet?" → "whether Pluto is a planet".
Only shapes that are safe to recognise are turned; everything else gives None.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.nouns import (
    AUXILIARIES,
    BE,
    DETERMINERS,
    MODALS,
    PREPOSITIONS,
    PRONOUNS,
    WH,
    is_noun_phrase,
    looks_verbal,
    opens_noun_phrase,
)
from otherwords.variants.protect import MASK
from otherwords.variants.subjects import SUBJECT_PRONOUNS, inflected, predicate_start
from otherwords.variants.verbs import FORMS, lexicon

_QUESTION_WORD = (
    r"(?:what|who|which|when|where|why|how|is|are|was|were|do|does|did|can|could|will|would|should|has|have)"
)
_TWO_CLAUSES = re.compile(  # from characters on that `re` soon finds
    r";|:|\(|\)|—|–|…|\"|'t\b(?<=n't)|’t\b(?<=n’t)| - "
    rf"| (?:and|or|but),? {_QUESTION_WORD}\b|, {_QUESTION_WORD}\b",
    re.IGNORECASE,
)
_AND_ASKS = re.compile(r"([^,]+)(,? and )((?:what|who|which|when|where|why|how|is|are|does|do|did|can) .+)")
_QUALITY = re.compile(
    r"(?:What|Which) (?:colou?r|shape|size|nationality|age|day|month|year|(?:type|kind|sort) of [a-z]+)"
    r" (is|are|was|were) (.+)"
)
_MASKED = re.compile(MASK)
_HOW_BIG = re.compile(r"How (?:old|tall|long|far|deep|big|wide|high|heavy|fast|large|hot|cold)")
_PREPOSITIONAL = re.compile(r"(?:In|On|At|By|To|For|From|With|Under|During) (?:which|what|whom|whose|how)\b")
_IN_WHICH_PLACE = re.compile(r"(?:In|On) (?:which|what) [a-z]+")
_NEVER_TURNED = re.compile(
    r"(?:What|How) about\b|What (?:if|for|else)\b|How come\b|Why not\b|What (?:is|was) it (?:that|like"
    r"|called)\b"
    r"|How is it\b|How do (?:I|we|you|one)\b|Who else\b|What a\b|How dare\b|Which one\b$",
    re.IGNORECASE,
)
_SUBJECT_VERB = lexicon("made led gave began came became held kept took won wrote got won has had")
_PREDICATES = lexicon("""
    most least best true false correct incorrect closest responsible made not wrong missing different special
""")
_DONE_BY_WHAT = lexicon(
    "happen explain cause be have occur prevent lead go make account increase reduce help"
)
_SUPERLATIVE = re.compile(r"\w+est|most|least|first|last|only|best|worst|same")
_OPENS_CLAUSE = lexicon("that who which whom whose if when because while where")
_OPENS_CLAUSE_OR_QUESTION = WH | lexicon("if that because")
_REQUESTED = lexicon("can could will would may")
_FINITE = AUXILIARIES - {"have", "do", "be"}
_PREPOSITIONS_BUT_OF = PREPOSITIONS - {"of"}


def indirect(question: str) -> str | None:
    """The clause, its first letter small, of a masked sentence that ends in `?` and opens with a capital."""
    body = question[:-1].rstrip()
    words = body.split(" ")
    if len(words) < 3 or "" in words or _NEVER_TURNED.match(body):
        return None
    if _TWO_CLAUSES.search(body):
        return _both(body)
    opening = words[0].lower()
    if opening in AUXILIARIES:
        return _whether(words)
    if opening not in WH and not _PREPOSITIONAL.match(body):
        return None
    place = _first_auxiliary(words)
    for shape in _SHAPES:
        clause = shape(words, place)
        if clause is not None:
            return clause[0].lower() + clause[1:]
    return None


def _both(body: str) -> str | None:
    """ "What is A, and who is B?" → "what A is, and who B is"."""
    match = _AND_ASKS.fullmatch(body)
    if match is None:
        return None
    one, other = indirect(match[1] + "?"), indirect(match[3][0].upper() + match[3][1:] + "?")
    return f"{one}{match[2]}{other}" if one and other else None


def _whether(words: list[str]) -> str | None:
    """ "Does Tom win?" → "whether Tom wins". "Can you …?" asks for something and is no such question."""
    auxiliary, rest = words[0].lower(), words[1:]
    if rest[0] == "you" and (auxiliary in _REQUESTED or auxiliary in ("do", "have", "are")):
        return None
    place = predicate_start(auxiliary, rest, predicated=True)
    if place is None or "whether" in rest or auxiliary in ("am", "be"):
        return None
    if "not" in rest[: place + 1]:
        return None
    return _stated("whether", auxiliary, rest, place)


def _stated(opening: str, auxiliary: str, rest: list[str], place: int) -> str | None:
    """`rest` as a statement after `opening`, its subject ending at `place`."""
    if auxiliary == "do":
        return " ".join([opening, *rest])
    if auxiliary in ("does", "did"):
        told = inflected(rest, place, form=0 if auxiliary == "does" else 1)
        return " ".join([opening, *told]) if told else None
    return " ".join([opening, *rest[:place], auxiliary, *rest[place:]])


def _what_is(words: list[str], place: int | None) -> str | None:
    if words[0] not in ("What", "Who") or words[1] not in BE or not is_noun_phrase(" ".join(words[2:])):
        return None
    subject, tail = words[2:], list[str]()
    if len(subject) > 3 and subject[-2] in ("in", "on") and _MASKED.fullmatch(subject[-1]):
        subject, tail = subject[:-2], subject[-2:]  # "what the capital of Brazil was in 1900"
    elif "during" in subject[1:]:
        at = subject.index("during")
        subject, tail = subject[:at], subject[at:]
    if len(subject) > _LONG_SUBJECT:
        return None
    return " ".join([words[0], *subject, words[1], *tail])


_LONG_SUBJECT = 12
"""A verb left alone after so many words is no good English."""


def _who_is(words: list[str], place: int | None) -> str | None:
    """ "Who was elected president?": who is the subject, so the order stays."""
    if words[0] == "Who" and words[1] in BE and looks_verbal(words[2]) and not words[2].endswith("ing"):
        return None if words[-1] in PREPOSITIONS else " ".join(words)
    return None


def _quality(words: list[str], place: int | None) -> str | None:
    """ "What colour is the sky on a clear day?" → "what colour the sky is on a clear day"."""
    match = _QUALITY.fullmatch(" ".join(words))
    if match is None or not is_noun_phrase(match[2]):
        return None
    rest = match[2].split()
    cut = next((at for at, word in enumerate(rest) if word in _PREPOSITIONS_BUT_OF), len(rest))
    return " ".join([*match.string[: match.start(1)].split(), *rest[:cut], match[1], *rest[cut:]])


def _where_is(words: list[str], place: int | None) -> str | None:
    """ "Where is Paris?", "How tall is Mount Everest?", "How far is the Moon from Earth?"."""
    if place is None or words[place] not in BE:
        return None
    opening, be, subject, tail = " ".join(words[:place]), words[place], words[place + 1 :], list[str]()
    somewhere = opening in ("Where", "When") or _IN_WHICH_PLACE.fullmatch(opening)
    if not somewhere and not _HOW_BIG.fullmatch(opening):
        return None
    if opening == "How far" and "from" in subject:
        at = subject.index("from")
        subject, tail = subject[:at], subject[at:]
    if opening.startswith("How") and subject[-2:-1] == ["in"]:
        subject, tail = subject[:-2], subject[-2:]
    plain = is_noun_phrase(" ".join(subject)) and (
        not tail or is_noun_phrase(" ".join(tail[1:])) or tail[0] == "in"
    )
    return " ".join([opening, *subject, be, *tail]) if plain and subject else None


def _how_many_are_there(words: list[str], place: int | None) -> str | None:
    if place is None or words[0] != "How" or words[1] not in ("many", "much"):
        return None
    if words[place] in BE and words[place + 1 : place + 2] == ["there"] and place > 2:
        tail = words[place + 2 :]
        if not tail or tail[0] in PREPOSITIONS or tail[0] in ("altogether", "left", "now", "total"):
            return " ".join([*words[:place], "there", words[place], *tail])
    return None


def _plural_do(words: list[str], place: int | None) -> str | None:
    """ "Where do penguins live?": a plural subject, whose verb needs no ending."""
    if place is None or words[place] != "do" or words[:place] == ["Who"]:
        return None
    rest = words[place + 1 :]
    finite = _FINITE.intersection(rest)
    before_clause = next((at for at, word in enumerate(rest) if word in _OPENS_CLAUSE_OR_QUESTION), len(rest))
    if len(rest) < 2 or set(rest[:before_clause]) & finite or rest[0] in PREPOSITIONS or "not" in rest:
        return None
    return " ".join([*words[:place], *rest])


def _inverted(words: list[str], place: int | None) -> str | None:
    """An auxiliary before its subject: "How far will the train travel?", "When was the tower built?"."""
    if place is None or words[place] == "do" or (place == 1 and words[0] in ("Which", "Whose")):
        return None
    opening, auxiliary, rest = words[:place], words[place], words[place + 1 :]
    if not rest or (
        words[0] == "Who" and rest[0] not in SUBJECT_PRONOUNS and auxiliary not in ("did", "does")
    ):
        return None
    start = predicate_start(auxiliary, rest, predicated=opening == ["Why"])
    if start is None or "not" in rest[: start + 2] or (start == len(rest) and auxiliary not in BE):
        return None
    about_thing = opening in (["What"], ["Who"]) and rest[0] in DETERMINERS and start < len(rest) - 1
    if auxiliary in BE and (about_thing or (opening == ["How"] and rest[0] == "there")):
        return None  # "What is the most recent outbreak declared by …?"
    return _stated(" ".join(opening), auxiliary, rest, start)


def _subject_question(words: list[str], place: int | None) -> str | None:
    """The question word is the subject, or part of it, so that the order is already that of a clause."""
    counting = words[0] == "How" and words[1] in ("many", "much") and len(words) > 3
    if not counting and words[0] not in ("Which", "What", "Who", "Whose"):
        return None
    if words[1] in ("if", "about", "else", "for", "with", "a", "an"):
        return None
    if place is None and not AUXILIARIES.isdisjoint(words):
        return None
    keeps_order = _has_verb(words) if place is None else _is_predicate(words, place, counting)
    return " ".join(words) if keeps_order else None


def _is_predicate(words: list[str], place: int, counting: bool) -> bool:
    """What follows the auxiliary at `place` is no subject, so that there is no inversion to undo."""
    following = words[place + 1 :]
    if not following or words[-1] in PREPOSITIONS:
        return False
    if words[place] in BE:
        partitive = words[0] == "Which" and (words[1] == "of" or place == 1)
        if words[0] == "What" and place == 1 and following[0] in DETERMINERS:
            return False
        return _after_be(following, partitive=partitive, counting=counting and place > 2)
    if words[0] == "What" and place == 1:
        return words[place] in MODALS and following[0] in _DONE_BY_WHAT
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


def _after_be(following: list[str], *, partitive: bool, counting: bool) -> bool:
    first = following[0]
    if first.lower() in PRONOUNS or not first[0].islower() or first.endswith("ing"):
        return False
    if first in DETERMINERS:
        superlative = first == "the" and len(following) > 1 and bool(_SUPERLATIVE.fullmatch(following[1]))
        return (partitive or superlative) and not any(looks_verbal(word) for word in following[1:])
    a_quality = first in PREPOSITIONS or first in _PREDICATES or looks_verbal(first) or first.endswith("est")
    at_once = len(following) > 1 and following[1] in PREPOSITIONS
    return a_quality or at_once or ((partitive or counting) and not opens_noun_phrase(first))


def _after_auxiliary(auxiliary: str, following: list[str]) -> bool:
    first = following[0]
    if auxiliary in MODALS:
        return first in ("be", "have", "most", "best", "happen", "occur")
    if auxiliary not in ("has", "have", "had"):
        return False
    owned = first in ("been", "the", "a", "an", "no", "more", "fewer", "won")
    return owned and not any(word in ("been", "had") or looks_verbal(word) for word in following[1:])


def _first_auxiliary(words: list[str]) -> int | None:
    """None too where it would be that of a relative clause."""
    for place in range(1, len(words)):
        if words[place] in AUXILIARIES:
            return place if _OPENS_CLAUSE.isdisjoint(words[2:place]) else None
    return None


# Each is given the words, and where the auxiliary is that comes first.
_SHAPES: tuple[Callable[[list[str], int | None], str | None], ...] = (
    _what_is,
    _who_is,
    _quality,
    _where_is,
    _how_many_are_there,
    _plural_do,
    _inverted,
    _subject_question,
)
