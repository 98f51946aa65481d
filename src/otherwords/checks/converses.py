"""Relations told from the other side: "Ann is older than Bo" is "Bo is younger than Ann"."""

from __future__ import annotations

from collections.abc import Iterator

from otherwords.checks.reading import Reading
from otherwords.checks.stems import stem

_REACH = 6
"""So many words on either side of a relation may name those whom it relates."""
_STOPS = frozenset(
    "the a an of to from by than as his her their its my your our is are was were and in on at for".split()
)


def is_converse(one: str, other: str, before: Reading, after: Reading) -> bool:
    """Whether `one` before and `other` after relate the same two, who changed places."""
    for was in _related(one, before):
        for now in _related(other, after):
            if was[0] & now[1] - now[0] and was[1] & now[0] - now[1]:
                return True
    return False


def _related(relation: str, reading: Reading) -> Iterator[tuple[set[str], set[str]]]:
    """What stands before and after each mention."""
    said = relation.split()
    words = reading.words
    for place in range(len(words)):
        if words[place : place + len(said)] == said:
            end = place + len(said)
            yield _named(words[max(0, place - _REACH) : place]), _named(words[end : end + _REACH])


def _named(words: list[str]) -> set[str]:
    return {stem(word) for word in words if word not in _STOPS}
