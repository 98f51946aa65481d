"""`asked`: the question asks for the same kind of thing: a time, a place, a person, a reason, a number."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from otherwords.checks.base import flag, format_diff, invariant
from otherwords.checks.reading import Pair, Reading
from otherwords.english.lexicon import read_lexicon
from otherwords.english.quantities import unit_names
from otherwords.english.words import is_base_verb, lemma, share_stem

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

    def __str__(self) -> str:
        return f"{self.kind} ({self.noun})" if self.noun else self.kind


@cache
def _class_of_noun() -> dict[str, str]:
    return {noun: kind for kind, nouns in read_lexicon("asked")["nouns"].items() for noun in nouns.split()}


@cache
def _requests() -> frozenset[str]:
    """Verbs whose object is asked for: name, list, find."""
    return frozenset(read_lexicon("asked")["requests"].split())


@lru_cache(maxsize=256)
def questions(reading: Reading) -> tuple[Question, ...]:
    """What each sentence asks for, by its question words, or else by the thing that it requests."""
    return tuple(one for sentence in reading.doc.sents for one in _of_sentence(sentence))


def _of_sentence(sentence: Span) -> list[Question]:
    words = [token for token in sentence if token.lower_ in read_lexicon("asked")["words"]]
    asks = sentence.text.rstrip().endswith("?")
    asking = [token for token in words if _is_interrogative(token)]
    if asks and not asking:
        asking = [token for token in words[-1:] if not _relates(token)]
    if asking:
        return [_of_word(token) for token in asking]
    for token in sentence:
        verb = token.head.lemma_.lower()
        if token.dep_ in ("dobj", "attr") and token.pos_ == "NOUN" and verb in _requests():
            return [_of_noun(token)]
    return [Question(POLAR)] if asks else []


def _is_interrogative(token: Token) -> bool:
    """Whether the word asks, and does not relate: not "the man who", "when you are done"."""
    word, clause = token.lower_, _clause(token)
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    inverted = following is not None and following.pos_ == "AUX" and "?" in token.sent.text
    told = clause.head.lemma_.lower() in _TELLS and clause.head.i < token.i
    opening = token.doc[token.sent.start : token.i]
    before = opening[-1] if len(opening) else token
    if token.dep_ == "det" or before.lower_ == "since" or before.lemma_.lower() in _OF_TEXT:
        return True  # "in which year", "since when", "in 50 words who"
    if word in ("when", "where") and not (inverted or told or clause.dep_ == "ccomp"):
        return token.i == token.sent.start and following is not None and following.pos_ == "AUX"
    leads = before.text == "," and opening[0].pos_ == "ADP"  # "In Hamlet, who …"
    if token.i == token.sent.start or word == "how" or (leads and not any(map(_is_verb, opening))):
        return True
    if word == "why":
        return before.lower_ not in ("reason", "reasons")
    if clause.dep_ == "relcl" and (before.pos_ in _RELATED or before.text == ","):
        return False
    return word == "what" or before.pos_ not in ("NOUN", "PROPN")


def _is_verb(token: Token) -> bool:
    return token.pos_ in ("VERB", "AUX")


_OF_TEXT = frozenset(("word", "term", "sentence", "line", "paragraph"))
"""After these, "in simple terms who …", a question word does not relate."""


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
    return Question(THING) if noun is None else _of_noun(noun)


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
    kind = _class_of_noun().get(lemma(noun), THING)
    if kind in ("number", "amount"):
        return Question(kind, lemma(within[0]) if within and within[0].pos_ != "PRON" else "")
    if lemma(noun) == "point" and any(child.dep_ in ("compound", "amod") for child in noun.children):
        kind = THING  # "the boiling point"
    return Question(kind, lemma(noun))


def _of_how(token: Token) -> Question:
    read = read_lexicon("asked")
    following = token.nbor() if token.i + 1 < len(token.doc) else token
    word = following.lower_
    if word in ("many", "much"):
        return _of_count(following)
    if word == "long" and _clause(token).lemma_ == "be":
        return Question("length")
    after = token.doc[token.i + 2 : token.i + 4]
    if following.pos_ == "ADJ" and len(after) == 2 and after[0].lower_ in ("a", "an"):  # "how high a rent"
        return Question(_class_of_noun().get(lemma(after[1]), "degree"), lemma(after[1]))
    if word in read["how"]:
        return Question(str(read["how"][word]))
    return Question("degree" if following.pos_ in ("ADJ", "ADV") else "manner")


def _of_count(count: Token) -> Question:
    """ "how many hours" is a duration, "how much does it cost" a price, "how many eggs" a number."""
    read = read_lexicon("asked")
    counted = count.head if count.head.pos_ in ("NOUN", "PROPN") and count.head.i > count.i else None
    if counted is not None and counted.dep_ == "compound":
        counted = counted.head
    noun = "" if counted is None else lemma(counted)
    for kind, nouns in read["counted"].items():
        if noun in nouns.split():
            return Question("speed" if kind == "distance" and _per_time(counted) else kind, noun)
    spent = count.lower_ == "much" and counted is None
    if spent and any(one.lemma_.lower() in read["counted"]["price"].split() for one in count.sent):
        return Question("price")
    return Question("number" if count.lower_ == "many" else "amount", noun)


def _per_time(noun: Token | None) -> bool:
    """ "kilometres per hour", "miles an hour"."""
    after = [] if noun is None else [one.lower_ for one in noun.doc[noun.i + 1 : noun.i + 3]]
    return len(after) == 2 and after[0] in ("per", "an", "a", "each", "every", "/")


def changed_questions(pair: Pair) -> tuple[list[Question], list[Question]]:
    """The questions of each text for which the other has none of the same class and noun, or class."""
    was, now = list(questions(pair.before)), list(questions(pair.after))
    for exactly in (True, False):
        for one in tuple(was):
            alike = (two for two in now if two == one or (not exactly and _may_be(one, two, pair)))
            if (other := next(alike, None)) is not None:
                was.remove(one)
                now.remove(other)
    return was, now


def _may_be(one: Question, other: Question, pair: Pair) -> bool:
    """Whether two of one class may ask for the same: not eggs and flour, where the prompt has both."""
    if one.kind != other.kind:
        return False
    if one.noun == other.noun or not one.noun or not other.noun or share_stem(one.noun, other.noun):
        return True
    if one.kind not in ("number", "amount") or not unit_names().isdisjoint((one.noun, other.noun)):
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
    if kinds & {THING, POLAR}:
        return False
    return len(kinds) == 1 or kinds not in _alike()


@invariant("asked")
def asked(pair: Pair) -> str | None:
    """The only question is not one for another class of thing."""
    if not len(questions(pair.before)) == len(questions(pair.after)) == 1:
        return None
    lost, added = changed_questions(pair)
    if not lost or lost[0].kind == added[0].kind or not clash(lost[0], added[0]):
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


@flag("asked_class")
def asked_class(pair: Pair) -> str | None:
    """No question asks for another class of thing, or counts other things."""
    lost, added = changed_questions(pair)
    if len(lost) != 1 or len(added) != 1 or not _tells_more(lost[0], added[0]):
        for one, other in product(tuple(lost), tuple(added)):
            differ = clash(one, other) or _is_elsewhere(one, other, pair) or _counts_other(one, other)
            if not differ and one in lost and other in added:
                lost.remove(one)
                added.remove(other)
    return format_diff([str(one) for one in lost], [str(one) for one in added]) if lost and added else None


_OPEN = frozenset(("reason", "time", "person", "place", "manner"))


def new_questions(pair: Pair) -> int:
    """How many questions ask when, where, who, why or how, where the other text says nothing of it."""
    sides = zip(changed_questions(pair), (pair.after, pair.before), strict=True)
    return sum(
        one.kind in _OPEN and not _speaks_of(text, one, loosely=True) for some, text in sides for one in some
    )


_FULLER = ("manner", "reason", "time", "number")


def _tells_more(one: Question, other: Question) -> bool:
    """Whether one asks if something is so, the other how, why, when or how often it is."""
    both = {one, other}
    return Question(POLAR) in both and not both.isdisjoint(map(Question, _FULLER))


def _counts_other(one: Question, other: Question) -> bool:
    """ "How much change", "how many teas"; "what does it return", "how many times"."""
    if {one.kind, other.kind} != {"number", "amount"}:
        return {one, other} == {Question(THING), Question("number", "time")}
    is_named = one.noun != "" != other.noun and unit_names().isdisjoint((one.noun, other.noun))
    return is_named and not share_stem(one.noun, other.noun)


_VAGUE = frozenset(("one", "two", "three", "four", "part", "option", "thing", "name", "they"))
_AGENTS = ("er", "or", "ist", "ian", "ent", "ee")


def _is_elsewhere(one: Question, other: Question, pair: Pair) -> bool:
    """Whether one text asks for a class of which the other, which asks for some thing, does not speak."""
    if one.kind == other.kind or THING not in (one.kind, other.kind):
        return False
    if not _VAGUE.isdisjoint((one.noun, other.noun)):  # "which of the two"
        return False
    if one.noun == other.noun != "" and "number" in (one.kind, other.kind):  # "how many moons", "which moons"
        return True
    known, text = (other, pair.before) if one.kind == THING else (one, pair.after)
    if known == Question("manner"):  # "which gas", "how did the gas": it is no longer asked for
        kept = one.noun + other.noun in pair.before.lemmas & pair.after.lemmas
        return kept and not _speaks_of(text, known, loosely=True)
    if known.kind == "person" and (one.noun + other.noun).endswith(_AGENTS):  # "which swimmer"
        return False
    return known.kind in read_lexicon("asked")["definite"].split() and not _speaks_of(
        text, known, loosely=True
    )


_PRONOUNS = frozenset(("who", "whom", "what", "which", "whose"))
_LIGHT = frozenset(("be", "have", "do"))


def _asked_sides(reading: Reading) -> tuple[set[str], set[str]]:
    """The verbs whose subject is asked for, and those of which something else is, by the order of the words.

    The parser often fails on questions: "who taught" asks for a subject, "whom did she teach" does not.
    """
    tokens, subjects, others = reading.tokens, set[str](), set[str]()
    for place, token in enumerate(tokens):
        if token.lower_ not in _PRONOUNS:
            continue
        rest = tokens[place + 1 :]
        if token.lower_ not in ("who", "whom"):
            rest = _without(rest, ("NOUN", "ADJ", "PROPN", "NUM"))
        rest = _without(rest, ("ADV",))
        if not rest:
            continue
        by_agent = place > 0 and tokens[place - 1].lower_ == "by"
        if rest[0].lower_ in ("do", "does", "did") or (rest[0].pos_ == "AUX" and _opens_phrase(rest[1:2])):
            verbs = {lemma(one) for one in rest[1:10] if one.pos_ == "VERB"}
            verbs |= {one.lower_ for one in rest[1:10] if is_base_verb(one.lower_)}
            if rest[0].lemma_ != "be":
                others |= verbs
            elif by_agent:
                subjects |= verbs
        elif rest[0].pos_ == "VERB" and not by_agent:
            subjects.add(lemma(rest[0]))
        elif rest[0].pos_ == "AUX":
            verb = _without(rest, ("ADV", "AUX", "PART"))[:1]
            passive = any(one.lemma_ == "be" for one in rest[:4] if one.pos_ == "AUX")
            if verb and verb[0].pos_ == "VERB":
                (others if passive and verb[0].tag_ == "VBN" else subjects).add(lemma(verb[0]))
    return subjects - others - _LIGHT, others - subjects - _LIGHT


def _without(tokens: list[Token], parts: tuple[str, ...]) -> list[Token]:
    """The tokens from the first that is of none of these parts of speech."""
    return tokens[next((at for at, one in enumerate(tokens) if one.pos_ not in parts), len(tokens)) :]


def _opens_phrase(tokens: list[Token]) -> bool:
    return any(one.pos_ in ("DET", "PROPN", "PRON", "NOUN", "ADJ") for one in tokens)


def turned_question(pair: Pair) -> str | None:
    """ "Who taught her?" became "Whom did she teach?"."""
    was, now = _asked_sides(pair.before), _asked_sides(pair.after)
    found = sorted((was[0] & now[1]) | (was[1] & now[0]))
    return f"who and whom of '{found[0]}'" if found else None
