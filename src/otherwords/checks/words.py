"""`words`: negations, quantifiers, comparatives and modals are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from otherwords.checks.base import compares_meaning
from otherwords.checks.lexicon import HEADS, POLES
from otherwords.checks.reading import Reading

NAME = "words"
_LOSS_MATTERS = frozenset(
    "not only most least few more less rarely sometimes about superlative".split()
    + ["at least", "at most", "more than", "less than"]
)
_ADDING_MATTERS = frozenset("not only few rarely least".split() + ["at least", "at most", "more than", "less than"])
_SCALES: tuple[tuple[str, ...], ...] = (
    ("all", "most", "many", "some", "few"),
    ("always", "usually", "sometimes", "rarely"),
    ("must", "may"),
    ("at least", "at most", "more than", "less than"),
    ("more", "less"),
    ("most", "least"),
    ("both", "either"),
    ("exactly", "about"),
)
_SAME_AS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("at most", ("not", "more than")),
    ("at least", ("not", "less than")),
    ("only", ("not",)),
    ("except", ("not",)),
    ("unless", ("not", "if")),
    ("less", ("not", "more")),
    ("not", ("rarely",)),
)
"""One word for two: "at most 3" is "not more than 3", wherever the words stand."""
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")


@compares_meaning(NAME)
def words(before: Reading, after: Reading) -> str | None:
    if before.firm == after.firm and before.soft == after.soft and before.word_set == after.word_set:
        return None
    return "; ".join(_problems(before, after)) or None


def _problems(before: Reading, after: Reading) -> list[str]:
    lost, added = changed_marks(before, after)
    ends = list(_swapped_ends(before, after))
    if ends and (lost["not"] or added["not"]):
        # "not open" is "closed"
        ends.pop()
        lost["not"], added["not"] = max(0, lost["not"] - 1), max(0, added["not"] - 1)
    flipped = list(_flipped(before, after, lost, added))
    problems = [f'"{one}" became "{other}"' for one, other in (*_moved(lost, added), *ends, *flipped)]
    gone = sorted(mark for mark in _LOSS_MATTERS if lost[mark])
    new = sorted(mark for mark in _ADDING_MATTERS if added[mark])
    if gone:
        problems.append(f"lost: {', '.join(_named(mark, before, after) for mark in gone)}")
    if new:
        problems.append(f"added: {', '.join(new)}")
    if not problems and _or_became_and(before, after):
        problems.append('"or" and "and" were exchanged')
    return problems


def changed_marks(before: Reading, after: Reading) -> tuple[Counter[str], Counter[str]]:
    """What was lost and what was added, after every counterpart has been counted in."""
    lost, added = _without_counterpart(before, after), _without_counterpart(after, before)
    for one, two in _SAME_AS:
        for gone, new in ((lost, added), (added, lost)):
            while gone[one] and all(new[mark] or (mark != "not" and _more_of(mark, gone is lost, before, after)) for mark in two):
                gone[one] -= 1
                for mark in two:
                    new[mark] = max(0, new[mark] - 1)
    return lost, added


def _more_of(mark: str, in_after: bool, before: Reading, after: Reading) -> bool:
    here, there = (after, before) if in_after else (before, after)
    return here.soft[mark] > there.soft[mark]


def _without_counterpart(one: Reading, other: Reading) -> Counter[str]:
    found: Counter[str] = Counter()
    for mark, times in one.firm.items():
        matched = other.firm[mark] + max(0, other.soft[mark] - one.soft[mark])
        if times > matched:
            found[mark] = times - matched
    return found


def _moved(lost: Counter[str], added: Counter[str]) -> Iterable[tuple[str, str]]:
    """Pairs of one scale that changed places; each is taken off both counts."""
    for scale in _SCALES:
        for one in scale:
            for other in scale:
                if one != other and lost[one] and added[other]:
                    lost[one] = added[other] = 0
                    yield one, other


def _swapped_ends(before: Reading, after: Reading) -> Iterable[tuple[str, str]]:
    if before.soft == after.soft:
        return
    for axis in range(len(POLES)):
        for here, there in (("+", "-"), ("-", "+")):
            gone, new = f"{axis}{here}", f"{axis}{there}"
            if before.soft[gone] > after.soft[gone] and after.soft[new] > before.soft[new]:
                yield _word_of(gone, before, after), _word_of(new, after, before)


def _word_of(mark: str, one: Reading, other: Reading) -> str:
    """A word of `one` that says `mark`, if possible one that `other` lacks."""
    said = [word for word in one.words if any(mark in phrase.soft + phrase.firm for phrase in HEADS.get(word, ()))]
    return next((word for word in said if word not in other.word_set), said[0] if said else mark)


def _named(mark: str, before: Reading, after: Reading) -> str:
    if mark != "superlative":
        return mark
    return next((word for word in before.words if word.endswith("est") and word not in after.word_set), mark)


def _flipped(before: Reading, after: Reading, lost: Counter[str], added: Counter[str]) -> Iterable[tuple[str, str]]:
    """"paid" for "unpaid" is a change, and "not paid" for "unpaid" is none."""
    gone, new = before.word_set - after.word_set, after.word_set - before.word_set
    for positive, negative, not_there, not_here in ((new, gone, added, lost), (gone, new, lost, added)):
        for word in negative:
            for prefix in _NEGATIVE_PREFIXES:
                if word.startswith(prefix) and word[len(prefix) :] in positive and len(word) > len(prefix) + 2:
                    if not_there["not"]:
                        not_there["not"] -= 1
                    elif not not_here["not"]:
                        yield (word, word[len(prefix) :]) if negative is gone else (word[len(prefix) :], word)


def _or_became_and(before: Reading, after: Reading) -> bool:
    """Only where nothing else changed: in free wording, lists are joined in many ways."""
    if before.word_set ^ after.word_set - {"and", "or", "either", "both"}:
        return False
    return before.firm["or"] != after.firm["or"] and sum((Counter(before.words) - Counter(after.words)).values()) <= 1
