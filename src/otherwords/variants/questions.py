"""Other ways to ask the same question."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from otherwords.variants.indirect import indirect
from otherwords.variants.nouns import is_noun_phrase
from otherwords.variants.passages import Passage
from otherwords.variants.protect import MASK, Edit
from otherwords.variants.rule import Edits, Rule
from otherwords.variants.sentences import Sentence
from otherwords.variants.verbs import FORMS, TASKS, lexicon

_OWNER = r"(?:its|his|her|their|my|your|our|[A-Z]\w+['’]s)"
_WHAT_IS_THE = re.compile(rf"What (?:is|are) ((?:the|{_OWNER}) .+)\?")
_SUPERLATIVE = re.compile(r"the (?:\w+ )?(?:\w+est|most|least|first|last|only)\b")
_ABSTRACT = re.compile(
    r"\bdifference\b|the (?:point|use|best|problem|matter|deal|chances|odds)\b|\bproblem with\b|\b"
    r"wrong\b|the right \w+ to\b"
    r"|\bways?\b|\bmaximum|\bminimum"
)
_QUANTITY = re.compile(
    r"(?:[a-z]+ )?(?:value|sum|total|number|average|mean|median|mode|probability|area|volume|perimeter"
    r"|circumference"
    r"|length|height|width|distance|speed|velocity|acceleration|percentage|ratio|cost|price|amount"
    r"|product|quotient"
    r"|remainder|profit|derivative|integral|determinant|slope|radius|diameter|mass|weight|density"
    r"|temperature|time"
    r"|age|score|balance|population|square root|(?:boiling|melting|freezing) point)\b"
)
_GIVEN = re.compile(rf"{_QUANTITY.pattern}|(?:name|title|date|definition|answer|three|two|four|five)\b")
_WHAT_CAUSES = re.compile(r"What causes (.+)\?")
_OWNED = r"(?=(?:the|a|an|your|his|her|its|their|our|my|this|that) \w)"
_CONTRACTIBLE = re.compile(rf"(?:What|Who|Where|How)( is) {_OWNED}")
_CONTRACTED = re.compile(rf"(?:What|Who|Where|How)(['’]s) {_OWNED}(?!\w+ been\b)")
_IN_WHICH = re.compile(
    r"(?:In|On|During) (which|what) (?=(?:year|century|decade|month|country|city|continent|ocean|state"
    r"|day)\b)"
)
_PLACE = rf"(?:in|on) (?:(?:the|a|an|each|this) |[A-Z]|{MASK}).+"
_ARE_THERE = re.compile(rf"How many (?!of\b).+? are (there )({_PLACE})\?")
_ARE_IN = re.compile(rf"How many (?!of\b)(?:[a-z]+ ){{1,3}}are ({_PLACE})\?")
_TYPE_OF = re.compile(r"(?:What|Which) (type|kind) of ")
_LEFT = re.compile(r"How (?:many|much) [^,]+? (are|is) left(?=\?| in | on )")
_HOW_BIG = re.compile(r"How (tall|high|old|heavy|deep|wide|big|large|long) (is|was|are|were) ([^,]+)\?")
_MEASURE = {
    "tall": "height",
    "high": "height",
    "old": "age",
    "heavy": "weight",
    "deep": "depth",
    "wide": "width",
    "big": "size",
    "large": "size",
    "long": "length",
}
_MEANS = re.compile(
    rf"What does ((?:the (?:word|term|phrase|acronym|abbreviation|expression) )?{MASK}|\w+) mean\?"
)
_HOW_DO_I = re.compile(r"How do (I|you|we|one|they) ([a-z]+)( .+)?\?")
_NOT_HOW_TO = lexicon(
    "feel know think like look see do be have need believe differ want mean compare relate work"
)
_WHO_MADE = re.compile(
    r"Who (invented|discovered|painted|composed|directed|founded|designed|developed|created|wrote|built"
    r"|proposed"
    r"|formulated|published|introduced|established) ([^,?]+)\?"
)
_PARTICIPLE = {"wrote": "written"}
_IF_THEN = re.compile(
    r"If ((?:\S+ ){2,}?\S+), ((?:then )?(?:what|how|which|who|where|when|why|in which|in what|is|are"
    r"|does|do|did|can|will|should|would)\b.+\?)"
)
_CONDITIONED = re.compile(
    r"((?:If|Given|Assuming) (?:\S+ ){2,}?\S+), (?:then )?((?:what|how|which|who|where|when|why"
    r"|in which|in what|is|are|does|do)\b.+\?)"
)
_PLACED = re.compile(
    rf"((?:In|On|At|During|Under|According to|Based on) (?:[\w'’-]+ |{MASK} ?){{0,5}}(?:[\w'’-]+"
    rf"|{MASK})), ((?:what|how|which|who|where|when|why)\b.+\?)"
)
_REQUEST = re.compile(r"(?:Can|Could|Would|Will) you( please| kindly)? (?!please\b)[a-z]", re.IGNORECASE)
_REQUEST_AFTER = re.compile(r", (?:please )?(?:can|could|would|will) you\b")
_REQUESTED = re.compile(r"(?:Can|Could|Would(?= you please)) you( please| kindly)? ([a-z]+)( [^?]+)\?")
_MY_DEED = re.compile(r"\b(?:I|we) (?:should|can|could|must|need)\b")
_QUESTIONS = lexicon("question questions")
_THE_QUESTION = re.compile(r"\b(?:the|this|each|every|my|these|following|next) (?:\w+ )?questions?\b", re.I)
_HOW_MUCH_COST = re.compile(r"How much (?:do|does|did|will|would) [^,]+ cost\b")
_HOW_LONG_TAKE = re.compile(r"How long (?:(?:does|did|will|would) it take|will [^,]+ take)\b")
_MANNER = re.compile(
    r"how (?!many\b|much\b|far\b|long\b|old\b|tall\b|often\b|big\b|fast\b|high\b|deep\b|wide\b|heavy\b"
    r"|large\b|hot\b|cold\b"
    r"|good\b|well\b|soon\b|likely\b|close\b|common\b|strong\b|small\b|expensive\b|accurate\b|\w+ly\b)"
)

Asked: TypeAlias = "Callable[[str], str | None]"


def is_request(sentence: Sentence) -> bool:
    """ "Can you …?" and "Send it, will you?" ask for a deed and not for an answer."""
    return sentence.first in TASKS or bool(
        _REQUEST.match(sentence.text) or _REQUEST_AFTER.search(sentence.text)
    )


def _whole(change: Asked) -> Callable[[Passage], Edits]:
    """The question in other words. After a label such as `Question:` only a question fits."""

    def edits(passage: Passage) -> Edits:
        new = change(passage.asked) if passage.asked else None
        question = passage.question
        if new is None or question is None:
            return ()
        if new[-1] != "?" and (question.led or _is_spoken_of(question, passage)):
            return ()
        if question.text[0].islower() and not new.startswith("I "):
            new = new[0].lower() + new[1:]
        return (Edit(question.start, question.end, new if question.text[-1] == "?" else new[:-1]),)

    return edits


def _is_spoken_of(question: Sentence, passage: Passage) -> bool:
    """ "Answer the question below.": then there must be one."""
    if _QUESTIONS.isdisjoint(passage.words):
        return False
    text = passage.text
    return bool(_THE_QUESTION.search(text, 0, question.start) or _THE_QUESTION.search(text, question.end))


def _part(find: Callable[[str], Edit | None]) -> Callable[[Passage], Edits]:
    """A few words of the question in other words."""

    def edits(passage: Passage) -> Edits:
        question = passage.question
        if question is None:
            return ()
        found = find(question.text[0].upper() + question.text[1:])
        if found is None or (question.text[0].islower() and not found.start):
            return ()
        return (Edit(question.start + found.start, question.start + found.end, found.new),)

    return edits


@lru_cache(maxsize=256)
def clause_of(question: str) -> tuple[str, str] | None:
    """(what comes first, the indirect clause), the first empty where the question stands alone."""
    clause = indirect(question)
    if clause is not None:
        return "", clause
    match = _CONDITIONED.fullmatch(question)
    if match is not None and "?" not in match[1]:
        clause = indirect(match[2][0].upper() + match[2][1:])
        return (f"{match[1]}, ", clause) if clause else None
    match = _PLACED.fullmatch(question)
    if match is not None:
        clause = indirect(match[2][0].upper() + match[2][1:])
        return ("", f"{clause} {match[1][0].lower()}{match[1][1:]}") if clause else None
    return None


def _asked_as(opening: str, wanted: Callable[[str], bool] = lambda clause: True) -> Asked:
    def change(question: str) -> str | None:
        found = clause_of(question)
        if found is None or not wanted(found[1]):
            return None
        before, clause = found
        if before and opening.startswith("I "):  # "If it rains, I want to know" says something else
            return None
        start = opening[0].lower() + opening[1:] if before else opening
        return f"{before}{start} {clause}."

    return change


def _explains(clause: str) -> bool:
    return clause.startswith("why ") or bool(_MANNER.match(clause))


def _advises(clause: str) -> bool:
    """ "what I should pack": an examiner's verb before it would be odd."""
    return bool(_MY_DEED.search(clause))


