"""`comparison`, `route` and `possessor`: who does what to whom is not exchanged."""

from __future__ import annotations

from difflib import SequenceMatcher
from fractions import Fraction
from itertools import combinations, dropwhile, product, takewhile
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.base import flag, invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.quantities import unit_names
from otherwords.english.words import CONTENT, is_base_verb, lemma

if TYPE_CHECKING:
    from spacy.tokens import Token

_NOUNS = frozenset(("NOUN", "PROPN", "NUM", "PRON"))
_SENTENCE_ENDS = frozenset(".?!")
_CLAUSE_ENDS = _SENTENCE_ENDS | frozenset((",", ";", ":", "and", "but"))
_OPPOSITE = {"before": "after", "after": "before"}


class Relation(NamedTuple):
    """What relates two things, and the nouns on either side of it, without those on both."""

    what: str
    one: frozenset[str]
    other: frozenset[str]

    def crosses(self, relation: Relation) -> bool:
        """Whether each has on one side what the other has on the other."""
        return bool(self.one & relation.other) and bool(self.other & relation.one)

    def turned(self) -> Relation:
        """The same with its sides exchanged."""
        return Relation(self.what, self.other, self.one)


def _relations(reading: Reading, ends: frozenset[str]) -> list[Relation]:
    """Each "older than", "before" and "after" with what stands before and after it, up to one of `ends`."""
    degree, tokens, found = "", reading.tokens, []
    for place, token in enumerate(tokens):
        if token.is_sent_start:
            degree = ""
        if token.tag_ in ("JJR", "RBR"):
            degree = token.lower_
        if token.lower_ in _OPPOSITE or (token.lower_ == "than" and degree):
            what = token.lower_ if token.lower_ in _OPPOSITE else f"{degree} than"
            one, other = (
                {
                    lemma(one)
                    for one in takewhile(lambda one: one.lower_ not in ends, side)
                    if one.pos_ in _NOUNS
                }
                for side in (reversed(tokens[:place]), tokens[place + 1 :])
            )
            found.append(Relation(what, frozenset(one - other), frozenset(other - one)))
    return found


@invariant("comparison")
def comparison(pair: Pair) -> str | None:
    """What is compared does not change places: "A is older than B" is not "B is older than A"."""
    was, now = (_relations(side, _CLAUSE_ENDS) for side in (pair.before, pair.after))
    for one, other in product(was, now):
        kept = one.one & other.one or one.other & other.other
        if one.what == other.what not in _OPPOSITE and one.crosses(other) and not kept:
            return f"exchanged around '{one.what}'"
    return None


def _turned_sides(pair: Pair) -> str | None:
    """What stands before and after "older than", "before" or "after" in a sentence has changed sides."""
    was, now = (_relations(side, _SENTENCE_ENDS) for side in (pair.before, pair.after))
    for one, other in product(was, now):
        same = one.what == other.what and one.crosses(other)
        if same or (_OPPOSITE.get(one.what) == other.what and other.turned().crosses(one)):
            return f"around '{one.what}'"
    return None


def _route(reading: Reading) -> Relation:
    """The words after "from" and "out of", and those after "to" and "into", without those of both."""
    tokens = reading.tokens
    origins, goals = set[str](), set[str]()
    for place, token in enumerate(tokens):
        following = tokens[place + 1 : place + 2]
        if token.lower_ == "out" and following and following[0].lower_ == "of":
            origins |= _phrase(tokens[place + 2 :])
        elif token.lower_ == "from":
            origins |= _phrase(tokens[place + 1 :])
        elif token.lower_ in _GOALS:
            goals |= _phrase(tokens[place + 1 :])
    return Relation("from … to", frozenset(origins - goals), frozenset(goals - origins))


_GOALS = frozenset(("to", "into", "onto", "towards", "toward"))
_PHRASE_ENDS = _GOALS | frozenset(
    ("from", "out", "off", "and", "but", "or", "if", "so", "with", "by", "at", "in")
)


def _phrase(tokens: list[Token], longest: int = 6) -> set[str]:
    """The content words with which a phrase begins, up to the next verb, mark or preposition."""
    found = set()
    for token in tokens[:longest]:
        is_verb = token.pos_ in ("VERB", "AUX") and token.tag_ != "VBG"  # "my checking account"
        if is_verb or token.lower_ in _PHRASE_ENDS or (token.is_punct and token.text not in "-/'\"`"):
            break
        if token.pos_ in CONTENT or token.like_num or token.pos_ in ("X", "SYM"):
            found.add(lemma(token))
    return found


@invariant("route")
def route(pair: Pair) -> str | None:
    """A route keeps its direction: from A to B is not from B to A."""
    was, now = _route(pair.before), _route(pair.after)
    origins, goals = was.one & now.other, was.other & now.one
    if not origins or not goals:
        return None
    return f"reversed: from {' '.join(sorted(origins))} to {' '.join(sorted(goals))}"


def _is_thing(token: Token) -> bool:
    """Whether it is a noun or a name, and no number or unit."""
    return (
        token.pos_ in ("NOUN", "PROPN")
        and token.is_alpha
        and len(token) > 1
        and lemma(token) not in unit_names()
    )


