"""Words with a negation in their meaning, and what may stand for a negation where a text has none."""

from __future__ import annotations

from otherwords.checks.clauses import Clause, Clauses
from otherwords.checks.lexicon import NEGATIONS, marks_of
from otherwords.checks.marks import is_negative_word
from otherwords.checks.phrases import Placed
from otherwords.checks.stems import stem

_STANDS_IN = frozenset(("except", "only", "at most", "less than", "until", "few", "rarely", "least"))
_STANDS_FOR = (("at least", ("less than", "less")), ("must", ("unless",)))
_DENY_WHAT_FOLLOWS = frozenset(("instead of", "rather than", "in place of", "as opposed to", "other than"))
_BEFORE = frozenset(("before", "until"))
_LIMITS = frozenset(("at most", "less than", "at least"))
_LEAVING = frozenset(
    "leave leaves leaving left rule rules ruling ruled cut cuts cutting keep keeps keeping".split()
)
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis", "mis", "de", "anti")
_SHORTEST_BARE = 3
_DENIED = 2


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, words.split()))


_SENSE = _stems(
    """abandon absence absent abstain against alone ban banned bar barred blank block blocked boycott
    cancel cease close closed conceal contrary defect delay delete deny deprive devoid differ dismiss dispense
    ditch doubt drop eliminate empty exclude exempt exhausted expired extinct fail failure fault flawed forbid
    forget forgot forgotten forgo foreign free full halt hide hidden ignore illegal instead lack lose
    loss lost miss missing mistake neglect nil null occupied omit oppose opposite outside overlook postpone
    prevent prohibit quit refrain refuse reject remove rid scrap secret shortage shun silent skip sober sold
    spare stop strip taboo unable vacant vain void waive wait withdraw withhold wrong zero"""
)
_SENSE_AS_WRITTEN = frozenset(("broken", "gone", "sold", "taken"))
"""Forms whose verbs deny nothing."""
_STAYING = _stems(
    "constant fixed hold intact keep kept leave left maintain original preserve remain retain same stay"
)
_CHANGING = _stems(
    """add adjust affect alter break broken cease change delete differ disclose edit end give halt leave lose
    modify move pause quit remove rename reorder replace reveal rewrite share shorten show stop tell touch
    translate vary"""
)
"""To stay is not to do one of these."""


def negations(clause: Clause) -> list[Placed]:
    return [one for one in clause.phrases if one.phrase in NEGATIONS]


def negative_words(clause: Clause, but: str = "") -> int:
    """Negations, and words with a negation in their meaning, without those of a phrase."""
    own = {stem(word) for word in but.split()}
    return sum(one.phrase != but for one in negations(clause)) + sum(
        one in _SENSE and one not in own for one in clause.stems
    )


def denied(clause: Clause, negation: Placed) -> list[str]:
    """The words right after a negation, or else all of its clause."""
    after = [one for one in clause.stems[negation.end :] if one]
    return after[:_DENIED] or [one for one in clause.stems if one]


def stand_ins(clause: Clause, text: Clauses, other: Clause, whole: Clauses) -> int:
    """How many words of a clause may stand for a negation of `other`, a clause of the text `whole`."""
    stays = any(one in _CHANGING for one in other.stems)
    said = {one.phrase for one in other.phrases}
    found = sum(
        one.phrase not in said
        and _may_stand_in(one, clause, other)
        and (_is_limit(one.phrase) or text.says(one.phrase) > whole.says(one.phrase))
        for one in clause.phrases
    )
    found += _asks_first(clause, other)
    found += sum(_is_negative(word, whole, stays) for word in clause.words)
    return found + _opposites(clause, other)


def _may_stand_in(one: Placed, clause: Clause, other: Clause) -> bool:
    """Also "at least", where the other says "not less", and "must", where it says "unless"."""
    marks = marks_of(one.phrase)
    if one.phrase in NEGATIONS:
        return False
    if not _STANDS_IN.isdisjoint(marks.firm) or "at most" in marks.soft:
        return True
    if one.phrase in _DENY_WHAT_FOLLOWS:
        return any(near and near in other.stems for near in clause.stems[one.end :])
    if "not" in marks.soft and " " in one.phrase:
        return True
    others = {mark for phrase in other.phrases for mark in marks_of(phrase.phrase).firm}
    return any(mark in marks.firm and not others.isdisjoint(denied) for mark, denied in _STANDS_FOR)


def _is_limit(phrase: str) -> bool:
    return not _LIMITS.isdisjoint(marks_of(phrase).firm)


def _asks_first(clause: Clause, other: Clause) -> bool:
    """ "before you go, ask", where the other says "do not go before you have asked"."""
    if not any(_BEFORE & set(marks_of(one.phrase).firm) for one in other.phrases):
        return False
    verbs = {near for negation in negations(other) for near in other.stems[negation.end :] if near}
    return any(
        "before" in marks_of(one.phrase).firm and not verbs.isdisjoint(clause.stems[one.end :])
        for one in clause.phrases
        if one.place <= 1
    )


def leaves_out(words: list[str]) -> bool:
    """ "leave the price out"; the lexicon has "leave out"."""
    return "out" in words and not _LEAVING.isdisjoint(words[: words.index("out") - 1])


def _is_negative(word: str, other: Clauses, stays: bool) -> bool:
    """ "unpaid", where the other says "paid"; "skip", where it says "not"."""
    root = stem(word)
    if root in other.places or marks_of(word).firm:
        return False
    if root in _SENSE or word in _SENSE_AS_WRITTEN or (stays and root in _STAYING) or is_negative_word(word):
        return True
    prefix = next((one for one in _PREFIXES if word.startswith(one)), "")
    bare = word[len(prefix) :]
    return bool(prefix) and len(bare) > _SHORTEST_BARE and stem(bare) in other.places


def _opposites(clause: Clause, other: Clause) -> int:
    """ "closed", where the other says "open"."""
    ends = {end for one in clause.phrases for end in marks_of(one.phrase).ends}
    others = {end for one in other.phrases for end in marks_of(one.phrase).ends}
    return sum(end[:-1] + ("-" if end[-1] == "+" else "+") in others for end in ends)
