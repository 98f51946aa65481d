"""Words as spaCy reads them → lemmas, forms, stems, synonym groups; the word edit distance of texts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, takewhile
from operator import contains
from typing import TYPE_CHECKING, TypeVar

from otherwords.english.lexicon import read_lexicon, word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Letters = TypeVar("Letters", str, list[str])
CONTENT = frozenset(("NOUN", "PROPN", "VERB", "ADJ", "ADV"))


def content_lemmas(doc: Doc) -> Counter[str]:
    """The lemmas of the nouns, verbs, adjectives and adverbs, in lower case."""
    return Counter(lemma(token) for token in doc if token.pos_ in CONTENT and token.text[0].isalnum())


def lemma(token: Token) -> str:
    """The lemma in lower case; of names in the singular too, so that "Planets" is "planet"."""
    found = token.lemma_.lower()
    return found.removesuffix("s") if token.tag_ == "NNPS" else found


def shared_start(one: Sequence[str], other: Sequence[str]) -> int:
    """How many letters, or words, two sequences begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def differing(one: Letters, other: Letters) -> tuple[Letters, Letters]:
    """Both sequences without what they begin and end with alike."""
    start = shared_start(one, other)
    end = shared_start(one[start:][::-1], other[start:][::-1])
    return one[start : len(one) - end], other[start : len(other) - end]


def share_stem(one: str, other: str) -> bool:
    """Whether two lemmas are forms of one root, by their letters: "explain" and "explanation"."""
    alike = shared_start(one, other)
    only_alike = sorted((one, other)) in read_lexicon("endings")["only_alike"]
    enough = alike >= 4 and alike >= min(len(one), len(other)) - 3 and not only_alike
    return one == other or (enough and {one[alike:], other[alike:]} <= {"", *word_set("endings", "words")})


def are_related_names(one: str, other: str) -> bool:
    """Whether one name is the other with an ending: "Mexico" and "Mexican", not "Java" and "JavaScript"."""
    short, long = sorted((one, other), key=len)
    endings = {long[len(stem) :] for stem in (short, short[:-1]) if long.startswith(stem)}
    return one == other or (len(short) > 2 and not endings.isdisjoint(word_set("endings", "names")))


def edit_distance(one: Sequence[str], other: Sequence[str]) -> int:
    """Levenshtein's distance of two sequences, a row of its table at a time: prompts may have many words."""
    import numpy as np

    first, second = (np.array([hash(word) for word in text]) for text in (one, other))
    row = steps = np.arange(len(second) + 1)
    for place, word in enumerate(first, start=1):
        kept = row[:-1] + (second != word)
        row = np.concatenate(([place], np.minimum(row[1:] + 1, kept)))
        row = np.minimum.accumulate(row - steps) + steps  # a word more of the second costs one
    return int(row[-1])


def word_distance(one: str, other: str) -> float:
    """The share of words that differ, from 0 to 1: Levenshtein's distance divided by the longer length."""
    left, right = one.lower().split(), other.lower().split()
    return edit_distance(*differing(left, right)) / max(len(left), len(right), 1)


@lru_cache(maxsize=4096)
def _lemmas(word: str) -> dict[str, tuple[str, ...]]:
    """The known words that `word` may be a form of, by their parts of speech."""
    from lemminflect import getAllLemmas

    return dict(getAllLemmas(word))


def is_base_verb(word: str) -> bool:
    """Whether `word` is the base form of a verb that is known."""
    return word in _lemmas(word).get("VERB", ())


def is_word(word: str) -> bool:
    """Whether `word` is a form of some word that is known."""
    return len(word) > 3 and bool(_lemmas(word))


@lru_cache(maxsize=4096)
def inflect(lemma: str, tag: str) -> str:
    """The form of a word that a tag of the Penn treebank names; empty where it has none."""
    if tag in ("VBP", "VB"):
        return "are" if (lemma, tag) == ("be", "VBP") else lemma
    from lemminflect import getInflection

    found = getInflection(lemma, tag)
    return str(found[0]) if found else ""


@cache
def _phrases() -> dict[str, list[tuple[list[str], int]]]:
    """The words and phrases of the lexicon by their first word, each with the number of its group."""
    phrases: dict[str, list[tuple[list[str], int]]] = defaultdict(list)
    lines = (files("otherwords.english.lexicon") / "synonyms.txt").read_text("utf-8").splitlines()
    for number, line in enumerate(lines):
        for phrase in line.split(", ") if not line.startswith("#") else ():
            phrases[phrase.split()[0]].append((phrase.split(), number))
    return dict(phrases)


def synonym_groups(tokens: Sequence[Token]) -> list[set[int]]:
    """The groups of each token, in the order of the tokens."""
    forms = [{token.lemma_.lower(), token.lower_} for token in tokens]
    found: list[set[int]] = [set() for _ in tokens]
    for start, here in enumerate(forms):
        for words, group in chain.from_iterable(_phrases().get(word, ()) for word in here):
            said = forms[start : start + len(words)]
            if len(said) == len(words) and all(map(contains, said, words)):
                for place in range(start, start + len(words)):
                    found[place].add(group)
    return found
