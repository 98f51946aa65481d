"""The paraphrase rules, in the order in which they are tried.

A rule is a name and a small function from a read passage to its new text, or None where it would not be good
English or would not mean the same. Protected spans are masked, so a rule cannot reach them.

Not here on purpose: "The" → "This" (it points at a thing never mentioned), a passive of "What causes X?" by
moving halves, and synonyms outside a fixed frame.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from otherwords.variants.frames import FRAME_RULES
from otherwords.variants.nouns import AUXILIARIES, PRONOUNS, WH, is_noun_phrase, looks_verbal
from otherwords.variants.rule import Rule
from otherwords.variants.sentences import Passage, Sentence
from otherwords.variants.verbs import lexicon

_FOLLOWING = re.compile(r"\b([Ww])hich of the following\b(?!:)")
_LIKELY = re.compile(
    r"\b([Tt]he|a|its|their|his|her|your) (most|least) likely(?= (?!to\b|not\b|that\b|be\b|have\b)[a-z])"
    r"|\b(is|are|was|were|seems) (most|least) likely(?=[?.])"
)
_CAUSAL = re.compile(r"(.+?) (causes|results in|leads to) (.+)([.?])")
_CAUSAL_PASSIVE = {
    "causes": "is caused by",
    "results in": "is the result of",
    "leads to": "is brought about by",
}
_LOWERED_OPENERS = lexicon(
    "The A An This That These Those It He She They We You My Your His Her Its Their Our Some Many Most All"
)
_BECAUSE = re.compile(r"([^,;:()—]+?) because (?!of\b)([^,;:()—]+)\.")
_SCOPE = re.compile(
    r"\b(?:not|never|only|just|simply|mainly|partly|no|think|thinks|say|says|said|believe|know)\b|n't"
)
_EVERY = re.compile(
    r"Every (?=[a-z]+ [a-z])(?!other\b|few\b|so\b|now\b|single\b|one\b|once\b|\w+ (?:days|years|hours)\b)"
)
_EACH = re.compile(r"Each (?=[a-z]+ [a-z])(?!of\b|other\b|one\b)")
_COUNT_WORDS = lexicon("one two three four five six seven eight nine ten twelve half couple")
_REFERRING = re.compile(r"\b(?:it|its|this|that|these|those|they|them|their|he|she|his|her)\b", re.IGNORECASE)


def _everywhere(
    pattern: re.Pattern[str], new: Callable[[re.Match[str]], str]
) -> Callable[[Passage], str | None]:
    def change(passage: Passage) -> str | None:
        text, count = pattern.subn(new, passage.text)
        return text if count else None

    return change


def _likely(match: re.Match[str]) -> str:
    return f"{match[1] or match[3]} {match[2] or match[4]} probable"


def _first(change: Callable[[Sentence], str | None]) -> Callable[[Passage], str | None]:
    """The first sentence that `change` can rewrite."""

    def rewrite(passage: Passage) -> str | None:
        for sentence in passage.sentences:
            if not sentence.listed:
                new = change(sentence)
                if new is not None:
                    return passage.with_sentence(sentence, new)
        return None

    return rewrite


def _unreferred(change: Callable[[Sentence], str | None]) -> Callable[[Passage], str | None]:
    """Moving phrases changes what a later "it" means, so there must be none."""
    rewrite = _first(change)

    def careful(passage: Passage) -> str | None:
        for sentence in passage.sentences:
            if change(sentence) is not None and _REFERRING.search(passage.text, sentence.end):
                return None
        return rewrite(passage)

    return careful


def _passive(sentence: Sentence) -> str | None:
    """Only "a …" is moved: its number is known, so the verb agrees."""
    match = _CAUSAL.fullmatch(sentence.text)
    if match is None:
        return None
    cause, verb, effect, end = match.groups()
    if not re.match(r"an? ", effect) or not is_noun_phrase(effect) or re.search(r"[,;:()]", cause):
        return None
    cause_words = cause.split()
    if end == "?":
        if (
            cause_words[0] != "Which"
            or len(cause_words) > 4
            or set(cause_words) & AUXILIARIES
            or len(cause_words) < 2
        ):
            return None
        cause = "which" + cause[len("Which") :]
    else:
        if cause_words[0] not in ("The", "A", "An") or not is_noun_phrase(cause):
            return None
        cause = _lowered(cause)
    return f"{effect[0].upper()}{effect[1:]} {_CAUSAL_PASSIVE[verb]} {cause}{end}"


def _because(sentence: Sentence) -> str | None:
    match = _BECAUSE.fullmatch(sentence.text)
    if match is None:
        return None
    effect, cause = match.groups()
    effect_words = effect.split()
    if effect_words[0] not in _LOWERED_OPENERS or len(effect_words) < 3 or " because " in cause:
        return None
    joined = {word.lower() for word in effect_words} & ({"and", "or", "but", "that", "if", "when"} | WH)
    if joined or _SCOPE.search(effect) or re.search(r"\b(?:and|but|so) (?:it|he|she|they|we|the|a)\b", cause):
        return None
    return f"Because {cause}, {_lowered(effect)}."


def _determiner(sentence: Sentence) -> str | None:
    parts = sentence.text.split()
    if len(parts) < 3 or parts[1] in _COUNT_WORDS:
        return None
    if _EVERY.match(sentence.text):
        return "Each" + sentence.text[len("Every") :]
    if _EACH.match(sentence.text):
        second = parts[1]
        is_verb = second in AUXILIARIES | PRONOUNS or looks_verbal(second) or second.endswith("s")
        return None if is_verb else "Every" + sentence.text[len("Each") :]
    return None


def _lowered(text: str) -> str:
    return text if text.startswith("I ") else text[0].lower() + text[1:]


SEED_RULES: tuple[Rule, ...] = (
    Rule("which-of-these", _everywhere(_FOLLOWING, lambda match: f"{match[1]}hich of these")),
    Rule("probable", _everywhere(_LIKELY, _likely)),
    Rule("passive", _unreferred(_passive)),
    Rule("because-first", _unreferred(_because)),
    Rule("each-every", _first(_determiner)),
)
RULES: tuple[Rule, ...] = (*SEED_RULES, *FRAME_RULES)
