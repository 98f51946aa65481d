"""What the checks need to know of a text, found once: each original is compared with many variants."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeAlias, TypeVar

from otherwords.checks.informal import in_plain_english
from otherwords.checks.lexicon import HEADS, is_superlative
from otherwords.checks.light import LIGHT
from otherwords.checks.people import find_names
from otherwords.checks.quantities import NUMBER_WORDS, numbers_in_digits, numbers_in_words, units_in
from otherwords.core.dress import compared_texts
from otherwords.core.spans import differing
from otherwords.core.types import Item, Variant

_SEPARATORS = str.maketrans(
    {
        **dict.fromkeys('.,;:!?()[]{}"“”…—–-/|*`<>=+_~\\#‘−', " "),
        "’": "'",
    }  # hyphens part words: "5-km", "twenty-one"
)
_AMPERES = re.compile(r"\d ?A\b")
_CAMEL_CASE = re.compile(r"\b[A-Z][a-z]+[A-Z][A-Za-z]*\b")
_SIGNS = "$€£¥₹%"
_DENIED_BOUNDS = (
    ("more than", "no more than"),
    ("less than", "no less than"),
    ("fewer than", "no fewer than"),
    ("longer than", "no longer than"),
)
_DENYING = frozenset("not never don't doesn't didn't won't cannot can't shouldn't mustn't".split())
_NEARLY = frozenset(("about", "around"))


T = TypeVar("T")


class kept(Generic[T]):
    """`functools.cached_property` without its lock, which takes longer than most of what is kept here."""

    def __init__(self, find: Callable[[Any], T]) -> None:
        self.find, self.__doc__ = find, find.__doc__

    def __get__(self, owner: Any, kind: type) -> T:
        found = owner.__dict__[self.find.__name__] = self.find(owner)
        return found


class Reading:
    """A text and its parts, in plain dictionaries of counts: thousands are compared in a second."""

    def __init__(self, text: str) -> None:
        self.text = text

    @kept
    def words(self) -> list[str]:
        """In lower case, without punctuation."""
        lower = self.text.lower()
        if ".m" in lower:
            lower = lower.replace("a.m.", "am ").replace("p.m.", "pm ")
        for sign in _SIGNS:
            if sign in lower:
                lower = lower.replace(sign, f" {sign} ")
        return lower.translate(_SEPARATORS).split()

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
    def said(self) -> Mapping[str, int]:
        """The phrases of the lexicon that occur."""
        return _said(self.words, "est" in self.text.lower())

    @kept
    def length(self) -> int:
        return len(self.text.split())

    @kept
    def may_have_code(self) -> bool:
        return any(mark in self.text for mark in "\n`(_/")

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


def _said(words: list[str], may_have_superlatives: bool) -> dict[str, int]:
    found: dict[str, int] = {}
    free_from = 0
    following = [*words[1:], ""]
    for place, word in enumerate(words):
        if word not in HEADS or place < free_from:
            continue
        alone, longer = HEADS[word]
        phrase, length = (word, 1) if alone else ("", 0)
        if following[place] in longer:
            for rest, whole in longer[following[place]]:
                if words[place + 1 : place + 1 + len(rest)] == rest:
                    phrase, length = whole, 1 + len(rest)
                    break
        if length:
            if word in _NEARLY and _is_number(words, place + 1):
                phrase = "approximately"
            found[phrase] = found.get(phrase, 0) + 1
            free_from = place + length
    if may_have_superlatives:
        for word in words:
            if "est" in word and word not in HEADS and is_superlative(word):
                found[word] = found.get(word, 0) + 1
    for bound, denied in _DENIED_BOUNDS:
        if bound in found:
            _join_denials(words, found, bound, denied)
    return found


def _join_denials(words: list[str], found: dict[str, int], bound: str, denied: str) -> None:
    """ "not cost more than 30" has the bound of "no more than 30"."""
    first, second = bound.split()
    for place in range(2, len(words) - 1):
        if words[place] == first and words[place + 1] == second:
            negation = next((word for word in words[max(0, place - 3) : place] if word in _DENYING), "")
            if found.get(negation) and found.get(bound):
                for phrase, change in ((negation, -1), (bound, -1), (denied, 1)):
                    found[phrase] = found.get(phrase, 0) + change
                    if not found[phrase]:
                        del found[phrase]


def _is_number(words: Sequence[str], place: int) -> bool:
    return place < len(words) and (words[place][0].isdigit() or words[place] in NUMBER_WORDS)


@lru_cache(maxsize=8192)
def read(text: str) -> Reading:
    return Reading(text)


Pair: TypeAlias = "tuple[Reading, Reading]"


class Compared:
    """A variant beside its original: a dozen checks look at it in turn."""

    __slots__ = ("_after", "after_text", "before", "item", "now", "variant", "was")

    def __init__(self, item: Item, variant: Variant, before: str, after: str) -> None:
        self.item, self.variant, self.after_text = item, variant, after
        self.before = read(before)
        self._after: Reading | None = None
        if before == after:
            self._after = self.was = self.now = self.before
        else:
            was, now = differing(before, after)
            self.was = read("".join(was))
            """The original without the sentences that are the same at both ends."""
            self.now = read("".join(now))
            """The variant without them."""

    @property
    def after(self) -> Reading:
        """All of the variant; often the sentences that differ are all that a check needs."""
        if self._after is None:
            self._after = read(self.after_text)
        return self._after

    @property
    def unchanged(self) -> bool:
        return self._after is self.before

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
    if variant.kind == "naturalistic" or variant.change == "naturalistic":
        after = in_plain_english(after, before)
    latest = Compared(item, variant, before, after)
    _LATEST.read = latest
    return latest


def more_in(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """What `one` has more of than `other`."""
    return {key: times - other.get(key, 0) for key, times in one.items() if times > other.get(key, 0)}