def _counts(clause: str) -> bool:
    return clause.startswith(
        ("how many ", "how much ", "how long ", "how far ", "what percentage ", "what fraction ")
    )


@lru_cache(maxsize=256)
def _named(question: str) -> str | None:
    match = _WHAT_IS_THE.fullmatch(question)
    if match is None or not is_noun_phrase(match[1], relative=True) or _ABSTRACT.search(match[1]):
        return None
    return match[1]


def _state_the(question: str) -> str | None:
    thing = _named(question)
    if thing is None:
        return None
    if _QUANTITY.match(thing.partition(" ")[2]):
        return f"Find {thing}."
    return f"{'Name' if _SUPERLATIVE.match(thing) else 'State'} {thing}."


def _give_the(question: str) -> str | None:
    thing = _named(question)
    if thing is None or thing.startswith(("my ", "your ")):
        return None
    return f"{'Give' if _GIVEN.match(thing.partition(' ')[2]) else 'Identify'} {thing}."


def _cause_of(question: str) -> str | None:
    match = _WHAT_CAUSES.fullmatch(question)
    if match is None:
        return None
    effect = match[1]
    plain = is_noun_phrase(effect if " " in effect else f"the {effect}") and " to " not in effect
    return f"What is the cause of {effect}?" if plain else None


