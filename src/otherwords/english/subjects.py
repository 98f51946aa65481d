"""A parsed question and its auxiliary → its subject, and the statement with the subject in its place.

The statement is parsed: a split is accepted if the subject of the statement is the very span that moved.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from otherwords.english.lexicon import word_set
from otherwords.english.parse import SUBJECTS, WH, Parts, Range, parse, plain_text
from otherwords.english.words import inflect, is_base_verb

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_words = partial(word_set, "questions")
BE = frozenset("is are was were 's".split())
_NOUNS = frozenset(("NOUN", "PROPN", "PRON", "NUM"))
_PLAIN = frozenset(("DET", "ADJ", "NOUN", "PROPN", "NUM", "PART"))
RANKS = frozenset("first second third last only next most fourth fifth".split())
_DO = frozenset(("do", "does", "did"))


def find_subject(doc: Doc, wanted: str, finite: int, end: int) -> tuple[Range, Parts] | None:
    """The subject after the auxiliary, and the statement; nothing where they are not sure.

    Args:
        doc: The question.
        wanted: The word with which it opens; empty if yes or no is asked.
        finite: Where the auxiliary is.
        end: Where the mark at the end is.
    """
    aux = doc[finite]
    later = finite + 1
    negated = doc[later].dep_ == "neg" or doc[later].lower_ in ("n't", "not")
    after = later + negated
    hidden = aux.lower_ in BE and _hides_clause(doc, after, end)
    if hidden or doc[later].lower_ == "not" or doc[after].lower_ in ("be", "have"):
        return None
    if doc[after].lower_ == "there" and aux.lower_ not in _DO:
        there = (after, after + 1)
        return there, (there, (finite, after), (after + 1, end))
    own = _own_subject(doc, after)
    if aux.lower_ in _DO:
        splits = [_with_verb(doc, aux, verb, after, end, (finite, after)) for verb in _verbs(doc, after, end)]
    else:
        splits = [
            (stop, ((after, stop), (finite, after), (stop, end)))
            for stop in _stops(doc, after, end, own)
            if _may_end_there(doc, wanted, finite, stop, end)
        ]
    for stop, statement in splits:
        if statement and _has_subject(doc, statement, (after, stop)):
            return (after, stop), statement
    for stop, statement in splits:
        agreed = own == (after, stop) and stop < end and doc[stop].pos_ in ("VERB", "AUX")
        plain = all(token.pos_ in _PLAIN or token.lower_ in _words("in_plain") for token in doc[after:stop])
        verb = next((token.tag_ for token in doc[stop:end] if token.pos_ != "ADV"), "")
        alone = len(splits) == 1 and (stop == after + 1 or verb in ("VB", "VBP", "VBD"))
        closing = end - 1 - (doc[end - 1].pos_ in ("ADP", "PART"))  # "stand for"
        done = aux.lower_ in _DO and plain and (alone or stop == closing)
        if statement and (agreed or done):
            return (after, stop), statement
    return None


def time_at_end(doc: Doc, start: int, end: int) -> int:
    """Where a phrase such as "right now" or "this year" begins at the end; the end where there is none."""
    last = tuple(token.lower_ for token in doc[max(start, end - 2) : end])
    if last == ("right", "now") or (
        len(last) > 1 and last[0] in ("this", "last", "next") and last[1] in _words("times")
    ):
        return end - 2
    return end - 1 if last[-1:] and last[-1] in ("today", "now", "currently") and end - 1 > start else end


def asks_of_be(doc: Doc, start: int, finite: int) -> bool:
    """Whether what is asked before the verb is said of the subject: a color, a size, a year."""
    return any(token.lemma_ in _words("asked_of_be") for token in doc[start:finite])


def _verbs(doc: Doc, after: int, end: int) -> list[int]:
    """Where the verb after "do" may be, those first that the question's parse takes for it."""
    able = [
        token.i
        for token in doc[after + 1 : end]
        if token.text.islower()
        and (token.text not in ("last", "first", "next") or token.i == end - 1)
        and token.tag_ not in ("VBZ", "MD", "IN", "DT")
        and is_base_verb(token.text)
        and doc[token.i - 1].lower_ not in ("to", "the", "a", "an", "of", "and", "or", "'s")
        and doc[token.i - 1].pos_ != "ADP"
        and not any(_is_before(token, after) for after in doc[token.i + 1 : token.i + 2])
        and (
            token.tag_ == "VB"
            or _is_no_verb(doc[token.i - 1])
            # "How much does the ball cost?", which a parse takes for a noun
            or (token.i == end - 1 and token.text in ("cost", "weigh", "travel", "last"))
        )
        and (token.i == after + 1 or doc[token.i - 1].lower_ not in ("he", "she", "they"))
    ]
    return [place for place in able if doc[place].tag_ == "VB"][:2] or able[:3]


