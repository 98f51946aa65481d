"""Text that is one number, with or without a unit → its value and unit."""

from __future__ import annotations

import re
from typing import NamedTuple

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
