"""A parsed question → its parts: what it asks for, its subject, and the statement behind it.

The word order of a question is undone: "When did the Titanic sink?" → "the Titanic sank". The statement is
parsed; a split is accepted if its statement alone has the very span that moved as its subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from otherwords.english.lexicon import Patterns, word_set
from otherwords.english.parse import AUXILIARIES, FINITE, SUBJECTS, WH, Parts, Range, parse, plain_text
from otherwords.english.words import inflect, is_base_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SAYS = Patterns("rewording")
_words = partial(word_set, "questions")
_BE = frozenset("am is are was were 's".split())
_DO = {"did": "VBD", "does": "VBZ", "do": "VBP"}
_PARTICIPLES = frozenset(("VBN", "VBD", "VBG"))
_NOUNS = frozenset(("NOUN", "PROPN"))
_NO_LAST_WORD = frozenset(("DET", "ADJ", "ADP", "ADV", "AUX", "CCONJ", "PART", "PUNCT", "SCONJ"))
_HEAVY = 6  # words of a subject that may stand between "what" and "was"
_Split: TypeAlias = "tuple[Range, Parts]"


@dataclass(frozen=True)
class Question:
    """A question and its parts, as ranges of its tokens."""

    doc: Doc
    lead: Range
    """A phrase before it with its comma, such as "In Greek mythology,"; often empty."""
    asked: Range
    """What is asked: "How many moons", "In what year"; empty if yes or no is."""
    finite: int
    """The verb or auxiliary after it."""
    subject: Range
    """Empty where what is asked is the subject: "Who wrote Hamlet?"."""
    statement: Parts
    """Subject, verb and all the rest in the order of a statement, without what is asked."""
    end: int
    """The mark at the end."""

    @property
    def copular(self) -> bool:
        """Whether it is "what is", "who was" and a noun phrase, which `subject` is."""
        return self.subject[1] == self.end and _is_copula(self.doc, self.asked)

    @property
    def verb(self) -> int:
        """The verb that says what is asked; the auxiliary itself where there is no other."""
        return _root(self.doc[self.finite]).i

    @property
    def indirect(self) -> Parts:
        """The question as a clause that can follow "tell me"."""
        return (self.asked if self.asked[0] < self.asked[1] else "whether", *self.statement)

    @property
    def misreads(self) -> bool:
        """Whether `indirect` is not said ("where I wait"), ends far from its "what" or joins two nouns."""
        subject, rest = self.doc[slice(*self.subject)], self.doc[self.subject[1] : self.end]
        if _SAYS.how_do_i.match(self.doc[self.asked[0] :].text):
            return True
        if self.asked[0] == self.asked[1] or self.statement[0] != self.subject:
            return False
        asks = self.doc[self.asked[0]].lower_ not in ("how", "what")
        noun = asks and self.doc[self.asked[1] - 1].tag_ == "NN"
        if noun and subject[0].pos_ == "NOUN" and not _asks_of_be(self.doc, self.asked):
            return True  # "in which museum visitors can see"
        apart = any(
            token.tag_ in FINITE
            or token.text == ","
            or (token.pos_ in ("ADP", "SCONJ") and token.lower_ not in _words("close"))
            or (token.head.pos_ == "ADP" and token.like_num)
            for token in subject
        )
        has_verb = self.doc[self.finite].lower_ in _DO or any(token.pos_ == "VERB" for token in rest)
        return not has_verb and len(rest) <= 2 and (apart or len(subject) > _HEAVY)


def read_question(doc: Doc) -> Question | None:
    """The parts of the question that a parsed sentence is; nothing where they are not sure."""
    end = len(doc) - 1
    odd = any(token.text in "?!;:" or token.is_space for token in doc[:end])
    if end < 3 or doc[end].text != "?" or odd or doc[end - 1].lower_ in _words("trailing"):
        return None
    if doc[1].lower_ == "you" and doc[2].lower_ in ("mind", "be", "please"):  # a request, whatever it asks
        return None
    opens = doc[0].pos_ in ("ADP", "SCONJ") or doc[0].lower_ in _words("opens_lead")
    starts = [0]
    for token in doc[1 : end - 2] if opens and doc[0].lower_ != "how" else ():
        if token.text == "," and not any(before.lower_ in WH for before in doc[1 : token.i]):
            starts.append(token.i + 1)
    return next((found for start in starts if (found := _read_from(doc, start, end))), None)


def _read_from(doc: Doc, start: int, end: int) -> Question | None:
    first, finite = doc[start].lower_, start
    if first not in AUXILIARIES or first[0] == "'":
        wh = start + (first in _words("before_wh"))
        finite = next((token.i for token in doc[wh + 1 : end] if _is_finite(token)), end)
        if doc[wh].lower_ not in WH or finite >= end - 1 or not _is_asked(doc, wh + 1, finite):
            return None
    asked = (start, finite)
    if _asks_subject(doc, asked, end):
        stop = finite
        while stop - 1 > start and _goes_with_verb(doc[stop - 1]):
            stop -= 1
        return Question(doc, (0, start), (start, stop), finite, (stop, stop), ((stop, end),), end)
    split = _phrase(doc, asked, end) or _inverted(doc, asked, end)
    return Question(doc, (0, start), asked, finite, *split, end) if split else None


def _root(verb: Token) -> Token:
    """The verb after an auxiliary; the auxiliary itself where there is no other."""
    return verb.head if verb.dep_ in ("aux", "auxpass") and verb.head.i > verb.i else verb


def _goes_with_verb(token: Token) -> bool:
    """Whether it is said of the verb after it: "Which planet most resembles it?"."""
    return token.pos_ == "ADV" or token.lower_ in _words("ranks")


def _is_finite(token: Token) -> bool:
    """Whether it is the verb of the question, and no noun before it: "Which rows does it return?"."""
    aux = token.lower_ in AUXILIARIES and token.tag_ != "POS"
    subject = token.dep_ in SUBJECTS and token.head.pos_ == "AUX"  # "How many allergens are there"
    return aux or (token.tag_ in FINITE and not subject and token.nbor().lower_ not in _DO)


def _is_asked(doc: Doc, start: int, finite: int) -> bool:
    """Whether the words after the question word belong to it: a noun phrase without a clause in it."""
    return doc[finite - 1].lower_ != "that" and not any(
        (token.pos_ in ("VERB", "AUX", "SCONJ") and token.tag_ != "VBG")
        or token.tag_ == "WDT"
        or token.lower_ in (*WH, ",")
        for token in doc[start:finite]
    )


def _is_copula(doc: Doc, asked: Range) -> bool:
    """Whether it opens as "what is" or "who was" do."""
    start, finite = asked
    alone = finite == start + 1 and doc[start].lower_ in ("what", "who", "which")
    return alone and doc[finite].lower_ in _BE


def _asks_of_be(doc: Doc, asked: Range) -> bool:
    """Whether what is asked is said of the subject: a color, a size, a year."""
    return any(token.lemma_ in _words("asked_of_be") for token in doc[slice(*asked)])


def _asks_subject(doc: Doc, asked: Range, end: int) -> bool:
    """Whether what is asked is the subject: "Who has won", "Which planet is closest"."""
    start, finite = asked
    word, verb, after = doc[start].lower_, doc[finite], doc[finite + 1]
    own = any(token.dep_ in SUBJECTS and start <= token.i < finite for token in _root(verb).children)
    noun = next(one for one in (after, *after.ancestors) if one.dep_ not in ("compound", "amod", "nmod"))
    role = noun.lemma_.lower() in word_set("nouns", "people") or (noun.pos_ == "NOUN" and noun.text.islower())
    own = own or (role and (word == "who" or doc[start + 1].lower_ in ("many", "much")))  # "Who was emperor"
    opens_noun = after.pos_ == "ADJ" and after.nbor().pos_ in _NOUNS
    opens_noun = opens_noun or after.pos_ in ("DET", "NUM", *_NOUNS)
    inverted = verb.lower_ in _DO or after.pos_ == "PRON" or after.lower_ in ("there", "that")
    inverted = inverted or (after.lower_ == "be" and after.nbor().lower_ == "the")
    if word not in _words("ask_subject") or verb.pos_ not in ("VERB", "AUX"):
        asks = False
    elif verb.lower_ not in AUXILIARIES or after.dep_ == "neg":
        asks = own or after.dep_ != "neg"
    elif inverted or not own or not opens_noun:
        asks = own and not inverted
    elif verb.lower_ not in _BE:
        rest = doc[finite + 1 : end]
        asks = verb.tag_ != "MD" and all(t.tag_ not in ("VBN", "VBD") or t.dep_ == "amod" for t in rest)
    elif word in ("how", "who"):
        asks = role
    else:
        stranded = word == "whose" or doc[end - 1].tag_ in (*_PARTICIPLES, "IN")
        asks = finite > start + 1 and after.pos_ == "DET" and not (stranded or _asks_of_be(doc, asked))
    return asks


def _phrase(doc: Doc, asked: Range, end: int) -> _Split | None:
    """The noun phrase after "what is", by the parse of the question or of "The … is known."."""
    start, finite = asked
    after = finite + 1
    rest, in_place = doc[after:end], doc[start].lower_ == "which"
    like = any(one.lower_ == "like" and one.nbor().pos_ in ("ADP", "SCONJ") for one in rest)  # "like in Oslo"
    if not _is_copula(doc, asked) or doc[end - 1].pos_ == "ADP" or doc[after].tag_ == "PRP" or like:
        return None
    heads = [one for one in rest if one.dep_ in ("nsubj", "attr") and one.left_edge.i == after]
    head = next((one for one in heads if one.pos_ in _NOUNS), None)
    said = any(token.dep_ in ("ccomp", "parataxis") for token in rest)
    if said and (head is None or head.lemma_ not in _words("said")):
        return None
    stop = head.right_edge.i + 1 if head is not None else end
    if head is not None and doc[stop - 1].pos_ == "VERB" and doc[stop - 1].dep_ != "relcl":
        return None  # "What is the city called"
    if said and doc[stop].lower_ == "that":
        stop = end  # "the probability that the sum is 7"
    clause = any(one.dep_ == "advcl" and one.left_edge.i == stop for one in doc[stop:end])
    apart = doc[stop:end].text in _words("times") or (clause and doc[stop].lower_ in _words("when"))
    if head is None or not (stop == end or apart):
        plain = all(one.pos_ not in ("VERB", "AUX", "SCONJ", "ADV") or one.tag_ == "VB" for one in rest)
        plain = plain and all(token.text != "," for token in rest) and doc[end - 1].pos_ != "ADJ"
        if not plain or not _is_subject(doc, ((after, end), "is known"), (after, end)):
            return ((finite, finite), ((finite, end),)) if in_place else None
        stop = end
    said_as = "is" if doc[finite].text[0] in "'’" else (finite, after)
    return (after, stop), ((finite, end),) if in_place else ((after, stop), said_as, (stop, end))


def _inverted(doc: Doc, asked: Range, end: int) -> _Split | None:
    """With the subject before the auxiliary, where it is sure what the subject is."""
    finite = asked[1]
    verb, after, follows = doc[finite].lower_, doc[finite + 1], doc[finite + 2]
    had = asked[0] < finite and doc[finite].lemma_ == "have" and doc[asked[0]].lower_ in _words("may_have")
    named = after.pos_ == "PROPN" or after.lower_ in _words("surely_subject")
    may_have = had and (not named or follows.tag_ in ("JJS", "RBS"))  # "had many people killed"
    if after.dep_ == "neg" or verb not in AUXILIARIES or may_have:
        return None
    pointing = after.lower_ in _words("pointing") and follows.pos_ not in ("ADJ", "NUM", *_NOUNS)
    pronoun = pointing or after.tag_ in ("PRP", "EX") or after.lower_ == "there"
    if verb in _DO or doc[finite].tag_ == "MD":
        return _with_verb(doc, finite, end, pronoun=pronoun)
    if pronoun:
        return _moved(finite, after.i + 1, end)
    rest = doc[after.i : end]
    how = asked[0] < finite and doc[asked[0]].lower_ == "how"  # "How far is the Moon from the Earth?"
    stops = {one.i for one in rest[1:] if one.tag_ in _words("after_be") or (how and one.tag_ == "IN")}
    stops |= {one.right_edge.i + 1 for one in rest if one.dep_ in SUBJECTS and one.left_edge == after}
    last = max((len(time.split()) for time in _words("times") if rest.text.endswith(f" {time}")), default=0)
    stops = {one for one in stops if one < end} | ({end - last} if _may_be_all(doc, asked, end) else set())
    splits = [_moved(finite, stop, end) for stop in sorted(stops) if _may_end(doc, after.i, stop)]
    found = [one for one in splits if _is_subject(doc, one[1], one[0])]
    if len(found) != 1 or _may_be_of_noun(doc, found[0][0]):
        return None
    said = doc[found[0][0][1]]
    if {"VBG", "VBN"} <= {token.tag_ for token in doc[said.i : end]}:
        return None  # "was the person acting as its head born"
    stranded = doc[end - 1].tag_ == "IN" or said.tag_ == "VBG" or said.lemma_ in _words("naming")
    return found[0] if stranded or not _is_copula(doc, asked) else None


def _may_be_of_noun(doc: Doc, subject: Range) -> bool:
    """Whether an adjective or place after the subject may belong to it: "the next eclipse visible here"."""
    picked = any(
        token.tag_ in ("JJS", "RBS") or token.lower_ in _words("picks") for token in doc[slice(*subject)]
    )
    after = [token.tag_ for token in doc[subject[1] : subject[1] + 2]]
    place = after[:1] == ["IN"] and doc[subject[1]].lower_ != "from"  # "the tallest building in Oslo"
    return picked and (place or after in (["JJ", "IN"], ["JJ", "TO"], ["RB", "JJ"]))


def _moved(finite: int, stop: int, end: int) -> _Split:
    subject = (finite + 1, stop)
    return subject, (subject, (finite, finite + 1), (stop, end))


def _with_verb(doc: Doc, finite: int, end: int, *, pronoun: bool) -> _Split | None:
    """The subject before its verb: "did … first sink" → "… first sank", "can … swim" → "… can swim"."""
    form = _DO.get(doc[finite].lower_, "")
    verbs = [token for token in doc[finite + 2 : end] if _may_be_base(token, end)][: 1 if pronoun else None]
    twins = len(verbs) > 1 and verbs[-1].i == end - 1 == verbs[-2].i + 1 and verbs[-1].tag_ != "VB"
    if twins and form == "VBZ":
        return None  # "What does this code print?"
    found = []
    for verb in verbs:
        stop = verb.i
        while stop - 2 > finite and _goes_with_verb(doc[stop - 1]):
            stop -= 1
        whole = doc[finite + 1 : stop]
        if len(whole) > 1 if pronoun else whole[-1].pos_ in _NO_LAST_WORD and not whole[-1].is_title:
            continue
        subject, statement = _moved(finite, stop, end)
        if form and (doc[verb.i + 1].dep_ == "cc" or (form == "VBD" and verb.text in _words("two_pasts"))):
            return None  # "start and end"; "lied" or "lay"
        if form:
            statement = (subject, (stop, verb.i), inflect(verb.lower_, form), (verb.i + 1, end))
        plain = len(verbs) == 1 and all(token.pos_ in _words("plain") for token in whole)
        closing = verb.tag_ == "VB" or verb.i == end - 1 - (doc[end - 1].pos_ in ("ADP", "PART"))
        if pronoun or (form and plain and closing) or _is_subject(doc, statement, subject):
            found.append((subject, statement))
    return found[0] if len(found) == 1 else None


def _may_be_base(token: Token, end: int) -> bool:
    """Whether the token may be the verb after "do" or "can", whatever the parse takes it for."""
    may_be = token.text.islower() and token.tag_ not in _words("no_base") and is_base_verb(token.text)
    adverb = token.tag_ == "RB" or token.text in ("last", "first")
    noun = token.pos_ == "NOUN" and token.nbor(-1).pos_ == "ADJ"  # "the current term"
    after = token.nbor(-1).pos_ not in ("DET", "ADP", "PART", "CCONJ")
    return may_be and after and not ((noun or adverb) and token.i < end - 1)


def _may_end(doc: Doc, start: int, stop: int) -> bool:
    """Whether a subject that starts after "is" or "has" may end before `stop`."""
    subject, last, after = doc[start:stop], doc[stop - 1], doc[stop]
    noun = last.pos_ in ("NUM", *_NOUNS) or (last.pos_ == "PRON" and last.tag_ != "DT")
    if last.lower_ == "worth" or (not noun and last.lower_ not in _words("pointing") | _words("closing")):
        return False
    named = subject[0].pos_ == "PROPN"  # "How long was Churchill prime minister?"
    of_two = named and any(one.pos_ == "PROPN" and other.pos_ == "NOUN" for one, other in pairwise(subject))
    compound = after.pos_ in _NOUNS or (after.pos_ == "ADJ" and after.nbor().pos_ in _NOUNS)
    quotes = [one.i for one in subject if one.is_quote]
    torn = len(quotes) % 2 or (quotes and doc[quotes[-1] : stop - 1] and doc[quotes[-1] + 1].pos_ != "ADP")
    return not (torn or of_two or compound or after.tag_ in ("VB", "VBP") or after.lower_ in ("of", "than"))


def _may_be_all(doc: Doc, asked: Range, end: int) -> bool:
    """Whether the subject may be all the rest: "How old is the tree?"; not "How long was it in feet?"."""
    first, follows = doc[asked[0]].lower_, doc[asked[1] + 1].lower_
    opens = first in _words("opens_all") and not (first in ("when", "where") and follows in ("a", "an"))
    return ((opens and asked[1] > asked[0]) or (first != "which" and _asks_of_be(doc, asked))) and not any(
        token.tag_ in ("JJR", *_PARTICIPLES, *FINITE) or (token.tag_ == "IN" and token.lower_ != "of")
        for token in doc[asked[1] + 1 : end]
    )


def _is_subject(doc: Doc, statement: Parts, subject: Range) -> bool:
    """Whether the parse of the statement has the moved span as the subject of its root."""
    text = plain_text(doc, statement)
    said = parse(text[0].upper() + text[1:] + ".")
    root = next(token for token in said if token.dep_ == "ROOT")
    first = next((child for child in root.children if child.dep_ in SUBJECTS), None)
    if first is None or root.pos_ not in ("VERB", "AUX"):
        return False
    end = first.right_edge.idx + len(first.right_edge)
    return first.left_edge.i == 0 and end == len(plain_text(doc, (subject,)))
