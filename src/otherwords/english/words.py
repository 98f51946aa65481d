"""A parsed text → its content words, and how far two wordings are from each other."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

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
