"""What a person in a hurry types, in plain English, so that the checks can compare it with the original.

A slip in a word that turns a meaning round is not mended: "nit" for "not" is no variant worth running.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from otherwords.checks.lexicon import HEADS, marks_of

_LONG_FORMS: Mapping[str, str] = dict(
    pair.split(":")
    for pair in (
        "u:you ur:your r:are pls:please plz:please bc:because bcs:because cuz:because coz:because"
        " cos:because w/:with"
        " w/o:without b4:before thx:thanks ty:thanks ppl:people info:information smth:something sth:something"
        " tmrw:tomorrow vs:versus ok:okay abt:about btw:by_the_way rn:right_now asap:as_soon_as_possible"
        " lmk:let_me_know wanna:want_to gonna:going_to gotta:have_to idk:I_don't_know imo:in_my_opinion"
        " tho:though"
        " thru:through n:and whats:what_is whos:who_is wheres:where_is hows:how_is thats:that_is"
        " theres:there_is"
        " im:I_am ive:I_have id:I_would dont:don't doesnt:doesn't didnt:didn't isnt:isn't arent:aren't"
        " wasnt:wasn't"
        " werent:weren't cant:can't couldnt:couldn't wont:won't wouldnt:wouldn't shouldnt:shouldn't"
        " mustnt:mustn't"
        " havent:haven't hasnt:hasn't hadnt:hadn't"
    ).split()
)
_ANY_SHORT = "|".join(map(re.escape, sorted(_LONG_FORMS, key=len, reverse=True)))
_SHORT = re.compile(rf"(?<![\w/'’])(?:{_ANY_SHORT})(?![\w/'’])", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SHORTEST_MENDED = 4


def in_plain_english(text: str, original: str) -> str:
    """Short forms that the original does not have are written out, words with one slip become its words."""
    known = {word.lower() for word in _WORD.findall(original)}
    long = _SHORT.sub(lambda short: _written_out(short.group(), known), text)
    words = {word.lower() for word in _WORD.findall(long)}
    missing = [word for word in known - words if len(word) >= _SHORTEST_MENDED and not _turns_meaning(word)]
    slips = {
        strange: right
        for strange in words - known
        if strange not in HEADS
        for right in missing
        if abs(len(strange) - len(right)) <= 1 and is_one_slip(right, strange)
    }
    return _WORD.sub(lambda word: slips.get(word.group().lower(), word.group()), long) if slips else long


def _written_out(short: str, known: set[str]) -> str:
    lower = short.lower()
    return short if lower in known else _LONG_FORMS[lower].replace("_", " ")


def _turns_meaning(word: str) -> bool:
    return "not" in marks_of(word).firm


def is_one_slip(right: str, typed: str) -> bool:
    """One letter dropped, added or changed, or two neighbours swapped."""
    start = next(
        (at for at, (one, other) in enumerate(zip(right, typed, strict=False)) if one != other),
        min(len(right), len(typed)),
    )
    if len(right) == len(typed):
        swapped = right[start + 1 : start + 2] + right[start : start + 1] + right[start + 2 :]
        return right[start + 1 :] == typed[start + 1 :] or swapped == typed[start:]
    longer, shorter = (right, typed) if len(right) > len(typed) else (typed, right)
    return longer[start + 1 :] == shorter[start:]
