"""`words`: negations, quantifiers, comparatives and modals are kept."""

from __future__ import annotations

from collections.abc import Iterable

from otherwords.checks.base import compares_meaning, short, told
from otherwords.checks.bounds import BOUND_WORDS, turned_bounds
from otherwords.checks.converses import is_converse
from otherwords.checks.lexicon import HEADS, is_superlative, marks_of
from otherwords.checks.marks import Change, Marks, changed_marks, ends
from otherwords.checks.polarity import lost_negations
from otherwords.checks.reading import Reading
from otherwords.checks.scales import BOUNDS, SCALES, may_have_turned, same_polarity, turned_scales
from otherwords.checks.stems import stem

NAME = "words"
_LOSS_MATTERS = (*BOUNDS, "not", "only")
_LOSS_OFTEN_MATTERS = tuple("about few least less more most rarely sometimes superlative".split())
_ADDING_MATTERS = (*BOUNDS, "not", "part of")
_ADDING_OFTEN_MATTERS = ("except", "few", "least", "only", "rarely", "unless")
_FEW_CHANGES = 5
"""Up to so many words lost or new, each of them counts; a freer wording says much in other ways."""
_MODALS = (("must", "may"), ("may", "must"))
_BETWEEN = frozenset("to be only not also always never it they you he she a the".split())
_EVERYWHERE = frozenset(
    "the a an of to in is are was were and or for on at it its be with that this by as".split()
)
NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")
_SHORT_WORD = 4
_JOINING = frozenset(("and", "or", "either", "both"))


@compares_meaning(NAME)
def words(before: Reading, after: Reading) -> str | None:
    if before.word_set == after.word_set:
        if before.said == after.said:
            pair = exchanged(before, after)
            if pair:
                return f"{pair[0]} and {pair[1]} changed places"
            return "; ".join(_lost_negations(before, after, Marks(), Marks())) or None
    elif before.said == after.said:
        flipped = _became(_flipped(before, after))
        return "; ".join(flipped or _lost_negations(before, after, Marks(), Marks())) or None
    return "; ".join(_problems(before, after, changed_marks(before, after))) or None


def _problems(before: Reading, after: Reading, change: Change) -> list[str]:
    lost, added = Marks(change.lost), Marks(change.added)
    changes = len(before.word_set ^ after.word_set)
    is_light = changes <= _FEW_CHANGES
    turned = _turned(change)
    for operator in ("not", "least", "less"):
        # "not open" is "closed", "least expensive" is "cheapest"
        if turned and (lost[operator] or added[operator]):
            turned.pop()
            lost.take(operator)
            added.take(operator)
    negations = _lost_negations(before, after, lost, added)
    turned = [
        pair
        for pair in turned
        if (changes <= 2 or _same_place(pair, before, after))
        and same_polarity(*pair, before.clauses, after.clauses)
    ]
    turned += _flipped(before, after)
    turned += [
        pair for pair in _MODALS if lost[pair[0]] and added[pair[1]] and _same_verb(pair, before, after)
    ]
    moved = list(_moved(lost, added))
    if not moved and may_have_turned(change.gone, change.new):
        turned += turned_scales(before.clauses, after.clauses)
    turned = [pair for pair in dict.fromkeys(turned) if not is_converse(*pair, before, after)]
    problems = _became((*moved, *turned))
    losses = _LOSS_MATTERS + (_LOSS_OFTEN_MATTERS if is_light else ())
    additions = _ADDING_MATTERS + (_ADDING_OFTEN_MATTERS if is_light else ())
    gone = [_named(mark, before, after) for mark in losses if lost[mark]]
    new = [mark for mark in additions if added[mark]]
    problems += filter(None, (told(gone, new),))
    problems += negations
    return problems or _turned_bounds(before, after) or _small_changes(before, after)


def _lost_negations(before: Reading, after: Reading, lost: Marks, added: Marks) -> list[str]:
    """Those found clause by clause. The count is asked for the negations that could not be compared so."""
    if before.negated == after.negated:
        return []
    gone = lost_negations(before.clauses, after.clauses)
    new = lost_negations(after.clauses, before.clauses, plain=True)
    problems: list[str] = []
    for found, rest, count, what in (
        (gone, len(gone.unsettled) - len(new.unsettled), lost, "lost"),
        (new, new.plain - len(gone.unsettled), added, "added"),
    ):
        if not found.turned:
            count["not"] = min(count["not"], max(0, rest))
        elif not count["not"]:
            problems += [f'{what}: not, in "{short(clause)}"' for clause in found.turned]
    return problems


