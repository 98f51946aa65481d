"""Which of the lexicon's meanings one text has and the other lacks, after every counterpart has been
counted in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from otherwords.checks.lexicon import PLAIN_NEGATIONS, marks_of
from otherwords.checks.reading import Reading, more_in

_SAME_AS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("at most", ("not", "more than")),
    ("at least", ("not", "less than")),
    ("only", ("not",)),
    ("except", ("not",)),
    ("unless", ("not", "if")),
    ("less", ("not", "more")),
)
"""One word for two: "at most 3" is "not more than 3", wherever the words stand."""
_FEW_WORDS = 2
_NO_PREFIX = ("under", "until", "uni", "unless", "uncle")
_NO_SUFFIX = frozenset(("unless", "regardless", "nevertheless", "nonetheless"))


class Marks(dict[str, int]):
    """Counts that are 0 where nothing was counted."""

    def __missing__(self, mark: str) -> int:
        return 0

    def take(self, mark: str, times: int = 1) -> None:
        self[mark] = max(0, self[mark] - times)


class Change(NamedTuple):
    lost: Marks
    added: Marks
    gone: Mapping[str, int]
    """The original's phrases that the variant lacks."""
    new: Mapping[str, int]
    """The variant's phrases that the original lacks."""


def changed_marks(before: Reading, after: Reading) -> Change:
    gone, new = more_in(before.said, after.said), more_in(after.said, before.said)
    lost, added = _counted(gone, "firm"), _counted(new, "firm")
    for mark in lost.keys() & added.keys():
        both = min(lost[mark], added[mark])
        lost.take(mark, both)
        added.take(mark, both)
    if not (any(lost.values()) or any(added.values())):
        return Change(lost, added, gone, new)
    may_stand_for, stood_for = _counted(new, "soft"), _counted(gone, "soft")
    _excuse_negations(before, after, gone, new, lost, added)
    for one, two in _SAME_AS:
        for here, there, soft in ((lost, added, may_stand_for), (added, lost, stood_for)):
            while here[one] and there[two[0]] and all(there[mark] or soft[mark] for mark in two[1:]):
                here.take(one)
                for mark in two:
                    there.take(mark)
    for mark in ("most", "more"):
        may_stand_for[mark] += added["superlative"]
    if lost["not"] or added["not"]:
        # "do not add or remove" is "add nothing and remove nothing"
        stood_for["not"] += _negative_words(before, after) + (
            lost["or"] if _negates(before) and not lost["either"] else 0
        )
        may_stand_for["not"] += _negative_words(after, before) + (added["or"] if _negates(after) else 0)
    for mark, times in may_stand_for.items():
        lost.take(mark, times)
    for mark, times in stood_for.items():
        added.take(mark, times)
    return Change(lost, added, gone, new)


def _counted(phrases: Mapping[str, int], strength: str) -> Marks:
    marks = Marks()
    for phrase, times in phrases.items():
        for mark in getattr(marks_of(phrase), strength):
            marks[mark] += times
    return marks


def _excuse_negations(
    before: Reading,
    after: Reading,
    gone: Mapping[str, int],
    new: Mapping[str, int],
    lost: Marks,
    added: Marks,
) -> None:
    """A mild one, such as "lacks", may come into a free wording, and "banned" may become "a ban"."""
    if added["not"] and len(before.word_set ^ after.word_set) > _FEW_WORDS:
        added.take("not", sum(times for phrase, times in new.items() if _is_mild(phrase)))
    if lost["not"]:
        lost.take("not", sum(_has_form_in(phrase, after) for phrase in gone if _is_mild(phrase)))


def _is_mild(phrase: str) -> bool:
    return "not" in marks_of(phrase).firm and phrase not in PLAIN_NEGATIONS


def _has_form_in(word: str, reading: Reading) -> bool:
    return any(other[:4] == word[:4] and other != word for other in reading.word_set if len(other) > 3)


def _negates(reading: Reading) -> bool:
    return any("not" in marks_of(phrase).firm for phrase in reading.said)


def _negative_words(one: Reading, other: Reading) -> int:
    return sum(map(is_negative_word, one.word_set - other.word_set))


def is_negative_word(word: str) -> bool:
    """ "unpaid", "seedless": a negation within a word."""
    if word.startswith("un"):
        return len(word) > 5 and not word.startswith(_NO_PREFIX)
    return word.endswith("less") and len(word) > 6 and word not in _NO_SUFFIX


def ends(phrases: Mapping[str, int], others: Iterable[str]) -> dict[str, str]:
    """`phrases` by the ends of scales that they stand for, without those that `others` have in another
    form."""
    return {
        end: phrase
        for phrase in phrases
        for end in marks_of(phrase).ends
        if not any(other.startswith(phrase[: max(3, len(phrase) - 2)]) for other in others)
    }
