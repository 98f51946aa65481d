"""Statements in another order: "X because Y" → "Because Y, X", and the like.

Moving a clause changes what "it" or "they" can mean, so a sentence is moved only where no such word could
lose what it points at.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.nouns import AUXILIARIES, PRONOUNS, is_noun_phrase, looks_verbal
from otherwords.variants.passages import Passage
from otherwords.variants.plain import has_one_of
from otherwords.variants.protect import MASK, Edit
from otherwords.variants.rule import Edits, Rule
from otherwords.variants.sentences import Sentence
from otherwords.variants.verbs import CONSTRAINTS, TASKS, TASKS_BEFORE_DETERMINERS, lexicon

_CAUSAL = re.compile(r"(.+?) (causes|results in|leads to) (.+)([.?])")
_CAUSAL_PASSIVE = {
    "causes": "is caused by",
    "results in": "is the result of",
    "leads to": "is brought about by",
}
_LOWERED_OPENERS = lexicon("""
    the a an this that these those it he she they we you my your his her its their our some many most
    all i i'm there each every both
""")
_BECAUSE = re.compile(r"([^,;:()—]+?),? because (?!of\b)([^,;:()—]+)\.")
_SINCE_FIRST = re.compile(
    r"(Because|When|If|Once|Whenever) (?!of\b|then\b)([^,;:()—]+), (?!then\b|and\b|or\b|but\b)([^,;:()—]+)\."
)
_IF_LAST = re.compile(r"([^,;:()—]+?) (if|when|whenever|once) ([^,;:()—]+)\.")
_LAST = (" if ", " when ", " whenever ", " once ")
_SCOPE = re.compile(
    r"\b(?:not|never|only|just|simply|mainly|partly|no|think|thinks|say|says|said|saying|believe|know"
    r"|ask|asks|asked|tell|tells"
    r"|told|wonder|see|check|if|when|whether|because|until|unless|that|who|which|where|and|or|but|so"
    r"|even|except)\b|n['’]t"
)
_NESTED = re.compile(r"\b(?:if|when|unless|because|until|only|so|then)\b")
_JOINED = re.compile(r"\b(?:and|or|but|so) (?:it|he|she|they|we|you|i|the|a|an|then|if|not)\b", re.I)
_EVERY = re.compile(
    r"Every (?=[a-z]+ [a-z])(?!other\b|few\b|so\b|now\b|single\b|one\b|once\b|time\b|\w+ (?:days|years"
    r"|hours)\b)"
)
_EACH = re.compile(r"Each (?=[a-z]+ [a-z])(?!of\b|other\b|one\b|time\b)")
_COUNT_WORDS = lexicon("one two three four five six seven eight nine ten twelve half couple")
_REFERRING = re.compile(
    r"\b(?:it|its|this|that|these|those|they|them|their|he|she|his|her|him|one|ones|such)\b", re.I
)
_SPOKEN_OF = re.compile(
    r"\b(?:it|its|they|them|their|he|she|his|her|him|this|these|those|such|one|there)\b", re.I
)
_GIVEN = re.compile(
    rf"Given ((?:an?|two|three|the(?! following\b)"
    rf"|{MASK}) [^,;:.]+), ((?:{'|'.join(sorted(TASKS | lexicon('return count list')))})\b.+)"
)
_THERE_ARE = re.compile(
    rf"There are ((?:{MASK}|[a-z]+) (?:[a-z-]+ ){{0,3}}?[a-z]+s|{MASK}"
    rf"|{MASK} (?:[a-z-]+ ){{0,2}}?[a-z]+) in ((?:the|a|his|her|my|their|our) (?:[a-z]+ )?[a-z]+)\."
)
_CONTAINERS = lexicon(
    "box basket bag jar drawer bowl bottle tank bucket crate carton package tray cup fridge cupboard"
)
_COLLECTIVES = lexicon("""
    class school classroom team zoo park garden farm house building library office company group town city
    village theater theatre hall