def _measure(question: str) -> str | None:
    match = _HOW_BIG.fullmatch(question)
    if match is None:
        return None
    quality, be, thing = match.groups()
    be = "is" if be in ("is", "are") else "was"
    if quality == "old" and re.fullmatch(r"[A-Z][a-z]+(?: [A-Z][a-z]+)*", thing):
        return f"What {be} {thing}'s age?"
    if not is_noun_phrase(thing) or re.search(
        r" (?:in|on|at|from|than|to|by|for|with|when|as) ", f" {thing} "
    ):
        return None
    return f"What {be} the {_MEASURE[quality]} of {thing}?"


def _meaning(question: str) -> str | None:
    match = _MEANS.fullmatch(question)
    return (
        f"What is the meaning of {match[1]}?"
        if match and match[1] not in ("it", "this", "that", "he", "she")
        else None
    )


def _how_to(opening: str) -> Asked:
    def change(question: str) -> str | None:
        match = _HOW_DO_I.fullmatch(question)
        if (
            match is None
            or match[2] in _NOT_HOW_TO
            or (match[2] not in FORMS and match[1] not in ("I", "we"))
        ):
            return None
        if match[1] == "they" or (match[3] and re.search(r"[;:]|, (?:and|or|but) |\bnot\b", match[3])):
            return None
        return f"{opening} how to {match[2]}{match[3] or ''}."

    return change


def _by_whom(question: str) -> str | None:
    match = _WHO_MADE.fullmatch(question)
    if match is None or not is_noun_phrase(match[2]) or " and " in match[2]:
        return None
    verb, thing = match.groups()
    head = re.split(r" (?:of|in|at|for|on|from|by|with|to|about) ", thing)[0].split()[-1]
    if head.endswith("s") and not head.endswith(("ss", "us")):
        return None
    return f"By whom was {thing} {_PARTICIPLE.get(verb, verb)}?"


def _suppose(question: str) -> str | None:
    match = _IF_THEN.fullmatch(question)
    if match is None or re.search(r"\b(?:not|only|even|possible|any)$|\bif\b", match[1]):
        return None
    return f"Suppose {match[1]}. {match[2][0].upper()}{match[2][1:]}"