def _is_no_verb(token: Token) -> bool:
    """Whether it is a name or an adverb ("last won"), or cannot be a verb."""
    return bool(token.is_title) or token.tag_ == "RB" or not is_base_verb(token.text)


def _is_before(token: Token, after: Token) -> bool:
    """Whether the word after it is the verb, or makes a compound noun of it."""
    return (after.tag_ in ("VB", "VBP") and is_base_verb(after.text)) or token.tag_ == after.tag_ == "NN"


def _with_verb(doc: Doc, aux: Token, verb: int, after: int, end: int, moved: Range) -> tuple[int, Parts]:
    """Where the subject ends, and "did … first sink" → "… first sank"; "didn't … sink" → "… didn't sink"."""
    stop = verb
    while stop - 1 > after and (doc[stop - 1].pos_ == "ADV" or doc[stop - 1].lower_ in ("first", "last")):
        stop -= 1
    if moved[1] - moved[0] > 1:
        return stop, ((after, stop), moved, (stop, end))
    form = {"did": "VBD", "does": "VBZ", "do": "VBP"}[aux.lower_]
    joint = next((token.i for token in doc[verb:end] if token.lower_ in ("and", "or")), end)
    later = [token for token in doc[joint:end] if token.tag_ in ("VB", "VBP")]
    several = any(doc[token.i - 1].tag_ not in ("TO", "MD") for token in later)
    several = several or (
        joint == verb + 1 and any(is_base_verb(one.text) for one in doc[joint + 1 : joint + 2])
    )
    finite = "" if several and form != "VBP" else inflect(doc[verb].lower_, form)  # "start and end"
    return stop, ((after, stop), (stop, verb), finite, (verb + 1, end)) if finite else ()


def _may_end_there(doc: Doc, wanted: str, finite: int, stop: int, end: int) -> bool:
    """Whether a subject may end before `stop`, by the words around it."""
    last = doc[stop - 1]
    named = last.pos_ in _NOUNS or last.text in _words("may_end") or last.text[0].isupper()
    inside = stop < end and not last.whitespace_  # of "e-mail"
    words = doc[finite + 1 : stop]
    named_first = words[0].pos_ == "PROPN"  # "How long was Churchill prime minister?"
    in_office = named_first and any(
        token.lemma_ in _words("offices") and "PROPN" in [one.pos_ for one in doc[token.i - 2 : token.i]]
        for token in words[1:]
    )
    pointed = (
        stop + 1 < end and doc[stop].lower_ in ("below", "above") and doc[stop + 1].pos_ in ("ADJ", "VERB")
    )
    open_ended = last.lower_ in ("all", "both", "each", "some", "many", "most", "any")
    if inside or not named or in_office or pointed or open_ended:
        return False
    if stop == end:
        return _may_be_all(words, wanted, finite)
    after = doc[stop]
    be = doc[finite].lower_ in BE
    verb = doc[stop + 1] if after.pos_ == "ADV" and stop + 1 < end else after
    no_verb = doc[finite].tag_ == "MD" and not is_base_verb(verb.text)
    counted = last.pos_ == "NUM" and after.pos_ in ("NOUN", "PROPN")
    compound = be and wanted in ("when", "where", "why", "how") and last.pos_ == after.pos_ == "NOUN"
    if no_verb or counted or compound or (after.tag_ == "VB" and be):
        return False
    if be and wanted in ("what", "who", "which"):
        timed = stop == time_at_end(doc, finite + 1, end) and asks_of_be(doc, 0, finite)
        modifies = after.tag_ != "VBG" and any(
            token.pos_ in ("ADJ", "NOUN", "PROPN") for token in doc[stop + 1 : stop + 2]
        )
        stranded = doc[end - 1].tag_ == "IN"
        passive = after.tag_ in ("VBN", "VBD") and (stranded or after.lemma_ in _words("naming"))
        said = (after.tag_ == "VBG" or passive) and not modifies
        of_it = stranded and (stop == end - 1 or (stop == end - 2 and after.tag_ == "JJ"))  # "famous for"
        return timed or said or of_it
    return not (last.pos_ == "PROPN" and after.pos_ == "PROPN")


