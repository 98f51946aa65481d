"""`TextPatterns`: texts that must not be published, found in other texts by hashes of words and letters.

A text of eight words or more is found by any eight of them in a row, or by many of its letters near each
other, so that two changed words do not hide it; a shorter text by all of its words. One or two short words
are found only where they stand by themselves, as in a cell or a string: "Paris" within a sentence gives
nothing away. Time and memory are in proportion to the text that is looked through, whatever is in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from otherwords.english.lexicon import read_lexicon
from otherwords.publish.text_readings import (
    disguises,
    letters_of,
    plain,
    readings,
    standalone_values,
    unescaped,
    words_of,
)

LONGEST_RUN = 8
SHORTEST_RUN = 3
LONG_ENOUGH = 16
"""Letters from which one or two words are looked for within sentences too."""
SHORTEST_WORD = 4
SHORTEST_SECRET = 4

_DIGITS = frozenset("oi23456789")
_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_CHUNK, _OVERLAP = 1_000_000, 2_000
Array = npt.NDArray[np.uint64]


class TextPattern(NamedTuple):
    """What was found: never the text itself."""

    kind: str
    """`stem`, `option`, `answer`, `variant`, `metadata`, `id` or `secret`."""
    place: int
    """The item's place in its dataset, or the secret's line, from 1."""


@dataclass
class _Runs:
    """Every run of one number of words: hashes, and which pattern each is of."""

    hashes: list[Array] = field(default_factory=list)
    owners: list[npt.NDArray[np.uint32]] = field(default_factory=list)
    filter: npt.NDArray[np.bool_] | None = None

    def add(self, hashes: Array, owner: int) -> None:
        self.hashes.append(hashes)
        self.owners.append(np.full(len(hashes), owner, np.uint32))
        self.filter = None

    def find(self, hashes: Array) -> set[int]:
        if self.filter is None:
            unique, first = np.unique(np.concatenate(self.hashes), return_index=True)
            self.owners = [np.concatenate(self.owners)[first]]
            self.hashes, self.filter = [unique], _filter_of(unique)
        at = _places(self.hashes[0], self.filter, hashes)[1]
        return set(self.owners[0][at].tolist())


def _filter_of(hashes: Array) -> npt.NDArray[np.bool_]:
    """A table that rules out most other hashes at once."""
    table = np.zeros(1 << max(16, int(16 * len(hashes)).bit_length()), np.bool_)
    table[hashes & np.uint64(len(table) - 1)] = True
    return table


def _places(
    known: Array, table: npt.NDArray[np.bool_], hashes: Array
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Which of `hashes` are known, and where each is among the known ones, which are sorted."""
    likely = np.flatnonzero(table[hashes & np.uint64(len(table) - 1)])
    wanted = hashes[likely]
    at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    is_known = known[at] == wanted
    return likely[is_known], at[is_known]


