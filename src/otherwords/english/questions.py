"""A parsed question → its parts: what it asks for, its subject, and the statement behind it.

The word order of a question is undone: "When did the Titanic sink?" → "the Titanic sank".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from otherwords.english.lexicon import word_set
from otherwords.english.parse import AUXILIARIES, WH, Parts, Range
from otherwords.english.subjects import BE, RANKS, asks_of_be, find_subject, time_at_end

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_words = partial(word_set, "questions")
_FINITE = frozenset(("VBZ", "VBP", "VBD", "MD"))
_HEAVY = 6  # words of a subject that may stand between "what" and "was"
_INSIDE_NOUN_PHRASES = frozenset(("amod", "compound", "nsubj", "nsubjpass"))


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
    copular: bool
    """It is "what is", "who was" and a noun phrase, which `subject` is."""

    @property
    def word(self) -> str:
        """The question word, in lower case; empty if yes or no is asked."""
        return next((token.lower_ for token in self.doc[slice(*self.asked)] if token.lower_ in WH), "")

    @property
    def indirect(self) -> Parts:
        """The question as a clause that can follow "tell me"."""
        return (self.asked, *self.statement) if self.word else ("whether", *self.statement)

    @property
    def strands_verb(self) -> bool:
        """Whether `indirect` ends in a verb that is too far from its question word: "what the … was"."""
        subject = self.doc[slice(*self.subject)]
        rest = self.doc[self.subject[1] : self.end]
        if not self.word or not len(subject) or len(rest) > 2 or self.statement[0] != self.subject:
            return False
        several = any(token.dep_ == "conj" for token in subject)
        clause = any(
            (token.text == "," and not several)
            or token.tag_ in _FINITE
            or (token.dep_ in ("relcl", "acl") and not any(child.tag_ == "TO" for child in token.children))
            for token in subject
        )
        alone = self.doc[self.finite].lower_ in BE and not any(token.pos_ == "VERB" for token in rest)
        of_whom = any(token.tag_ == "POS" for token in subject)
        apart = any(
            token.pos_ in ("ADP", "SCONJ")
            and token.lower_ != "of"
            and (
                of_whom
                or token.lower_ not in _words("close")
                or any(child.like_num for child in token.children)
            )
            for token in subject
        )
        return clause or (alone and (apart or len(subject.text.split()) > _HEAVY))


def read_question(doc: Doc) -> Question | None:
    """The parts of the question that a parsed sentence is; nothing where they are not sure."""
    end = len(doc) - 1
    opens = len(doc) > 4 and doc[0].lower_ in WH and doc[1].lower_ in AUXILIARIES
    if opens and doc[end].pos_ not in ("PUNCT", "ADP"):
        end += 1  # a question without its mark
    elif end < 3 or doc[end].text != "?":
        return None
    if any(token.text in "?!;:" or token.is_space for token in doc[:end]):
        return None
    if doc[1].lower_ == "you" and doc[2].lower_ in ("mind", "be", "please"):  # a request, whatever it asks
        return None
    return next((found for start in _starts(doc) if (found := _read_from(doc, start, end))), None)


def _starts(doc: Doc) -> Iterator[int]:
    """Where the question may begin: at once, or after a phrase that ends in a comma."""
    yield 0
    for token in doc[1 : len(doc) - 3]:
        opens = doc[0].pos_ in ("ADP", "SCONJ") or doc[0].lower_ in _words("opens_lead")
        if token.text == "," and opens and not any(before.lower_ in WH for before in doc[1 : token.i]):
            yield token.i + 1


def _read_from(doc: Doc, start: int, end: int) -> Question | None:
    lead = (0, start)
    first = doc[start]
    if first.lower_ in AUXILIARIES and first.text[0] != "'":
        return _uninverted(doc, lead, (start, start), start, end)
    wh = start + (first.lower_ in _words("before_wh"))
    finite = next((token.i for token in doc[wh + 1 : end] if _is_finite(token)), end)
    if doc[wh].lower_ not in WH or finite >= end - 1 or not _is_asked(doc, wh + 1, finite):
        return None
    asked = (start, finite)
    verb = doc[finite]
    bare = first.lower_ == "who" and finite == start + 1 and _is_bare(doc, finite, end)
    asked_of = bare or (wh == start and _subject_is_asked(doc, wh, finite, end))
    if verb.lower_ not in AUXILIARIES or asked_of:
        return _subject_asked(doc, lead, asked, finite, end)
    if wh == start and finite == wh + 1 and first.lower_ in ("what", "who", "which") and verb.lower_ in BE:
        clause = _clause_at_end(doc, finite, end)
        when = time_at_end(doc, finite + 2, end) if clause == end else clause
        phrase = (finite + 1, when)
        if _is_noun_phrase(doc, phrase) or _is_first_to(doc, phrase) or _is_the_of(doc, phrase):
            said = "is" if verb.text[0] in "'’" else (finite, finite + 1)
            in_place = first.lower_ == "which"
            statement = (phrase, said, (when, end)) if not in_place else ((finite, end),)
            return Question(doc, lead, asked, finite, phrase, statement, end, clause == end)
    if (
        doc[wh].lower_ == "which"
        and finite == wh + 1
        and verb.lower_ in BE
        and doc[finite + 1].pos_ != "PRON"
    ):
        return _subject_asked(doc, lead, asked, finite, end)
    return _uninverted(doc, lead, asked, finite, end)


def _is_asked(doc: Doc, start: int, finite: int) -> bool:
    """Whether the words after the question word belong to it: a noun phrase without a clause in it."""
    between = doc[start:finite]
    clause = any(token.pos_ in ("VERB", "AUX", "SCONJ") and token.tag_ != "VBG" for token in between)
    relative = any(token.tag_ == "WDT" for token in between) or doc[finite - 1].lower_ == "that"
    return not clause and not relative and not any(t.lower_ in WH or t.text == "," for t in between)


def _clause_at_end(doc: Doc, finite: int, end: int) -> int:
    """Where "when the colonies declared independence" begins at the end; the end where there is none."""
    for token in doc[finite].children:
        start = token.left_edge.i
        if token.dep_ == "advcl" and token.right_edge.i == end - 1 and doc[start].pos_ == "SCONJ":
            return start if start > finite + 2 else end
    return end


def _is_bare(doc: Doc, finite: int, end: int) -> bool:
    """Whether a noun without an article follows: "Who was president in 1999?"; not "Who is Ann's father?"."""
    after = doc[finite + 1 : end]
    whose = any(one.tag_ == "POS" for one in after)
    named = after[0].text[0].isupper() and (after[-1].pos_ != "NOUN" or whose)
    return doc[finite].lower_ in BE and after[0].pos_ in ("NOUN", "PROPN", "ADJ") and not named


def _is_finite(token: Token) -> bool:
    """Whether it is the verb of the question, and no noun before it: "Which rows does it return?"."""
    aux = token.lower_ in AUXILIARIES and token.tag_ != "POS"
    return aux or (token.tag_ in _FINITE and token.nbor().lower_ not in ("do", "does", "did"))


def _subject_asked(doc: Doc, lead: Range, asked: Range, finite: int, end: int) -> Question | None:
    first = doc[asked[0]].lower_
    if (
        first in _words("before_wh")
        or first in ("when", "where", "why")
        or doc[finite].pos_ not in ("VERB", "AUX")
    ):
        return None
    start, stop = asked
    while stop - 1 > start and (
        doc[stop - 1].pos_ == "ADV" or doc[stop - 1].lower_ in ("best", "most", "least", "first")
    ):
        stop -= 1
    return Question(doc, lead, (start, stop), finite, (stop, stop), ((stop, end),), end, False)


def _subject_is_asked(doc: Doc, wh: int, finite: int, end: int) -> bool:
    """Whether no subject follows the auxiliary: "Who has won", "Which planet is closest"."""
    word, verb, after = doc[wh].lower_, doc[finite], doc[finite + 1]
    counted = word != "how" or (doc[wh + 1].lower_ in ("many", "much") and finite - wh > 2)
    may_be = word not in ("when", "where", "why", "whom") and verb.lower_ not in ("do", "does", "did")
    if after.lower_ == "there" or not may_be or not counted:
        return False
    while after.i < end - 1 and (after.dep_ == "neg" or after.tag_ in ("RB", "RBR", "RBS")):
        after = doc[after.i + 1]
    inverted = word == "what" and finite == wh + 1 and after.lower_ in ("be", "been")
    inverted = inverted and doc[after.i + 1].lower_ not in ("a", "an")  # "what would be a good name"
    if after.tag_ in ("VBN", "VBG", "VB", "VBD") and after.dep_ not in _INSIDE_NOUN_PHRASES:
        return not (inverted and doc[after.i + 1].pos_ == "DET")  # "what will be the price"
    if verb.lower_ in ("has", "have", "had"):
        rest = doc[finite + 1 : end]
        later = any(token.tag_ in ("VBN", "VBD") and token.dep_ not in ("amod", "acl") for token in rest)
        return not later or (finite - wh > 1 and doc[finite - 1].pos_ == "ADV")
    if verb.lower_ not in BE or doc[end - 1].tag_ == "IN":
        return False
    described = after.tag_ in ("JJ", "JJR", "JJS", "IN") and after.dep_ in ("acomp", "prep")
    bare = doc[wh + 2].lower_ == "of" or after.tag_ in ("NN", "NNS", "NNPS", "JJ", "IN", "CD")
    pronoun = after.pos_ == "PRON" or after.lower_ in ("this", "that")
    of_all = word == "how" or (doc[wh + 1].lower_ in _words("shares") and doc[wh + 2].lower_ == "of")
    some = of_all and bare and not pronoun  # "How many of the planets are gas giants?"
    ranked = after.lower_ == "the" and finite - wh > 1 and _is_ranked(doc, after.i + 1)
    of_them = word == "which" and doc[wh + 1].lower_ == "of"
    if described or some or ranked or of_them or after.lower_ == "part":
        return True
    return (
        finite - wh > 1
        and word in ("what", "which")
        and not asks_of_be(doc, wh, finite)
        and after.lower_ in ("the", "a", "an")
        and _is_noun_phrase(doc, (after.i, end))
    )


def _is_ranked(doc: Doc, place: int) -> bool:
    """Whether "most …", "first to …" or "largest in …" stands there: the asked noun is said to be that."""
    word = doc[place]
    alone = all(one.tag_ in ("TO", "IN", ".") or one.lower_ == "one" for one in doc[place + 1 : place + 2])
    return word.lower_ in ("most", "least") or (alone and (word.lower_ in RANKS or word.tag_ == "JJS"))


def _is_noun_phrase(doc: Doc, span: Range) -> bool:
    """Whether the span is one whole phrase of a noun, under the verb before it."""
    head = doc[span[0] : span[1]].root
    return (
        head.pos_ in ("NOUN", "PROPN")
        and head.left_edge.i == span[0]
        and head.right_edge.i == span[1] - 1
        and doc[span[1] - 1].pos_ != "ADP"
        and (doc[span[1] - 1].pos_ != "VERB" or doc[span[1] - 1].dep_ == "relcl")
        and head.dep_ in ("nsubj", "attr")
        and (
            head.lemma_ in ("probability", "chance", "likelihood", "number", "fact")
            or any(token.dep_ == "relcl" for token in head.subtree)
            or not any(token.dep_ in ("ccomp", "advcl", "parataxis") for token in head.subtree)
        )
    )


def _is_the_of(doc: Doc, span: Range) -> bool:
    """Whether the span is a phrase such as "the derivative of sin(x)", without any verb."""
    of = next((token.i for token in doc[span[0] : span[1]] if token.lower_ == "of"), 0)
    plain = all(token.pos_ in ("NOUN", "PROPN", "ADJ", "X") for token in doc[span[0] + 1 : of])
    words = doc[span[0] : span[1]]
    verbs = any(token.pos_ in ("VERB", "AUX", "SCONJ") or token.lower_ in WH for token in words)
    nothing_else = not any(token.text in (",", "this", "right", "now") for token in doc[span[0] : span[1]])
    return doc[span[0]].lower_ == "the" and of > span[0] + 1 and plain and not verbs and nothing_else


def _is_first_to(doc: Doc, span: Range) -> bool:
    """Whether the span is a phrase such as "the first player to score a goal"."""
    ranked = next((t for t in doc[span[0] : span[1]] if t.lower_ in RANKS or t.tag_ == "JJS"), None)
    to = next((token for token in doc[span[0] : span[1]] if token.tag_ == "TO"), None)
    if to is not None and doc[to.i - 1].lemma_ in _words("to_do"):
        ranked = doc[to.i - 1]
    if ranked is None or to is None or doc[span[0]].lower_ != "the" or to.i < ranked.i:
        return False
    return doc[to.i + 1].tag_ == "VB" and not any(token.tag_ in _FINITE for token in doc[span[0] : span[1]])


def _uninverted(doc: Doc, lead: Range, asked: Range, finite: int, end: int) -> Question | None:
    """With the subject before the auxiliary, where it is sure what the subject is."""
    wanted = doc[asked[0]].lower_ if asked[1] > asked[0] else ""
    subject = (finite + 2, end)
    if wanted == "what" and doc[finite + 1].lower_ == "be" and _is_noun_phrase(doc, subject):
        statement = (subject, (finite, finite + 2))  # "What might be the cause?"
        return Question(doc, lead, asked, finite, subject, statement, end, False)
    found = find_subject(doc, wanted, finite, end)
    return Question(doc, lead, asked, finite, *found, end, False) if found else None