def _turned_bounds(before: Reading, after: Reading) -> list[str]:
    if not before.digits or BOUND_WORDS.isdisjoint(before.word_set ^ after.word_set):
        return []
    return [f"{number} limits from the other side" for number in turned_bounds(before.clauses, after.clauses)]


def _became(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f'"{one}" became "{other}"' for one, other in pairs]


def _moved(lost: Marks, added: Marks) -> Iterable[tuple[str, str]]:
    """Pairs of one scale that changed places; each is taken off both counts."""
    for scale in SCALES:
        for one in scale:
            for other in scale if lost[one] else ():
                if one != other and lost[one] and added[other]:
                    lost[one] = added[other] = 0
                    yield one, other


def _turned(change: Change) -> list[tuple[str, str]]:
    """Words that were replaced by words of the other end of their scale."""
    here, there = ends(change.gone, change.new), ends(change.new, change.gone)
    found = {}
    for end, phrase in here.items():
        other = there.get(end[:-1] + ("-" if end[-1] == "+" else "+"))
        if other is not None and end not in there:
            found[phrase] = other
    return list(found.items())


def _same_place(pair: tuple[str, str], before: Reading, after: Reading) -> bool:
    """Whether the second stands where the first stood: among the same words, or for another superlative."""
    if is_superlative(pair[0]) and is_superlative(pair[1]):
        return True
    return not _around(pair[0], before).isdisjoint(_around(pair[1], after))


def _around(phrase: str, reading: Reading) -> set[str]:
    said = phrase.split()
    near: set[str] = set()
    for place in range(len(reading.words)):
        if reading.words[place : place + len(said)] == said:
            near.update(reading.words[max(0, place - 2) : place])
            near.update(reading.words[place + len(said) : place + len(said) + 2])
    return {word[:4] for word in near - _EVERYWHERE}


def _same_verb(pair: tuple[str, str], before: Reading, after: Reading) -> bool:
    """ "may vote" became "must vote"; in free wording, modals come and go."""
    return not _verbs_after(pair[0], before).isdisjoint(_verbs_after(pair[1], after))


def _verbs_after(mark: str, reading: Reading) -> set[str]:
    verbs = set()
    for place, word in enumerate(reading.words):
        if mark in marks_of(word).firm or (
            word in HEADS and any(mark in marks_of(phrase).firm for phrase in HEADS[word].phrases)
        ):
            following = (verb for verb in reading.words[place + 1 : place + 5] if verb not in _BETWEEN)
            verbs.add(next(following, ""))
    return verbs - {""}


def _named(mark: str, before: Reading, after: Reading) -> str:
    if mark != "superlative":
        return mark
    return next((word for word in before.words if is_superlative(word) and word not in after.word_set), mark)


def _flipped(before: Reading, after: Reading) -> list[tuple[str, str]]:
    """ "paid" for "unpaid" is a change, and "not paid" for "unpaid" is none."""
    gone, new = before.word_set - after.word_set, after.word_set - before.word_set
    found = []
    for negative, positive in ((gone, new), (new, gone)):
        for word in negative:
            prefix = next((one for one in NEGATIVE_PREFIXES if word.startswith(one)), None)
            bare = word[len(prefix) :] if prefix else ""
            if len(bare) < 3 or marks_of(word).firm:
                continue
            found_as = (
                bare if bare in positive else next((one for one in positive if _is_form(bare, one)), "")
            )
            if not found_as:
                continue
            if _negations(before) % 2 == _negations(after) % 2:
                found.append((word, found_as) if negative is gone else (found_as, word))
    return found


def _is_form(bare: str, word: str) -> bool:
    """ "locking" is a form of "locked"."""
    return len(bare) > _SHORT_WORD and stem(word) == stem(bare) and word[:_SHORT_WORD] == bare[:_SHORT_WORD]


def _negations(reading: Reading) -> int:
    return sum(times for phrase, times in reading.said.items() if "not" in marks_of(phrase).firm)


def _small_changes(before: Reading, after: Reading) -> list[str]:
    """Changes that are sure to matter only where nothing else changed; in free wording they are synonyms."""
    gone, new = before.word_set - after.word_set, after.word_set - before.word_set
    if len(gone) == len(new) == 1:
        one, other = *gone, *new
        same_end = set(marks_of(one).ends) & set(marks_of(other).ends)
        if is_superlative(one) and is_superlative(other) and not same_end:
            return _became([(one, other)])
    if (gone | new) <= _JOINING and before.said.get("or") != after.said.get("or"):
        return ['"or" and "and" were exchanged'] if before.said.get("and") != after.said.get("and") else []
    return []


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
    return None if set(between) <= _JOINING else (first, second)