def possessions(reading: Reading) -> list[tuple[str, str]]:
    """Each owner with what is its own: "Ann's car", "the car of Ann"."""
    found = []
    for token in reading.tokens:
        owned = token.head if token.dep_ == "poss" else token.head.head
        if token.dep_ != "poss" and not (token.dep_ == "pobj" and token.head.lower_ == "of"):
            continue
        if _is_thing(token) and owned.pos_ == "NOUN" and _is_thing(owned):
            found.append((lemma(token), lemma(owned)))
    return found


@invariant("possessor")
def possessor(pair: Pair) -> str | None:
    """Owners do not change places: Ann's brother's friend is not Ann's friend's brother."""
    was, now = possessions(pair.before), possessions(pair.after)
    before, after = set(was), set(now)
    for owner, owned in sorted(before - after):
        if (owned, owner) in after and (owned, owner) not in before:
            return f"exchanged: {owner}'s {owned} became {owned}'s {owner}"
        for other, thing in sorted(before - after):
            if other != owner and thing != owned and {(other, owned), (owner, thing)} <= after:
                return f"exchanged: {owner}'s {owned} and {other}'s {thing}"
    return None


def _turned_question(pair: Pair) -> str | None:
    """ "Who taught her?" became "Whom did she teach?"."""
    was, now = _asked_subjects(pair.before), _asked_subjects(pair.after)
    found = sorted(verb for verb in was.keys() & now.keys() if was[verb] != now[verb])
    return f"who and whom of '{found[0]}'" if found else None


def _asked_subjects(reading: Reading) -> dict[str, bool]:
    """Verbs of questions, and whether their subject is asked for, by the order of the words.

    The parser often fails on questions.
    """
    found = {}
    for place, token in enumerate(reading.tokens):
        if token.lower_ not in ("who", "whom", "what", "which", "whose"):
            continue
        first, *rest = [*dropwhile(_is_named, reading.tokens[place + 1 :]), token]
        if first.lower_ in ("do", "does", "did"):
            verbs = (one for one in rest[:8] if one.pos_ == "VERB" or is_base_verb(one.lower_))
            found.update({lemma(verb): False for verb in verbs})
        elif first.pos_ == "VERB":
            found[lemma(first)] = True
    return found


def _is_named(token: Token) -> bool:
    """Whether it may stand between the question word and its verb: "which old team"."""
    return token.pos_ in ("NOUN", "ADJ", "PROPN", "NUM", "ADV")


_NEAR, _COMPARED = 0.65, 800


def _swapped_words(pair: Pair) -> str | None:
    """In two texts that are nearly the same, two words have changed places."""
    was, now = ([lemma(one) for one in side.tokens if not one.is_punct] for side in (pair.before, pair.after))
    alike = SequenceMatcher(None, was[:_COMPARED], now[:_COMPARED], autojunk=False)
    if alike.quick_ratio() < _NEAR or alike.ratio() < _NEAR:
        return None
    changes = [
        (set(was[start:end]), set(now[first:last]))
        for kind, start, end, first, last in alike.get_opcodes()
        if kind != "equal"
    ]
    for place, (gone, come) in enumerate(changes):
        for lost, added in changes[place + 1 :]:
            one, other = (gone - come) & (added - lost), (come - gone) & (lost - added)
            if one and other:
                return " and ".join(sorted((min(one), min(other))))
    return None


def _swapped_numbers(pair: Pair) -> str | None:
    """Each of two numbers has the noun next to it that the other one had: "9 for adults, 5 for children"."""
    was, now = _next_to_numbers(pair.before), _next_to_numbers(pair.after)
    for one, other in combinations(sorted(was.keys() & now.keys()), 2):
        if one[0] == other[0] and was[one] == now[other] != was[other] == now[one]:
            return f"{float(one[1]):g} and {float(other[1]):g}"
    return None


def _next_to_numbers(reading: Reading) -> dict[tuple[str, Fraction], str]:
    """By unit and number, the noun or name nearest to it; one beyond a mark or "and" is further away."""
    found, doc = {}, reading.doc
    for number in reading.mentions:
        span = doc.char_span(number.start, number.end, alignment_mode="expand") or doc[:0]
        around = (*doc[max(span.start - 20, 0) : span.start], *doc[span.end : span.end + 20])
        near = []
        for noun in (one for one in around if one.pos_ in ("NOUN", "PROPN")):
            between = doc[min(span.start, noun.i) : max(span.start, noun.i)]
            near.append((len(between) + 3 * sum(one.lower_ in _CLAUSE_ENDS for one in between), lemma(noun)))
        if near and number.value is not None:
            found[str(number.unit), number.value] = min(near)[1]
    return found


@flag("exchanged")
def exchanged(pair: Pair) -> str | None:
    """Two things, or who and whom, or two numbers do not seem to have changed places."""
    found = _turned_question(pair) or _turned_sides(pair) or _swapped_words(pair) or _swapped_numbers(pair)
    return f"may be exchanged: {found}" if found else None
