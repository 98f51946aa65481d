"""`asked`: the question asks for the same kind of thing: a time, a place, a person, a reason, a number."""

from __future__ import annotations

from collections import Counter
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.base import invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon, word_classes, word_set
from otherwords.english.parse import SUBJECTS
from otherwords.english.quantities import unit_names
from otherwords.english.words import lemma, share_stem

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_RELATED = frozenset(("NOUN", "PROPN", "PRON", "ADP", "NUM"))
_TELLS = frozenset(("tell", "say", "know", "ask", "explain", "state", "wonder"))
THING = "thing"
"""The class of what no other class names."""
POLAR = "yes or no"


class Question(NamedTuple):
    """What is asked for: its class, and the noun that names it or is counted."""

    kind: str
    noun: str = ""


@lru_cache(maxsize=256)
def questions(reading: Reading) -> tuple[Question, ...]:
    """What each sentence asks for, by its question words and by the things that it requests."""
    return tuple(one for sentence in reading.doc.sents for one in _of_sentence(sentence))


def _of_sentence(sentence: Span) -> list[Question]:
    words = [token for token in sentence if token.lower_ in read_lexicon("asked")["words"]]
    asks = sentence.text.rstrip().endswith("?")
    asking = [token for token in words if _is_interrogative(token)]
    if asks and not asking:
        asking = [token for token in words[-1:] if not _relates(token)]
    found = list(map(_of_word, asking))
    for token in filter(_is_requested, sentence):
        found += [_of_noun(one) for one in (token, *token.conjuncts) if one.pos_ == "NOUN"]
    return found or [Question(POLAR)] * asks


def _is_requested(token: Token) -> bool:
    """Whether it is a thing that is requested: "name a river", "I need the date"; not "he gives a talk"."""
    verb = token.head
    if token.dep_ not in ("dobj", "attr") or token.pos_ != "NOUN":
        return False
    subjects = [one.lower_ for one in verb.children if one.dep_ in SUBJECTS]
    is_order = verb.tag_ in ("VB", "VBP") and set(subjects) <= {"you", "i", "we"}
    return is_order and verb.lemma_.lower() in word_set("asked", "requests")


def _is_interrogative(token: Token) -> bool:
    """Whether the word asks, and does not relate: not "the man who", "when you are done"."""
    word, clause, opens = token.lower_, _clause(token), token.i == token.sent.start
    before = token if opens else token.nbor(-1)
    if token.dep_ == "det" or before.lower_ == "since":  # "in which year", "since when"
        return True
    if word in ("when", "where"):
        inverted = token.i + 1 < len(token.doc) and token.nbor().pos_ == "AUX"
        if opens:
            return inverted
        told = clause.head.lemma_.lower() in _TELLS and clause.head.i < token.i
        return (inverted and "?" in token.sent.text) or told or clause.dep_ == "ccomp"
    if opens or word in ("how", "what"):
        return True
    if word == "why":
        return before.lower_ not in ("reason", "reasons")
    relates = clause.dep_ == "relcl" and (before.pos_ in _RELATED or before.text == ",")
    return not relates and before.pos_ not in ("NOUN", "PROPN")


def _relates(token: Token) -> bool:
    """ "does a tenant who", "when it rains": whether the last such word of a question only relates."""
    if token.lower_ in ("when", "where"):
        return _clause(token).dep_ == "advcl"
    before = token.doc[token.i - 1] if token.i > token.sent.start else token
    return token.lower_.startswith("who") and (before.pos_ in _RELATED or before.text == ",")


def _clause(token: Token) -> Token:
    """The verb of the clause in which a word stands."""
    found = token
    while found.head.i != found.i and (found.i == token.i or found.pos_ not in ("VERB", "AUX")):
        found = found.head
    return found


def _of_word(token: Token) -> Question:
    word = token.lower_
    if word == "how":
        return _of_how(token)
    if word not in ("what", "which"):
        return Question(str(read_lexicon("asked")["words"][word]))
    noun = _named(token)
    kind = word_classes("asked", "verbs").get(lemma(_clause(token)), THING)
    return Question(kind) if noun is None else _of_noun(noun)


def _named(token: Token) -> Token | None:
    """ "which river", "which of the rivers", "what is the river": the noun."""
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    if token.dep_ == "det" and token.head.pos_ in ("NOUN", "PROPN"):
        return token.head
    if following is not None and following.lower_ == "of":
        return next((child for child in following.children if child.dep_ == "pobj"), None)
    clause = _clause(token)
    if clause.lemma_ == "be":
        for child in clause.children:
            if child.dep_ in ("nsubj", "attr") and child.pos_ in ("NOUN", "PROPN") and child.i != token.i:
                return child
    return following if following is not None and following.pos_ == "NOUN" else None


def _of_noun(noun: Token) -> Question:
    """By the noun; "the name of the bird" asks for a bird, "the number of eggs" counts eggs."""
    within = [one for of in noun.children if of.lower_ == "of" for one in of.children if one.dep_ == "pobj"]
    if within and lemma(noun) in ("kind", "type", "sort", "name"):
        return _of_noun(within[0])
    kind = word_classes("asked", "nouns").get(lemma(noun), THING)
    if kind in ("number", "amount"):
        return Question(kind, lemma(within[0]) if within and within[0].pos_ != "PRON" else "")
    return Question(kind, lemma(noun))


