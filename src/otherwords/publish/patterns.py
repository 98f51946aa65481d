"""Texts that must not be published → patterns of words, found in any text by hashes of runs of words.

A text of eight words or more is found by any eight of them in a row, a shorter one by all of them. One or two
short words are found only where they stand by themselves, as in a cell or a string: "Paris" within a
sentence gives nothing away.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from otherwords.english.lexicon import read_lexicon

LONGEST_RUN = 8
SHORTEST_RUN = 3
LONG_ENOUGH = 16
"""Letters from which one or two words are looked for within sentences too."""
SHORTEST_WORD = 4
SHORTEST_SECRET = 4

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_CHUNK, _OVERLAP = 4_000_000, 2_000
Array = npt.NDArray[np.uint64]


class TextPattern(NamedTuple):
    """What was found: never the text itself."""

    kind: str
    """`stem`, `option`, `answer`, `variant`, `metadata`, `id` or `secret`."""
    place: int
    """The item's place in its dataset, or the secret's line, from 1."""


@dataclass
class _Runs:
    """Every run of one length: hashes, and which pattern each is of."""

    hashes: list[Array] = field(default_factory=list)
    owners: list[npt.NDArray[np.uint32]] = field(default_factory=list)
    filter: npt.NDArray[np.bool_] | None = None

    def add(self, hashes: Array, owner: int) -> None:
        self.hashes.append(hashes)
        self.owners.append(np.full(len(hashes), owner, np.uint32))
        self.filter = None

    def find(self, hashes: Array) -> set[int]:
        if self.filter is None:
            self._build_index()
        assert self.filter is not None
        likely = hashes[self.filter[hashes & np.uint64(len(self.filter) - 1)]]
        if not len(likely):
            return set()
        known = self.hashes[0]
        at = np.minimum(np.searchsorted(known, likely), len(known) - 1)
        return set(self.owners[0][at[known[at] == likely]].tolist())

    def _build_index(self) -> None:
        """Sorts the hashes, and makes a table that rules out most other hashes at once."""
        hashes, first = np.unique(np.concatenate(self.hashes), return_index=True)
        self.owners = [np.concatenate(self.owners)[first]]
        self.hashes = [hashes]
        self.filter = np.zeros(1 << max(16, int(16 * len(hashes)).bit_length()), np.bool_)
        self.filter[hashes & np.uint64(len(self.filter) - 1)] = True


class TextPatterns:
    """The texts that `scan` looks for.

    Example:
        >>> from otherwords.publish import TextPatterns
        >>> patterns = TextPatterns()
        >>> patterns.add("stem", "Which harbour did the grey heron leave before the storm?", 1)
        >>> patterns.find("WHICH harbour did the grey heron leave before sunset")
        {TextPattern(kind='stem', place=1)}
    """

    def __init__(self, common: Iterable[str] = ()) -> None:
        """Starts without any text.

        Args:
            common: Further words that mean nothing where they stand by themselves.
        """
        self._common = frozenset(read_lexicon("common_words")["words"].split()).union(common)
        self.texts = 0
        self.too_short = 0
        """Texts that are not looked for, since they would be found by chance."""
        self._all: list[TextPattern] = []
        self._runs: dict[int, _Runs] = {}
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
            self._secrets.append((text.casefold(), owner))
        elif not self._is_distinctive(words):
            alone = " ".join(words)
            if len(alone) < SHORTEST_WORD or alone.replace(" ", "").isdigit() or alone in self._common:
                self.too_short += 1
                return
            if alone in standalone_values(
                text
            ):  # else a sign between the words keeps them from standing by themselves
                self._alone.setdefault(alone, owner)
                words = []
        self._all.append(TextPattern(kind, place))
        if words:
            length = min(len(words), LONGEST_RUN)
            self._runs.setdefault(length, _Runs()).add(_runs(_hashes(words), length), owner)

    def find(self, text: str) -> set[TextPattern]:
        """Every pattern that is found in `text`."""
        found: set[int] = set()
        for view in unescaped_views(text):
            for chunk in _chunks(view):
                found |= self._find_runs(words_of(chunk))
                folded = chunk.casefold() if self._secrets else ""
                found |= {owner for secret, owner in self._secrets if secret in folded}
                if self._alone:
                    found |= {
                        self._alone[value] for value in standalone_values(chunk) if value in self._alone
                    }
        return {self._all[owner] for owner in found}

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


_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_WORD = re.compile(r"[^\W_]+")
_WORD_OR_SIGN = re.compile(rf"[{_CJK}]|(?:(?![{_CJK}_])\w)+")
"""Chinese, Japanese and Korean have no spaces between words; each sign counts as one."""
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
# The escapes of JSON and of program text.
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([nrtbfv0])|(.))")
# An HTML tag; bounded, so that a lone `<` does not make the search slow.
_TAG = re.compile(r"<[^<>]{0,2000}>")
# Characters that end a cell or a string in CSV, JSON, HTML and program text.
_BREAK = re.compile(r"[\n\r\t,;|\"'<>=:()\[\]{}]+")


def words_of(text: str) -> list[str]:
    """The words of `text` without case, punctuation, invisible characters and compatibility forms."""
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text)).casefold()
    return _WORD_OR_SIGN.findall(plain)


def unescaped_views(text: str) -> Iterator[str]:
    """`text`, and what a reader would see of it if it is JSON, HTML or part of an address."""
    yield text
    seen = text
    if "\\" in seen:
        seen = _ESCAPE.sub(_unescaped, seen)
        if "\\" in seen:  # JSON within JSON
            seen = _ESCAPE.sub(_unescaped, seen)
    if "%" in seen:
        seen = unquote(seen, errors="replace")
    if "&" in seen:
        seen = html.unescape(seen)
    if "<" in seen:
        spaced, joined = _TAG.sub(" ", seen), _TAG.sub("", seen)
        yield spaced
        if joined != spaced:
            yield joined
    elif seen is not text and seen != text:
        yield seen


def standalone_values(text: str) -> set[str]:
    """The short pieces of `text` that stand by themselves, such as cells and strings, as their words."""
    found = set()
    for piece in set(_BREAK.split(text)):
        if 0 < len(piece) <= 100:
            words = words_of(piece)
            if 0 < len(words) <= 2:
                found.add(" ".join(words))
    return found


def _unescaped(match: re.Match[str]) -> str:
    long, short, control, other = match.groups()
    if long or short:
        return chr(int(long or short, 16))
    return " " if control else other
