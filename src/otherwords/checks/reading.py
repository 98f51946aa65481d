"""What the checks need to know of a text, found once: each original is compared with many variants."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar

from otherwords.checks.clauses import Clauses
from otherwords.checks.informal import in_plain_english
from otherwords.checks.lexicon import NEGATIONS
from otherwords.checks.light import LIGHT
from otherwords.checks.people import find_names
from otherwords.checks.phrases import counted_phrases, placed_phrases
from otherwords.checks.quantities import (
    NUMBER_WORDS,
    TEXT_UNITS,
    numbers_in_digits,
    numbers_in_words,
    rates,
    text_units,
    units_in,
)
from otherwords.checks.tokens import words_in
from otherwords.core.contract import NATURALISTIC
from otherwords.core.families import traits_of
from otherwords.core.types import Item, Prompt, Variant, varied_text
from otherwords.english.normalize import sorted_paragraphs, unmarked, without_surface_form
from otherwords.english.sentences import change

_NEGATED = 2
_AMPERES = re.compile(r"\d ?A\b")
_CAMEL_CASE = re.compile(r"\b[A-Z][a-z]+[A-Z][A-Za-z]*\b")


T = TypeVar("T")


class kept(Generic[T]):
    """`functools.cached_property` without its lock, which takes longer than most of what is kept here."""

    def __init__(self, find: Callable[[Any], T]) -> None:
        self.find, self.name, self.__doc__ = find, find.__name__, find.__doc__

    def __get__(self, owner: Any, kind: type) -> T:
        found = owner.__dict__[self.name] = self.find(owner)
        return found


class Reading:
    """A text and its parts, in plain dictionaries of counts: thousands are compared in a second."""

    def __init__(self, text: str) -> None:
        self.text = text

    @kept
    def words(self) -> list[str]:
        """In lower case, without punctuation."""
        return words_in(self.text)

    @kept
    def word_set(self) -> frozenset[str]:
        return frozenset(self.words)

    @kept
    def heavy(self) -> list[str]:
        """The words that a check may weigh."""
        return [word for word in self.words if word not in LIGHT]

    @kept
    def folded(self) -> str:
        return self.text.casefold()

    @kept
    def unmarked(self) -> str:
        """Folded, and without its last mark."""
        return unmarked(self.text)

    @kept
    def said(self) -> Mapping[str, int]:
        """The phrases of the lexicon that occur."""
        return counted_phrases(self.words, self.phrases, "est" in self.text.lower())

    @kept
    def phrases(self) -> list[tuple[str, int, int]]:
        """The same in their order."""
        return placed_phrases(self.words)

    @kept
    def negated(self) -> list[list[str]]:
        """The words that follow each negation, of those that a check may weigh."""
        return sorted([self._weighed_from(end) for phrase, _, end in self.phrases if phrase in NEGATIONS])

    def _weighed_from(self, place: int) -> list[str]:
        found: list[str] = []
        for word in self.words[place:]:
            if word not in LIGHT:
                found.append(word)
                if len(found) == _NEGATED:
                    break
        return found

    @kept
    def clauses(self) -> Clauses:
        return Clauses(self.text)

    @kept
    def length(self) -> int:
        return len(self.text.split())

    @kept
    def may_have_code(self) -> bool:
        text = self.text
        return "(" in text or "/" in text or "`" in text or "_" in text or "\n" in text

    @kept
    def names(self) -> tuple[frozenset[str], frozenset[str]]:
        return find_names(self.text)

    @kept
    def camel_case(self) -> frozenset[str]:
        return frozenset(name.lower() for name in _CAMEL_CASE.findall(self.text))

    @kept
    def digits(self) -> Mapping[str, int]:
        return numbers_in_digits(self.text)

    @kept
    def spelled(self) -> Mapping[str, int]:
        if NUMBER_WORDS.isdisjoint(self.word_set):
            return {}
        return numbers_in_words(
            self.words, [at for at, word in enumerate(self.words) if word in NUMBER_WORDS]
        )

    @kept
    def units(self) -> tuple[Mapping[str, int], Mapping[str, int]]:
        measured, named = units_in(self.words)
        amperes = len(_AMPERES.findall(self.text))  # in lower case it is an article
        return ({**measured, "ampere": measured.get("ampere", 0) + amperes} if amperes else measured), named

    @kept
    def text_units(self) -> Mapping[str, set[str]]:
        return {} if TEXT_UNITS.isdisjoint(self.word_set) else text_units(self.words)

    @kept
    def rates(self) -> Mapping[str, set[str]]:
        return rates(self.words) if "per" in self.word_set else {}


@lru_cache(maxsize=256)
def read(text: str) -> Reading:
    return Reading(text)


Pair: TypeAlias = "tuple[Reading, Reading]"
Wording: TypeAlias = "tuple[Prompt, tuple[str, ...]]"


class Compared:
    """A variant beside its original: a dozen checks look at it in turn."""

    __slots__ = ("_after", "after_text", "before", "item", "now", "unchanged", "variant", "was", "wording")

    def __init__(self, item: Item, variant: Variant, before: str, after: str) -> None:
        self.item, self.variant, self.after_text = item, variant, after
        self.before = read(before)
        self.unchanged = before == after
        self._after: Reading | None = None
        self.wording: Wording | None = None
        """What no other candidate may share, once it was asked for."""
        if self.unchanged:
            self._after = self.was = self.now = self.before
        else:
            start, end, new_end = change(before, after)
            self.was = read(before[start:end])
            """The original without the sentences that are the same at both ends."""
            self.now = read(after[start:new_end])
            """The variant without them."""

    @property
    def after(self) -> Reading:
        """All of the variant; often the sentences that differ are all that a check needs."""
        if self._after is None:
            self._after = read(self.after_text)
        return self._after

    @property
    def same_words(self) -> bool:
        return self.was.words == self.now.words

    @property
    def one_line(self) -> bool:
        """Neither has a line break."""
        return "\n" not in self.before.text and "\n" not in self.after_text


class _Latest:
    """The pair that was read last. Replaced as one, for threads."""

    def __init__(self) -> None:
        self.read: Compared | None = None


_LATEST = _Latest()


def readings(item: Item, variant: Variant) -> Pair:
    """The original's and the variant's."""
    compared = compare(item, variant)
    return compared.before, compared.after


def compare(item: Item, variant: Variant) -> Compared:
    """What a hurried typist writes is first put into plain English."""
    latest = _LATEST.read
    if latest is not None and latest.variant is variant and latest.item is item:
        return latest
    before, after = compared_texts(item, variant)
    if traits_of(variant.kind).is_informal or variant.change == NATURALISTIC:
        after = in_plain_english(after, before)
    latest = Compared(item, variant, before, after)
    _LATEST.read = latest
    return latest


def more_in(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """What `one` has more of than `other`."""
    return {key: times - other.get(key, 0) for key, times in one.items() if times > other.get(key, 0)}


def compared_texts(item: Item, variant: Variant) -> tuple[str, str]:
    """What the original and the variant say, without the surface form in which they may differ by design."""
    traits = traits_of(variant.kind)
    if traits.moves_text:
        return sorted_paragraphs(_texts(item.prompt)), sorted_paragraphs(_texts(variant.prompt))
    before, after = varied_text(item.prompt), varied_text(variant.prompt)
    return without_surface_form(before, after, variant.change) if traits.keeps_words else (before, after)


def _texts(prompt: Prompt) -> list[str]:
    return [prompt] if isinstance(prompt, str) else [message.content for message in prompt]