def _of_how(token: Token) -> Question:
    """ "how far", "how many hours", "how much does it cost", "how does it work"."""
    read = read_lexicon("asked")
    following = token.nbor() if token.i + 1 < len(token.doc) else token
    word = following.lower_
    if word in ("many", "much"):
        return _of_count(following)
    if word == "long" and _clause(token).lemma_ == "be":
        return Question("length")
    after = token.doc[token.i + 2 : token.i + 4]
    if following.pos_ == "ADJ" and len(after) == 2 and after[0].lower_ in ("a", "an"):  # "how high a rent"
        return _of_noun(after[1])
    if word in read["how"]:
        return Question(str(read["how"][word]))
    return Question("degree" if following.pos_ in ("ADJ", "ADV") else "manner")


def _of_count(count: Token) -> Question:
    """ "how many hours" is a duration, "how much does it cost" a price, "how many eggs" a number."""
    classes = word_classes("asked", "counted")
    counted = count.head if count.head.pos_ in ("NOUN", "PROPN") and count.head.i > count.i else None
    if counted is not None and counted.dep_ == "compound":
        counted = counted.head
    if counted is not None:
        kind = classes.get(lemma(counted), "number" if count.lower_ == "many" else "amount")
        per = counted.i + 1 < len(counted.doc) and counted.nbor().lower_ in ("per", "a", "an")
        return Question("speed" if kind == "distance" and per else kind, lemma(counted))
    is_price = any(classes.get(one.lemma_.lower()) == "price" for one in count.sent)
    if count.lower_ == "much":
        return Question("price" if is_price else "amount")
    return Question("number")


@lru_cache(maxsize=256)
def changed_questions(pair: Pair) -> tuple[tuple[Question, ...], tuple[Question, ...]]:
    """The questions of each text for which the other has none of the same class and noun, or class."""
    was, now = list(questions(pair.before)), list(questions(pair.after))
    for exactly in (True, False):
        for one in tuple(was):
            alike = (two for two in now if two == one or (not exactly and _may_be(one, two, pair)))
            if (other := next(alike, None)) is not None:
                was.remove(one)
                now.remove(other)
    return tuple(was), tuple(now)


def _may_be(one: Question, other: Question, pair: Pair) -> bool:
    """Whether two of one class may ask for the same: not eggs and flour, where the prompt has both."""
    if one.kind != other.kind:
        return False
    if not one.noun or not other.noun or share_stem(one.noun, other.noun):
        return True
    if not unit_names().isdisjoint((one.noun, other.noun)):
        return True
    return one.noun not in pair.after.lemmas and other.noun not in pair.before.lemmas


@cache
def _alike() -> frozenset[frozenset[str]]:
    """Pairs of classes that may stand for each other."""
    return frozenset(
        frozenset((kind, other))
        for kind, others in read_lexicon("asked")["alike"].items()
        for other in others.split()
    )


def clash(one: Question, other: Question) -> bool:
    """Whether the answer to the one can hardly answer the other."""
    kinds = frozenset((one.kind, other.kind))
    vague = word_set("asked", "vague") | {POLAR}
    return len(kinds) == 2 and not kinds & vague and kinds not in _alike()


@invariant("asked")
def asked(pair: Pair) -> str | None:
    """The only question is not one for another class of thing."""
    if not len(questions(pair.before)) == len(questions(pair.after)) == 1:
        return None
    lost, added = changed_questions(pair)
    if not lost or not clash(lost[0], added[0]):
        return None
    if _speaks_of(pair.after, lost[0]) or _speaks_of(pair.before, added[0]):
        return None
    return f"asks for {_with_article(added[0].kind)} instead of {_with_article(lost[0].kind)}"


def _speaks_of(reading: Reading, question: Question, *, loosely: bool = False) -> bool:
    """Whether a text has a question word or a noun of the class, or loosely some other word of it."""
    read = read_lexicon("asked")
    words = {word for word, kind in read["words"].items() if kind == question.kind and word != "how"}
    for said in ("nouns", "said_by") if loosely else ("nouns",):
        words |= set(read[said].get(question.kind, "").split())
    return not reading.lemmas.isdisjoint(words)


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeio' else 'a'} {noun}"


def question_signs(pair: Pair) -> Counter[str]:
    """What changed in what is asked for: the classes, the nouns, and how many questions there are."""
    lost, added = changed_questions(pair)
    found = Counter({f"no longer asks for: {kind}": 1 for kind, _ in lost})
    found.update({f"now asks for: {kind}": 1 for kind, _ in added})
    more = len(questions(pair.after)) - len(questions(pair.before))
    found.update(
        {
            "questions changed": min(len(lost), len(added), 2),
            "questions of clashing classes": any(clash(one, other) for one in lost for other in added),
            "of a class not spoken of": min(2, _unspoken(lost, pair.after) + _unspoken(added, pair.before)),
            "fewer questions": min(2, max(0, -more)),
            "more questions": min(2, max(0, more)),
        }
    )
    return found


_OPEN = frozenset(("reason", "time", "person", "place", "manner"))


def _unspoken(some: tuple[Question, ...], reading: Reading) -> int:
    return sum(one.kind in _OPEN and not _speaks_of(reading, one, loosely=True) for one in some)