class _Letters:
    """Long texts by their pieces of eight letters, which need not all be there nor in a row."""

    PIECE = 8
    MOST_OWNERS = 8
    """Texts that one piece counts for: what more texts share is counted for the first."""
    FEWEST, SHARE, MOST = 20, 0.4, 28
    """Pieces that must be found: a share of all, but no fewer and no more."""
    LARGEST_INDEX = 20_000_000
    """Pieces that are kept; of a larger set every second, fourth, … is."""

    def __init__(self, common: Array) -> None:
        self._common = common
        self._texts: list[tuple[str, int]] = []
        self._size = 0
        self._known: Array | None = None

    def add(self, letters: str, owner: int) -> None:
        self._texts.append((letters, owner))
        self._size += len(letters)
        self._known = None

    @classmethod
    def pieces(cls, letters: str) -> Array:
        """The hash of each piece of `letters`: eight bytes, one for each letter."""
        codes = np.frombuffer(letters.encode("utf-32-le", "surrogatepass"), np.uint32)
        single = ((codes ^ (codes >> np.uint32(8)) * np.uint32(31)) & np.uint32(0xFF)).astype(np.uint64)
        if len(single) < cls.PIECE:
            return np.zeros(0, np.uint64)
        pairs = single[:-1] | single[1:] << np.uint64(8)
        fours = pairs[:-2] | pairs[2:] << np.uint64(16)
        eights = fours[:-4] | fours[4:] << np.uint64(32)
        with np.errstate(over="ignore"):
            mixed: Array = eights * _FACTOR
        mixed ^= mixed >> np.uint64(31)
        return mixed

    def _build(self) -> None:
        step = np.uint64(1)
        while self._size // int(step) > self.LARGEST_INDEX:
            step *= np.uint64(2)
        hashes, owners, needed, spans = [], [], {}, {}
        for letters, owner in self._texts:
            pieces = np.unique(self.pieces(letters))
            at = np.minimum(np.searchsorted(self._common, pieces), len(self._common) - 1)
            pieces = pieces[self._common[at] != pieces]
            wanted = min(max(self.FEWEST, int(self.SHARE * len(pieces))), self.MOST)
            if len(pieces) < wanted:
                continue  # all of it is said everywhere; its words are looked for nevertheless
            needed[owner] = max(2, wanted // int(step))
            spans[owner] = min(len(letters) + 20, 120)
            kept = pieces[(pieces >> np.uint64(40)) % step == 0]
            hashes.append(kept)
            owners.append(np.full(len(kept), owner, np.int64))
        if not hashes:
            self._known = np.zeros(0, np.uint64)
            return
        every, owner_of = np.concatenate(hashes), np.concatenate(owners)
        order = np.argsort(every, kind="stable")
        every, owner_of = every[order], owner_of[order]
        self._known, self._first, self._count = np.unique(every, return_index=True, return_counts=True)
        self._count = np.minimum(self._count, self.MOST_OWNERS)
        self._owners = owner_of
        self._filter = _filter_of(self._known)
        last = int(owner_of.max()) + 1
        self._needed, self._span = np.zeros(last, np.int64), np.zeros(last, np.int64)
        for owner, wanted in needed.items():
            self._needed[owner], self._span[owner] = wanted, spans[owner]

    def find(self, letters: str) -> set[int]:
        """The owners of which enough pieces are near each other."""
        if self._known is None:
            self._build()
        assert self._known is not None
        if not len(self._known) or len(letters) < self.PIECE:
            return set()
        at, known = _places(self._known, self._filter, self.pieces(letters))
        if not len(at):
            return set()
        counts = self._count[known]
        entries = np.repeat(self._first[known] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        places = np.repeat(at, counts)
        # The same piece again, soon after, counts once: `na na na na` is no more telling than `na na`.
        order = np.argsort(entries * (2 * _CHUNK) + places, kind="stable")
        entries, places = entries[order], places[order]
        owners = self._owners[entries]
        again = np.zeros(len(entries), np.bool_)
        again[1:] = (entries[1:] == entries[:-1]) & (places[1:] - places[:-1] <= self._span[owners[1:]])
        owners, places = owners[~again], places[~again]
        order = np.argsort(owners * (2 * _CHUNK) + places, kind="stable")
        owners, places = owners[order], places[order]
        ends = np.arange(len(owners)) + self._needed[owners] - 1
        inside = ends < len(owners)
        starts, ends = np.flatnonzero(inside), ends[inside]
        near = (owners[ends] == owners[starts]) & (
            places[ends] - places[starts] <= self._span[owners[starts]]
        )
        return set(owners[starts[near]].tolist())


class _Known(NamedTuple):
    """What every report says: values that stand alone, sentences, and the pieces of their letters."""

    words: frozenset[str]
    sentences: str
    pieces: Array


@lru_cache(maxsize=4)
def _known(common: tuple[str, ...], own_texts: tuple[str, ...]) -> _Known:
    lexicon = read_lexicon("common_words")
    sentences = [*own_texts, *lexicon["phrases"].splitlines()]
    alone = standalone_values("\n".join([*lexicon["words"].split(), *common, *own_texts]))
    pieces = [_Letters.pieces(letters_of(one)) for one in sentences]
    return _Known(
        frozenset(_numbers_alike(value.split()) for value in alone),
        "\n".join(f" {_numbers_alike(words_of(one))} " for one in sentences),
        np.unique(np.concatenate(pieces)),
    )


class TextPatterns:
    """The texts that `scan` looks for.

    Example:
        >>> from otherwords.publish import TextPatterns
        >>> patterns = TextPatterns()
        >>> patterns.add("stem", "Which harbour did the grey heron leave before the storm?", 1)
        >>> patterns.find("WHICH harbour did the grey heron leave before sunset")
        {TextPattern(kind='stem', place=1)}
    """

    def __init__(self, common: Iterable[str] = (), *, own_texts: Iterable[str] = ()) -> None:
        """Starts without any text.

        Args:
            common: Further words that mean nothing where they stand by themselves.
            own_texts: Sentences that stand in every report; a short text that is part of one is not looked
                for, and of a long one the parts that are not.
        """
        known = _known(tuple(common), tuple(own_texts))
        self._common, self._own = known.words, known.sentences
        self.texts = 0
        self.too_short = 0
        """Texts that are not looked for: they would be found by chance, or are words of every report."""
        self._all: list[TextPattern] = []
        self._runs: dict[int, _Runs] = {}
        self._letters = _Letters(known.pieces)
        self._alone: dict[str, int] = {}
        self._secrets: list[tuple[str, int]] = []
        self._seen: set[tuple[str, ...]] = set()

    def add(self, kind: str, text: str, place: int) -> None:
        """Adds a text to look for.

        Args:
            kind: `stem`, `option`, `answer`, `variant`, `metadata`, `id` or `secret`.
            text: The text. A secret is found within anything, other texts by their words.
            place: The item's place in its dataset, or the secret's line, from 1.
        """
        words = words_of(text)
        if kind != "secret":
            key = (text,) if len(words) < SHORTEST_RUN else tuple(words)
            if key in self._seen:
                return
            self._seen.add(key)
        self.texts += 1
        owner = len(self._all)
        if kind == "secret":
            self._secrets += [(plain(form), owner) for form in disguises(text)]
        elif not self._is_distinctive(words):
            alone = " ".join(words)
            is_number = not any(map(str.isalpha, plain(text)))
            known = _numbers_alike(words) in self._common or self._is_own(words)
            if len(alone) < SHORTEST_WORD or is_number or known:
                self.too_short += 1
                return
            if alone in standalone_values(text):  # else a sign between the words keeps them apart
                for form in disguises(text):
                    self._alone.setdefault(" ".join(words_of(form)), owner)
                words = []
        elif len(words) < LONGEST_RUN and self._is_own(words):
            self.too_short += 1
            return
        self._all.append(TextPattern(kind, place))
        if words:
            self._add_words(text, owner)

    def _is_own(self, words: Sequence[str]) -> bool:
        """Whether it is part of a sentence of ours, or of a phrase that many sets share."""
        return f" {_numbers_alike(words)} " in self._own

    def add_salt(self, salt: str) -> None:
        """Adds a salt, which is found within anything."""
        self._secrets.append((plain(salt), len(self._all)))
        self._all.append(TextPattern("salt", 0))

    def _add_words(self, text: str, owner: int) -> None:
        plain_text = unescaped(text)
        for form in dict.fromkeys([*disguises(text), *([plain_text] if plain_text != text else [])]):
            words = words_of(form)
            length = min(len(words), LONGEST_RUN)
            if words:
                self._runs.setdefault(length, _Runs()).add(_runs(_hashes(words), length), owner)
            if len(words) >= LONGEST_RUN:
                self._letters.add("".join(words), owner)

    def find(self, text: str) -> set[TextPattern]:
        """Every pattern that is found in `text`, in any of its readings."""
        return self.find_literally(*readings(text))

    def find_literally(self, *texts: str) -> set[TextPattern]:
        """Every pattern that is found in `texts` as they are."""
        if not self._all:
            return set()
        found = {owner for text in texts for chunk in _chunks(text) for owner in self._find_in(chunk)}
        return {self._all[owner] for owner in found}

    def _find_in(self, chunk: str) -> set[int]:
        words = words_of(chunk)
        found = self._find_runs(words) | self._letters.find("".join(words))
        if self._secrets:
            folded = plain(chunk)
            found |= {owner for secret, owner in self._secrets if secret in folded}
        if self._alone:
            found |= {self._alone[value] for value in standalone_values(chunk) if value in self._alone}
        return found

    def _find_runs(self, words: Sequence[str]) -> set[int]:
        found: set[int] = set()
        if not self._runs or not words:
            return found
        hashes = _hashes(words)
        for length, runs in self._runs.items():
            if length <= len(words):
                found |= runs.find(_runs(hashes, length))
        return found

    @staticmethod
    def _is_distinctive(words: Sequence[str]) -> bool:
        return len(words) >= SHORTEST_RUN or sum(map(len, words)) >= LONG_ENOUGH


def _numbers_alike(words: Iterable[str]) -> str:
    """The words, with one sign for any number; 0 and 1 are compared as letters."""
    return " ".join("#" if set(word) <= _DIGITS else word for word in words)


def _hashes(words: Sequence[str]) -> Array:
    """Python's own hashes: the same within a process, and kept by each string."""
    return np.fromiter(map(hash, words), np.int64, len(words)).view(np.uint64)


def _runs(hashes: Array, length: int) -> Array:
    """One hash for each run of `length` words."""
    count = len(hashes) - length + 1
    combined = np.zeros(count, np.uint64)
    with np.errstate(over="ignore"):
        for offset in range(length):
            combined = combined * _FACTOR + hashes[offset : offset + count]
        combined ^= combined >> np.uint64(29)
    return combined


def _chunks(text: str) -> Iterator[str]:
    for start in range(0, max(len(text), 1), _CHUNK):
        yield text[max(0, start - _OVERLAP) : start + _CHUNK]
