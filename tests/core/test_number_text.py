from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.core.texts import about, count_text, of_things, p_text, percent, points, points_between


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "50%"), (0.0, "0%"), (1.0, "100%"), (0.002, "<1%"), (0.999, ">99%"), (None, "—"), (-0.02, "−2%")],
)
def test_percentages_never_round_to_nothing_or_all(value: float | None, text: str) -> None:
    assert percent(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.31, "31 points"),
        (0.01, "1 point"),
        (-0.01, "−1 point"),
        (0.004, "0.4 points"),
        (-0.0001, "0 points"),
        (None, "—"),
    ],
)
def test_differences_are_points(value: float | None, text: str) -> None:
    assert points(value) == text


def test_intervals_counts_and_p() -> None:
    assert points_between(0.31, 0.25, 0.37) == "31 points (25 to 37)"
    assert points_between(0.31, None, None) == "31 points"
    assert [count_text(12345), of_things(1, "item")] == ["12,345", "1 item"]
    assert of_things(1200, "item") == "1,200 items"
    assert [p_text(p) for p in (0.004, 0.0000001, 1.0)] == ["p = .004", "p < .001", "p = 1.000"]
    assert p_text(None) == "p not known"


@given(st.integers(0, 10**9))
def test_a_rough_count_has_two_digits_and_is_near(count: int) -> None:
    rough = int(about(count).replace(",", ""))
    assert abs(rough - count) <= 0.05 * count + 0.5
    assert len(str(rough).rstrip("0")) <= 2
