"""Seven families that say a prompt as other people do, each a table of rules in styles.yaml.

Typed in a hurry, mistyped, dictated, by learners of English, casual or formal, terse or padded, British or
American. How many of the places that the rules find are changed depends on the strength. A prompt about
spelling or forms of words is left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from random import Random
from typing import Any, NamedTuple

from otherwords.core.errors import InputError
from otherwords.core.types import Item, Variant, varied_text
from otherwords.english.parse import LONGEST
from otherwords.english.spans import find_spans, same_spans
from otherwords.variants.base import declared, read_table, reworded
from otherwords.variants.prose import capital_openers, is_about_form, with_case
from otherwords.variants.style import REFUSALS, RULES, Place, Rule, Source

_MOST_TRIES = 8


class Way(NamedTuple):
    """One way to say it, as styles.yaml tells."""

    name: str
    always: tuple[Rule, ...]
    some: tuple[Rule, ...]
    per_word: float = 0.0
    refuses: Callable[[str], str] = lambda text: ""
    """Why nothing is made of a text; empty where something may be."""
    lower_case: bool = False
    """The sentences of the whole text open in lower case."""


def _way(told: Mapping[str, Any]) -> Way:
    rules = {name: tuple(map(_rule, told.get(name, ()))) for name in ("always", "some")}
    more = {"refuses": REFUSALS[told["refuses"]]} if "refuses" in told else {}
    return Way(**{**told, **rules, **more})


def _rule(told: str | Mapping[str, Any]) -> Rule:
    given = {"rule": told} if isinstance(told, str) else dict(told)
    return partial(RULES[given.pop("rule")], **given)


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

    @cached_property
    def ways(self) -> tuple[Way, ...]:
        """Made when they are needed: whoever asks for the traits needs no word lists."""
        return tuple(map(_way, read_table("styles")[self.name]))

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
                first = with_case(text, capital_openers(text), upper=False) if way.lower_case else text
                source = Source(item, first, random, self.strength)
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
            return "it is about spelling or the form of words"
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


NATURALISTIC = Style("naturalistic")
TYPING = Style("typing")
VOICE = Style("voice")
NONNATIVE = Style("nonnative")
REGISTER = Style("register")
VERBOSITY = Style("verbosity")
DIALECT = Style("dialect")
