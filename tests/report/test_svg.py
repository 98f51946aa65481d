from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from otherwords.report.svg import COLOURS, Canvas, Scale, fitted, text_width, tick_text


@given(st.floats(-1, 1), st.floats(0.01, 2), st.integers(2, 8))
def test_ticks_are_few_round_and_within(low: float, span: float, about: int) -> None:
    scale = Scale(low, low + span, 0, 100)
    ticks = scale.ticks(about)
    assert len(ticks) <= 2.5 * about + 1
    assert all(low - 1e-6 <= tick <= low + span + 1e-6 for tick in ticks)
    assert ticks == sorted(set(ticks))
    assert len({tick_text(tick, ticks) for tick in ticks}) == len(ticks)


def test_values_outside_a_scale_are_held_at_its_ends() -> None:
    scale = Scale(0, 1, 100, 200)
    assert [scale(value) for value in (-3, 0, 0.5, 1, 9)] == [100, 100, 150, 200, 200]


@pytest.mark.parametrize(
    ("value", "percent", "text"), [(0.25, False, "0.25"), (-0.5, False, "−0.50"), (0.25, True, "25%")]
)
def test_ticks_have_as_many_decimals_as_they_need(value: float, percent: bool, text: str) -> None:
    assert tick_text(value, [-0.5, 0, 0.25], percent=percent) == text


@given(st.text(max_size=60), st.floats(30, 300))
def test_a_fitted_text_fits(text: str, room: float) -> None:
    shown = fitted(text, 12, room)
    assert text_width(shown, 12) <= room
    assert shown == text or shown.endswith("…")


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_text_is_drawn_as_text(text: str) -> None:
    canvas = Canvas()
    canvas.text(0, 10, text)
    canvas.rect(0, 0, 5, 5, "ink")
    root = ElementTree.fromstring(canvas.svg(text))
    assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {"svg", "rect", "text"}


def test_every_colour_has_its_place_in_the_page() -> None:
    from importlib.resources import files

    style = (files("otherwords.report") / "page" / "page.css").read_text("utf-8")
    canvas = Canvas()
    for name in COLOURS:
        canvas.rect(0, 0, 1, 1, name)
    classes = {node.get("class") for node in ElementTree.fromstring(canvas.svg("all")).iter("{*}rect")}
    assert [name for name in classes if f".{name} {{" not in style] == []
