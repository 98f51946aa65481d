"""What styles are made of: a prompt as their rules see it, rules as tables, and the family that uses them.

A rule takes a read prompt and gives the places where it may change something; how many of them are changed
depends on the strength. Whatever carries the problem stays: protected spans, data given along, names, words
of the answer. A prompt about spelling or forms of words is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from itertools import chain
from random import Random
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.lexicon import read_lexicon
from otherwords.english.parse import parse
from otherwords.english.quantities import unit_names
from otherwords.english.spans import find_spans, same_spans
from otherwords.variants.base import declared, reworded
from otherwords.variants.prose import capital_openers, is_about_form, own_words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

DEFAULT_STRENGTH = 0.5
LONGEST = 20_000
"""Characters of a prompt beyond which nothing is made: time stays bounded."""
_MOST_TRIES = 8
ABOUT_FORM = "it is about spelling or the form of words"


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
        self._answers = frozenset(_WORD.findall(" ".join(right).lower()))

    @cached_property
    def free(self) -> list[tuple[int, int]]:
        """The stretches that are a person's own words, without protected spans."""
        return own_words(self.text)

    @cached_property
    def doc(self) -> Doc:
        """The parsed text."""
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
        changed = {*_WORD.findall(old.lower())} ^ {*_WORD.findall(new.lower())}
        return old != new and self._answers.isdisjoint(changed)

    @property
    def ends_in_own_words(self) -> bool:
        """Whether the prompt ends with what the person says, not with data or a cue such as `Answer:`."""
        return bool(self.free) and self.free[-1][1] >= len(self.text.rstrip())

    @property
    def starts_with_own_words(self) -> bool:
        """Whether it begins so, with a capital or a small letter."""
        return self.is_free(0, 1) and self.text[:1].isalpha()


Rule: TypeAlias = Callable[[Source], Iterator[Place]]
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")


class Way(NamedTuple):
    """One way to say it: `always` are made wherever they apply, of `some` as many as the strength says."""

    name: str
    always: tuple[Rule, ...] = ()
    some: tuple[Rule, ...] = ()
    per_word: float = 0.0
    """At full strength so many of `some` for each word; 0: all of them."""
    refuses: Callable[[str], str] = lambda text: ""
    """Why nothing is made of a text; empty where something may be."""
    first: Callable[[str], str] = str
    """What is done to the whole text before, such as lower case."""


class Style:
    """A family whose variants are one or more ways to say a prompt."""

    def __init__(
        self, name: str, make_ways: Callable[[], tuple[Way, ...]], strength: float = DEFAULT_STRENGTH
    ) -> None:
        """`strength` is the share of what may be changed that is, from 0 to 1."""
        if not 0 <= strength <= 1:
            raise InputError(f"the strength of {name} must be from 0 to 1, got {strength:g}")
        self.name, self.strength, self._make_ways = name, strength, make_ways
        self.version, self.traits = declared(name)

    def at(self, strength: float) -> Style:
        """The same family with another strength."""
        return Style(self.name, self._make_ways, strength)

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """Made when they are needed: whoever asks for the traits needs no word lists."""
        return self._make_ways()

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """One of each way, then others of the same ways (`voice`, `voice2`, …), as long as they differ."""
        made: list[Variant] = []
        text = varied_text(item.prompt)
        given = {text.casefold()}  # another case alone is for the family `format`
        numbers = dict.fromkeys(self.ways, 0)
        random = Random(seed)
        tries = _MOST_TRIES if not self.why_none(item) and self.strength > 0 else 0
        while len(made) < k and tries:
            before = len(made)
            for way in self.ways:
                source = Source(item, way.first(text), random, self.strength)
                new, changes = ("", []) if way.refuses(text) else _say(way, source)
                if len(made) < k and changes and new.casefold() not in given:
                    given.add(new.casefold())
                    numbers[way] += 1
                    name = way.name if numbers[way] == 1 else f"{way.name}{numbers[way]}"
                    params = {"strength": self.strength, "changes": changes}
                    made.append(reworded(item, new, name, self, way.name, params))
            tries = tries - 1 if len(made) == before else tries
        return made

    def why_none(self, item: Item) -> str:
        """Why nothing can be made of an item; empty where the rules may find something."""
        text = varied_text(item.prompt)
        if is_about_form(text):
            return ABOUT_FORM
        if len(text) > LONGEST:
            return f"it is longer than {LONGEST:,} characters"
        reasons = [way.refuses(text) for way in self.ways]
        return reasons[0] if all(reasons) else ""


def _say(way: Way, source: Source) -> tuple[str, list[str]]:
    """The text said that way, and what was changed, which is nothing where nothing may be."""
    chosen: list[Place] = []
    for rule in way.always:
        for place in rule(source):
            if _fits(place, chosen) and source.may(place):
                chosen.append(place)
    offered = [[place for place in rule(source) if source.may(place)] for rule in way.some]
    total = sum(map(len, offered))
    words = len(source.text.split()) * way.per_word if way.per_word else total
    wanted = max(1, round(source.strength * words)) if total else 0
    for places in offered:
        source.random.shuffle(places)
    source.random.shuffle(offered)
    taken = 0
    while taken < wanted and any(offered):  # in turns, so that all rules have their share
        for places in offered:
            places[:] = [place for place in places if _fits(place, chosen)]
            if places and taken < wanted:
                chosen.append(places.pop())
                taken += 1
    text = source.text
    for start, end, new, _ in sorted(chosen, reverse=True):
        text = text[:start] + new + text[end:]
    said_first = next((place.new for place in chosen if place.end == 0), ".")
    if said_first.rstrip()[-1] not in ".!?" and capital_openers(source.text)[:1] == [0]:
        at = len(said_first)
        text = text[:at] + text[at].lower() + text[at + 1 :]
    kept = same_spans(_without_numbers(source.text), _without_numbers(text))
    return (text, sorted({place.change for place in chosen})) if kept else (source.text, [])


