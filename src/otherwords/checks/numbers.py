"""`numbers`: every number is there, in digits or in words, and no other is."""

from __future__ import annotations

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.quantities import NUMBERS_IN_WORDS
from otherwords.checks.reading import Reading, more_in

NAME = "numbers"
_MAY_GO = frozenset(("1", "#1"))
"""In words these are articles and adverbs as often as numbers: "one of them", "first of all"."""
_TWO = frozenset("both pair couple either two double twice".split())
_OFTEN_REPEATED = 10
"""Up to here a number in words may be said again, or not again: "the two numbers" is "the numbers"."""

_ONE = frozenset(("one", "single", "a"))
_POINTING = frozenset("the all these those his her their my your our of".split())


@compares_meaning(NAME)
def numbers(before: Reading, after: Reading) -> str | None:
    if before.digits == after.digits and before.spelled == after.spelled:
        return None
    was, now = _all(before), _all(after)
    lost, added = more_in(was, now), more_in(now, was)
    _pair_spellings(lost, added)
    gone = [key for key in lost if not _is_excused(key, before, after)]
    new = [key for key in added if not _is_excused(key, after, before)]
    if not gone:
        new = [key for key in new if not _refers_back(key, after)]
    return told(sorted(map(_shown, gone)), sorted(map(_shown, new)))


def _all(reading: Reading) -> dict[str, int]:
    both = dict(reading.digits)
    for key, times in reading.spelled.items():
        both[key] = both.get(key, 0) + times
    return both


def _pair_spellings(lost: dict[str, int], added: dict[str, int]) -> None:
    """ "2nd" is "second", "2 times" is "twice"."""
    for one, other in ((lost, added), (added, lost)):
        for key in [key for key in one if key[0] in "#x" and key[1:] in other]:
            for counts, spelling in ((one, key), (other, key[1:])):
                counts[spelling] -= 1
                if not counts[spelling]:
                    del counts[spelling]


def _is_excused(key: str, here: Reading, there: Reading) -> bool:
    """Whether a number that `there` lacks may be lacking."""
    if key in here.digits and key not in here.spelled:
        return key == "1" and key not in there.digits and not _ONE.isdisjoint(there.word_set)
    if key in _MAY_GO:
        return True
    if key in ("2", "x2") and not _TWO.isdisjoint(there.word_set - here.word_set):
        return True
    still_said = key in there.digits or key in there.spelled
    return still_said and key.isdigit() and int(key) <= _OFTEN_REPEATED


def _refers_back(key: str, reading: Reading) -> bool:
    """ "Which of the three": the number counts what has been named."""
    places = [at for at, word in enumerate(reading.words) if at and NUMBERS_IN_WORDS.get(word) == key]
    return bool(places) and all(reading.words[at - 1] in _POINTING for at in places)


def _shown(key: str) -> str:
    if key[0] == "#":
        return {"1": "first", "2": "second", "3": "third"}.get(key[1:], f"{key[1:]}th")
    return f"{key[1:]} times" if key[0] == "x" else key
