"""`comparison`, `route`, `possessor` and the flag `roles`: who does what to whom is not exchanged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.base import flag, invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.number_scanner import unit_names
from otherwords.english.words import lemma

if TYPE_CHECKING:
    from spacy.tokens import Token

_SUBJECTS = frozenset(("nsubj", "csubj"))
_NOUNS = frozenset(("NOUN", "PROPN", "NUM", "PRON"))


class Relation(NamedTuple):
    """Two things and what relates them, by lemmas."""

    what: str
    one: frozenset[str]
    other: frozenset[str]

    def is_exchange_of(self, relation: Relation) -> bool:
        """Whether the same relation holds between the same two the other way round."""
        crossed = bool(self.one & relation.other) and bool(self.other & relation.one)
        return crossed and not self.one & relation.one and not self.other & relation.other


def _named(token: Token) -> frozenset[str]:
    """The lemmas of a noun and of what stands before it and is coordinated: "the old dog", "France"."""
    near = [token, *(child for child in token.children if child.dep_ in ("compound", "poss", "nummod"))]
    return frozenset(lemma(one) for one in near if one.pos_ in _NOUNS)


def _exchanged(before: list[Relation], after: list[Relation], *, same: bool = True) -> Relation | None:
    for now in after:
        for was in before:
            if (now.what == was.what or not same) and now.is_exchange_of(was):
                return was
    return None


def comparisons(reading: Reading) -> Iterator[Relation]:
    """Each "A is taller than B"."""
    for token in reading.tokens:
        if token.lower_ != "than":
            continue
        objects = [child for child in token.children if child.pos_ in _NOUNS] or [
            one for child in token.children for one in child.children if one.dep_ in _SUBJECTS
        ]
        if token.dep_ == "mark" and token.head.pos_ in _NOUNS:
            objects.append(token.head)
        word, up = token.head, token.head
        for _ in range(4):
            subjects = [child for child in up.children if child.dep_ in _SUBJECTS and child.pos_ in _NOUNS]
            if subjects and objects:
                yield Relation(word.lower_, _named(subjects[0]), _named(objects[0]))
                break
            if up.dep_ == "ROOT":
                break
            up = up.head


@invariant("comparison")
def comparison(pair: Pair) -> str | None:
    """What is compared does not change places: "A is older than B" is not "B is older than A"."""
    found = _exchanged(list(comparisons(pair.before)), list(comparisons(pair.after)))
    return f"exchanged around '{found.what} than'" if found else None


def routes(reading: Reading) -> Iterator[Relation]:
    """Each "from A to B"."""
    starts = [
        token
        for token in reading.tokens
        if token.lower_ in ("from", "leaving") and token.i + 1 < len(token.doc)
    ]
    for start in starts:
        ends = [
            token
            for token in start.sent
            if token.lower_ in ("to", "for", "towards", "into") and 0 < abs(token.i - start.i) < 12
        ]
        for end in ends:
            origin, goal = _goal(start), _goal(end)
            if origin and goal:
                yield Relation("from … to", origin, goal)


def _goal(preposition: Token) -> frozenset[str]:
    """What a preposition leads to: what depends on it, or the word after it."""
    below = [child for child in preposition.children if child.dep_ in ("pobj", "dobj", "pcomp")]
    if below:
        return _named(below[0]) or frozenset((lemma(below[0]),))
    after = [
        one
        for one in preposition.doc[preposition.i + 1 : preposition.i + 4]
        if one.pos_ in ("NOUN", "PROPN", "VERB")
    ]
    return frozenset((lemma(after[0]),)) if after else frozenset()


@invariant("route")
def route(pair: Pair) -> str | None:
    """A route keeps its direction: from A to B is not from B to A."""
    found = _exchanged(list(routes(pair.before)), list(routes(pair.after)))
    return (
        "reversed: from " + " ".join(sorted(found.one)) + " to " + " ".join(sorted(found.other))
        if found
        else None
    )


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


_ROLES = {
    "nsubj": "agent",
    "csubj": "agent",
    "nsubjpass": "patient",
    "dobj": "patient",
    "attr": "patient",
    "dative": "to",
    "poss": "of",
    "compound": "of",
}
_ASKING = frozenset(("who", "whom", "what", "which", "whose"))
_TALKS = frozenset(
    ("tell", "name", "give", "state", "let", "be", "want", "need", "have", "do", "explain", "list", "find")
)


def _places(reading: Reading) -> dict[str, set[tuple[str, ...]]]:
    """Nouns, names and question words, each with its roles and the words that it depends on."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for token in reading.tokens:
        if token.lower_ in _ASKING:
            thing = token.head if token.dep_ == "det" and token.head.pos_ == "NOUN" else token
            found.setdefault("?", set()).update(_place(thing))
        if _is_thing(token) or (token.pos_ == "PRON" and token.lower_ in ("i", "me", "my")):
            name = "i" if token.pos_ == "PRON" else lemma(token)
            found.setdefault(name, set()).update(_place(token))
    return found


def _place(token: Token) -> list[tuple[str, ...]]:
    role, head = _role(token)
    if role is None:
        return []
    places: list[tuple[str, ...]] = [(role, lemma(head))]
    if head.pos_ in ("NOUN", "PROPN", "PRON"):
        outer, above = _role(head)
        if outer is not None:
            places.append((role, "·", outer, lemma(above)))
    else:
        places += [
            (role, lemma(head), child.lower_)
            for child in head.children
            if child.dep_ == "prep" and child.lower_ in _DIRECTIONS
        ]
    return [place for place in places if place[1] not in _TALKS or len(place) > 2]


