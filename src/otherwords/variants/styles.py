"""Seven families that say a prompt as other people do, each a table of rules in styles.yaml.

How many of the places that the rules find are changed depends on the strength. Whatever carries the problem
stays: protected spans, data given along, names, words of the answer; and so does a prompt about spelling.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, reduce
from itertools import chain, zip_longest
from operator import getitem
from random import Random
from typing import Any, NamedTuple, TypeAlias

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.lexicon import Patterns, read_lexicon, word_set
from otherwords.english.parse import LONGEST, parse
from otherwords.english.quantities import in_words, unit_names
from otherwords.english.spans import find_spans
from otherwords.english.words import inflect, is_word
from otherwords.variants.base import declared, read_table, reworded
from otherwords.variants.prose import own_words, with_small_openers

_SAYS = Patterns("styles")
_MORE_TRIES = 8
Given: TypeAlias = "Mapping[str, Any]"
"""A rule or a way to say a prompt, as styles.yaml gives it."""
Changes: TypeAlias = "Iterator[tuple[int, int, str]]"


class Place(NamedTuple):
    """`new` in place of the text from `start` to `end`, and what is changed by it."""

    start: int
    end: int
    new: str
    change: str


def _words_of(text: str) -> frozenset[str]:
    return frozenset(_SAYS.word.findall(text.lower()))


def _cased(new: str, old: str) -> str:
    """`new` with a capital where `old` has one."""
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def _table(path: str) -> Any:
    """`typing.misspellings` is what the lexicon `typing` has under `misspellings`."""
    lexicon, *keys = path.split(".")
    return reduce(getitem, keys, read_lexicon(lexicon))


@cache
def _compiled(path: str) -> list[tuple[re.Pattern[str], str | list[str]]]:
    """Plain words and phrases too: not within others, not as names, and with the article before them."""
    no_name = r"(?:(?<![A-Za-z,] )|(?=[a-z]))"
    word = r"(?<![\w'’-])(?:(?P<article>[Aa])n? )?{}(?i:{})(?![\w-]|['’](?!s\b))"
    return [
        (re.compile(word.format("" if new[0].isupper() else no_name, old)), new)
        if _SAYS.plain_key.fullmatch(old)
        else (re.compile(old), new)
        for old, new in _table(path).items()
    ]


def _mistyped(slip: str, word: str, at: int) -> list[str]:
    """What comes of a slip at the letter `at`."""
    before, letter, after = word[:at], word[at], word[at + 1 :]
    if slip == "doubled letter":
        return [] if letter in (before[-1], after[0]) else [before + 2 * letter + after]
    if slip == "swapped letters":
        return [before + after[0] + letter + after[1:]] if len(after) > 1 else []
    if len(word) <= 5:  # in a short word, a wrong or a missing letter is hard to read past
        return []
    near = [""] if slip == "missing letter" else read_lexicon("typing")["neighbours"].get(letter, "")
    return [before + key + after for key in near]


class Source:
    """A prompt's text and the rules, each a method that styles.yaml names: what they may change in it."""

    def __init__(self, item: Item, text: str, random: Random) -> None:
        self.text, self.random, self.free = text, random, own_words(text)
        right = item.choices or (item.target if isinstance(item.target, tuple) else ())
        self.answers = _words_of(" ".join(right))

    def is_free(self, start: int, end: int) -> bool:
        """Whether nothing from `start` to `end` is protected or data."""
        return any(a <= start and end <= b for a, b in self.free)

    def found(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """Where `pattern` is in the person's own words."""
        return (match for match in pattern.finditer(self.text) if self.is_free(*match.span()))

    def places(self, rule: Given) -> list[Place]:
        """Where a rule changes something, and neither takes an answer's word away nor brings one in."""
        if re.match(rule.get("unless", "(?!)"), self.text):
            return []
        offered = []
        for start, end, new in getattr(self, rule["rule"])(rule):
            old = self.text[start:end]
            if old != new and self.answers.isdisjoint(_words_of(old) ^ _words_of(new)):
                offered.append(Place(start, end, new, rule["change"]))
        return offered

    def patterns(self, rule: Given) -> Changes:
        """Words and patterns in place of which something else may stand: a text, or one of several."""
        for pattern, said in _compiled(rule["pairs"]):
            for match in self.found(pattern):
                new = match.expand(said if isinstance(said, str) else self.random.choice(said))
                article = match.groupdict().get("article")
                ending = "n" if new.startswith(tuple("aeiou")) else ""
                yield *match.span(), f"{article}{ending} {new}" if article else _cased(new, match[0])

    def verbs(self, rule: Given) -> Changes:
        """Other verbs in the form that the prompt has; or verbs with one tag in the form of another."""
        for token in parse(self.text):
            lemma, tag = token.lemma_.lower(), token.tag_
            is_verb = token.pos_ == "VERB" and token.dep_ != "amod" and tag == rule.get("tag", tag)
            if not is_verb or inflect(lemma, tag) != token.lower_:  # the lemma may be wrong
                continue
            deps = {child.dep_ for child in token.children}
            after = {child.lower_ for child in token.children if child.dep_ == "aux"}
            if "prt" in deps or not {*rule.get("after", ())} <= after:
                continue
            new = _table(rule["pairs"]).get(lemma, "") if "pairs" in rule else lemma
            said = inflect(new, rule.get("to", tag)) if new else ""
            if said and self.is_free(token.idx, token.idx + len(token)):
                yield token.idx, token.idx + len(token), _cased(said, token.text)

    def slips(self, rule: Given) -> Changes:
        """One letter of a word is wrong, never the first or the last, and it is no other English word."""
        numbers = chain.from_iterable(read_lexicon("numbers").values())
        kept = unit_names() | {*numbers, *word_set("typing", "kept")}  # words that carry the problem
        for match in self.found(_SAYS.plain_word):
            inner = range(1, len(match[0]) - 1)
            typed = chain.from_iterable(_mistyped(rule["change"], match[0], at) for at in inner)
            made = [one for one in typed if one not in kept and not is_word(one)]
            if made and match[0] not in kept:
                yield *match.span(), self.random.choice(made)

    def numbers(self, rule: Given) -> Changes:
        """Whole numbers in words, but for years and what has a sign."""
        for span in find_spans(self.text):
            match = _SAYS.amount.fullmatch(self.text, span.start, span.end) if span.kind == "number" else None
            value = int(match["number"].replace(",", "")) if match else 10_000
            if match and value < 10_000 and not (1100 <= value < 2100 and match["number"].isdecimal()):
                yield span.start, match.end("number"), in_words(value)


class Style:
    """A family whose variants are one or more ways to say a prompt."""

    def __init__(self, name: str, strength: float = 0.5) -> None:
        """`strength` is the share of what may be changed that is, from 0 to 1."""
        if not 0 <= strength <= 1:
            raise InputError(f"the strength of {name} must be from 0 to 1, got {strength:g}")
        self.name, self.strength = name, strength
        self.version, self.traits = declared(name)

    def at(self, strength: float) -> Style:
        """The same family with another strength."""
        return Style(self.name, strength)

    def candidates(self, item: Item, *, k: int, seed: int) -> list[Variant]:
        """One of each way, then others of the same ways (`voice`, `voice2`, …), as long as they differ."""
        made: list[Variant] = []
        text, random = varied_text(item.prompt), Random(seed)
        given = {text.casefold()}  # another case alone is for the family `format`
        refused = k == 0 or self.strength == 0 or self.why_none(item)
        for way in [] if refused else read_table("styles")[self.name] * (k + _MORE_TRIES):
            said = with_small_openers(text) if way.get("lower_case") else text
            new, changes = self._say(way, Source(item, said, random))
            if changes and new.casefold() not in given:
                given.add(new.casefold())
                number = sum(one.change == way["name"] for one in made) + 1
                params = {"strength": self.strength, "changes": changes}
                name = f"{way['name']}{number if number > 1 else ''}"
                made.append(reworded(item, new, name, self, way["name"], params))
            if len(made) == k:
                break
        return made

    def why_none(self, item: Item) -> str:
        """Why nothing can be made of an item; empty where the rules may find something."""
        text = varied_text(item.prompt)
        if _SAYS.about_form.search(text):
            return "it is about spelling or the form of words"
        if len(text) > LONGEST:
            return f"it is longer than {LONGEST:,} characters"
        refuses = read_table("styles")[self.name][0].get("refuses")  # the same for all ways of a family
        return str(refuses["because"]) if refuses and re.search(refuses["pattern"], text.strip()) else ""

    def _say(self, way: Given, source: Source) -> tuple[str, list[str]]:
        """The text said that way, and what was changed, which is nothing where nothing may be."""
        always = [rule for rule in way.get("always", ()) if self.strength >= rule.get("from_strength", 0)]
        chosen = _fitting([], chain.from_iterable(map(source.places, always)), len(source.text))
        offered = [source.places(rule) for rule in way.get("some", ())]
        total = sum(map(len, offered))
        words = len(source.text.split()) * way["per_word"] if "per_word" in way else total
        most = len(chosen) + (max(1, round(self.strength * words)) if total else 0)
        for places in offered:
            source.random.shuffle(places)
        source.random.shuffle(offered)
        in_turns = chain.from_iterable(zip_longest(*offered))  # so that all rules have their share
        chosen = _fitting(chosen, filter(None, in_turns), most)
        text = source.text
        for start, end, new, _ in sorted(chosen, reverse=True):
            text = text[:start] + new + text[end:]
        said_first = next((place.new for place in chosen if place.end == 0), ".")
        if said_first.rstrip()[-1] not in ".!?" and with_small_openers(source.text)[:1].islower():
            at = len(said_first)
            text = text[:at] + text[at].lower() + text[at + 1 :]
        before, after = (  # numbers may be said in words; the checks compare what they are
            sorted(one[start:end].strip() for start, end, kind in find_spans(one) if kind != "number")
            for one in (source.text, text)
        )
        return text, sorted({place.change for place in chosen}) if before == after else []


def _fitting(chosen: list[Place], offered: Iterable[Place], most: int) -> list[Place]:
    """The chosen places with those of the offered that overlap none, up to so many."""
    chosen = list(chosen)
    for new in offered:
        apart = (new[:2] != old[:2] and (new.end <= old.start or old.end <= new.start) for old in chosen)
        if len(chosen) < most and all(apart):
            chosen.append(new)
    return chosen


NATURALISTIC = Style("naturalistic")
TYPING = Style("typing")
VOICE = Style("voice")
NONNATIVE = Style("nonnative")
REGISTER = Style("register")
VERBOSITY = Style("verbosity")
DIALECT = Style("dialect")
