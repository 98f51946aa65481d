"""`asked`: the question asks for the same kind of thing: a time, a place, a person, a reason, a number."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice, product
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.base import flag, format_diff, invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon
from otherwords.english.quantities import unit_names
from otherwords.english.words import lemma, share_stem

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
        return "" if _relates(token) else _of_noun(token)
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


def _relates(token: Token) -> bool:
    """Whether it is the "which" of "the year in which"."""
    return token.i > 1 and token.nbor(-1).pos_ == "ADP" and token.nbor(-2).pos_ in ("NOUN", "PROPN")


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
        if one.pos_ == "NOUN" and one.dep_ == "compound":
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
    """No question asks for another class of thing, or counts other things."""
    lost, added = asked_changes(pair)
    if lost and added and not any(frozenset(two) in _compatible() for two in product(lost, added)):
        return format_diff(lost, added)
    was, now = _questions(pair.before), _questions(pair.after)
    if not 0 < len(was) == len(now) <= _MOST_QUESTIONS:
        return None
    if len(was) > 1:
        before, after = Counter(one.kind for one in was), Counter(one.kind for one in now)
        was = [one for one in was if before[one.kind] > after[one.kind]]
        now = [one for one in now if after[one.kind] > before[one.kind]]
    if not was or not now or not all(_clash(one, other, pair) for one, other in product(was, now)):
        return None
    return format_diff([str(one) for one in was], [str(one) for one in now])


_MOST_QUESTIONS = 3
_THING = "thing"
"""The class of nouns that are in no other."""


class _Question(NamedTuple):
    """What is asked for: its class, and the noun that names it or is counted."""

    kind: str
    noun: Token | None = None

    def __str__(self) -> str:
        return self.kind if self.noun is None else f"{self.kind} ({self.noun.text})"


def _questions(reading: Reading) -> list[_Question]:
    """What the question words of each sentence ask for, or else the first thing that is requested there."""
    found = []
    for sentence in reading.doc.sents:
        asked_here = [one for one in map(_question, sentence) if one is not None]
        requested = (
            _of_named(one)
            for one in sentence
            if one.dep_ == "dobj" and one.pos_ == "NOUN" and one.head.lemma_.lower() in requests()
        )
        found += asked_here or list(islice(requested, 1))
    return found


def _question(token: Token) -> _Question | None:
    word = token.lower_
    before = token.nbor(-1) if token.i > token.sent.start else None
    after_noun = before is not None and (before.pos_ in ("NOUN", "PROPN", "ADP") or before.text == ",")
    if word in ("what", "which"):
        return _of_what(token, relates=word == "which" and after_noun)
    if word not in read_lexicon("asked")["words"] or (word == "whose" and after_noun):
        return None
    return _of_question_word(token) if is_interrogative(token) else None


def _of_what(token: Token, *, relates: bool) -> _Question | None:
    """ "which river", "what is the river"; not "the river, which"."""
    if token.dep_ == "det" and token.head.pos_ in ("NOUN", "PROPN"):
        return _of_named(token.head)
    if relates:
        return None
    named = [
        one
        for one in token.head.children
        if one.dep_ in ("nsubj", "attr") and one.pos_ in ("NOUN", "PROPN") and one.i != token.i
    ]
    return _of_named(named[0]) if named and token.head.lemma_ == "be" else _Question(_THING)


def _of_question_word(token: Token) -> _Question:
    read = read_lexicon("asked")
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    if token.lower_ != "how" or following is None:
        return _Question(str(read["words"][token.lower_]))
    if following.lower_ not in read["how"]:
        return _Question("degree" if following.pos_ in ("ADJ", "ADV") else "manner")
    counts = following.lower_ in ("many", "much") and following.head.pos_ == "NOUN"
    counted = following.head if counts and following.head.i > following.i else None
    return _Question(str(read["how"][following.lower_]), counted)


def _of_named(noun: Token) -> _Question:
    return _Question(_class_of_noun().get(lemma(noun), _THING), noun)


def _clash(was: _Question, now: _Question, pair: Pair) -> bool:
    """Whether two questions can hardly have the same answer."""
    read = read_lexicon("asked")
    loose, exact = (frozenset(read["measures"][name]) for name in ("loose", "exact"))
    kinds = frozenset((was.kind, now.kind))
    if len(kinds) == 1:
        return was.kind in ("number", "amount") and _count_other_things(was.noun, now.noun, pair)
    if was.noun is not None and now.noun is not None and share_stem(lemma(was.noun), lemma(now.noun)):
        return False
    if kinds in _compatible():
        return False
    if kinds <= loose | exact:
        return kinds <= exact
    if _THING in kinds:
        noun = was.noun if was.kind == _THING else now.noun
        return noun is not None and not kinds.isdisjoint(("time", "reason"))
    return True


def _count_other_things(was: Token | None, now: Token | None, pair: Pair) -> bool:
    """ "How many boxes" and "how many tiles", where the other text speaks of both; or two units."""
    if was is None or now is None or share_stem(lemma(was), lemma(now)):
        return False
    if not _class_of_noun().keys().isdisjoint((lemma(was), lemma(now))):
        return False
    if {lemma(was), lemma(now)} <= unit_names():
        return True
    return lemma(was) in pair.after.lemmas or lemma(now) in pair.before.lemmas


@cache
def _compatible() -> frozenset[frozenset[str]]:
    return frozenset(map(frozenset, read_lexicon("asked")["compatible"]))
