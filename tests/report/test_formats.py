from __future__ import annotations

import pytest

from otherwords.core.types import Estimate
from otherwords.report.formats import band_of, interval, number, sensitivity


def estimate(value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate("s_prompt", "m", value, low, high, 4, 8, 0)


@pytest.mark.parametrize(
    ("value", "band"),
    [(1.0, "high"), (0.9, "high"), (0.899, "medium"), (0.7, "medium"), (0.699, "low"), (None, None)],
)
def test_bands(value: float | None, band: str | None) -> None:
    assert band_of(value) == band


@pytest.mark.parametrize(("band", "level"), [("high", "low"), ("medium", "medium"), ("low", "high")])
def test_a_high_band_is_a_low_sensitivity(band: str, level: str) -> None:
    assert sensitivity(band) == f"{level} sensitivity"


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("accuracy", 0.714, "71%"),
        ("delta_accuracy", -0.04, "−4 points"),
        ("delta_accuracy", -0.001, "−0.1 points"),
        ("s_prompt", 0.914, "0.91"),
        ("phrasing", -0.0001, "0.000"),
        ("mean_variance", 0.0851, "0.085"),
        ("accuracy", None, "—"),
    ],
)
def test_numbers(name: str, value: float | None, text: str) -> None:
    assert number(name, value) == text


def test_an_interval_is_shown_where_there_is_one() -> None:
    assert interval("s_prompt", estimate(0.9, 0.8, 0.95)) == "0.90 (0.80 to 0.95)"
    assert interval("s_prompt", estimate(0.9)) == "0.90"
    assert interval("s_prompt", estimate(None)) == "—"
    assert interval("s_prompt", None) == "—"


def test_a_share_is_between_0_and_100_percent() -> None:
    assert interval("phrasing_share", estimate(0.4, -0.05, 1.2)) == "40% (0% to 100%)"
    assert interval("phrasing_share", estimate(-0.32, -0.66, -0.04)) == "no effect of wording found"


def test_differences_of_percentages_are_in_points() -> None:
    assert interval("delta_accuracy", estimate(0.123, -0.02, 0.26)) == "12 points (−2 to 26)"
    assert interval("excess_flips", estimate(0.01)) == "1 point"