def _may_be_all(words: Span, wanted: str, finite: int) -> bool:
    """Whether the subject may be all the rest: "How old is the tree?"; not "How long was it in feet?"."""
    doc = words.doc
    short = wanted in ("in", "on", "at") and len(words) < 5
    of_be = short or (wanted in ("what", "which") and asks_of_be(doc, 0, finite))
    compared = any(token.tag_ == "JJR" or token.lower_ == "than" for token in words)
    ranked = any(token.tag_ == "JJS" or token.lower_ in RANKS for token in words)
    plain = all(token.lower_ in ("of", "to") for token in words if token.pos_ == "ADP")
    verbs = any(token.tag_ in ("VBN", "VBD", "VBZ", "VBP") for token in words)
    clause = any(token.lower_ in WH or token.lower_ == "that" for token in words)
    whole = plain or (ranked and words[0].lower_ == "the")
    may_be = whole and not compared and (clause or not verbs)
    return may_be and (of_be or wanted in ("when", "where", "how"))


def _stops(doc: Doc, after: int, end: int, own: Range | None) -> list[int]:
    """Where a subject after an auxiliary may end, first as the question's parse has it."""
    ends = [
        token.right_edge.i + 1
        for token in doc[after:end]
        if token.left_edge.i == after and token.pos_ in _NOUNS
    ]
    ends += [token.i for token in doc[after + 1 : end] if token.tag_ in ("VBN", "VBG", "VB", "VBD")]
    if doc[after - 1].tag_ == "MD":
        ends += _verbs(doc, after, end)
    ends.append(time_at_end(doc, after + 1, end))
    nouns = [token.i for token in doc[after : end - 1] if token.pos_ in ("NOUN", "PROPN")]
    ends += [place + 1 for place in nouns[:3] if doc[place + 1].pos_ == "ADJ"][:1]
    ends += [token.i for token in doc[after + 1 : end] if token.lower_ in _words("after_subject")][:1]
    ends += [after + 1] if doc[after].tag_ == "NNS" else []
    first = [own[1]] if own else []
    return list(dict.fromkeys(stop for stop in (*first, *ends) if after < stop <= end))[:5]


def _hides_clause(doc: Doc, start: int, end: int) -> bool:
    """Whether a clause that no word opens may follow "was": "the jersey he wore", "the gem found there".

    Where such a subject ends, the parse does not tell.
    """
    opened = next((token.i for token in doc[start:end] if token.lower_ in _words("opens_clause")), end)
    verbs = [token for token in doc[start:opened] if token.tag_ in ("VBD", "VBZ", "VBP", "VBN")]
    if len(verbs) != 1:
        return bool(verbs)
    (verb,) = verbs
    participle = verb.lower_ == inflect(verb.lemma_.lower(), "VBN")
    return verb.lemma_ == "compare" or not participle


def _own_subject(doc: Doc, after: int) -> Range | None:
    """The subject as the question's parse has it, if it stands right after the auxiliary."""
    own = (token for token in doc if token.dep_ in SUBJECTS and token.left_edge.i == after)
    return next(((after, token.right_edge.i + 1) for token in own), None)


def _has_subject(doc: Doc, statement: Parts, subject: Range) -> bool:
    """Whether the parse of the statement has the moved span as the subject of its root."""
    text = plain_text(doc, statement)
    said = parse(text[0].upper() + text[1:] + ".")
    root = next(token for token in said if token.dep_ == "ROOT")
    first = next((child for child in root.children if child.dep_ in SUBJECTS), None)
    if first is None or root.pos_ not in ("VERB", "AUX"):
        return False
    end = first.right_edge.idx + len(first.right_edge)
    return first.left_edge.i == 0 and end == len(plain_text(doc, (subject,)))