def _fits(place: Place, chosen: list[Place]) -> bool:
    return all(place[:2] != one[:2] and (place.end <= one.start or one.end <= place.start) for one in chosen)


def _without_numbers(text: str) -> str:
    """`text` without numbers, which may be said in words; the checks compare what they are."""
    for span in reversed(find_spans(text)):
        if span.kind == "number":
            text = text[: span.start] + "so many" + text[span.end :]
    return text


def replacing(pairs: Mapping[str, str], change: str) -> Rule:
    """Regular expressions in place of which something else may stand."""
    patterns = [(re.compile(pattern), new) for pattern, new in pairs.items()]

    def rule(source: Source) -> Iterator[Place]:
        for pattern, new in patterns:
            for match in source.found(pattern):
                yield Place(*match.span(), cased(match.expand(new), match[0]), change)

    return rule


def words(pairs: Mapping[str, str], change: str, *, from_strength: float = 0) -> Rule:
    """Plain words and phrases in place of which others may stand, with the article that goes before them.

    Below `from_strength` nothing is changed.
    """
    lower = {old.lower(): new for old, new in pairs.items()}
    any_of = "|".join(map(re.escape, sorted(lower, key=len, reverse=True)))
    pattern = re.compile(rf"(?<![\w'’-])(?:(?P<article>[Aa]n?) )?(?P<old>(?i:{any_of}))(?![\w-]|['’](?!s\b))")

    def rule(source: Source) -> Iterator[Place]:
        for match in source.found(pattern) if source.strength >= from_strength else ():
            old, start = match["old"], match.start("old")
            if old[0].isupper() and not _opens(source.text, start) and lower[old.lower()][0].islower():
                continue  # a name
            new = cased(lower[old.lower()], old)
            if match["article"]:
                start, new = match.start(), f"{match['article'][0]}{'n' if new[0] in 'aeiou' else ''} {new}"
            yield Place(start, match.end(), new, change)

    return rule


def _opens(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".?!:\n"


def cased(new: str, old: str) -> str:
    return new[0].upper() + new[1:] if old[:1].isupper() else new


def verbs(pairs: Mapping[str, str], change: str) -> Rule:
    """Verbs by their base form, in the form that the prompt has."""

    def rule(source: Source) -> Iterator[Place]:
        from lemminflect import getInflection

        for token in source.tokens:
            new = pairs.get(token.lemma_.lower()) if token.pos_ == "VERB" and token.dep_ != "amod" else None
            if new is None or any(child.dep_ == "prt" for child in token.children):
                continue
            forms = (new,) if token.tag_ in ("VB", "VBP") else getInflection(new, token.tag_)
            if forms:
                yield in_place_of(token, cased(forms[0], token.text), change)

    return rule


def in_place_of(token: Token, new: str, change: str) -> Place:
    """Another word in place of a token."""
    return Place(token.idx, token.idx + len(token), new, change)


# Slips of the fingers: one letter of a word is wrong, and no other English word comes of it.
_PLAIN = re.compile(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")


@cache
def _letter_sequences() -> frozenset[str]:
    rows = read_lexicon("letter_sequences")["followers"].split()
    return frozenset(row[:2] + last for row in rows for last in row[2:])


def looks_english(word: str) -> bool:
    """Whether each three letters of `word` are in some common English word; else it is hardly any word."""
    padded = f"^{word}$"
    return all(padded[place : place + 3] in _letter_sequences() for place in range(len(padded) - 2))


@cache
def _kept() -> frozenset[str]:
    """Words that carry the problem: numbers, units, and those that turn a meaning round."""
    numbers = chain.from_iterable(read_lexicon("numbers").values())
    return unit_names() | {*numbers, *read_lexicon("typing")["kept"].split()}


def slip(
    change: str, slips: Callable[[str, int], Iterator[str]], is_another: Callable[[str], bool] = looks_english
) -> Rule:
    """One letter of a word is wrong, never the first or the last, and no other English word comes of it."""

    def rule(source: Source) -> Iterator[Place]:
        kept = _kept()
        for match in source.found(_PLAIN):
            word = match[0]
            if word in kept or word.endswith("est"):
                continue
            typed = chain.from_iterable(slips(word, at) for at in range(1, len(word) - 1))
            if made := [one for one in typed if one != word and not is_another(one)]:
                yield Place(*match.span(), source.random.choice(made), change)

    return rule


def doubled(word: str, at: int) -> Iterator[str]:
    if word[at] not in (word[at - 1], word[at + 1]):
        yield word[: at + 1] + word[at:]


def swapped(word: str, at: int) -> Iterator[str]:
    if at < len(word) - 2:
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def wrong_key(word: str, at: int) -> Iterator[str]:
    """Not in a short word, where a wrong or a missing letter is hard to read past."""
    if len(word) > 5:
        neighbours = read_lexicon("typing")["neighbours"].get(word[at], "")
        yield from (word[:at] + key + word[at + 1 :] for key in neighbours)


def dropped(word: str, at: int) -> Iterator[str]:
    if len(word) > 5:
        yield word[:at] + word[at + 1 :]
