"""Words as spaCy reads them → lemmas, forms, stems, synonym groups; the word edit distance of texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from otherwords.english.lexicon import read_lexicon, word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV"))


def content_lemmas(doc: Doc) -> Counter[str]:
    """The lemmas of the nouns, verbs, adjectives and adverbs, in lower case."""
    return Counter(lemma(token) for token in doc if token.pos_ in CONTENT and token.text[0].isalnum())


def lemma(token: Token) -> str:
    """The lemma in lower case; of names in the singular too, so that "Planets" is "planet"."""
    found = token.lemma_.lower()
    if token.pos_ == "PROPN" and token.tag_ == "NNPS" and found.endswith("s"):
        return found[:-1]
    return found


def shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    """How many letters, or words, two sequences begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def share_stem(one: str, other: str) -> bool:
    """Whether two lemmas are forms of one root, by their letters: "explain" and "explanation"."""
    if one == other:
        return True
    alike = shared_start(one, other)
    only_alike = sorted((one, other)) in read_lexicon("endings")["only_alike"]
    if alike < 4 or alike < min(len(one), len(other)) - 3 or only_alike:
        return False
    return {one[alike:], other[alike:]} <= {"", *word_set("endings", "words")}


def are_related_names(one: str, other: str) -> bool:
    """Whether one name is the other with an ending: "Mexico" and "Mexican", not "Java" and "JavaScript"."""
    short, long = sorted((one, other), key=len)
    if len(short) < 3:
        return short == long
    endings = word_set("endings", "names")
    return any(long.startswith(stem) and long[len(stem) :] in endings for stem in (short, short[:-1]))


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
    same = shared_start(left, right)
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


@lru_cache(maxsize=4096)
def inflect(lemma: str, tag: str) -> str:
    """The form of a word that a tag of the Penn treebank names; empty where it has none."""
    if tag in ("VBP", "VB"):
        return "are" if (lemma, tag) == ("be", "VBP") else lemma
    from lemminflect import getInflection

    found = getInflection(lemma, tag)
    return str(found[0]) if found else ""


@cache
def _phrases() -> dict[tuple[str, ...], set[int]]:
    """The words and phrases of the lexicon and their beginnings, each with the groups that it is in."""
    phrases: dict[tuple[str, ...], set[int]] = defaultdict(set)
    lines = (files("otherwords.english.lexicon") / "synonyms.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        for phrase in line.split(", ") if not line.startswith("#") else ():
            words = tuple(phrase.split())
            for beginning in accumulate((word,) for word in words):
                phrases[beginning] |= {number} if beginning == words else set()
    return dict(phrases)


def synonym_groups(tokens: Sequence[Token]) -> list[set[int]]:
    """The groups of each token, in the order of the tokens."""
    phrases = _phrases()
    forms = [{token.lemma_.lower(), token.lower_} for token in tokens]
    found: list[set[int]] = [set() for _ in tokens]
    for start in range(len(forms)):
        read: list[tuple[str, ...]] = [()]
        for end in range(start, len(forms)):
            read = [more for one in read for word in forms[end] if (more := (*one, word)) in phrases]
            if not read:
                break
            groups = set().union(*(phrases[one] for one in read))
            for place in range(start, end + 1):
                found[place] |= groups
    return found
