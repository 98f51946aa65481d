"""Whether what changed is nothing that a check of meaning weighs.

Most good rewordings change words such as "tell me" or "what", or one plain word for another, and leave every
negation, number, unit, name and span in its place. That is quickly seen, and those checks need not be asked:
each condition here is one under which they pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from functools import lru_cache

from otherwords.checks.bounds import BOUND_WORDS
from otherwords.checks.kinds import has_kind
from otherwords.checks.lexicon import NEGATIONS, marks_of
from otherwords.checks.light import FAINT, LIGHT
from otherwords.checks.quantities import NUMBER_WORDS, TEXT_UNITS, UNIT_OF
from otherwords.checks.reading import Compared, Reading, more_in, read
from otherwords.checks.words import NEGATIVE_PREFIXES
from otherwords.english.spans import same_spans

_MOST_CHANGES = 4
"""Words of weight, gone or new; with more of them the checks look for other things."""
_SEVERAL = 2
"""Words fewer, from which on a part of the text may be lost."""
_WHOLE = (
    *[(f"{verb}{mark}t", "can not") for verb in ("can", "Can") for mark in "'’"],
    *[(f"{verb}{mark}t", "will not") for verb in ("won", "Won") for mark in "'’"],
    *[(f"{verb}{mark}t", "shall not") for verb in ("shan", "Shan") for mark in "'’"],
    *[(short, " not") for short in ("n't", "n’t")],
    *[(short, "can not") for short in ("cannot", "Cannot")],
)
"""Contractions and what they stand for; those of no shape of their own come last."""


def same_weight(compared: Compared) -> bool:
    was, now = _spelled_alike(compared.was, compared.now)
    if was.words == now.words or is_slight(was, now):
        return same_spans(compared.before.text, compared.after_text)
    return False


def is_slight(was: Reading, now: Reading) -> bool:
    """A few words that no check weighs changed, and all others are in their order."""
    if was.word_set == now.word_set:  # in another order they may say something else
        return False
    if was.heavy == now.heavy and was.said == now.said:
        return True
    gone, new = was.word_set - now.word_set, now.word_set - was.word_set
    changed = (gone | new) - LIGHT
    return (
        len(changed) <= _MOST_CHANGES
        and all(map(_is_plain, changed))
        and _without(gone, was.heavy) == _without(new, now.heavy)
        and _keeps_size(gone - FAINT, new - FAINT, len(was.words) - len(now.words))
        and _weigh_the_same(was.said, now.said)
        and (NEGATIONS.isdisjoint(was.said) or was.negated == now.negated)
        and _are_no_names(changed & gone, was.text)
        and _are_no_names(changed & new, now.text)
        and (NUMBER_WORDS.isdisjoint(was.word_set) or was.spelled == now.spelled)
        and was.rates == now.rates
    )


def _without(some: Set[str], words: list[str]) -> list[str]:
    return [word for word in words if word not in some]


@lru_cache(maxsize=16384)
def _is_plain(word: str) -> bool:
    """No number, no unit, no kind of thing, and nothing that turns another word round."""
    if not word.isalpha() or word.startswith(NEGATIVE_PREFIXES) or word.endswith("less"):
        return False
    if word in NUMBER_WORDS or word in UNIT_OF or word in TEXT_UNITS or word in BOUND_WORDS:
        return False
    return _is_unweighed(word) and not has_kind(word)


def _is_unweighed(phrase: str) -> bool:
    return marks_of(phrase).firm in ((), ("and",))


def _weigh_the_same(was: Mapping[str, int], now: Mapping[str, int]) -> bool:
    """The phrases that only one of them has say nothing for sure, and stand for the same ends of scales."""
    if was == now:
        return True
    gone, new = more_in(was, now), more_in(now, was)
    if not all(map(_is_unweighed, gone)) or not all(map(_is_unweighed, new)):
        return False
    return _ends(gone) == _ends(new)


def _ends(phrases: Mapping[str, int]) -> list[str]:
    return sorted([end for phrase, times in phrases.items() for end in marks_of(phrase).ends * times])


def _keeps_size(gone: Set[str], new: Set[str], fewer: int) -> bool:
    """Nothing of weight went, or one word for another."""
    return not gone or (len(gone) == 1 and bool(new) and fewer < _SEVERAL)


def _are_no_names(words: Set[str], text: str) -> bool:
    """Each is written small, wherever it stands."""
    for word in words:  # noqa: SIM110  asked of most candidates, and `all` takes longer than the search
        if word not in text or word.capitalize() in text:
            return False
    return True


def _spelled_alike(was: Reading, now: Reading) -> tuple[Reading, Reading]:
    """With "is not" for "isn't" in both, where one has more of these than the other."""
    one, other = was.text, now.text
    if "n't" not in one and "n't" not in other and "cannot" not in one and "cannot" not in other:
        return was, now
    if one.count("n't") == other.count("n't") and one.count("cannot") == other.count("cannot"):
        return was, now
    return read(_spelled_out(one)), read(_spelled_out(other))


def _spelled_out(text: str) -> str:
    for short, whole in _WHOLE:
        if short in text:
            text = text.replace(short, whole)
    return text
