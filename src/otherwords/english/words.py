"""Words of a parsed text: content words, forms, groups of synonyms, and how far two wordings are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token


CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV"))


def content_tokens(doc: Doc) -> list[Token]:
    """Nouns, verbs, adjectives and adverbs, without auxiliaries."""
    return [token for token in doc if token.pos_ in CONTENT and token.text[0].isalnum()]


def content_lemmas(doc: Doc) -> Counter[str]:
    """The lemmas of the content words, in lower case."""
    return Counter(lemma(token) for token in content_tokens(doc))


def lemma(token: Token) -> str:
    """The lemma in lower case; of names in the singular too, so that "Planets" is "planet"."""
    found = token.lemma_.lower()
    if token.pos_ == "PROPN" and token.tag_ == "NNPS" and found.endswith("s"):
        return found[:-1]
    return found


_ENDINGS = frozenset(
    (
        *(
            "",
            *"s es e d ed ing er or ion ation ition ment al ally ly ance ence ity ness able ible ive".split(),
        ),
        *"ative y ic ical ist ism ship th ous age ure ery ant ent r n t ial ise ize ised ized ising".split(),
        *"izing isation ization ied ies ier iest est ful fully ar ary".split(),
    )
)
"""What may follow a root, in the one word and in the other; "less" turns the meaning round."""
_ONLY_ALIKE = frozenset(
    (
        frozenset(("universe", "university")),
        frozenset(("general", "generate")),
        frozenset(("import", "important")),
    )
)


def share_stem(one: str, other: str) -> bool:
    """Whether two lemmas are forms of one root, by their letters: "explain" and "explanation"."""
    if one == other:
        return True
    alike = next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    shortest = min(len(one), len(other))
    if alike < 4 or alike < shortest - 3 or frozenset((one, other)) in _ONLY_ALIKE:
        return False
    return one[alike:] in _ENDINGS and other[alike:] in _ENDINGS


_NAME_ENDINGS = frozenset(("n", "an", "ian", "ese", "ish", "i", "ic", "s", "er", "'s"))


def are_related_names(one: str, other: str) -> bool:
    """Whether one name is the other with an ending: "Mexico" and "Mexican", not "Java" and "JavaScript"."""
    short, long = sorted((one, other), key=len)
    if len(short) < 3:
        return short == long
    return any(long.startswith(stem) and long[len(stem) :] in _NAME_ENDINGS for stem in (short, short[:-1]))


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Levenshtein's distance of two sequences, a row of its table at a time: prompts may have many words."""
    import numpy as np

    numbers: dict[str, int] = {}
    first, second = (
        np.array([numbers.setdefault(word, len(numbers)) for word in text]) for text in (one, other)
    )
    steps = np.arange(len(second) + 1)
    row = steps.copy()
    for place, word in enumerate(first, start=1):
        kept = row[:-1] + (second != word)
        row = np.concatenate(([place], np.minimum(row[1:] + 1, kept)))
        row = np.minimum.accumulate(row - steps) + steps  # a word more of the second costs one
    return int(row[-1])


def word_distance(one: str, other: str) -> float:
    """The share of words that differ, from 0 to 1: Levenshtein's distance divided by the longer length.

    Example:
        >>> word_distance("Who wrote Hamlet?", "Tell me who wrote Hamlet.")
        0.6
    """
    left, right = one.lower().split(), other.lower().split()
    longest = max(len(left), len(right))
    while left and right and left[-1] == right[-1]:
        left.pop()
        right.pop()
    same = next(
        (place for place, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]),
        min(len(left), len(right)),
    )
    return edit_distance(left[same:], right[same:]) / longest if longest else 0.0


@lru_cache(maxsize=4096)
def is_base_verb(word: str) -> bool:
    """Whether `word` is the base form of a verb that is known.

    Examples:
        >>> is_base_verb("differentiate"), is_base_verb("wrote")
        (True, False)
    """
    from lemminflect import getAllLemmas

    return word in getAllLemmas(word, upos="VERB").get("VERB", ())


@lru_cache(maxsize=4096)
def is_word(word: str) -> bool:
    """Whether `word` is a form of some word that is known."""
    from lemminflect import getAllLemmas

    return len(word) > 3 and bool(getAllLemmas(word))


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
