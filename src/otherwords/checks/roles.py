"""`comparison`, `route` and `possessor`: who does what to whom is not exchanged; and signs that it may be."""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.asked import turned_question
from otherwords.checks.base import flag, invariant, sign
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


@sign("roles")
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


def _turned_sides(pair: Pair) -> str | None:
    """What stands before and after "older than", "before" or "after" has changed sides."""
    was, now = _sides(pair.before), _sides(pair.after)
    for word, sides in was.items():
        other = now.get(word)
        if other and sides.one & other.other and sides.other & other.one:
            return f"around '{word}'"
        opposite = now.get({"before": "after", "after": "before"}.get(word, ""))
        if opposite and not other and sides.one & opposite.one and sides.other & opposite.other:
            return f"around '{word}'"
    return None


def _sides(reading: Reading) -> dict[str, Relation]:
    """By the word, if it stands there once: the nouns before and after it in its sentence."""
    places: dict[str, list[Token]] = {}
    degree = None
    for token in reading.doc:
        if token.is_sent_start:
            degree = None
        if token.tag_ in ("JJR", "RBR"):
            degree = token
        if token.lower_ in ("before", "after"):
            places.setdefault(token.lower_, []).append(token)
        elif token.lower_ == "than" and degree is not None:
            places.setdefault(f"{lemma(degree)} than", []).append(token)
    found = {}
    for word, (token, *more) in places.items():
        if not more:
            sentence = token.sent
            sides = token.doc[sentence.start : token.i], token.doc[token.i + 1 : sentence.end]
            one, other = ({lemma(one) for one in side if one.pos_ in _NOUNS} for side in sides)
            found[word] = Relation(word, frozenset(one - other), frozenset(other - one))
    return found


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
                return f"{min(one)} and {min(other)}"
    return None


@sign("crossed")
def crossed(pair: Pair) -> str | None:
    """ "Red wine … white shirt" became "white wine … red shirt": two words have each other's next word."""
    was, now = _next_words(pair.before), _next_words(pair.after)
    moved = {word: (was[word], now[word]) for word in was.keys() & now.keys() if was[word] != now[word]}
    by_next = {two: word for word, two in moved.items()}
    for word, (one, other) in sorted(moved.items()):
        second = by_next.get((other, one))
        if second and word[0] == second[0] and one[0] == other[0]:
            return f"{word[1]} and {second[1]}"
    return None


def _next_words(reading: Reading) -> dict[tuple[str, str], tuple[str, str]]:
    """Each word that is said once and carries a meaning, with the next one: parts of speech and lemmas."""
    found: dict[tuple[str, str], tuple[str, str]] = {}
    last: tuple[str, str] | None = None
    times = Counter(lemma(token) for token in reading.tokens)
    for token in reading.tokens:
        if token.text in _STOPS:
            last = None
        if token.pos_ in CONTENT or token.like_num:
            word = token.pos_, lemma(token)
            if last and times[last[1]] == times[word[1]] == 1:
                found[last] = word
            last = word
    return found


def _turned_choice(pair: Pair) -> str | None:
    """ "This rather than that" became "that rather than this"."""
    was, now = _not_chosen(pair.before), _not_chosen(pair.after)
    if was and now and not was & now and was <= pair.after.lemmas and now <= pair.before.lemmas:
        return f"not {' '.join(sorted(was))}, but not {' '.join(sorted(now))}"
    return None


def _not_chosen(reading: Reading) -> frozenset[str]:
    found = set()
    words = [token.lower_ for token in reading.tokens]
    for place, (last, word) in enumerate(zip(["", *words], words, strict=False)):
        if (last, word) in (("rather", "than"), ("instead", "of")) or (
            word == "not" and last in (",", "and", "but")
        ):
            rest = [one for one in reading.tokens[place + 1 : place + 7] if one.pos_ in CONTENT]
            found |= {lemma(one) for one in rest[:2]}
    return frozenset(found)


@sign("other_name")
def other_name(pair: Pair) -> str | None:
    """Two words stand each nearest to the name that the other stood nearest to."""
    was, now = _nearest_names(pair.before), _nearest_names(pair.after)
    moved = {(was[word], now[word]) for word in was.keys() & now.keys() if was[word] != now[word]}
    found = sorted(two for two in moved if two[::-1] in moved)
    return f"{found[0][0]} and {found[0][1]}" if found else None


def _nearest_names(reading: Reading) -> dict[str, str]:
    """Each content word and number that is said once, with the name nearest to it in its sentence."""
    names, words, steps, sentence = [], [], 0, 0
    for token in reading.tokens:
        sentence += token.text in _STOPS
        steps += 1 + 3 * (token.text in ",;" or token.lower_ in ("and", "while", "but"))
        if name := _name(token):
            names.append((steps, sentence, name))
        elif token.like_num or token.pos_ in ("ADJ", "NOUN", "VERB"):
            words.append((lemma(token), steps, sentence))
    times, found = Counter(word for word, *_ in words), {}
    for word, at, where in words:
        next_name = bisect(names, (at,))
        beside = [one for one in names[max(0, next_name - 1) : next_name + 1] if one[1] == where]
        near = sorted((abs(at - place) + 2 * (place > at), name) for place, _, name in beside)
        unsure = len(near) > 1 and near[0][0] == near[1][0] and near[0][1] != near[1][1]
        if times[word] == 1 and near and not unsure:
            found[word] = near[0][1]
    return found


_STOPS = frozenset(".?!;")


def _name(token: Token) -> str:
    if token.lower_ in ("i", "me", "my", "mine"):
        return "i"
    is_label = len(token.text) == 1 and token.text.isupper()
    owns = token.dep_ == "poss" and token.pos_ == "NOUN"
    return lemma(token) if token.pos_ == "PROPN" or is_label or owns else ""


_WAYS = (turned_question, _turned_sides, _turned_choice, _swapped_words)


@flag("exchanged")
def exchanged(pair: Pair) -> str | None:
    """Two things, or who and whom, do not seem to have changed places."""
    found = (turned(pair) for turned in _WAYS)
    return next((f"may be exchanged: {one}" for one in found if one), None)
