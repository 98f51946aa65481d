from __future__ import annotations

import pytest

from otherwords.english.quantities import Quantity, read_quantity


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("12", Quantity(12.0, "", False)),
        ("$1,000.50", Quantity(1000.5, "$", False)),
        ("−3 °C", Quantity(-3.0, "°c", False)),
        ("5 × 10^3 km", Quantity(5000.0, "km", False)),
        ("1.5e-2", Quantity(0.015, "", False)),
        ("1914", Quantity(1914.0, "", True)),
        ("1914 m", Quantity(1914.0, "m", False)),
        ("three", None),
        ("2 of 3", None),
    ],
)
def test_a_number_with_its_unit(text: str, found: Quantity | None) -> None:
    assert read_quantity(text) == found