""")
_TIME = re.compile(
    rf"((?:On (?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)|In (?:{MASK})|Last (?:week"
    rf"|month|year)|Yesterday"
    rf"|(?:Every|Each) (?:day|morning|week|month|year|evening|night)|In the (?:morning|afternoon"
    rf"|evening))), ([^,;:()—]+)\."
)
_NOT_BEFORE_TIME = re.compile(
    r"\b(?:and|or|but|that|who|which|where|when|if|because|so|not|than|to|every|each|all|per|after"
    r"|before|until|while|then|for)\b|n['’]t"
)


def _first(change: Callable[[Sentence], str | None]) -> Callable[[Passage], Edits]:
    """The first sentence that `change` can rewrite."""

    def edits(passage: Passage) -> Edits:
        for sentence in passage.statements:
            if not sentence.wrapped and not sentence.item:
                new = change(sentence)
                if new is not None:
                    return (Edit(sentence.start, sentence.end, new),)
        return ()

    return edits


def _unreferred(change: Callable[[Sentence], str | None]) -> Callable[[Passage], Edits]:
    """No later sentence of the paragraph may point back at what was moved."""

    def edits(passage: Passage) -> Edits:
        for sentence in passage.statements:
            if sentence.wrapped or sentence.item:
                continue
            new = change(sentence)
            if new is None:
                continue
            stop = passage.text.find("\n\n", sentence.end)
            rest = passage.text[sentence.end : stop if stop >= 0 else len(passage.text)]
            if not _SPOKEN_OF.search(rest):
                return (Edit(sentence.start, sentence.end, new),)
        return ()

    return edits


def _passive(sentence: Sentence) -> str | None:
    """Only "a …" is moved: its number is known, so the verb agrees."""
    match = _CAUSAL.fullmatch(sentence.text)
    if match is None:
        return None
    cause, verb, effect, end = match.groups()
    if not re.match(r"an? ", effect) or not is_noun_phrase(effect) or re.search(r"[,;:()]", cause):
        return None
    words = cause.split()
    if end == "?":
        if words[0] != "Which" or not 2 <= len(words) <= 4 or set(words) & AUXILIARIES:
            return None
        cause = "which" + cause[len("Which") :]
    elif words[0] in ("The", "A", "An") and is_noun_phrase(cause):
        cause = _lowered(cause)
    else:
        return None
    return f"{effect[0].upper()}{effect[1:]} {_CAUSAL_PASSIVE[verb]} {cause}{end}"


def _because_first(sentence: Sentence) -> str | None:
    match = _BECAUSE.fullmatch(sentence.text) if " because " in sentence.text else None
    if match is None:
        return None
    effect, cause = match[1].rstrip(), match[2]
    words = effect.split()
    if not _may_be_lowered(words[0]) or len(words) < 3 or " because " in cause:
        return None
    if _SCOPE.search(effect) or _JOINED.search(cause):
        return None
    return f"Because {cause}, {_lowered(effect)}."


def _clause_last(sentence: Sentence) -> str | None:
    """ "If the agent asks, say no." → "Say no if the agent asks."."""
    match = _SINCE_FIRST.fullmatch(sentence.text)
    if match is None:
        return None
    word, clause, main = match.groups()
    parts = main.split()
    said = len(parts[0]) if parts[0] in _IMPERATIVES else 0  # "say yes" is no report of what was said
    if len(parts) < 2 or _SCOPE.search(main, said) or _REFERRING.search(main) or _NESTED.search(clause):
        return None
    if not _independent(parts) or len(parts) > 14 or (parts[0] in _ASKING and parts[1] != "for"):
        return None
    return f"{main[0].upper()}{main[1:]} {word.lower()} {clause}."


def _clause_first(sentence: Sentence) -> str | None:
    """ "Cars go when the light is green." → "When the light is green, cars go."."""
    match = _IF_LAST.fullmatch(sentence.text) if has_one_of(_LAST, sentence.text) else None
    if match is None:
        return None
    main, word, clause = match[1].rstrip(), match[2], match[3]
    parts = main.split()
    if len(parts) < 2 or _SCOPE.search(main) or _NESTED.search(clause) or _REFERRING.search(clause):
        return None
    if len(clause.split()) < 3 or clause.startswith(("to ", "a ")) or not _independent(parts):
        return None
    if not (_may_be_lowered(parts[0]) or parts[0].lower() in _IMPERATIVES):
        return None
    return f"{word[0].upper()}{word[1:]} {clause}, {_lowered(main)}."


_ASKING = lexicon("ask check see find determine verify decide find know tell")
"""Before "if" these would ask whether."""
_IMPERATIVES = (
    TASKS
    | TASKS_BEFORE_DETERMINERS
    | CONSTRAINTS
    | lexicon("say ask tell offer let stop go call contact wait")
)


def _independent(parts: list[str]) -> bool:
    """It opens with a subject or an imperative, so that it can stand by itself."""
    first = parts[0].lower()
    return first in _IMPERATIVES or first in _LOWERED_OPENERS or parts[0][0].isupper()


def _may_be_lowered(word: str) -> bool:
    return word.lower() in _LOWERED_OPENERS


def _time_last(sentence: Sentence) -> str | None:
    match = _TIME.fullmatch(sentence.text)
    if match is None:
        return None
    time, main = match.groups()
    if _NOT_BEFORE_TIME.search(main) or len(main.split()) < 3 or len(main.split()) > 10:
        return None
    return f"{main[0].upper()}{main[1:]} {time[0].lower()}{time[1:]}."


def _you_are_given(sentence: Sentence) -> str | None:
    match = _GIVEN.fullmatch(sentence.text)
    if match is None or match[1].startswith("that "):
        return None
    return f"You are given {match[1]}. {match[2][0].upper()}{match[2][1:]}"


def _contains(sentence: Sentence) -> str | None:
    match = _THERE_ARE.fullmatch(sentence.text)
    if match is None:
        return None
    things, place = match.groups()
    noun = place.split()[-1]
    verb = "contains" if noun in _CONTAINERS else "has" if noun in _COLLECTIVES else None
    return f"{place[0].upper()}{place[1:]} {verb} {things}." if verb else None


def _determiner(sentence: Sentence) -> str | None:
    if not sentence.text.startswith(("Every ", "Each ")):
        return None
    parts = sentence.text.split()
    if len(parts) < 3 or parts[1] in _COUNT_WORDS:
        return None
    if _EVERY.match(sentence.text):
        return "Each" + sentence.text[len("Every") :]
    if _EACH.match(sentence.text):
        second = parts[1]
        is_verb = second in AUXILIARIES or second in PRONOUNS or looks_verbal(second) or second.endswith("s")
        return None if is_verb else "Every" + sentence.text[len("Each") :]
    return None


def _lowered(text: str) -> str:
    if re.match(r"I\b", text):
        return text
    return text[0].lower() + text[1:]


CLAUSE_RULES: tuple[Rule, ...] = (
    Rule("passive", _unreferred(_passive), lexicon("causes results leads")),
    Rule("because-first", _unreferred(_because_first), lexicon("because")),
    Rule("each-every", _first(_determiner), lexicon("each every")),
    Rule("clause-last", _unreferred(_clause_last), lexicon("because when if once whenever")),
    Rule("clause-first", _unreferred(_clause_first), lexicon("if when whenever once")),
    Rule("time-last", _unreferred(_time_last), lexicon("on in last yesterday every each")),
    Rule("you-are-given", _first(_you_are_given), lexicon("given")),
    Rule("contains", _first(_contains), lexicon("there")),
)
