"""The rules of styles: a read prompt → the places where it may be changed.

Whatever carries the problem stays: protected spans, data given along, names, words of the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache, cached_property, reduce
from itertools import chain
from operator import getitem
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from otherwords.core.types import Item
from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.parse import parse
from otherwords.english.quantities import in_words, unit_names
from otherwords.english.spans import find_spans
from otherwords.english.words import inflect, is_word
from otherwords.variants.prose import own_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_SAYS = Patterns("styles")


class Place(NamedTuple):
    """`new` in place of the text from `start` to `end`, and what is changed by it."""

    start: int
    end: int
    new: str
    change: str


class Source:
    """A prompt's text as the rules see it."""

    def __init__(self, item: Item, text: str, random: Random, strength: float) -> None:
        self.text = text
        self.random, self.strength, self.has_choices = random, strength, bool(item.choices)
        right = item.choices or (item.target if isinstance(item.target, tuple) else ())
        self._answers = frozenset(_SAYS.word.findall(" ".join(right).lower()))

    @cached_property
    def free(self) -> list[tuple[int, int]]:
        """The stretches that are a person's own words, without protected spans."""
        return own_words(self.text)

    @cached_property
    def doc(self) -> Doc:
        return parse(self.text)

    @property
    def tokens(self) -> list[Token]:
        """The words that may be changed."""
        return [token for token in self.doc if self.is_free(token.idx, token.idx + len(token))]

    def is_free(self, start: int, end: int) -> bool:
        """Whether nothing from `start` to `end` is protected or data."""
        return any(a <= start and end <= b for a, b in self.free)

    def found(self, pattern: str | re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where `pattern` is in the person's own words."""
        return (match for match in re.finditer(pattern, self.text) if self.is_free(*match.span()))

    def may(self, place: Place) -> bool:
        """Whether it changes something, and neither takes an answer's word away nor brings one in."""
        old, new = self.text[place.start : place.end], place.new
        changed = {*_SAYS.word.findall(old.lower())} ^ {*_SAYS.word.findall(new.lower())}
        return old != new and self._answers.isdisjoint(changed)


Rule: TypeAlias = Callable[[Source], Iterator[Place]]


def cased(new: str, old: str) -> str:
    """`new` with a capital where `old` has one."""
    return new[0].upper() + new[1:] if old[:1].isupper() else new


def in_place_of(token: Token, new: str, change: str) -> Place:
    return Place(token.idx, token.idx + len(token), new, change)


# ---- rules; `pairs`, `said` and `questions` are where a lexicon has them


@cache
def _table(path: str) -> Any:
    """`typing.misspellings` is what the lexicon `typing` has under `misspellings`."""
    lexicon, *keys = path.split(".")
    if lexicon in ("spelling", "vocabulary"):
        return _dialect(lexicon, *keys)
    return reduce(getitem, keys, read_lexicon(lexicon))


def _dialect(kind: str, to: str) -> dict[str, str]:
    """A dialect's spelling or other words, by those of the other dialect."""
    read, other = read_lexicon("dialects"), {"american": "british", "british": "american"}[to]
    if kind == "vocabulary":
        rows = [row[:2] for row in read["words"] if row[2:] in ([], [f"to_{to}"])]
        return dict(rows if to == "american" else map(reversed, rows))
    return {
        old + ending: new + ending
        for family in read["families"]
        for old, new in zip(family[other], family[to], strict=True)
        for ending in family["endings"]
        if old + ending not in read[f"not_to_{to}"]
    }


def patterns(
    source: Source, pairs: str, change: str, *, capital: bool = False, with_choices: bool = False
) -> Iterator[Place]:
    """Regular expressions in place of which something else may stand, with the case of what it replaces.

    With `capital` it has a capital; `with_choices` is for multiple-choice prompts alone.
    """
    for pattern, new in _table(pairs).items() if source.has_choices or not with_choices else ():
        for match in source.found(pattern):
            yield Place(*match.span(), cased(match.expand(new), "A" if capital else match[0]), change)


def words(source: Source, pairs: str, change: str, *, from_strength: float = 0) -> Iterator[Place]:
    """Plain words and phrases in place of which others may stand, with the article that goes before them.

    Below `from_strength` nothing is changed.
    """
    pattern, lower = _any_of(pairs)
    for match in source.found(pattern) if source.strength >= from_strength else ():
        old, start = match["old"], match.start("old")
        opens = source.text[:start].rstrip()[-1:] in ("", *".?!:\n")
        if old[0].isupper() and not opens and lower[old.lower()][0].islower():
            continue  # a name
        new = cased(lower[old.lower()], old)
        if match["article"]:
            start, new = match.start(), f"{match['article'][0]}{'n' if new[0] in 'aeiou' else ''} {new}"
        yield Place(start, match.end(), new, change)


@cache
def _any_of(pairs: str) -> tuple[re.Pattern[str], dict[str, str]]:
    lower = {old.lower(): new for old, new in _table(pairs).items()}
    any_of = "|".join(map(re.escape, sorted(lower, key=len, reverse=True)))
    old = rf"(?:(?P<article>[Aa]n?) )?(?P<old>(?i:{any_of}))"
    return re.compile(rf"(?<![\w'’-]){old}(?![\w-]|['’](?!s\b))"), lower


def verbs(source: Source, pairs: str, change: str) -> Iterator[Place]:
    """Verbs by their base form, in the form that the prompt has."""
    for token in source.tokens:
        is_verb = token.pos_ == "VERB" and token.dep_ != "amod"
        new = _table(pairs).get(token.lemma_.lower()) if is_verb else None
        if new is None or any(child.dep_ == "prt" for child in token.children):
            continue
        if said := inflect(new, token.tag_):
            yield in_place_of(token, cased(said, token.text), change)


def slip(source: Source, change: str, *, unless_word: bool = False) -> Iterator[Place]:
    """One letter of a word is wrong, never the first or the last, and no other English word comes of it."""
    numbers = chain.from_iterable(read_lexicon("numbers").values())
    kept = unit_names() | {*numbers, *word_set("typing", "kept")}  # words that carry the problem
    is_another = is_word if unless_word else looks_english
    for match in source.found(_SAYS.plain_word):
        word = match[0]
        if word in kept or word.endswith("est"):
            continue
        typed = chain.from_iterable(_slips(change, word, at) for at in range(1, len(word) - 1))
        if made := [one for one in typed if one != word and not is_another(one)]:
            yield Place(*match.span(), source.random.choice(made), change)


def _slips(change: str, word: str, at: int) -> list[str]:
    """What comes of a slip at the letter `at`."""
    before, letter, after = word[:at], word[at], word[at + 1 :]
    if change == "doubled letter":
        return [] if letter in (before[-1], after[0]) else [before + 2 * letter + after]
    if change == "swapped letters":
        return [before + after[0] + letter + after[1:]] if len(after) > 1 else []
    if len(word) <= 5:  # in a short word, a wrong or a missing letter is hard to read past
        return []
    near = [""] if change == "missing letter" else read_lexicon("typing")["neighbours"].get(letter, "")
    return [before + key + after for key in near]


@cache
def _letter_sequences() -> frozenset[str]:
    rows = read_lexicon("letter_sequences")["followers"].split()
    return frozenset(row[:2] + last for row in rows for last in row[2:])


def looks_english(word: str) -> bool:
    """Whether each three letters of `word` are in some common English word; else it is hardly any word."""
    padded = f"^{word}$"
    return all(padded[place : place + 3] in _letter_sequences() for place in range(len(padded) - 2))


def inserted(source: Source, at: str, said: str, change: str) -> Iterator[Place]:
    """One of several texts at the end of what `at` finds."""
    texts = _table(said)
    for match in source.found(at):
        chosen = source.random.choice(texts) if len(texts) > 1 else texts[0]
        yield Place(match.end(), match.end(), chosen, change)


def before(source: Source, said: str, questions: str, change: str) -> Iterator[Place]:
    """Something said before the prompt, some of it only before questions."""
    opens = source.is_free(0, 1) and source.text[:1].isalpha()
    if not opens or _SAYS.role.match(source.text):
        return
    asks = re.fullmatch(r"[^.:;!\n]*\?\s*", source.text)
    chosen = source.random.choice([*_table(said), *(_table(questions) if asks else ())])
    if source.text[0].isupper() or not chosen.endswith(". "):
        yield Place(0, 0, chosen, change)


def after(source: Source, said: str, change: str) -> Iterator[Place]:
    """Something said after it, where it ends with what the person says, not with data or a cue."""
    end = len(source.text.rstrip())
    closed = source.is_free(end, end) and source.text[end - 1 : end] in (".", "?", "!")
    if closed and not _SAYS.role.match(source.text):
        yield Place(end, end, source.random.choice(_table(said)), change)


def missing_space(source: Source) -> Iterator[Place]:
    read = read_lexicon("typing")
    first, second = ("|".join(read[name]) for name in ("joined_first", "joined_second"))
    for match in source.found(rf"\b({first}) ({second})\b(?= [a-z])"):
        if not is_word(match[1] + match[2]):
            yield Place(*match.span(), match[1] + match[2], "missing space")
    for match in source.found(r"(?<=[a-z]), (?=[a-z])"):
        if source.is_free(match.start() - 1, match.end() + 1):
            yield Place(*match.span(), ",", "missing space")


def numbers_as_words(source: Source) -> Iterator[Place]:
    for span in find_spans(source.text):
        said = source.text[span.start : span.end]
        match = _SAYS.amount.fullmatch(said) if span.kind == "number" else None
        if match is None or (match["sign"] and match["percent"]):
            continue
        value = int(match["number"].replace(",", ""))
        if value > 9_999 or (1100 <= value < 2100 and said.isdecimal()):  # a year is said otherwise
            continue
        after = " dollars" if match["sign"] else " percent" if match["percent"] else ""
        if _SAYS.determined.search(source.text[: span.start]):
            after = after.removesuffix("s")  # "a ten dollar bill"
        end = span.start + match.end("percent" if match["percent"] else "number")
        yield Place(span.start, end, in_words(value) + after, "numbers as words")


def no_article(source: Source) -> Iterator[Place]:
    """Without "the" or "a" before a plain noun phrase of which the meaning does not hang on it."""
    read = read_lexicon("styles")["nonnative"]
    for token in source.tokens:
        if token.lower_ not in ("the", "a", "an") or token.dep_ != "det" or token.i + 1 >= len(token.doc):
            continue
        after, head = token.nbor(), token.head
        plain = after.is_lower and after.is_alpha and after.tag_ not in ("JJS", "JJR", "CD", "RBS", "RBR")
        counts = after.lower_ in (*read["rates"], *read["determined"]) or head.lower_ in read["rates"]
        free = source.is_free(token.idx, after.idx + len(after))
        if plain and free and not counts and head.pos_ in ("NOUN", "ADJ"):
            yield Place(token.idx, after.idx + 1, cased(after.text[0], token.text), "article")


def verb_forms(source: Source) -> Iterator[Place]:
    from lemminflect import getInflection

    for token in source.tokens:
        known = token.tag_ == "VBZ" and token.pos_ == "VERB" and token.is_lower and len(token) > 3
        if known and token.text in getInflection(token.lemma_, "VBZ"):  # the lemma may be wrong
            yield in_place_of(token, token.lemma_.lower(), "verb form")
        if token.lower_ == "does" and token.dep_ == "aux":
            yield in_place_of(token, cased("do", token.text), "verb form")


def past_twice(source: Source) -> Iterator[Place]:
    for token in source.tokens:
        after_did = any(child.lower_ == "did" and child.dep_ == "aux" for child in token.children)
        past = inflect(token.text, "VBD") if token.tag_ == "VB" and token.is_lower and after_did else ""
        if past not in ("", token.text):
            yield in_place_of(token, past, "tense")


def noun_alone(source: Source) -> Iterator[Place]:
    match = _SAYS.alone.match(source.text)
    if match is None or not re.fullmatch(r"[^,.:;?\n]*\?\s*", source.text):
        return
    verbal = [token for token in source.doc if token.tag_.startswith("VB") or token.pos_ == "AUX"]
    if len(verbal) == 1 and not _SAYS.not_alone.search(source.text):
        yield Place(0, match.end() + 1, source.text[match.end()].upper(), "left out")


def _unspoken(text: str) -> str:
    """Why `text` is nothing that one would dictate: structure, data, or lists that need their commas."""
    structured = any(span.kind not in ("number", "quoted", "caps", "date") for span in find_spans(text))
    refused = structured or _SAYS.unspeakable.search(text.strip())
    return "it has code, addresses, formulas or lists, which nobody says aloud" if refused else ""


def _about_dialect(text: str) -> str:
    return "it is about words of a dialect" if re.search(read_lexicon("dialects")["about"], text) else ""


RULES: dict[str, Callable[..., Iterator[Place]]] = {
    one.__name__: one
    for one in (
        *(patterns, words, verbs, slip, inserted, before, after),
        *(missing_space, numbers_as_words, no_article, verb_forms, past_twice, noun_alone),
    )
}
REFUSALS = {"unspoken": _unspoken, "about_dialect": _about_dialect}
