"""`asked`: the question asks for the same kind of thing: a time, a place, a person, a reason, a number."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from otherwords.checks.base import flag, format_diff, invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon

if TYPE_CHECKING:
    from spacy.tokens import Token

_WH_NOUN = frozenset(("what", "which", "whose"))


@cache
def _class_of_noun() -> dict[str, str]:
    return {noun: kind for kind, nouns in read_lexicon("asked")["nouns"].items() for noun in nouns}


@cache
def requests() -> frozenset[str]:
    """Verbs whose object is asked for: name, list, find."""
    return frozenset(read_lexicon("asked")["requests"].split())


def asked_classes(reading: Reading) -> list[str]:
    """What each question of the text asks for, in its order; unknown things are left out."""
    found = []
    for token in reading.tokens:
        kind = _class(token)
        if kind:
            found.append(kind)
    return found


def _class(token: Token) -> str:
    read = read_lexicon("asked")
    word = token.lower_
    if word in _WH_NOUN:
        return _of_noun(token)
    if word == "how":
        following = token.doc[token.i + 1].lower_ if token.i + 1 < len(token.doc) else ""
        if (
            following not in read["how"]
            and token.doc[token.i + 1 : token.i + 2].text
            and token.nbor().pos_ in ("ADJ", "ADV")
        ):
            return ""
        return str(read["how"].get(following, "manner")) if is_interrogative(token) else ""
    if word in read["words"]:
        return str(read["words"][word]) if is_interrogative(token) else ""
    if token.dep_ in ("dobj", "attr") and token.pos_ == "NOUN" and token.head.lemma_.lower() in requests():
        return _class_of_noun().get(token.lemma_.lower(), "")
    return ""


def is_interrogative(token: Token) -> bool:
    """Whether the word asks, and does not relate: not "the man who", "when you are done"."""
    opens = token.i == token.sent.start or token.is_title
    before = None if opens else token.doc[token.i - 1]
    if before is not None and before.pos_ in ("NOUN", "PROPN", "PRON") and before.lower_ not in ("me", "us"):
        return False
    if token.lower_ != "when" or token.head.dep_ == "ccomp":
        return True
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    return following is not None and following.pos_ == "AUX" and "?" in token.sent.text


def _of_noun(token: Token) -> str:
    """ "what year", "in which city"; "what is the capital of": by the noun that is asked for."""
    classes = _class_of_noun()
    for one in token.doc[token.i + 1 : token.i + 4]:
        if one.pos_ == "NOUN" and one.i + 1 < len(token.doc) and one.nbor().pos_ == "NOUN":
            continue
        if one.pos_ == "NOUN":
            return classes.get(one.lemma_.lower(), "")
        if one.pos_ not in ("ADJ", "PROPN", "NOUN"):
            break
    if token.head.lemma_ == "be":
        for child in token.head.children:
            if child.dep_ in ("nsubj", "attr") and child.pos_ == "NOUN" and child is not token:
                return classes.get(child.lemma_.lower(), "")
    return ""


def asked_changes(pair: Pair) -> tuple[list[str], list[str]]:
    """The classes that only the original, and that only the variant asks for."""
    was, now = Counter(asked_classes(pair.before)), Counter(asked_classes(pair.after))
    return list((was - now).elements()), list((now - was).elements())


@invariant("asked")
def asked(pair: Pair) -> str | None:
    """No question for one class of thing became a question for another."""
    lost, added = asked_changes(pair)
    words = frozenset(read_lexicon("asked")["words"].values())
    if len(lost) != 1 or len(added) != 1 or words.isdisjoint((*lost, *added)):
        return None
    if len(asked_classes(pair.before)) > 1 or frozenset((lost[0], added[0])) in _compatible():
        return None
    return f"asks for {_with_article(added[0])} instead of {_with_article(lost[0])}"


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


@flag("asked_class")
def asked_class(pair: Pair) -> str | None:
    """None of several questions asks for another class of thing."""
    lost, added = asked_changes(pair)
    if not lost or not added or any(frozenset(two) in _compatible() for two in product(lost, added)):
        return None
    return format_diff(lost, added)


@cache
def _compatible() -> frozenset[frozenset[str]]:
    return frozenset(map(frozenset, read_lexicon("asked")["compatible"]))
