"""Text → its numbers and units by value ("3" is "three", "5 km/h"), clock times; a number → its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple, TypeAlias

from otherwords.english.lexicon import Patterns, read_lexicon

Unit: TypeAlias = "tuple[tuple[str, int], ...]"
"""A product of units with their powers, sorted: m/s² is `(("meter", 1), ("second", -2))`."""


class Mention(NamedTuple):
    """A number in a text, or a unit without one."""

    value: Fraction | None
    unit: Unit
    spelling: str
    """`digits`; `word` (three); `ordinal` (3rd); `vague`: a word that also has other uses (one, both)."""
    start: int
    end: int


@cache
def _units() -> dict[str, Unit]:
    """What each way to write a unit stands for."""
    read = read_lexicon("units")
    ways: dict[str, Unit] = {
        str(way).lower(): ((str(name), 1),) for name, every in read["units"].items() for way in every
    }
    plurals = [way for way in ways if len(way) > 2 and way[-1].isalpha() and way[-1] != "s"]
    compound = {name: tuple(sorted(powers.items())) for name, powers in read["compound"].items()}
    return {**ways, **{f"{way}s": ways[way] for way in plurals}, **compound}


@cache
def unit_names() -> frozenset[str]:
    """All ways to write a unit."""
    return frozenset(_units())


@cache
def _values() -> dict[str, Fraction]:
    """What each word for a number says."""
    read = read_lexicon("numbers")
    values = {word: Fraction(1, below) for word, below in read["parts"].items()}
    for key, first, step in (("ones", 0, 1), ("tens", 20, 10), ("ordinals", 1, 1)):
        values |= {word: Fraction(first + step * place) for place, word in enumerate(read[key])}
    return values | {word: Fraction(str(value)) for word, value in (read["words"] | read["scales"]).items()}


def fragments() -> dict[str, str]:
    """The words of numbers and units, as parts of the patterns."""
    numbers, read = read_lexicon("numbers"), read_lexicon("units")
    words: dict[str, Iterable[str]] = {
        name.upper(): [word for word in every if len(word) > 2] for name, every in numbers.items()
    }
    words["WORDS"] = [*words["WORDS"], *words["PARTS"]]
    short = {*read["short"], *(f"{word}s" for word in read["short"] if len(word) > 3)}
    words |= {"RATES": read["rates"], "UNITS": _units(), "LONG": _units().keys() - short}
    return {
        name: f"(?:{'|'.join(map(re.escape, sorted(every, key=len, reverse=True)))})"
        for name, every in words.items()
    }


@cache
def _says() -> Patterns:
    return Patterns("quantities", **fragments())


def mentions(text: str) -> tuple[Mention, ...]:
    """The numbers of a text with their units, and the units that stand without a number."""
    lower = "".join(low if len(low := letter.lower()) == 1 else letter for letter in text)
    return tuple(_sums_of_times(_scan(lower), lower))


def _scan(text: str) -> Iterator[Mention]:
    says, place = _says(), 0
    while (found := says.scan.search(text, place)) is not None:
        start = max(found.start(), found.end("money"), found.end("pointing"))
        end = place = max(found.end(), start + 1)
        if found["noon"] or found["hour"]:
            yield _clock_time(found)
            continue
        value, spelling = _value(found)
        unit: Unit = ()
        if found["rate"]:
            unit = ((read_lexicon("units")["rates"][found["rate"]], -1),)
        elif spelling != "ordinal":
            above = _units()[found["money"]] if found["money"] else ()
            is_part = value is not None and value.denominator > 1 and not above
            of_one = says.of_one.match(text, found.end()) if is_part else None
            unit, end = _unit(text, of_one.end() if of_one else found.end(), above)
        if found["one"] and (half := says.and_half.match(text, end)):  # "an hour and a half"
            value, end = Fraction(3, 2), half.end()
        place = end if unit else place
        if unit or (value is not None and not found["one"]):
            yield Mention(value, unit, spelling, start, place)


def _clock_time(found: re.Match[str]) -> Mention:
    """A time of day in minutes of a half day; the half is the unit, where it is said."""
    hour, noon = int(found["hour"] or 12), {"noon": "pm", "midnight": "am"}.get(found["noon"], "")
    half = f"{found['half']}m" if found["half"] else "pm" if hour > 12 else noon
    value = Fraction((hour % 12 or 12) * 60 + int(found["minute"] or 0))
    return Mention(value, ((half, 1),) if half else (), "vague" if noon else "digits", *found.span())


def _value(found: re.Match[str]) -> tuple[Fraction | None, str]:
    """The number with what belongs to it, "3 million", "two thirds", and how it is spelled."""
    values = _values()
    if word := found["ordinal"] or found["word"] or found["scale"]:
        is_vague = found["word"] or word in ("first", "second")
        return values[word], "vague" if is_vague else "ordinal" if found["ordinal"] else "word"
    if digits := found["digits"]:
        value = Fraction(re.sub(r"[^\d.]", "", digits)) / int(found["below"] or 1)
        value, spelling = value if digits[0].isdecimal() else -value, "ordinal" if found["nth"] else "digits"
    elif words := found["cardinal"]:
        value = _cardinal(words)
        spelling = "vague" if words == "one" or found["pointing"] or found["part"] else "word"
    else:
        return (Fraction(1), "vague") if found["one"] else (None, "word")
    value += values.get(found["and_part"], 0)
    value *= 1_000_000 if found["times"] == "m" else values.get(found["times"], 1)
    part = values.get(found["part"], Fraction(1))
    return value * (1 / part if part > 1 else part), spelling  # the part "third" is an ordinal


def _cardinal(words: str) -> Fraction:
    """The value of "two hundred and five"."""
    total = current = Fraction(0)
    for word in re.findall(r"[a-z]+", words):
        value = _values().get(word, Fraction(0))
        if value < 100:
            current += value
        elif value == 100:
            current *= value
        else:
            total, current = total + current * value, Fraction(0)
    return total + current


def _unit(text: str, place: int, above: Unit) -> tuple[Unit, int]:
    """The unit at `place` with all that divides it, "/h", "per hour", and the place after it."""
    powers = Counter(dict(above))
    while (found := _says().unit.match(text, place)) and (found["over"] or not powers):
        power = read_lexicon("units")["powers"].get(found["power"] or found["raised"], 1)
        for name, of in _units()[found["name"]]:
            powers[name] += of * power * (-1 if found["over"] else 1)
        place = found.end()
    return tuple(sorted(powers.items())), place


def _sums_of_times(found: Iterable[Mention], text: str) -> list[Mention]:
    """Hours and minutes that follow each other as one quantity: "1 hour and 50 minutes".

    In "2 hours, 15 minutes faster than" they are two.
    """
    joined: list[Mention] = []
    for one in found:
        last = joined[-1] if joined else one
        follows = text[last.end : one.start].strip(" ,") in ("", "and")
        if (last.unit, one.unit) == _HOUR_MINUTE and follows and not _says().compared.match(text, one.end):
            total = 60 * (last.value or Fraction(0)) + (one.value or Fraction(0))
            joined[-1] = Mention(total, one.unit, last.spelling, last.start, one.end)
        else:
            joined.append(one)
    return joined


_HOUR_MINUTE: tuple[Unit, Unit] = ((("hour", 1),), (("minute", 1),))


def in_words(value: int) -> str:
    """`value`, from 0 to 9,999, as it is said: 1305 is "one thousand three hundred five"."""
    read = read_lexicon("numbers")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = f" {in_words(value % size)}" if value % size else ""
            return f"{in_words(value // size)} {name}{rest}"
    if value < len(read["ones"]):
        return str(read["ones"][value])
    tens = str(read["tens"][value // 10 - 2])
    return f"{tens} {read['ones'][value % 10]}" if value % 10 else tens
