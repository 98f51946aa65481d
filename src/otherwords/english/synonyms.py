"""A parsed text → for each word the groups of synonyms that it, or a phrase around it, belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token


@dataclass(slots=True)
class _Node:
    """Where a phrase has been read to: the words that may follow, and the groups of what has been read."""

    following: dict[str, _Node] = field(default_factory=dict)
    groups: set[int] = field(default_factory=set)


@cache
def _phrases() -> _Node:
    """The words and phrases of the lexicon, as a tree of words."""
    root = _Node()
    lines = (files("otherwords.english.lexicon") / "synonyms.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        for phrase in line.split(", ") if not line.startswith("#") else ():
            node = root
            for word in phrase.split():
                node = node.following.setdefault(word, _Node())
            node.groups.add(number)
    return root


def synonym_groups(tokens: Sequence[Token]) -> list[set[int]]:
    """The groups of each token, in the order of the tokens."""
    forms = [{token.lemma_.lower(), token.lower_} for token in tokens]
    found: list[set[int]] = [set() for _ in tokens]
    for start in range(len(forms)):
        nodes, end = [_phrases()], start
        while nodes and end < len(forms):
            nodes = [node.following[word] for node in nodes for word in forms[end] if word in node.following]
            end += 1
            groups = set().union(*(node.groups for node in nodes))
            for place in range(start, end) if groups else ():
                found[place] |= groups
    return found
