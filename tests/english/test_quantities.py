from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.english.quantities import mentions


def told(text: str) -> list[tuple[str, str]]:
    return [
        (
            "" if one.value is None else str(one.value),
            " ".join(name if power == 1 else f"{name}^{power}" for name, power in one.unit),
        )
        for one in mentions(text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("40 km/h for two hours", [("40", "hour^-1 kilometer"), ("2", "hour")]),
        (
            "5 m/s^2, 3 cm² and 20 square metres",
            [("5", "meter second^-2"), ("3", "centimeter^2"), ("20", "meter^2")],
        ),
        ("-5 °C at 10:30", [("-5", "celsius"), ("630", "")]),
        ("at 7:30 p.m. or 19:30", [("450", "pm"), ("450", "pm")]),
        ("1 hour 50 minutes, half an hour", [("110", "minute"), ("1/2", "hour")]),
        ("2 hours, 15 minutes faster than Paolo", [("2", "hour"), ("15", "minute")]),
        ("two and a half hours, 3 and a quarter", [("5/2", "hour"), ("13/4", "")]),
        ("8 litres run out every second", [("8", "liter"), ("", "second^-1")]),
        ("1) take 24 000 of them", [("24000", "")]),
        ("$5 per day and €3.50 a day", [("5", "day^-1 dollar"), ("7/2", "day^-1 euro")]),
        ("two-thirds of 1,200 words", [("2/3", ""), ("1200", "word")]),
        ("two hundred and five", [("205", "")]),
        ("twenty-five", [("25", "")]),
        ("3.5 million people", [("3500000", "")]),
        ("in kilograms per cubic metre", [("", "kilogram meter^-3")]),
        ("sixty miles an hour, 60mph", [("60", "hour^-1 mile"), ("60", "hour^-1 mile")]),
        ("one fourth of it", [("1/4", "")]),
        ("I am on foot, in a minute", []),
        ("She has 52 cards", [("52", "")]),
        ("It opens at 22:00, not at 12 noon", [("600", "pm"), ("720", "pm")]),
        ("6 Ω for one second, 168/min", [("6", "ohm"), ("1", "second"), ("168", "minute^-1")]),
        ("a $2 million loan, $9M, 5k", [("2000000", "dollar"), ("9000000", "dollar"), ("5000", "")]),
        ("the third quarter, 5 per cent", [("3", ""), ("1/4", ""), ("5", "percent")]),
    ],
)
def test_numbers_and_units_are_read(text: str, found: list[tuple[str, str]]) -> None:
    assert told(text) == found


def test_small_words_that_also_have_other_uses_are_vague() -> None:
    assert [one.spelling for one in mentions("One of them, both of the three, and 7 or eight")] == [
        *("vague", "vague", "vague", "digits", "word")
    ]


@given(st.integers(0, 10**9))
def test_a_number_in_digits_is_read_by_value(number: int) -> None:
    assert [one.value for one in mentions(f"There are {number:,} of them")] == [Fraction(number)]


@given(st.text(max_size=80))
def test_any_text_is_read_within_its_bounds(text: str) -> None:
    assert all(0 <= one.start < one.end <= len(text) for one in mentions(text))
