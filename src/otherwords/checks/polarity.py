"""`negation` and `opposites`: what is denied stays denied, and nothing is replaced by its opposite."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.base import invariant, sign
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon
from otherwords.english.words import is_word

if TYPE_CHECKING:
    from spacy.tokens import Token


class _Lexicon(NamedTuple):
    plain: frozenset[str]
    lexical: frozenset[str]
    exclusive: frozenset[str]
    denying: frozenset[str]
    core: frozenset[str]
    idioms: re.Pattern[str]


@cache
def _lexicon() -> _Lexicon:
    read = read_lexicon("polarity")
    idioms = "|".join(map(re.escape, sorted(read["idioms"], key=len, reverse=True)))
    words = {name: frozenset(map(str, read[name])) for name in read if name != "idioms"}
    return _Lexicon(
        words["plain"],
        words["lexical"],
        words["exclusive"],
        words["denying"],
        words["core"],
        re.compile(rf"\b(?:{idioms})\b"),
    )


def plain_negations(reading: Reading) -> list[Token]:
    """The words that turn a clause round, without those in idioms."""
    words = _lexicon()
    lower = reading.text.lower().replace("’", "'")
    idle = [match.span() for match in words.idioms.finditer(lower)]
    return [
        token
        for token in reading.tokens
        if (token.lower_.replace("’", "'") in words.plain or token.lower_ in ("n't", "nt"))
        and not any(start <= token.idx < end for start, end in idle)
    ]


@sign("denials")
def denials(pair: Pair) -> str | None:
    """A word became its opposite, or more is denied in one text, if only by words such as "except".

    A word that both have denies nothing new. One that only one of them has may stand for a plain negation.
    """
    if opposites := exchanged_opposites(pair):
        return f"{opposites[0][0]} became {opposites[0][1]}"
    was, now = len(plain_negations(pair.before)), len(plain_negations(pair.after))
    before, after = denying(pair.before), denying(pair.after)
    lost, added = before - after, after - before
    if was - now > added.total() or now - was > lost.total():
        return f"{now} negations instead of {was}"
    words = _lexicon()
    for gone, come, plain in ((lost, added, now - was), (added, lost, was - now)):
        firm, instead = (
            [word for word in one if word in words.core or word not in words.denying] for one in (gone, come)
        )
        if firm and not instead and plain <= 0:
            return f"{'lost' if gone is lost else 'added'}: {', '.join(sorted(firm))}"
    return None


def denying(reading: Reading) -> Counter[str]:
    """Words that may deny, by lemma."""
    return Counter(token.lemma_.lower()[:8] for token in reading.tokens if may_deny(token))


def may_deny(token: Token) -> bool:
    """Whether the word may stand for a negation by itself, such as "except" or "incorrect"."""
    return token.lemma_.lower() in _lexicon().denying or _is_negative_form(token)


def _may_deny(reading: Reading) -> bool:
    """Whether some word may stand for a negation, such as "except" or "impossible"."""
    words = _lexicon()
    if not words.lexical.isdisjoint(reading.lemmas):
        return True
    return any(_is_negative_form(token) for token in reading.tokens)


_PREFIXES = ("un", "non", "dis", "ir", "il", "im", "in")
_NOT_NEGATIVE = frozenset(
    """inform informed informs discuss discussion display distill discover dispose invaluable indeed inside
    unit under until""".split()
)


def _is_negative_form(token: Token) -> bool:
    """ "unrelated", "inefficient": a prefix before a word of its own."""
    word = token.lower_
    if token.pos_ not in ("ADJ", "ADV", "VERB") or len(word) < 6 or word in _NOT_NEGATIVE:
        return False
    return any(word.startswith(prefix) and is_word(word[len(prefix) :]) for prefix in _PREFIXES)


@invariant("negation")
def negation(pair: Pair) -> str | None:
    """A negation is neither lost nor added."""
    was, now = plain_negations(pair.before), plain_negations(pair.after)
    near = pair.distance < _NEAR
    if was and not now and _is_affirmed(was, pair.after, near):
        return f"lost: {was[0].lower_}"
    if now and not was and _is_affirmed(now, pair.before, near):
        return f"added: {now[0].lower_}"
    return None


_NEAR = 0.2
"""Word edit distance below which a negation that is left denies what it denied before."""


def _is_affirmed(negations: list[Token], other: Reading, near: bool) -> bool:
    """Whether the other text says what is denied here, and has no word that may deny it."""
    words = _lexicon()
    if _may_deny(other) or words.exclusive & other.word_set or (words.plain & other.word_set and not near):
        return False
    if _opposite_of_denied(negations, other):
        return False
    return any(not _denied(one).isdisjoint(other.lemmas) for one in negations)


def _denied(negation: Token) -> set[str]:
    """The content lemmas that a negation stands with: "no friction", "does not change"."""
    head = negation.head
    near = [head, *head.children] if head.pos_ in ("AUX", "ADP") else [head]
    near += negation.children
    return {one.lemma_.lower() for one in near if one.pos_ in ("NOUN", "PROPN", "VERB", "ADJ", "ADV")}


def _opposite_of_denied(negations: list[Token], other: Reading) -> bool:
    """Whether the other text has an opposite of what is denied: "not high" is "low"."""
    near = {
        token.lemma_.lower()
        for one in negations
        for token in (one.head, *one.head.children, *one.head.subtree)
    }
    return any(not opposites_of(lemma).isdisjoint(other.lemmas) for lemma in near)


@cache
def _scales() -> list[tuple[frozenset[str], frozenset[str]]]:
    """The words of both ends of each scale."""
    read = read_lexicon("opposites")
    ends = [tuple(frozenset(end.split()) for end in scale) for scale in read["scales"]]
    ends += [tuple(map(_regular_forms, two.split("/"))) for two in read["pairs"].split()]
    return [(one, other) for one, other in ends]


def _regular_forms(word: str) -> frozenset[str]:
    """The word with the endings that it may have, some of which make no words."""
    stem = word.removesuffix("e")
    return frozenset((word, f"{word}s", *(f"{stem}{ending}" for ending in ("es", "ed", "ing", "er", "est"))))


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for one, other in _scales():
        for here, there in ((one, other), (other, one)):
            for word in here:
                found.setdefault(word, set()).update(there)
    return {word: frozenset(others) for word, others in found.items()}


def opposites_of(word: str) -> frozenset[str]:
    """The words at the other end of the scales that `word` is on."""
    return _opposites().get(word, frozenset())


_BOUND = re.compile(
    r"\b(?:at (?:the )?(?:least|most)"
    r"|or (?:more|less|fewer|older|higher|later|longer|greater|over|under|above|below)"
    r"|(?:no|not) (?:more|less|fewer|later|longer|greater|higher|lower) than|(?:more|less|fewer) than)\b"
)


def exchanged_opposites(pair: Pair) -> list[tuple[str, str]]:
    """Words of the original that its variant lacks, each with an opposite that the original lacks.

    Limits of numbers have a check of their own. A word is not lost where a word that may stand for it came.
    """
    before, after = (
        frozenset(_WORD.findall(_BOUND.sub(" ", one.folded))) for one in (pair.before, pair.after)
    )
    lost, added = before - pair.after.lemmas, after - pair.before.lemmas
    return [
        (one, other)
        for one in sorted(lost)
        for other in sorted(added & opposites_of(one))
        if not _has_ally(one, added)
        and not _has_ally(other, lost)
        and not _has_synonym(one, pair.before, pair.after)
        and not _has_synonym(other, pair.after, pair.before)
        and not _weakened(one, pair.before)
        and not _weakened(other, pair.after)
    ]


_WORD = re.compile(r"[^\W\d_]+")


def _has_ally(word: str, others: frozenset[str]) -> bool:
    """Whether some of the other words stand at the same end of a scale: "largest" for "biggest"."""
    allies = frozenset(one for opposite in opposites_of(word) for one in opposites_of(opposite))
    return not allies.isdisjoint(others)


def _has_synonym(word: str, here: Reading, there: Reading) -> bool:
    """Whether a synonym of it is there: "gets to" for "arrives"."""
    return not there.new_groups(here).isdisjoint(here.groups_of.get(word, ()))


def _weakened(word: str, reading: Reading) -> bool:
    """ "least expensive" is "cheapest"."""
    return any(
        token.i and token.doc[token.i - 1].lower_ in ("less", "least", "not", "n't", "no", "never")
        for token in reading.tokens
        if token.lower_ == word
    )


@invariant("opposites")
def opposites(pair: Pair) -> str | None:
    """No word at one end of a scale is replaced by one at the other: largest by smallest."""
    found = exchanged_opposites(pair)
    if not found or len(plain_negations(pair.before)) != len(plain_negations(pair.after)):
        return None
    firm = frozenset(read_lexicon("opposites")["firm"].split())
    for one, other in found:
        if one in firm and other in firm and not _is_converse(pair, one, other):
            return f"lost: {one}; added: {other}"
    return None


def _is_converse(pair: Pair, one: str, other: str) -> bool:
    """ "A is taller than B" is "B is shorter than A": what stands on either side changed places."""
    before, after = _sides(pair.before, one), _sides(pair.after, other)
    return bool(before and after and before[0] & after[1] and before[1] & after[0])


def _sides(reading: Reading, word: str) -> tuple[set[str], set[str]] | None:
    """The content lemmas before and after a word, within its sentence."""
    for token in reading.tokens:
        if token.lower_ == word:
            sentence = [one for one in token.sent if one.pos_ in ("NOUN", "PROPN", "NUM", "ADJ")]
            return (
                {one.lemma_.lower() for one in sentence if one.i < token.i},
                {one.lemma_.lower() for one in sentence if one.i > token.i},
            )
    return None