def _contraction(question: str) -> Edit | None:
    match = _CONTRACTIBLE.match(question)
    if match:
        return Edit(*match.span(1), "'s")
    match = _CONTRACTED.match(question)
    return Edit(*match.span(1), " is") if match else None


def _in_what(question: str) -> Edit | None:
    match = _IN_WHICH.match(question)
    return Edit(*match.span(1), {"which": "what", "what": "which"}[match[1]]) if match else None


def _there(question: str) -> Edit | None:
    match = _ARE_THERE.fullmatch(question)
    if match:
        return Edit(*match.span(1), "")
    match = _ARE_IN.fullmatch(question)
    return Edit(match.start(1), match.start(1), "there ") if match else None


def _kind_of(question: str) -> Edit | None:
    match = _TYPE_OF.match(question)
    return Edit(*match.span(1), {"type": "kind", "kind": "type"}[match[1]]) if match else None


def _remain(question: str) -> Edit | None:
    match = _LEFT.match(question)
    return Edit(match.start(1), match.end(), "remain" if match[1] == "are" else "remains") if match else None


def _bare_request(opening: str) -> Asked:
    """ "Could you please explain it?" → "Explain it."."""

    def change(question: str) -> str | None:
        match = _REQUESTED.fullmatch(question)
        if match is None or match[2] not in TASKS:
            return None
        deed = f"{match[2]}{match[3]}."
        return f"{opening} {deed}" if opening else deed[0].upper() + deed[1:]

    return change


def _cost(question: str) -> Edit | None:
    match = _HOW_MUCH_COST.match(question)
    return Edit(0, len("How much"), "What") if match else None


def _time(question: str) -> Edit | None:
    return Edit(0, len("How long"), "How much time") if _HOW_LONG_TAKE.match(question) else None


def _please(question: str) -> Edit | None:
    match = _REQUEST.match(question)
    if match is None:
        return None
    at = question.index(" you") + len(" you")
    return Edit(at, at + len(match[1]), "") if match[1] else Edit(at, at, " please")


_WORKED_OUT = _whole(_asked_as("Work out", _counts))


def _work_out(passage: Passage) -> Edits:
    """Where there are figures to work with."""
    return _WORKED_OUT(passage) if len(passage.masked.spans) > 1 else ()


QUESTION_RULES: tuple[Rule, ...] = (
    Rule("cause-of", _whole(_cause_of), lexicon("causes")),
    Rule("by-whom", _whole(_by_whom), lexicon("who")),
    Rule("measure", _whole(_measure), lexicon("how")),
    Rule("meaning-of", _whole(_meaning), lexicon("mean")),
    Rule("state-the", _whole(_state_the), lexicon("what")),
    Rule("how-to", _whole(_how_to("Tell me")), lexicon("how")),
    Rule("tell-me", _whole(_asked_as("Tell me"))),
    Rule("remain", _part(_remain), lexicon("left")),
    Rule("bare-request", _whole(_bare_request("")), lexicon("you")),
    Rule("cost", _part(_cost), lexicon("cost")),
    Rule("how-much-time", _part(_time), lexicon("take")),
    Rule("suppose", _whole(_suppose), lexicon("if")),
    Rule("explain-how-to", _whole(_how_to("Explain")), lexicon("how")),
    Rule("explain", _whole(_asked_as("Explain", _explains)), lexicon("why how")),
    Rule("in-what", _part(_in_what), lexicon("which what")),
    Rule("there", _part(_there), lexicon("many")),
    Rule("kind-of", _part(_kind_of), lexicon("type kind")),
    Rule("contraction", _part(_contraction), lexicon("what who where how")),
    Rule("give-the", _whole(_give_the), lexicon("what")),
    Rule("work-out", _work_out, lexicon("how what")),
    Rule("polite", _part(_please), lexicon("you")),
    Rule("please-do", _whole(_bare_request("Please")), lexicon("you")),
)
QUESTION_FRAMES: tuple[Rule, ...] = (
    Rule("want-to-know", _whole(_asked_as("I want to know"))),
    Rule("state", _whole(_asked_as("State", lambda clause: not _explains(clause) and not _advises(clause)))),
    Rule("determine", _whole(_asked_as("Determine", lambda clause: not _explains(clause)))),
)
