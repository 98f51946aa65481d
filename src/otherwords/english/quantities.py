"""Text → its numbers and units by value ("3" is "three", "5 km/h"), clock times; a number → its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
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


_SAYS = Patterns("quantities")
_RAISED = {"²": 2, "³": 3, "squared": 2, "cubed": 3}
_POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
_ORDINAL_ENDINGS = frozenset(("st", "nd", "rd", "th"))
_CURRENCIES = frozenset("$€£¥₹")
_VAGUE = frozenset(("one", "first", "second"))
_POINTING = frozenset(("the", "these", "those", "all", "its", "his", "her", "their", "our", "your", "other"))
"""After these a small number counts what has been named: "which of the three"."""
_MINUSES = frozenset("-−–")


class _Piece(NamedTuple):
    text: str
    start: int
    end: int


class _Words:
    """The lexicons of numbers and units in the shape in which they are looked up."""

    def __init__(self) -> None:
        numbers, read = read_lexicon("numbers"), read_lexicon("units")
        self.ones = {word: value for value, word in enumerate(numbers["ones"])}
        self.tens = {word: 20 + 10 * place for place, word in enumerate(numbers["tens"])}
        self.ordinals = {word: value for value, word in enumerate(numbers["ordinals"], start=1)}
        self.scales: dict[str, int] = numbers["scales"]
        self.parts: dict[str, int] = numbers["parts"]
        self.fixed = {word: Fraction(1, parts) for word, parts in self.parts.items()}
        self.fixed |= {word: Fraction(str(value)) for word, value in numbers["words"].items()}
        self.rates: dict[str, str] = read["rates"]
        self.short = {*read["short"], *(f"{word}s" for word in read["short"] if len(word) > 3)}
        self.units: dict[str, Unit] = {
            str(way): ((str(name), 1),) for name, ways in read["units"].items() for way in ways
        }
        plurals = [way for way in self.units if len(way) > 2 and way[-1].isalpha() and way[-1] != "s"]
        self.units |= {f"{way}s": self.units[way] for way in plurals}
        self.units |= {name: tuple(sorted(powers.items())) for name, powers in read["compound"].items()}


_words = cache(_Words)


@cache
def unit_names() -> frozenset[str]:
    """All ways to write a unit."""
    return frozenset(_words().units)


class NumberScanner:
    """Reads a text from left to right, one mention at a time."""

    def __init__(self, text: str) -> None:
        self.words = _words()
        self.pieces = [_Piece(one[0].lower(), *one.span()) for one in _SAYS.piece.finditer(text)]

    def scan(self) -> Iterator[Mention]:
        place = 0
        while place < len(self.pieces):
            mention, place = self._mention(place)
            if mention is not None:
                yield mention

    def _mention(self, place: int) -> tuple[Mention | None, int]:
        piece = self.pieces[place]
        if piece.text in _CURRENCIES and self._text(place + 1)[:1].isdecimal():
            return None, place + 1
        if (number := self._number(place)) is not None:
            value, spelling, after = number
            of = value.denominator > 1 and self._text(after) == "of"  # "a quarter of a square metre"
            part = (of + 1) * (value.denominator > 1 and self._text(after + of) in ("a", "an"))
            unit, end = self._unit(after + part, after_number=spelling != "ordinal")
            end = end if unit else after
            before = self._text(place - 1)
            if before in _CURRENCIES:
                if self._text(after) == "m" and self._joined(after):  # "$9M"
                    value, after = value * 1_000_000, after + 1
                unit, end = self._with_divisors(dict(self.words.units[before]), after)
            return Mention(value, unit, spelling, piece.start, self.pieces[end - 1].end), end
        if piece.text in self.words.rates:
            rate = ((self.words.rates[piece.text], -1),)
            return Mention(None, rate, "word", piece.start, piece.end), place + 1
        counts = piece.text in ("a", "an")
        unit, end = self._unit(place + counts, after_number=False)
        each_second = piece.text == "every" and self._text(place + 1) == "second"
        if not unit and (piece.text == "per" or each_second):
            unit, end = self._with_divisors({}, place)
        if not unit:
            return None, place + 1
        one, spelling = (Fraction(1), "vague") if counts else (None, "word")
        if counts and [self._text(end + step) for step in range(3)] == ["and", "a", "half"]:
            one, end = Fraction(3, 2), end + 3  # "an hour and a half"
        return Mention(one, unit, spelling, piece.start, self.pieces[end - 1].end), end

    def _text(self, place: int) -> str:
        return self.pieces[place].text if 0 <= place < len(self.pieces) else ""

    def _joined(self, place: int) -> bool:
        """Whether nothing stands between the piece at `place` and the one before it."""
        return 0 < place < len(self.pieces) and self.pieces[place].start == self.pieces[place - 1].end

    # numbers

    def _number(self, place: int) -> tuple[Fraction, str, int] | None:
        """The value that starts at `place`, how it is spelled, and the place after it."""
        word = self._text(place)
        if word[:1].isdecimal():
            return self._in_digits(place)
        words = self.words
        if word in words.ordinals:
            return Fraction(words.ordinals[word]), "vague" if word in _VAGUE else "ordinal", place + 1
        if word in words.fixed:
            return words.fixed[word], "vague", place + 1
        if word in words.ones or word in words.tens:
            return self._in_words(place)
        if word in words.scales and self._text(place - 1) in ("a", "per") and len(word) > 2:
            return Fraction(words.scales[word]), "word", place + 1
        return None

    def _in_words(self, place: int) -> tuple[Fraction, str, int]:
        words, word = self.words, self._text(place)
        if self._text(place - 1) in _POINTING:
            return Fraction({**words.ones, **words.tens}[word]), "vague", place + 1
        value, after = self._cardinal(place)
        spelling = "vague" if word == "one" and after == place + 1 else "word"
        return self._with_scale(Fraction(value), spelling, after)

    def _in_digits(self, place: int) -> tuple[Fraction, str, int]:
        value = Fraction(re.sub(r"[^\d.]", "", self._text(place)))
        before = self._text(place - 1)
        if before in _MINUSES and self._joined(place) and not self._joined(place - 1):
            value = -value
        after = place + 1
        if self._joined(after) and self._text(after) in _ORDINAL_ENDINGS:
            return value, "ordinal", after + 1
        if self._text(after) == "/" and self._text(after + 1).isdecimal() and self._joined(after):
            below = int(self._text(after + 1))
            if below > 1 and self._text(after + 2) != "/":
                return value / below, "digits", after + 2
        return self._with_scale(value, "digits", after)

    def _with_scale(self, value: Fraction, spelling: str, after: int) -> tuple[Fraction, str, int]:
        """With what follows it: "3 million", "two thirds", "two dozen"."""
        skip = 1 if self._text(after) == "-" and self._joined(after) else 0
        word = self._text(after + skip)
        words = self.words
        if word in words.scales and (len(word) > 1 or self._joined(after)):
            return value * words.scales[word], spelling, after + skip + 1
        if word in words.parts or (word in words.ordinals and value == 1 and spelling == "vague"):
            return value / words.parts.get(word, words.ordinals.get(word, 1)), "vague", after + skip + 1
        if word == "and" and self._text(after + 1) == "a" and self._text(after + 2) in words.parts:
            return value + Fraction(1, words.parts[self._text(after + 2)]), spelling, after + 3
        if word == "dozen":
            return value * 12, "word", after + skip + 1
        return value, spelling, after

    def _cardinal(self, place: int) -> tuple[int, int]:
        """The value of "two hundred and five", and the place after it."""
        words, total, current, may_follow = self.words, 0, 0, "one ten scale"
        small = words.ones.keys() | words.tens.keys()
        while place < len(self.pieces):
            word = self._text(place)
            if word in words.ones and "one" in may_follow:
                current, may_follow = current + words.ones[word], "scale"
            elif word in words.tens and "ten" in may_follow:
                current, may_follow = current + words.tens[word], "one scale"
            elif word in words.scales and len(word) > 2 and "scale" in may_follow:
                if word == "hundred":
                    current = (current or 1) * 100
                else:
                    total, current = total + (current or 1) * words.scales[word], 0
                may_follow = "one ten and"
            elif word == "-" and self._text(place - 1) in words.tens and self._text(place + 1) in words.ones:
                pass
            elif word != "and" or "and" not in may_follow or self._text(place + 1) not in small:
                break
            place += 1
        return total + current, place

    # units

    def _unit(self, place: int, *, after_number: bool) -> tuple[Unit, int]:
        """The unit that starts at `place`, and the place after it; empty where there is none."""
        start = place + (self._text(place) == "-" and after_number)
        power = _POWERS.get(self._text(start), 0)
        after = start + bool(power)
        after += bool(power) and self._text(after) in (".", "-")
        short = after_number or bool(power) or self._is_compound(after + 1)
        one, after = self._raised_unit(after, power, short=short)
        return self._with_divisors(dict(one), after) if one else ((), place)

    def _with_divisors(self, unit: Mapping[str, int], place: int) -> tuple[Unit, int]:
        """The unit with all that divides it from `place` on: "/h", "per hour", "an hour"."""
        powers = Counter(unit)
        while (word := self._text(place)) in ("/", "per", "a", "an", "each", "every"):
            power = _POWERS.get(self._text(place + 1), 0)
            after = place + 1 + bool(power)
            short = word in ("/", "per") or len(self._text(after)) > 2
            below, after = self._raised_unit(after, power, short=short)
            if not below:
                break
            powers.subtract(dict(below))
            place = after
        return tuple(sorted(powers.items())), place

    def _is_compound(self, place: int) -> bool:
        """Whether what stands at `place` makes a unit of the letters before it: "m²", "m/s"."""
        if not self._joined(place):
            return False
        word, after = self._text(place), self._text(place + 1)
        return word in _RAISED or (word == "/" and self._joined(place + 1) and after in self.words.units)

    def _raised_unit(self, place: int, power: int, *, short: bool) -> tuple[Unit, int]:
        """The unit at `place` to the power that was said before it or stands after it."""
        word = self._text(place)
        pair = f"{word}{'' if self._joined(place + 1) else ' '}{self._text(place + 1)}"
        hyphened = f"{word}-{self._text(place + 2)}" if self._text(place + 1) == "-" else ""
        units, too_short = self.words.units, () if short else self.words.short
        ways = [one for one in ((hyphened, 3), (pair, 2), (word, 1)) if one[0] in units]
        name, size = next((one for one in ways if one[0] not in too_short), ("", 0))
        if not name:
            return (), place
        after, raised = place + size, 1
        word = self._text(after)
        if word in _RAISED:
            raised, after = _RAISED[word], after + 1
        elif word == "^" and self._text(after + 1) in ("2", "3"):
            raised, after = int(self._text(after + 1)), after + 2
        elif word in ("2", "3") and self._joined(after):
            raised, after = int(word), after + 1
        return tuple((unit, of * (power or raised)) for unit, of in units[name]), after


def mentions(text: str) -> tuple[Mention, ...]:
    """The numbers of a text with their units, and the units that stand without a number.

    Example:
        >>> [(float(one.value), one.unit) for one in mentions("40 km/h for two hours")]
        [(40.0, (('hour', -1), ('kilometer', 1))), (2.0, (('hour', 1),))]
    """
    times = tuple(_clock_times(text))
    rest = text
    labels = [one.span() for one in _SAYS.label.finditer(text)]
    for start, end in (*labels, *((one.start, one.end) for one in times)):
        rest = f"{rest[:start]}{'·' * (end - start)}{rest[end:]}"
    found = _sums_of_times(NumberScanner(rest).scan(), rest)
    return tuple(sorted((*times, *found), key=lambda one: one.start))


def _clock_times(text: str) -> Iterator[Mention]:
    """Times of day in minutes of a half day; the half is the unit, where it is said."""
    for match in _SAYS.clock.finditer(text):
        if match["word"]:
            half = "pm" if match["word"].lower().endswith("noon") else "am"
            yield Mention(Fraction(720), ((half, 1),), "vague", *match.span())
        elif match["minute"] or match["half"]:
            hour = int(match["hour"])
            half = (match["half"] or "")[:1].lower() + "m" if match["half"] else "pm" if hour > 12 else ""
            value = Fraction((hour % 12 or 12) * 60 + int(match["minute"] or 0))
            yield Mention(value, ((half, 1),) if half else (), "digits", match.start(), match.end())


_HOUR: Unit = (("hour", 1),)
_MINUTE: Unit = (("minute", 1),)


def _sums_of_times(found: Iterable[Mention], text: str) -> list[Mention]:
    """Hours and minutes that follow each other as one quantity: "1 hour and 50 minutes".

    In "2 hours, 15 minutes faster than" they are two.
    """
    joined: list[Mention] = []
    for one in found:
        last = joined[-1] if joined else one
        follows = text[last.end : one.start].strip(" ,") in ("", "and")
        if last.unit == _HOUR and one.unit == _MINUTE and follows and not _SAYS.compared.match(text, one.end):
            total = 60 * (last.value or Fraction(0)) + (one.value or Fraction(0))
            joined[-1] = Mention(total, _MINUTE, last.spelling, last.start, one.end)
        else:
            joined.append(one)
    return joined


def in_words(value: int) -> str:
    """`value`, from 0 to 9,999, as it is said.

    Examples:
        >>> in_words(0), in_words(42), in_words(1305)
        ('zero', 'forty two', 'one thousand three hundred five')
    """
    read = read_lexicon("numbers")
    for size, name in ((1000, "thousand"), (100, "hundred")):
        if value >= size:
            rest = f" {in_words(value % size)}" if value % size else ""
            return f"{in_words(value // size)} {name}{rest}"
    if value < len(read["ones"]):
        return str(read["ones"][value])
    tens = str(read["tens"][value // 10 - 2])
    return f"{tens} {read['ones'][value % 10]}" if value % 10 else tens
