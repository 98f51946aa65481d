"""`words`: negations, quantifiers, comparatives and modals are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from otherwords.checks.base import compares_meaning, told
from otherwords.checks.lexicon import HEADS, PLAIN_NEGATIONS, is_superlative, marks_of
from otherwords.checks.reading import Reading

NAME = "words"
_LOSS_MATTERS = frozenset(
    "not only most least few more less rarely sometimes about superlative".split()
    + ["at least", "at most", "more than", "less than"]
)
_ADDING_MATTERS = frozenset(
    "not few rarely least".split() + ["at least", "at most", "more than", "less than"]
)
_SCALES: tuple[tuple[str, ...], ...] = (
    ("all", "most", "many", "some", "few"),
    ("always", "usually", "sometimes", "rarely"),
    ("at least", "at most", "more than", "less than"),
    ("more", "less"),
    ("most", "least"),
    ("both", "either"),
    ("exactly", "about"),
    ("before", "after"),
)
_SAME_AS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("at most", ("not", "more than")),
    ("at least", ("not", "less than")),
    ("only", ("not",)),
    ("except", ("not",)),
    ("unless", ("not", "if")),
    ("less", ("not", "more")),
)
"""One word for two: "at most 3" is "not more than 3", wherever the words stand."""
_MODALS = (("must", "may"), ("may", "must"))
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")

_FEW_WORDS = 2
_NO_PREFIX = ("under", "until", "unit", "uni", "unless", "uncle")
_BETWEEN = frozenset("to be only not also always never it they you he she a the".split())


@compares_meaning(NAME)
def words(before: Reading, after: Reading) -> str | None:
    if before.said == after.said and before.word_set == after.word_set:
        return f"{' and '.join(pair)} changed places" if (pair := exchanged(before, after)) else None
    return "; ".join(_problems(before, after)) or None


def _problems(before: Reading, after: Reading) -> list[str]:
    lost, added = changed_marks(before, after)
    turned = _turned(before, after)
    for operator in ("not", "least", "less"):
        # "not open" is "closed", "least expensive" is "cheapest"
        if turned and (lost[operator] or added[operator]):
            turned.pop()
            lost[operator], added[operator] = max(0, lost[operator] - 1), max(0, added[operator] - 1)
    turned += _flipped(before, after, lost, added)
    turned += [
        (one, other)
        for one, other in _MODALS
        if lost[one] and added[other] and _same_verb(one, before, other, after)
    ]
    problems = [f'"{one}" became "{other}"' for one, other in (*_moved(lost, added), *turned)]
    gone = sorted(mark for mark in _LOSS_MATTERS if lost[mark])
    new = sorted(mark for mark in _ADDING_MATTERS if added[mark])
    if added["only"] and before.word_set <= after.word_set:
        new.append("only")  # in free wording, "only" often says what another word said
    problems += [
        problem for problem in [told([_named(mark, before, after) for mark in gone], new)] if problem
    ]
    if not problems and (pair := _other_superlative(before, after)):
        problems.append(f'"{pair[0]}" became "{pair[1]}"')
    if not problems and _or_became_and(before, after):
        problems.append('"or" and "and" were exchanged')
    return problems


def changed_marks(before: Reading, after: Reading) -> tuple[Counter[str], Counter[str]]:
    """What was lost and what was added, after every counterpart has been counted in."""
    gone, new = before.said - after.said, after.said - before.said
    lost, added = _counted(gone, "firm"), _counted(new, "firm")
    lost, added = lost - added, added - lost
    if len(before.word_set ^ after.word_set) > _FEW_WORDS:
        added["not"] -= min(added["not"], sum(times for phrase, times in new.items() if _is_mild(phrase)))
    lost["not"] -= min(lost["not"], sum(_has_form_in(phrase, after) for phrase in gone if _is_mild(phrase)))
    may_stand_for, stood_for = _counted(new, "soft"), _counted(gone, "soft")
    for one, two in _SAME_AS:
        for here, there, soft in ((lost, added, may_stand_for), (added, lost, stood_for)):
            while here[one] and there[two[0]] and all(there[mark] or soft[mark] for mark in two[1:]):
                here[one] -= 1
                for mark in two:
                    there[mark] = max(0, there[mark] - 1)
    for mark in ("most", "more"):
        may_stand_for[mark] += added["superlative"]
    # "do not add or remove" is "add nothing and remove nothing"
    stood_for["not"] += lost["or"] if _negates(before) else 0
    may_stand_for["not"] += added["or"] if _negates(after) else 0
    may_stand_for["not"] += sum(map(_is_negative, after.word_set - before.word_set))
    stood_for["not"] += sum(map(_is_negative, before.word_set - after.word_set))
    return lost - may_stand_for, added - stood_for


def _is_mild(phrase: str) -> bool:
    return "not" in marks_of(phrase).firm and phrase not in PLAIN_NEGATIONS


def _has_form_in(word: str, reading: Reading) -> bool:
    """ "banned" has one where "banning" is said."""
    return any(other[:4] == word[:4] and other != word for other in reading.word_set if len(other) > 3)


def _negates(reading: Reading) -> bool:
    return any("not" in marks_of(phrase).firm for phrase in reading.said)


def _is_negative(word: str) -> bool:
    """ "unpaid", "seedless": a negation within a word."""
    if word.startswith("un"):
        return len(word) > 5 and not word.startswith(_NO_PREFIX)
    return (
        word.endswith("less")
        and len(word) > 6
        and word not in ("unless", "regardless", "nevertheless", "nonetheless")
    )


def _counted(phrases: Counter[str], strength: str) -> Counter[str]:
    marks: Counter[str] = Counter()
    for phrase, times in phrases.items():
        for mark in getattr(marks_of(phrase), strength):
            marks[mark] += times
    return marks


def _moved(lost: Counter[str], added: Counter[str]) -> Iterable[tuple[str, str]]:
    """Pairs of one scale that changed places; each is taken off both counts."""
    for scale in _SCALES:
        for one in scale:
            for other in scale:
                if one != other and lost[one] and added[other]:
                    lost[one] = added[other] = 0
                    yield one, other


def _turned(before: Reading, after: Reading) -> list[tuple[str, str]]:
    """Words that were replaced by words of the other end of their scale."""
    gone, new = before.said - after.said, after.said - before.said
    here, there = _ends(gone, new), _ends(new, gone)
    found = {}
    for end, phrase in here.items():
        other = there.get(end[:-1] + ("-" if end[-1] == "+" else "+"))
        if other is not None and end not in there:
            found[phrase] = other
    return list(found.items())


def _ends(phrases: Counter[str], others: Counter[str]) -> dict[str, str]:
    """The phrases by the ends that they stand for, without those that `others` have in another form."""
    return {
        end: phrase
        for phrase in phrases
        for end in marks_of(phrase).ends
        if not any(other.startswith(phrase[: max(3, len(phrase) - 2)]) for other in others)
    }


def _same_verb(mark: str, before: Reading, other: str, after: Reading) -> bool:
    """ "may vote" became "must vote"; in free wording, modals come and go."""
    return not _verbs_after(mark, before).isdisjoint(_verbs_after(other, after))


def _verbs_after(mark: str, reading: Reading) -> set[str]:
    verbs = set()
    for place, word in enumerate(reading.words):
        if any(mark in marks_of(phrase).firm for _, phrase in HEADS.get(word, ())):
            following = (verb for verb in reading.words[place + 1 : place + 5] if verb not in _BETWEEN)
            verbs.add(next(following, ""))
    return verbs - {""}


def _named(mark: str, before: Reading, after: Reading) -> str:
    if mark != "superlative":
        return mark
    return next((word for word in before.words if is_superlative(word) and word not in after.word_set), mark)


def _flipped(
    before: Reading, after: Reading, lost: Counter[str], added: Counter[str]
) -> list[tuple[str, str]]:
    """ "paid" for "unpaid" is a change, and "not paid" for "unpaid" is none."""
    gone, new = before.word_set - after.word_set, after.word_set - before.word_set
    found = []
    for negative, positive, not_added, not_lost in ((gone, new, added, lost), (new, gone, lost, added)):
        for word in negative:
            prefix = next((one for one in _NEGATIVE_PREFIXES if word.startswith(one)), None)
            bare = word[len(prefix) :] if prefix else ""
            if len(bare) < 3 or bare not in positive or marks_of(word).firm:
                continue
            if not_added["not"]:
                not_added["not"] -= 1
            elif not not_lost["not"]:
                found.append((word, bare) if negative is gone else (bare, word))
    return found


def _other_superlative(before: Reading, after: Reading) -> tuple[str, str] | None:
    """One superlative for another where nothing else changed; elsewhere it may be a synonym."""
    gone, new = before.word_set - after.word_set, after.word_set - before.word_set
    if len(gone) != 1 or len(new) != 1:
        return None
    one, other = *gone, *new
    same_end = set(marks_of(one).ends) & set(marks_of(other).ends)
    return (one, other) if is_superlative(one) and is_superlative(other) and not same_end else None


def _or_became_and(before: Reading, after: Reading) -> bool:
    """Only where nothing else changed: in free wording, lists are joined in many ways."""
    if (before.word_set ^ after.word_set) - {"and", "or", "either", "both"}:
        return False
    return before.said["or"] != after.said["or"] and before.said["and"] != after.said["and"]


def exchanged(before: Reading, after: Reading) -> tuple[str, str] | None:
    """Two words that changed places in a text that is else the same: "from largest to smallest"."""
    if len(before.words) != len(after.words) or before.words == after.words:
        return None
    changed = [
        at for at, pair in enumerate(zip(before.words, after.words, strict=True)) if pair[0] != pair[1]
    ]
    if len(changed) != 2:
        return None
    first, second = (before.words[at] for at in changed)
    if (after.words[changed[0]], after.words[changed[1]]) != (second, first):
        return None
    between = before.words[changed[0] + 1 : changed[1]]
    return None if set(between) <= {"and", "or"} else (first, second)
