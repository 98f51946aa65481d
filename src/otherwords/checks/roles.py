"""`comparison`, `route` and `possessor`: who does what to whom is not exchanged; and signs that it may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from otherwords.checks.base import invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.quantities import unit_names
from otherwords.english.words import CONTENT, lemma

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
    while token.dep_ == "conj" and token.head.i != token.i:
        token = token.head
    if token.dep_ == "pobj":
        prep = token.head
        passive = any(child.dep_ in ("nsubjpass", "auxpass") for child in prep.head.children)
        if prep.dep_ == "agent" or (prep.lower_ == "by" and passive):
            return "agent", prep.head
        return ("of" if prep.lower_ == "of" else prep.lower_), prep.head
    return _ROLES.get(token.dep_), token.head


def role_changes(pair: Pair) -> str | None:
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


def attachments(pair: Pair) -> tuple[int, int]:
    """How many content words of both texts depend on another word of both than before, and on the same."""
    was, now = _heads(pair.before), _heads(pair.after)
    moved = kept = 0
    for word in was.keys() & now.keys():
        if was[word] & now[word] or any(word in now.get(head, ()) for head in was[word]):
            kept += 1
        elif not was[word].isdisjoint(pair.after.lemmas) and not now[word].isdisjoint(pair.before.lemmas):
            moved += 1
    return moved, kept


def _heads(reading: Reading) -> dict[str, set[str]]:
    """Content words and numbers with the words that they depend on, prepositions passed over."""
    found: dict[str, set[str]] = {}
    for token in reading.tokens:
        if token.pos_ in CONTENT or token.pos_ == "NUM":
            head = token.head
            while head.pos_ in ("ADP", "PART", "SCONJ") and head.head.i != head.i:
                head = head.head
            if head.i != token.i:
                found.setdefault(lemma(token), set()).add(lemma(head))
    return found


_WINDOW, _MOST_COMPARED = 5, 24
_STOPS = frozenset(".?!;")
_EMPTY = frozenset(("the", "a", "an", "be", "of", "do"))
Context: TypeAlias = "Counter[tuple[str, str]]"


def exchanged_contexts(pair: Pair) -> float:
    """How much better two words of one kind fit into each other's neighbourhoods than into their own."""
    was, now = _contexts(pair.before), _contexts(pair.after)
    own = {key: _overlap(was[key], now[key]) for key in was if key in now}
    strange = [key for key, share in own.items() if share < 0.6 * min(was[key].total(), now[key].total())]
    most = 0.0
    for place, one in enumerate(strange[:_MOST_COMPARED]):
        for other in strange[place + 1 : _MOST_COMPARED]:
            if one[0] == other[0]:
                crossed = min(_overlap(was[one], now[other]), _overlap(was[other], now[one]))
                most = max(most, crossed - max(own[one], own[other]))
    return most


def _contexts(reading: Reading) -> dict[tuple[str, str], Context]:
    """Words that are said once, by kind and lemma, with their neighbours; the nearest count most."""
    tokens = [one for one in reading.tokens if not one.is_punct or one.text in _STOPS]
    found: dict[tuple[str, str], list[Context]] = {}
    for place, token in enumerate(tokens):
        kind = "number" if token.like_num else "noun" if token.pos_ in ("NOUN", "PROPN") else token.pos_
        if kind in ("number", "noun", "ADJ", "VERB", "PRON") and (
            kind in ("number", "PRON") or not token.is_stop
        ):
            near: Context = Counter()
            sides = (
                ("left", tokens[max(0, place - _WINDOW) : place][::-1]),
                ("right", tokens[place + 1 : place + 1 + _WINDOW]),
            )
            for side, others in sides:
                for steps, other in enumerate(others, 1):
                    if other.text in _STOPS:
                        break
                    near[side, lemma(other)] += 1 / steps  # type: ignore[assignment]
            found.setdefault((kind, lemma(token)), []).append(near)
    return {key: places[0] for key, places in found.items() if len(places) == 1}


def _overlap(one: Context, other: Context) -> float:
    return sum(
        min(amount, other[key]) for key, amount in one.items() if key in other and key[1] not in _EMPTY
    )
