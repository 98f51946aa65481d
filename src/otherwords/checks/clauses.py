"""The clauses of a text, and which clauses of another text speak of the same things."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from otherwords.checks.lexicon import marks_of
from otherwords.checks.light import FAINT
from otherwords.checks.phrases import Placed, placed_phrases
from otherwords.checks.stems import stem
from otherwords.checks.tokens import words_in
from otherwords.checks.verbs import VERBS

_SENTENCES = re.compile(r"[.!?](?=[\s\"'”’)*]|$)|;(?=\s|$)|\n+")
_PARTS = re.compile(r"[,:](?=\s)(?!\s[\"“])|[()—]|\s[-–]\s")
_HOURS = re.compile(r"\b([AaPp])\.[Mm](?:\.(?!\s+[A-Z])|(?=\.))")
_QUOTED = re.compile(r"[\"“][^\"“”\n]{1,80}[\"”]")
_MARKS = str.maketrans(".,;:!?()—", " " * 9)
_OPENERS = frozenset(
    """and but so because although though while whereas if unless when since which who whom yet
    provided without""".split()
)
_FINITE = VERBS | frozenset(
    """is are was were am be been has have had do does did will would shall should can could may might must
    cannot it's i'm you're we're they're there's that's isn't aren't wasn't weren't don't doesn't didn't
    hasn't haven't hadn't can't couldn't won't wouldn't shouldn't mustn't""".split()
)
_ALONE = _OPENERS - {"and"} | {"with"}
_BEFORE_WHOM = frozenset("of for to in with by from on at".split())
_JOINED_TO = {
    "but": frozenset("all nothing anything none everything everyone every anyone".split()),
    **dict.fromkeys(("who", "whom", "which"), _BEFORE_WHOM),
}
"""Words after which another opens nothing: "all but one", "one of whom"."""
_AFTER_THAT = tuple(
    [word]
    for word in "is are was were has have had does did do can could will would may must should cannot".split()
)
"""Where one of these follows, "that" opens a clause of its own: "a plan that does not …"."""
_FRAGMENT = 2
_FILLER = 3
_AFTER, _BEFORE = 3, 2
"""Words that tell what a phrase is about: so many after it and before it."""


class Clause:
    """The words between two marks or conjunctions."""

    __slots__ = ("phrases", "sentence", "stems", "words")

    def __init__(self, words: list[str], sentence: int) -> None:
        self.words, self.sentence = words, sentence
        self.phrases = [Placed(*one) for one in placed_phrases(words)]
        self.stems = [_stem(word) for word in words]
        for phrase, place, end in self.phrases:
            if end > place + 1 and marks_of(phrase).firm:  # "leave out" says nothing of leaving
                self.stems[place:end] = [""] * (end - place)

    def about(self, phrase: Placed) -> list[str]:
        """The stems nearest to a phrase."""
        after = [one for one in self.stems[phrase.end :] if one][:_AFTER]
        return after + [one for one in self.stems[: phrase.place] if one][-_BEFORE:]

    def says(self, phrase: str) -> int:
        """How often."""
        return sum(one.phrase == phrase for one in self.phrases)

    @property
    def is_fragment(self) -> bool:
        """Some bare words: "commas", in "commas and dashes are forbidden"."""
        few = sum(map(bool, self.stems)) <= _FRAGMENT
        return few and self.words[0] not in _ALONE and _FINITE.isdisjoint(self.words)

    @property
    def is_empty(self) -> bool:
        """It says nothing of its own: "without one"."""
        return not any(self.stems) and _FINITE.isdisjoint(self.words)

    @property
    def goes_on(self) -> bool:
        """It is joined to the clause before it, or parted from it by a comma only."""
        return self.words[0] not in _OPENERS or self.words[0] == "and"


class Partners(NamedTuple):
    """Numbers of clauses."""

    shared: set[int]
    once: set[int]
    """Those found by words that each text says in one clause only."""


class Clauses:
    """All clauses of a text, and in which of them each word stands."""

    def __init__(self, text: str) -> None:
        self.each = list(_clauses(text))
        self.places: dict[str, list[int]] = {}
        for number, clause in enumerate(self.each):
            for one in dict.fromkeys(clause.stems):
                if one:
                    self.places.setdefault(one, []).append(number)

    def says(self, phrase: str) -> int:
        """How often."""
        return sum(clause.says(phrase) for clause in self.each)

    def holding(self, stems: Iterable[str], other: Clauses) -> Partners:
        """The clauses of this text that speak of `stems`, which are the other's."""
        shared = [one for one in stems if one in self.places]
        once = [one for one in shared if len(self.places[one]) == len(other.places[one]) == 1]
        return Partners(
            {at for one in shared for at in self.places[one]}, {self.places[one][0] for one in once}
        )

    def with_next(self, number: int) -> list[str]:
        """The words of a clause, and of what is joined to it by "and"."""
        words = self.each[number].words
        following = self.each[number + 1 : number + 2]
        return [*words, *following[0].words] if following and following[0].words[0] == "and" else words

    def stems_before(self, clause: Clause) -> list[str]:
        """Those of the clause before it in its sentence."""
        at = self.each.index(clause) - 1
        near = self.each[at] if at >= 0 else clause
        return [one for one in near.stems if one] if near.sentence == clause.sentence else []

    def beside(self, number: int) -> list[Clause]:
        """What belongs to a clause: empty words, and all that is joined to a fragment."""
        here = self.each[number]
        found = []
        for at in (number - 1, number + 1):
            if 0 <= at < len(self.each) and self.each[at].sentence == here.sentence:
                near = self.each[at]
                later = near if at > number else here
                if near.is_empty or (here.is_fragment and later.goes_on):
                    found.append(near)
        return found


def _stem(word: str) -> str:
    return "" if word in FAINT or marks_of(word).firm else stem(word)


def _clauses(text: str) -> Iterator[Clause]:
    if ".m." in text.lower():
        text = _HOURS.sub(r"\1m", text)
    text = _QUOTED.sub(lambda quoted: quoted.group().translate(_MARKS), text)
    for number, sentence in enumerate(_SENTENCES.split(text)):
        words: list[str] = []
        for part in _PARTS.split(sentence):
            own = words_in(part)
            if words and own and not _is_filler(own):
                yield Clause(words, number)
                words = []
            for place, word in enumerate(own):
                opens = word in _OPENERS or (word == "that" and own[place + 1 : place + 2] in _AFTER_THAT)
                if opens and words and words[-1] not in _JOINED_TO.get(word, ()):
                    yield Clause(words, number)
                    words = []
                words.append(word)
        if words:
            yield Clause(words, number)


def _is_filler(words: list[str]) -> bool:
    """ "for instance", "please": what stands between commas and says nothing of its own."""
    if len(words) > _FILLER or any(map(_stem, words)):
        return False
    return not any(marks_of(phrase).firm for phrase, _, _ in placed_phrases(words))
