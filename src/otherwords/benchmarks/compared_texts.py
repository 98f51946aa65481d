"""A text → its sentences and words, so that two wordings of the same directions can be compared word by word."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from otherwords.english.lexicon import read_lexicon
from otherwords.english.parse import parse_many
from otherwords.english.words import lemma, share_stem, synonym_groups

if TYPE_CHECKING:
    from spacy.tokens import Token

_CUT = re.compile(r"(?<=[.!?;:])(?<!':)[\"')]*\s+|\n+| [-–—] ")
_NEGATIVE = re.compile(r"^(?:un|im|in|non|dis)(?=\w{4})")
_WEIGHTS = {"NOUN": 1.0, "PROPN": 1.0, "NUM": 0.3, "VERB": 0.7, "ADJ": 0.7, "ADV": 0.7}
_LIGHT = 0.2


class Word(NamedTuple):
    start: int
    lemma: str
    lower: str
    groups: frozenset[int]
    weight: float


@cache
def word_list(name: str) -> frozenset[str]:
    """A list of words of the lexicon."""
    found = read_lexicon("scenarios")[name]
    return frozenset(found.split() if isinstance(found, str) else map(str, found))


@cache
def pattern(name: str) -> re.Pattern[str]:
    return re.compile(read_lexicon("scenarios")[name], re.IGNORECASE)


def is_plain(word: Word) -> bool:
    """Whether it negates by its grammar."""
    return word.lower in word_list("plain")


def may_negate(word: Word) -> bool:
    """Whether it negates, if only by its own meaning."""
    return (
        is_plain(word)
        or bool({word.lemma, word.lower} & word_list("lexical"))
        or (word.lemma[:2] in ("un", "im") and _NEGATIVE.match(word.lemma) is not None)
    )


@lru_cache(maxsize=200_000)
def _related(one: str, other: str) -> bool:
    """Whether two lemmas have one stem; whether they negate is looked at elsewhere."""
    return any(share_stem(a, b) for a in _bare(one) for b in _bare(other))


def _bare(word: str) -> Iterator[str]:
    yield word
    found = _NEGATIVE.match(word)
    if found is not None:
        yield word[found.end() :]


def same(one: Word, other: Word) -> bool:
    """The same word, another form of it, or a synonym."""
    return (
        one.lemma == other.lemma
        or one.lower == other.lower
        or not one.groups.isdisjoint(other.groups)
        or _related(one.lemma, other.lemma)
    )


class Span(NamedTuple):
    """A part of a text: the places of its first word and of the one after its last."""

    first: int
    end: int


class Text:
    """A text cut into sentences, with its words."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = _read_words(text)
        self.sentences = [self.span(*place) for place in _sentences(text)]

    def span(self, start: int, end: int) -> Span:
        """The words from one place of the text to another."""
        return Span(
            bisect_left(self.words, start, key=lambda word: word.start),
            bisect_left(self.words, end, key=lambda word: word.start),
        )

    def of(self, span: Span) -> tuple[Word, ...]:
        return self.words[span.first : span.end]

    def said(self, span: Span) -> str:
        """The text of a span, up to the next one."""
        words = self.of(span)
        after = self.words[span.end].start if span.end < len(self.words) else len(self.text)
        return self.text[words[0].start : after] if words else ""

    @cached_property
    def stretches(self) -> list[Span]:
        """One to four sentences that follow each other."""
        return [
            Span(self.sentences[at].first, self.sentences[at + count - 1].end)
            for count in range(1, 5)
            for at in range(len(self.sentences) - count + 1)
        ]

    def negations(self, span: Span) -> list[int]:
        """Where the words are that negate by their grammar, without those in idioms that do not negate."""
        idle = [found.span() for found in pattern("idle").finditer(self.text)]
        return [
            at
            for at in range(span.first, span.end)
            if is_plain(self.words[at])
            and not any(start <= self.words[at].start < end for start, end in idle)
        ]

    def denied_word(self, at: int, end: int) -> Word | None:
        """The first word of some weight after a negation, in its own clause."""
        for place in range(at + 1, min(end, at + 6)):
            if re.search(r"[,;:.()]", self.text[self.words[place - 1].start : self.words[place].start]):
                return None
            if self.words[place].weight > _LIGHT:
                return self.words[place]
        return None

    def places(self, word: Word) -> list[int]:
        """Where the word is, or one that says the same."""
        key = (word.lemma, word.lower, word.groups)
        if key not in self._found:
            self._found[key] = [at for at, other in enumerate(self.words) if same(word, other)]
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[str, str, frozenset[int]], list[int]]:
        return {}


def _read_words(text: str) -> tuple[Word, ...]:
    (doc,) = parse_many([text])
    return tuple(
        Word(
            token.idx,
            lemma(token).rstrip(".,;:"),
            token.lower_.replace("’", "'").rstrip(".,;:"),
            frozenset(groups) | _own_groups(lemma(token)) | _own_groups(token.lower_),
            _weight(token),
        )
        for token, groups in zip(doc, synonym_groups(list(doc)), strict=True)
        if token.text[0].isalnum() or token.lower_.replace("’", "'") == "n't"
    )


@cache
def _own_groups(word: str) -> frozenset[int]:
    """The groups of synonyms that directions to a customer have of their own."""
    groups = read_lexicon("scenarios")["synonyms"]
    return frozenset(-at for at, group in enumerate(groups, start=1) if word in group.split())


def _weight(token: Token) -> float:
    if {token.lower_, lemma(token)} & word_list("light"):
        return _LIGHT if token.pos_ in _WEIGHTS else 0.0
    return _WEIGHTS.get(token.pos_, 0.0)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for cut in (*_CUT.finditer(text), None):
        end = len(text) if cut is None else cut.start()
        if re.search(r"\w", text[start:end]):
            yield start, end
        start = end if cut is None else cut.end()