_DIRECTIONS = frozenset("before after from to into under over above below against behind for on".split())


def _role(token: Token) -> tuple[str | None, Token]:
    while token.dep_ == "conj" and token.head is not token:
        token = token.head
    if token.dep_ == "pobj":
        prep = token.head
        passive = any(child.dep_ in ("nsubjpass", "auxpass") for child in prep.head.children)
        if prep.dep_ == "agent" or (prep.lower_ == "by" and passive):
            return "agent", prep.head
        return ("of" if prep.lower_ == "of" else prep.lower_), prep.head
    return _ROLES.get(token.dep_), token.head


@flag("roles")
def roles(pair: Pair) -> str | None:
    """Two things have each other's places in the variant, or one acts where it was acted upon."""
    was, now = _places(pair.before), _places(pair.after)
    shared = sorted(name for name in was.keys() & now.keys() if was[name] and now[name])
    for place, one in enumerate(shared):
        for other in shared[place + 1 :]:
            kept = len(was[one] & now[one]) + len(was[other] & now[other])
            crossed = len((was[one] - was[other]) & (now[other] - now[one])) + len(
                (was[other] - was[one]) & (now[one] - now[other])
            )
            if crossed > kept and crossed:
                return f"may be exchanged: {one} and {other}"
    for one in shared:
        for role, what, *_ in was[one] - now[one]:
            turned = {"agent": "patient", "patient": "agent"}.get(role)
            taken = any((role, what) in now[other] for other in now if other != one)
            if turned and taken and (turned, what) in now[one] - was[one]:
                return f"may be turned round: {one} and {what}"
    return None


_RELATING = frozenset(
    "than from to before after ahead behind rather against into for times per over above below".split()
)
_REACH = 8


@flag("order")
def order(pair: Pair) -> str | None:
    """What stands on either side of a word that relates two things does not change sides."""
    was, now = _sides(pair.before), _sides(pair.after)
    for word in sorted(was.keys() & now.keys()):
        (left, right), (new_left, new_right) = was[word], now[word]
        crossed = bool(left & new_right - right - new_left) and bool(right & new_left - left - new_right)
        if crossed and not (left & new_left - right - new_right or right & new_right - left - new_left):
            return f"may be exchanged around '{word}'"
    return None


def _sides(reading: Reading) -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    """Words that relate two things and are said once, with the nouns and names on either side."""
    found: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    tokens = reading.tokens
    for place, token in enumerate(tokens):
        if token.lower_ in _RELATING:
            left = [one for one in tokens[max(0, place - _REACH) : place] if one.sent == token.sent]
            right = [one for one in tokens[place + 1 : place + 1 + _REACH] if one.sent == token.sent]
            sides = tuple(
                frozenset(lemma(one) for one in side if one.pos_ in _NOUNS and one.is_alpha)
                for side in (left, right)
            )
            found.setdefault(token.lower_, []).append((sides[0], sides[1]))
    return {word: sides[0] for word, sides in found.items() if len(sides) == 1}


@flag("owners")
def owners(pair: Pair) -> str | None:
    """What belongs to whom does not change among the same words: "the largest company's competitor"."""
    was, now = set(possessions(pair.before)), set(possessions(pair.after))
    lost = {one for one in was - now if set(one) <= pair.after.lemmas}
    added = {one for one in now - was if set(one) <= pair.before.lemmas}
    for one in sorted(lost):
        for other in sorted(added):
            if one[0] == other[0] or one[1] == other[1]:
                return f"{one[0]}'s {one[1]} became {other[0]}'s {other[1]}"
    return None


@flag("contexts")
def contexts(pair: Pair) -> str | None:
    """Two numbers, or two names, do not stand among each other's words."""
    was, now = _contexts(pair.before), _contexts(pair.after)
    shared = sorted(was.keys() & now.keys())
    for place, one in enumerate(shared):
        for other in shared[place + 1 :]:
            if one[0] != other[0]:
                continue
            own = was[one] & was[other]
            a, b = was[one] - own, was[other] - own
            both = now[one] & now[other]
            c, d = now[one] - both, now[other] - both
            kept, crossed = len(a & c) + len(b & d), len(a & d) + len(b & c)
            if crossed >= 2 and crossed > kept + 1:
                return f"may be exchanged: {one[1]} and {other[1]}"
    return None


def _contexts(reading: Reading) -> dict[tuple[str, str], set[str]]:
    """Numbers and names that are said once, with the content lemmas of their clause."""
    clauses: list[list[Token]] = [[]]
    for token in reading.tokens:
        if token.text in ",;.?!:" or token.lower_ in ("and", "while", "but"):
            clauses.append([])
        else:
            clauses[-1].append(token)
    found: dict[tuple[str, str], list[set[str]]] = {}
    for clause in clauses:
        words = {lemma(one) for one in clause if one.pos_ in ("NOUN", "PROPN", "VERB", "ADJ", "ADP", "PRON")}
        for one in clause:
            if one.like_num:
                found.setdefault(("number", one.lower_), []).append(words)
            elif one.pos_ == "PROPN":
                found.setdefault(("name", lemma(one)), []).append(words - {lemma(one)})
    return {key: places[0] for key, places in found.items() if len(places) == 1}
