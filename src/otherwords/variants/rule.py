"""The shape of a paraphrase rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from otherwords.variants.passages import Passage
from otherwords.variants.protect import Edit

Edits = Sequence[Edit]


class Rule(NamedTuple):
    name: str
    edits: Callable[[Passage], Edits]
    """What to put where in the masked text; empty where the rule does not apply."""
    needs: frozenset[str] = frozenset()
    """It applies only where one of these words is; without any, it may always apply."""


class Rules:
    """Rules in the order in which they are tried, of which few have a word that they need in one prompt."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._tried = [((rule.name,), rule.edits) for rule in rules]
        self._always = frozenset(place for place, rule in enumerate(rules) if not rule.needs)
        self._by_word: dict[str, list[int]] = {}
        for place, rule in enumerate(rules):
            for word in rule.needs:
                self._by_word.setdefault(word, []).append(place)
        self._words = frozenset(self._by_word)

    def edits_in(self, passage: Passage) -> Iterator[tuple[tuple[str], Edits]]:
        """The name and the edits of each rule that applies."""
        for place in self._places(passage.words):
            name, edits_of = self._tried[place]
            edits = edits_of(passage)
            if edits:
                yield name, edits

    def _places(self, words: frozenset[str]) -> list[int]:
        """Of the rules that may apply, in order."""
        return sorted(self._always.union(*[self._by_word[word] for word in self._words & words]))
