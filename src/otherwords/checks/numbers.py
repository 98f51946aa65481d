"""`numbers`: every number is there, in digits or in words, and no other is."""

from __future__ import annotations

from collections import Counter

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.quantities import NUMBERS_IN_WORDS
from otherwords.checks.reading import Reading

NAME = "numbers"
_MAY_GO = frozenset(("1", "#1"))
"""In words these are articles and adverbs as often as numbers: "one of them", "first of all"."""
_TWO = frozenset("both pair couple either two double twice".split())
_OFTEN_REPEATED = 10
"""Up to here a number in words may be said again, or not again: "the two numbers" is "the numbers"."""

_POINTING = frozenset("the all these those his her their my your our of".split())


@compares_meaning(NAME)
def numbers(before: Reading, after: Reading) -> str | None:
    if before.digits == after.digits and before.spelled == after.spelled:
        return None
    was, now = before.digits + before.spelled, after.digits + after.spelled
    lost, added = was - now, now - was
    _pair_spellings(lost, added)
    gone = [key for key in lost.elements() if not _is_excused(key, before, after)]
    if not gone and not added - after.spelled:
        added = Counter({key: times for key, times in added.items() if not _refers_back(key, after)})
    new = [key for key in added.elements() if not _is_excused(key, after, before)]
    return told(sorted(map(_shown, gone)), sorted(map(_shown, new)))


def _pair_spellings(lost: Counter[str], added: Counter[str]) -> None:
    """ "2nd" is "second", "2 times" is "twice"."""
    for one, other in ((lost, added), (added, lost)):
        for key in [key for key in one if key[0] in "#x"]:
            paired = min(one[key], other[key[1:]])
            one[key] -= paired
            other[key[1:]] -= paired
    for counts in (lost, added):
        for key in [key for key, times in counts.items() if times <= 0]:
            del counts[key]


def _is_excused(key: str, here: Reading, there: Reading) -> bool:
    """Whether a number that `there` lacks may be lacking."""
    if key in here.digits and not here.spelled[key]:
        return (
            key == "1" and not {"one", "single", "a"}.isdisjoint(there.word_set) and "1" not in there.digits
        )
    if key in _MAY_GO:
        return True
    if key in ("2", "x2") and not _TWO.isdisjoint(there.word_set - here.word_set):
        return True
    still_said = there.digits[key] or there.spelled[key]
    return bool(still_said) and key.isdigit() and int(key) <= _OFTEN_REPEATED


def _refers_back(key: str, reading: Reading) -> bool:
    """ "Which of the three": the number counts what has been named."""
    places = [at for at, word in enumerate(reading.words) if at and NUMBERS_IN_WORDS.get(word) == key]
    return bool(places) and all(reading.words[at - 1] in _POINTING for at in places)


def _shown(key: str) -> str:
    if key[0] == "#":
        return {"1": "first", "2": "second", "3": "third"}.get(key[1:], f"{key[1:]}th")
    return f"{key[1:]} times" if key[0] == "x" else key
