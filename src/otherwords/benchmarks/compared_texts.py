"""`Text`: a wording's sentences, words and facts (ids, numbers, names); which words are alike or negate."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from otherwords.english.lexicon import read_lexicon
from otherwords.english.parse import parse_many
from otherwords.english.words import lemma, share_stem, synonym_groups

if TYPE_CHECKING:
    from spacy.tokens import Token

_HEADS = re.compile(
    r"^\s*(?:Instructions|Persona|Domain|Reason for call|Known info|Unknown info|Task instructions):"
    r"(?:[ \t]*(?:airline|retail|telecom|banking)\s*$)?",
    re.MULTILINE,
)
_EMPTY_LINE = re.compile(r"\n[ \t]*\.?[ \t]*(?=\n|$)")
_CUT = re.compile(r"(?<=[.!?;:])(?<!':)[\"')]*\s+|\n+| [-–—] ")
_NEGATIVE = re.compile(r"^(?:un|im|in|non|dis)(?=\w{4})")
_WEIGHTS = {"NOUN": 1.0, "PROPN": 1.0, "NUM": 0.3, "VERB": 0.7, "ADJ": 0.7, "ADV": 0.7}
_LIGHT = 0.2
_ID = re.compile(r"\b(?=[\w.@-]*\d)(?=[\w.@-]*[A-Za-z_])[\w.@-]{4,}\w|\b[\w.]+@[\w.]+\w")
_CODE = re.compile(r"\b[A-Z]{6}\b")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"\b(?:[A-Z][a-z]{2,}|[A-Z]{2,})\b")
_COUNTED = re.compile(r"\d+-[a-z]+")


def scenario_text(scenario: str) -> str:
    """The scenario without the heads of its parts."""
    bare = re.sub(r"[ \t]+", " ", _HEADS.sub("", scenario))
    return _EMPTY_LINE.sub("\n", bare).strip()


class Word(NamedTuple):
    start: int
    lemma: str
    lower: str
    sense: int
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
    return one.lemma == other.lemma or one.lower == other.lower or _one_sense(one.sense, other.sense)


@lru_cache(maxsize=1_000_000)
def _one_sense(one: int, other: int) -> bool:
    (lemma_of_one, groups), (lemma_of_other, others) = _SENSES[one], _SENSES[other]
    return not groups.isdisjoint(others) or _related(lemma_of_one, lemma_of_other)


_SENSES: list[tuple[str, frozenset[int]]] = []
_SENSE_NUMBERS: dict[tuple[str, frozenset[int]], int] = {}


def _sense(lemma: str, groups: frozenset[int]) -> int:
    """A number for a lemma with its groups of synonyms, by which two are compared but once."""
    if (lemma, groups) not in _SENSE_NUMBERS:
        _SENSE_NUMBERS[lemma, groups] = len(_SENSES)
        _SENSES.append((lemma, groups))
    return _SENSE_NUMBERS[lemma, groups]


def alike(one: Sequence[tuple[float, Word]], other: Sequence[tuple[float, Word]]) -> float:
    """The share of the words around one place that are around another, as near."""
    total = sum(weight for weight, _ in one)
    if not total:
        return 0.0
    return (
        sum(min(weight, max((w for w, o in other if same(word, o)), default=0.0)) for weight, word in one)
        / total
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

    @property
    def whole(self) -> Span:
        return Span(0, len(self.words))

    def of(self, span: Span) -> tuple[Word, ...]:
        return self.words[span.first : span.end]

    def said(self, span: Span) -> str:
        """The text of a span, up to the next one."""
        words = self.of(span)
        after = self.words[span.end].start if span.end < len(self.words) else len(self.text)
        return self.text[words[0].start : after] if words else ""

    def short(self, span: Span) -> str:
        """The text of a span in quotation marks, cut where it is long."""
        said = " ".join(self.said(span).split())
        return f"'{said[:77]}…'" if len(said) > 78 else f"'{said}'"

    def wider(self, span: Span) -> Span:
        """With the sentence before and the one after."""
        before = max((one.first for one in self.sentences if one.end <= span.first), default=span.first)
        after = min((one.end for one in self.sentences if one.first >= span.end), default=span.end)
        return Span(before, after)

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
        key = (word.lower, word.sense)
        if key not in self._found:
            self._found[key] = [at for at, other in enumerate(self.words) if same(word, other)]
        return self._found[key]

    @cached_property
    def _found(self) -> dict[tuple[str, int], list[int]]:
        return {}


def _read_words(text: str) -> tuple[Word, ...]:
    (doc,) = parse_many([text])
    return tuple(
        Word(
            token.idx,
            lemma(token).rstrip(".,;:"),
            token.lower_.replace("’", "'").rstrip(".,;:"),
            _sense(
                lemma(token).rstrip(".,;:"),
                frozenset(groups) | _own_groups(lemma(token)) | _own_groups(token.lower_),
            ),
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
    if len(token.text) < 2:
        return 0.0
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


# ---- facts


def ids(text: Text) -> frozenset[str]:
    return frozenset(one for one in _ID.findall(text.text) if not _COUNTED.fullmatch(one))


def any_ids(text: Text) -> frozenset[str]:
    """Also those without a digit, and such as "13-inch"."""
    return frozenset((*_ID.findall(text.text), *_CODE.findall(text.text)))


def digits(text: Text) -> frozenset[str]:
    """Numbers in digits, and words from five on: fewer things may be counted that are listed."""
    rest = _ID.sub(lambda found: found[0] if _COUNTED.fullmatch(found[0]) else " ", text.text)
    written = {one.replace(",", "") for one in _NUMBER.findall(rest)}
    return frozenset(written | {one for one in numbers(text, words_only=True) if int(one) >= 5})


def numbers(text: Text, *, all_of_them: bool = False, words_only: bool = False) -> frozenset[str]:
    """Those in digits, and those in words; without `all_of_them`, not "the two" that were named before."""
    more = {"both": "2", "pair": "2", "couple": "2", "twice": "2"} if all_of_them else {}
    found = set()
    for at, word in enumerate(text.words):
        value = small_number(word.lower) or more.get(word.lower)
        pointing = at and text.words[at - 1].lower in ("the", "these", "those")
        if value is not None and (all_of_them or not pointing):
            found.add(value)
    return frozenset(found) | (frozenset() if words_only else digits(text))


def small_number(word: str) -> str | None:
    """The number from two on that a word says, in digits."""
    return _small_numbers().get(word)


@cache
def _small_numbers() -> dict[str, str]:
    return {word: str(value) for value, word in enumerate(read_lexicon("numbers")["ones"]) if value > 1}


def names(text: Text) -> frozenset[str]:
    """Words with a capital that do not begin a sentence or a quotation."""
    starts = {text.words[one.first].start for one in text.sentences if one.first < len(text.words)}
    return frozenset(
        found[0].lower()
        for found in _NAME.finditer(text.text)
        if found.start() not in starts
        and found[0].lower() not in ("you", "your")
        and text.text[max(0, found.start() - 1)] not in "\"'“‘(/"
    )


_TO = re.compile(r"(?<=\w) (?:to|into|→|over|rather than|instead of) (?=\w)")
_FACT = re.compile(r"\b(?:[A-Z][a-z]+|[A-Z]{3}|\w*\d\w*)\b")
_BESIDE = 3


def directed(text: Text) -> frozenset[tuple[str, str]]:
    """The names and numbers among the three words before and the three after such as "to"."""
    found = set()
    for sign in _TO.finditer(text.text):
        before = " ".join(text.text[: sign.start()].split()[-_BESIDE:])
        after = " ".join(text.text[sign.end() :].split()[:_BESIDE])
        found |= {
            (one.lower(), other.lower())
            for one in _FACT.findall(before)
            for other in _FACT.findall(after)
            if one.lower() != other.lower()
        }
    return frozenset(found)


def all_words(text: Text) -> frozenset[str]:
    return frozenset(one.removesuffix("s") for one in re.findall(r"[a-z]+", text.text.lower()))
