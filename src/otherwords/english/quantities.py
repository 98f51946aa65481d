"""Numbers and units of a text, by value: "3" is "three", and "5 km/h" is "five kilometres per hour"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from otherwords.english.lexicon import read_lexicon
from otherwords.english.number_scanner import Mention, NumberScanner, Unit

_MINUS = str.maketrans("\u2212", "-")
# A currency sign, digits (with or without thousands separators and decimals), a power of ten as e3 or × 10^3,
# and up to forty characters of a unit without digits.
_NUMBER = re.compile(
    r"(?:([$€£¥])\s*)?([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[-+]?\.\d+)"
    r"(?:e([-+]?\d{1,3})|\s*[×x*]\s*10\s*\^?\s*([-+]?\d{1,3}))?\s*(\D{0,40})\Z",
    re.IGNORECASE,
)
_YEAR = re.compile(r"1[5-9]\d\d|20\d\d|2100")


class Quantity(NamedTuple):
    """A number and its unit, which may be empty or a currency sign."""

    value: float
    unit: str
    is_year: bool
    """A whole number from 1500 to 2100 with nothing beside it."""


def read_quantity(text: str) -> Quantity | None:
    """The quantity that is the whole of `text`, or None.

    Examples:
        >>> read_quantity("5.5 × 10^3 km")
        Quantity(value=5500.0, unit='km', is_year=False)
    """
    plain = text.strip().translate(_MINUS)
    found = _NUMBER.match(plain)
    if found is None:
        return None
    sign, number, exponent, power, unit = found.groups()
    value = float(f"{number.replace(',', '')}e{exponent or power or 0}")
    return Quantity(value, (sign or "") + unit.strip().casefold(), bool(_YEAR.fullmatch(plain)))


# A time of day; its hours and minutes are one value.
_CLOCK = re.compile(
    r"(?P<word>(?:\b12 )?\b(?:noon|midnight))\b"
    r"|(?<![\d:.])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?![\d:]))?\s?(?P<half>[ap]\.?\s?m\b\.?)?",
    re.IGNORECASE,
)
# The number of a step or of a line of a list says nothing of the problem.
_LABEL = re.compile(
    r"(?m)^\s*\(?\d{1,2}[.)](?=\s)|(?<=\s)\(?[1-9]\)(?=\s)|\b(?:step|question|q) \d{1,2}[:.)]",
    re.IGNORECASE,
)


def mentions(text: str) -> tuple[Mention, ...]:
    """The numbers of a text with their units, and the units that stand without a number.

    Example:
        >>> [(float(one.value), one.unit) for one in mentions("40 km/h for two hours")]
        [(40.0, (('hour', -1), ('kilometer', 1))), (2.0, (('hour', 1),))]
    """
    times = tuple(_clock_times(text))
    hidden = [one.span() for one in _LABEL.finditer(text)] + [(one.start, one.end) for one in times]
    rest = _hide(text, hidden)
    return tuple(
        sorted((*times, *_sums_of_times(NumberScanner(rest).scan(), rest)), key=lambda one: one.start)
    )


def _hide(text: str, spans: Iterable[tuple[int, int]]) -> str:
    for start, end in spans:
        text = f"{text[:start]}{'·' * (end - start)}{text[end:]}"
    return text


def _clock_times(text: str) -> Iterator[Mention]:
    """Times of day in minutes of a half day; the half is the unit, where it is said."""
    for match in _CLOCK.finditer(text):
        if match["word"]:
            half = "pm" if match["word"].lower().endswith("noon") else "am"
            yield Mention(Fraction(720), ((half, 1),), "vague", *match.span())
        elif match["minute"] or match["half"]:
            hour = int(match["hour"])
            half = (match["half"] or "")[:1].lower() + "m" if match["half"] else "pm" if hour > 12 else ""
            value = Fraction((hour % 12 or 12) * 60 + int(match["minute"] or 0))
            yield Mention(value, ((half, 1),) if half else (), "digits", match.start(), match.end())


def _sums_of_times(found: Iterable[Mention], text: str) -> Iterator[Mention]:
    """Hours and minutes that follow each other as one quantity: "1 hour and 50 minutes"."""
    last: Mention | None = None
    for one in found:
        if last is not None and _continues(last, one, text):
            total = 60 * (last.value or Fraction(0)) + (one.value or Fraction(0))
            last = Mention(total, _MINUTE, last.spelling, last.start, one.end)
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _continues(hours: Mention, minutes: Mention, text: str) -> bool:
    between = text[hours.end : minutes.start].strip(" ,")
    return hours.unit == _HOUR and minutes.unit == _MINUTE and between in ("", "and")


_HOUR: Unit = (("hour", 1),)
_MINUTE: Unit = (("minute", 1),)


def in_words(value: int) -> str:
    """`value`, from 0 to 9,999, as it is said.

    Examples:
        >>> in_words(0), in_words(42), in_words(1305)
        ('zero', 'forty two', 'one thousand three hundred five')
    """
    read = read_lexicon("numbers")
    if value >= 1000:
        rest = f" {in_words(value % 1000)}" if value % 1000 else ""
        return f"{in_words(value // 1000)} thousand{rest}"
    if value >= 100:
        rest = f" {in_words(value % 100)}" if value % 100 else ""
        return f"{in_words(value // 100)} hundred{rest}"
    if value < len(read["ones"]):
        return str(read["ones"][value])
    tens = str(read["tens"][value // 10 - 2])
    return f"{tens} {read['ones'][value % 10]}" if value % 10 else tens
