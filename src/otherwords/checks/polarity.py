"""`negation` and `opposites`: what is denied stays denied, and nothing is replaced by its opposite."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Set
from functools import cache, partial
from typing import TYPE_CHECKING

from otherwords.checks.base import invariant, sign
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.words import CONTENT, is_word

if TYPE_CHECKING:
    from spacy.tokens import Token


_SAYS = Patterns("polarity")
_words = partial(word_set, "polarity")


def plain_negations(reading: Reading) -> list[Token]:
    """The words that turn a clause round, without those in idioms."""
    lower = reading.text.lower().replace("’", "'")
    idle = [match.span() for match in _SAYS.idiom.finditer(lower)]
    return [
        token
        for token in reading.tokens
        if token.lower_.replace("’", "'") in _words("plain")
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
    for gone, come, plain in ((lost, added, now - was), (added, lost, was - now)):
        firm, instead = (
            [word for word in one if word in _words("core") or word not in _words("denying")]
            for one in (gone, come)
        )
        if firm and not instead and plain <= 0:
            return f"{'lost' if gone is lost else 'added'}: {', '.join(sorted(firm))}"
    return None


def denying(reading: Reading) -> Counter[str]:
    """Words that may deny, by lemma."""
    return Counter(token.lemma_.lower()[:8] for token in reading.tokens if may_deny(token))


def may_deny(token: Token) -> bool:
    """Whether the word may stand for a negation by itself, such as "except" or "incorrect"."""
    return token.lemma_.lower() in _words("denying") or _is_negative_form(token)


def _is_negative_form(token: Token) -> bool:
    """ "unrelated", "inefficient": a prefix before a word of its own."""
    word = token.lower_
    if token.pos_ not in ("ADJ", "ADV", "VERB") or word in _words("not_negative"):
        return False
    return any(word.startswith(prefix) and is_word(word[len(prefix) :]) for prefix in _words("prefixes"))


@invariant("negation")
def negation(pair: Pair) -> str | None:
    """A negation is neither lost nor added; "without" may be, as in "uncut" for "without cutting it"."""
    was, now = plain_negations(pair.before), plain_negations(pair.after)
    lost, added = ([one for one in some if one.lower_ != "without"] for some in (was, now))
    near = pair.distance < _NEAR
    if not now and _is_affirmed(lost, pair.after, near):
        return f"lost: {lost[0].lower_}"
    return f"added: {added[0].lower_}" if not was and _is_affirmed(added, pair.before, near) else None


_NEAR = 0.2
"""Word edit distance below which a negation that is left denies what it denied before."""
_FAR = 0.7
"""Word edit distance from which a sentence may be turned round: "older than hers", "hers is newer"."""


def _is_affirmed(negations: list[Token], other: Reading, near: bool) -> bool:
    """Whether the other text says what is denied here, with no opposite and no word that may deny it."""
    denying = _words("lexical") | _words("exclusive") | (frozenset() if near else _words("plain"))
    around = {token.lemma_.lower() for one in negations for token in one.head.subtree}
    contrary = {opposite for word in around for opposite in opposites_of(word)}
    if (denying | contrary) & other.lemmas or any(map(_is_negative_form, other.tokens)):
        return False
    return any(not _denied(one).isdisjoint(other.lemmas) for one in negations)


def _denied(negation: Token) -> set[str]:
    """The content lemmas that a negation stands with: "no friction", "does not change"."""
    head = negation.head
    beside_head = head.children if head.pos_ in ("AUX", "ADP") else ()
    near = (head, *beside_head, *negation.children)
    return {one.lemma_.lower() for one in near if one.pos_ in CONTENT}


def _regular_forms(word: str) -> frozenset[str]:
    """The word with the endings that it may have, some of which make no words."""
    stem = word.removesuffix("e")
    return frozenset((word, f"{word}s", *(f"{stem}{ending}" for ending in ("es", "ed", "ing", "er", "est"))))


@cache
def _opposites() -> dict[str, set[str]]:
    """Each word at an end of a scale with the words at the other end."""
    read = read_lexicon("opposites")
    scales = [tuple(frozenset(end.split()) for end in scale) for scale in read["scales"]]
    scales += [tuple(map(_regular_forms, two.split("/"))) for two in read["pairs"].split()]
    found = defaultdict[str, set[str]](set)
    for one, other in (*scales, *(scale[::-1] for scale in scales)):
        for word in one:
            found[word] |= other
    return dict(found)


def opposites_of(word: str) -> Set[str]:
    """The words at the other end of the scales that `word` is on."""
    return _opposites().get(word, frozenset())


def exchanged_opposites(pair: Pair) -> list[tuple[str, str]]:
    """Words of the original that its variant lacks, each with an opposite that the original lacks.

    Limits of numbers have a check of their own.
    """
    before, after = (
        frozenset(_SAYS.word.findall(_SAYS.limit.sub(" ", one.folded))) for one in (pair.before, pair.after)
    )
    lost, added = before - pair.after.lemmas, after - pair.before.lemmas
    return [
        (one, other)
        for one in sorted(lost)
        for other in sorted(added & opposites_of(one))
        if not _is_replaced(one, pair.before, pair.after, added)
        and not _is_replaced(other, pair.after, pair.before, lost)
    ]


def _is_replaced(word: str, here: Reading, there: Reading, new: frozenset[str]) -> bool:
    """Whether a word may be said otherwise there: "largest" for "biggest", "cheap" for "not expensive"."""
    at_same_end = {one for opposite in opposites_of(word) for one in opposites_of(opposite)}
    synonyms, weakening = there.new_groups(here), _words("weakening")
    return bool(at_same_end & new) or any(
        groups & synonyms or (token.i and token.nbor(-1).lower_ in weakening)
        for token, groups in zip(here.tokens, here.groups, strict=True)
        if token.lower_ == word
    )


@invariant("opposites")
def opposites(pair: Pair) -> str | None:
    """No word at one end of a scale is replaced by one at the other: largest by smallest."""
    if pair.distance >= _FAR or len(plain_negations(pair.before)) != len(plain_negations(pair.after)):
        return None
    firm = word_set("opposites", "firm")
    for one, other in exchanged_opposites(pair):
        if {one, other} <= firm and not _is_converse(pair, one, other):
            return f"lost: {one}; added: {other}"
    return None


def _is_converse(pair: Pair, one: str, other: str) -> bool:
    """ "A is taller than B" is "B is shorter than A": what stands on either side changed places."""
    before, after = _sides(pair.before, one), _sides(pair.after, other)
    return bool(before[0] & after[1] and before[1] & after[0])


def _sides(reading: Reading, word: str) -> tuple[set[str], set[str]]:
    """What is named before and after a word, within its sentence."""
    for token in reading.tokens:
        if token.lower_ == word:
            things = [one for one in token.sent if one.pos_ in ("NOUN", "PROPN", "NUM", "ADJ")]
            earlier = {one.lemma_.lower() for one in things if one.i < token.i}
            return earlier, {one.lemma_.lower() for one in things if one.i > token.i}
    return set(), set()
