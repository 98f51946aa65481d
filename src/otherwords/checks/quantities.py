"""Numbers and units, by value: "3" is "three", "1,000" is "1000", "5 km" is "5 kilometres"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_ATTACHED = re.compile(r"\d+(°?[a-zµμ]+|[%°])")

_ONES = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
        " sixteen seventeen"
        " eighteen nineteen".split(),
        range(20),
        strict=True,
    )
)
_TENS = dict(
    zip("twenty thirty forty fifty sixty seventy eighty ninety".split(), range(20, 100, 10), strict=True)
)
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ORDINALS = dict(
    zip(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        range(1, 13),
        strict=True,
    )
)
_TIMES = {"twice": 2, "double": 2, "doubled": 2, "doubles": 2, "thrice": 3, "triple": 3, "tripled": 3}
_COUNTED = _ONES.keys() | _TENS.keys()
_PARTS = {
    "half": 2,
    "halved": 2,
    "halve": 2,
    "halves": 2,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fourths": 4,
    "fifths": 5,
}
_FIXED = {
    "dozen": "12",
    **{word: f"x{times}" for word, times in _TIMES.items()},
    **{word: f"1/{parts}" for word, parts in _PARTS.items()},
}
NUMBER_WORDS: frozenset[str] = frozenset((*_ONES, *_TENS, *_SCALES, *_ORDINALS, *_TIMES, *_PARTS, "dozen"))
NUMBERS_IN_WORDS: Mapping[str, str] = {word: str(value) for word, value in (*_ONES.items(), *_TENS.items())}

_UNITS: Mapping[str, str] = {
    "%": "% percent percentage percentages pct",
    "dollar": "$ dollar dollars usd buck bucks",
    "euro": "€ euro euros eur",
    "pound": "£ pound pounds gbp lb lbs",
    "yen": "¥ yen jpy",
    "rupee": "₹ rupee rupees inr",
    "cent": "¢ cent cents penny pennies",
    "nanometer": "nm nanometer nanometers nanometre nanometres",
    "micrometer": "µm μm micrometer micrometers micron microns",
    "millimeter": "mm millimeter millimeters millimetre millimetres",
    "centimeter": "cm centimeter centimeters centimetre centimetres",
    "meter": "m meter meters metre metres",
    "kilometer": "km kilometer kilometers kilometre kilometres kms",
    "mile": "mi mile miles mph",
    "inch": "inch inches",
    "foot": "ft foot feet",
    "yard": "yd yards",
    "microgram": "µg μg mcg microgram micrograms",
    "milligram": "mg milligram milligrams",
    "gram": "g gram grams gramme grammes",
    "kilogram": "kg kilogram kilograms kilo kilos kgs",
    "ton": "ton tons tonne tonnes",
    "ounce": "oz ounce ounces",
    "milliliter": "ml milliliter milliliters millilitre millilitres",
    "centiliter": "cl centiliter centiliters centilitre centilitres",
    "liter": "l liter liters litre litres",
    "gallon": "gal gallon gallons",
    "pint": "pint pints",
    "quart": "quart quarts",
    "cup": "cup cups",
    "teaspoon": "tsp teaspoon teaspoons",
    "tablespoon": "tbsp tablespoon tablespoons",
    "millisecond": "ms millisecond milliseconds",
    "second": "s sec secs second seconds",
    "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours hourly",
    "day": "day days daily",
    "night": "night nights nightly",
    "week": "week weeks weekly",
    "month": "month months monthly",
    "year": "yr yrs year years yearly annual annually annum",
    "decade": "decade decades",
    "century": "century centuries",
    "kelvin": "k kelvin kelvins",
    "celsius": "°c celsius centigrade",
    "fahrenheit": "°f fahrenheit",
    "byte": "b byte bytes",
    "kilobyte": "kb kilobyte kilobytes",
    "megabyte": "mb megabyte megabytes",
    "gigabyte": "gb gigabyte gigabytes",
    "terabyte": "tb terabyte terabytes",
    "hertz": "hz hertz",
    "kilohertz": "khz kilohertz",
    "megahertz": "mhz megahertz",
    "gigahertz": "ghz gigahertz",
    "volt": "v volt volts",
    "millivolt": "mv millivolt millivolts",
    "ampere": "amp amps ampere amperes",
    "milliampere": "ma milliamp milliamps",
    "watt": "w watt watts",
    "kilowatt": "kw kilowatt kilowatts kwh",
    "megawatt": "mw megawatt megawatts",
    "joule": "j joule joules",
    "kilojoule": "kj kilojoule kilojoules",
    "calorie": "cal calorie calories kcal",
    "newton": "n newton newtons",
    "pascal": "pa pascal pascals",
    "kilopascal": "kpa kilopascal kilopascals",
    "atmosphere": "atm atmospheres",
    "mole": "mol mole moles",
    "millimole": "mmol millimole millimoles",
    "acre": "acre acres",
    "hectare": "ha hectare hectares",
    "degree": "° degree degrees",
    "a.m.": "am",
    "p.m.": "pm",
}
UNIT_OF: Mapping[str, str] = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_ONLY_AFTER_A_NUMBER = frozenset(name for name in UNIT_OF if len(name) <= 2 and name.isalpha()) | {
    "cal",
    "second",
    "min",
    "sec",
    "mins",
    "secs",
    "atm",
    "mol",
    "pound",
    "minute",
    "degree",
    "degrees",
    "foot",
    "ms",
}
"""Elsewhere these are words: "I am", "a", "in degrees", "on foot"."""
_COUNTING = frozenset("per every each a one two three four five six seven eight nine ten".split())


_TEXT_UNIT_OF: Mapping[str, str] = {
    name: unit
    for unit, names in {
        "word": "word words",
        "character": "character characters char chars",
        "letter": "letter letters",
        "syllable": "syllable syllables",
        "sentence": "sentence sentences",
        "line": "line lines",
        "verse": "verse verses stanza stanzas",
        "paragraph": "paragraph paragraphs",
        "page": "page pages",
        "chapter": "chapter chapters",
        "bullet": "bullet bullets",
        "slide": "slide slides",
        "token": "token tokens",
    }.items()
    for name in names.split()
}
TEXT_UNITS = frozenset(_TEXT_UNIT_OF)
_ADJECTIVES = 2
"""So many words may stand between a number and its unit: "three short paragraphs"."""


def text_units(words: Sequence[str]) -> dict[str, set[str]]:
    """How much text is asked for: units by the number that they follow."""
    found: dict[str, set[str]] = {}
    for place, word in enumerate(words):
        if word in _TEXT_UNIT_OF:
            for before in reversed(words[max(0, place - 1 - _ADJECTIVES) : place]):
                number = NUMBERS_IN_WORDS.get(before, before)
                if number[0].isdigit():
                    found.setdefault(number, set()).add(_TEXT_UNIT_OF[word])
                    break
    return found


_PEOPLE = frozenset("person people head capita individual guest passenger participant adult".split())


def rates(words: Sequence[str]) -> dict[str, set[str]]:
    """What a number is "per", by the number."""
    found: dict[str, set[str]] = {}
    for place in range(1, len(words) - 1):
        if words[place] == "per":
            number = next(
                (word for word in reversed(words[max(0, place - 3) : place]) if word[0].isdigit()), ""
            )
            what = words[place + 1]
            if number and what not in UNIT_OF:
                found.setdefault(number, set()).add("person" if what in _PEOPLE else what)
    return found


def numbers_in_digits(text: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for match in _NUMBER.finditer(text):
        sign = "-" if _is_negative(text, match.start()) else ""
        key = sign + _value(match.group())
        found[key] = found.get(key, 0) + 1
    return found


def _is_negative(text: str, start: int) -> bool:
    """A minus that is no hyphen and no operator: nothing it could join stands before it."""
    return text[start - 1 : start] in ("-", "−") and (start == 1 or text[start - 2] in " \t\n(=,:")


def _value(digits: str) -> str:
    if _THOUSANDS.fullmatch(digits):
        digits = digits.replace(",", "")
    if digits.count(".") == 1:
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0"


def numbers_in_words(words: Sequence[str], places: Sequence[int]) -> dict[str, int]:
    """`places` are the indices of the words in `NUMBER_WORDS`."""
    found: dict[str, int] = {}
    taken = -1
    for place in places:
        if place <= taken:
            continue
        key, taken = _spelled(words, place)
        if key:
            found[key] = found.get(key, 0) + 1
    return found


def _spelled(words: Sequence[str], place: int) -> tuple[str, int]:
    """What is said from `place` on, and the index of its last word."""
    word = words[place]
    if word in _ORDINALS:
        return _ordinal(words, place), place
    if word in _FIXED:
        return _FIXED[word], place
    value, last = _cardinal(words, place)
    after = words[last + 1] if last + 1 < len(words) else ""
    if after in _PARTS or after == "third":
        return f"{value}/{_PARTS.get(after, 3)}", last + 1
    if after == "times":
        return f"x{value}", last + 1
    return str(value * 12 if after == "dozen" else value), last + (after == "dozen")


def _cardinal(words: Sequence[str], place: int) -> tuple[int, int]:
    """The value of "two hundred and five", and the index of its last word."""
    total = current = 0
    last, may_follow = place, "one ten scale"
    for at in range(place, len(words)):
        word = words[at]
        if word in _ONES and "one" in may_follow:
            current, may_follow = current + _ONES[word], "scale"
        elif word in _TENS and "ten" in may_follow:
            current, may_follow = current + _TENS[word], "one scale"
        elif word in _SCALES and "scale" in may_follow:
            if word == "hundred":
                current = (current or 1) * 100
            else:
                total, current = total + (current or 1) * _SCALES[word], 0
            may_follow = "one ten scale and"
        elif word == "and" and "and" in may_follow and at + 1 < len(words) and words[at + 1] in _COUNTED:
            continue
        else:
            break
        last = at
    return total + current, last


def _ordinal(words: Sequence[str], place: int) -> str:
    word = words[place]
    before = words[place - 1] if place else ""
    if word == "second" and (before in ("per", "a", "each", "every", "one") or before[:1].isdigit()):
        return ""
    if word in ("third", "fourth", "fifth", "tenth") and before in ("a", "one"):
        return f"1/{_ORDINALS[word]}"
    return f"#{_ORDINALS[word]}"


def units_in(words: Sequence[str]) -> tuple[dict[str, int], dict[str, int]]:
    """The units that belong to a number in digits, and those that stand elsewhere."""
    measured: dict[str, int] = {}
    named: dict[str, int] = {}
    for place, word in enumerate(words):
        unit = UNIT_OF.get(word)
        if unit is None:
            if word[0] <= "9" and (attached := _ATTACHED.fullmatch(word)):
                unit = UNIT_OF.get(attached[1])
                if unit:
                    measured[unit] = measured.get(unit, 0) + 1
            continue
        before = words[place - 1] if place else ""
        if unit == "year" and words[place + 1 : place + 2] == ["old"]:
            continue  # "45 years old" is "aged 45"
        if before[:1].isdigit() or (
            word in "$€£¥₹" and place + 1 < len(words) and words[place + 1][:1].isdigit()
        ):
            measured[unit] = measured.get(unit, 0) + 1
        elif word not in _ONLY_AFTER_A_NUMBER or (len(word) > 3 and before in _COUNTING):
            named[unit] = named.get(unit, 0) + 1
    return measured, named
