"""What the figures have in common: title, agents, and panels of intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from otherwords.core.types import Estimate
from otherwords.report.data import AgentRow, ReportData
from otherwords.report.svg import Canvas, Scale, fitted, text_width, tick_text
from otherwords.report.text import one_line, short_labels
from otherwords.report.theme import AGENTS, colour, png
from otherwords.report.words import number, size_text

MARGIN = 20
PANEL = 400
"""The width of a panel's plot, without the labels at its left."""
GAP = 44
MOST_AGENTS, MOST_PANELS = 12, 6
"""A figure stays readable up to here and says so; the page and the CSV files have every agent."""
LABEL = 12
ROW, BAND_NAMES = 38, 12


@dataclass(frozen=True)
class Figure:
    """A drawing, what it says to a listener, and the numbers in it."""

    name: str
    title: str
    said: str
    svg: str
    table: pl.DataFrame

    def png(self) -> bytes:
        return png(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


def figure(name: str, title: str, canvas: Canvas, rows: Sequence[dict[str, Any]], said: str = "") -> Figure:
    frame = pl.DataFrame(list(rows), infer_schema_length=None)
    return Figure(name, title, said or title, canvas.svg(said or title), frame)


def header(
    canvas: Canvas,
    data: ReportData,
    title: str,
    agents: Sequence[AgentRow],
    *lines: str,
    n: bool = True,
    intervals: bool = True,
) -> float:
    """Draws the title and what stands under it; gives the place below."""
    under = [one_line(data.title, 110)]
    if n:
        sizes = list(dict.fromkeys(size_text(data, agent) for agent in agents))
        size = sizes[0] if len(sizes) == 1 else "sizes differ by agent: see agent_level_sensitivity.csv"
        bars = f" Bars are {100 * data.level:g}% intervals." if intervals else ""
        under.append(f"n: {size}.{bars}")
        if any(agent.repeats <= 1 for agent in agents):
            under.append("One repeat: phrasing and luck are not separated.")
    under += lines
    if len(data.agents) > len(agents):
        under.append(f"The first {len(agents)} of {len(data.agents)} agents.")
    y = MARGIN + 16
    canvas.text(MARGIN, y, title, size=18, fill="ink", bold=True)
    for line in under:
        y += 17
        canvas.text(MARGIN, y, line, size=12)
    return y + 34


def labels_of(data: ReportData, agents: Sequence[AgentRow]) -> list[str]:
    return short_labels([data.name(agent) for agent in agents])


def label_room(labels: Sequence[str], most: float = 230) -> float:
    """In whole units: a fraction lost on the way would cut the longest label."""
    return math.ceil(min(most, max((text_width(label, LABEL) for label in labels), default=0))) + 12


def ends(estimate: Estimate) -> tuple[float, float]:
    value = estimate.value or 0.0
    return (
        value if estimate.low is None else estimate.low,
        value if estimate.high is None else estimate.high,
    )


def known(estimate: Estimate | None) -> Estimate | None:
    return estimate if estimate is not None and estimate.value is not None else None


def marker(canvas: Canvas, x: float, y: float, place: int, size: float = 6) -> None:
    """Each agent its own shape, so that colour is not needed; the second six are hollow."""
    paint = colour(place)
    fill = paint if place < AGENTS else "paper"
    corners = _SHAPES[place % AGENTS]
    if not corners:
        canvas.dot(x, y, size, fill, ring=paint)
    else:
        outline = "L".join(f"{x + size * dx:.2f} {y + size * dy:.2f}" for dx, dy in corners)
        canvas.path(f"M{outline}z", paint, fill=fill, width=1.5)


_SHAPES: tuple[tuple[tuple[float, float], ...], ...] = (
    (),  # a circle
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.3), (1.25, 0.9), (-1.25, 0.9)),
    ((0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)),
    ((0, 1.3), (1.25, -0.9), (-1.25, -0.9)),
    ((-1.2, -0.6), (1.2, -0.6), (1.2, 0.6), (-1.2, 0.6)),
)


def x_axis(
    canvas: Canvas,
    scale: Scale,
    top: float,
    bottom: float,
    title: str,
    *,
    percent: bool = False,
    points: bool = False,
    about: int = 5,
) -> None:
    ticks = scale.ticks(about)
    for tick in ticks:
        canvas.line(scale(tick), top, scale(tick), bottom, "line")
        said = tick_text(tick, ticks, percent=percent or points)
        canvas.text(scale(tick), bottom + 16, said.removesuffix("%") if points else said, anchor="middle")
    canvas.text(scale.start, bottom + 34, fitted(title, 11, scale.stop - scale.start + 40))
    canvas.reach(scale.stop, bottom + 40)


def y_axis(canvas: Canvas, scale: Scale, left: float, right: float, *, percent: bool = False) -> None:
    ticks = scale.ticks()
    for tick in ticks:
        canvas.line(left, scale(tick), right, scale(tick), "line")
        canvas.text(left - 8, scale(tick) + 4, tick_text(tick, ticks, percent=percent), anchor="end")


@dataclass(frozen=True)
class Row:
    """One line of a panel of intervals."""

    label: str
    estimate: Estimate | None
    place: int
    """Of the agent, for its colour."""
    floor: float | None = None


def panel_height(count: int) -> float:
    """With the title above and the axis below."""
    return 30 + max(2, count) * ROW + BAND_NAMES + 42


def interval_panel(
    canvas: Canvas,
    x: float,
    y: float,
    title: str,
    metric: str,
    rows: Sequence[Row],
    scale: Scale,
    axis: str,
    *,
    percent: bool = False,
    points: bool = False,
    bands: Sequence[tuple[str, float, float]] = (),
    zero: bool = False,
) -> None:
    """A line for each row: label, interval, value. `y` is the top of the title.

    `percent` and `points` say how the axis counts: in hundredths, with or without a sign for it.
    """
    room = scale.start - x
    canvas.text(x, y + 12, fitted(title, 14, scale.stop - x, bold=True), size=14, fill="ink", bold=True)
    top = y + 30
    bottom = top + max(2, len(rows)) * ROW + (BAND_NAMES if bands else 0)
    if not any(known(row.estimate) for row in rows):
        canvas.text(scale.start, (top + bottom) / 2, "not computed", size=12)
        reasons = {row.estimate.reason for row in rows if row.estimate is not None and row.estimate.reason}
        if len(reasons) == 1:
            why = fitted(reasons.pop(), 11, scale.stop - scale.start)
            canvas.text(scale.start, (top + bottom) / 2 + 17, why)
        canvas.reach(scale.stop, bottom + 40)
        return
    for name, low, high in bands:
        left, right = scale(low), scale(high)
        canvas.rect(left, top, right - left, bottom - top, f"band-{name}")
        if right - left > text_width(name, 10) + 6:
            canvas.text(left + 4, bottom - 4, name, size=10)
    x_axis(canvas, scale, top, bottom, axis, percent=percent, points=points)
    if zero:
        canvas.line(scale(0), top, scale(0), bottom, "edge", width=1.5)
    for line, row in enumerate(rows):
        middle = top + ROW * (line + 0.5) + 4
        canvas.text(
            scale.start - 10,
            middle + 4,
            fitted(row.label, LABEL, room - 12),
            size=LABEL,
            fill="ink",
            anchor="end",
        )
        if row.floor is not None:
            canvas.line(scale(row.floor), middle - 7, scale(row.floor), middle + 7, "edge", width=2)
        estimate = known(row.estimate)
        if estimate is None:
            canvas.text(scale.start + 4, middle + 4, "not computed")
            continue
        low, high = ends(estimate)
        if high > low:
            canvas.line(scale(low), middle, scale(high), middle, colour(row.place), width=4, opacity=0.5)
        value = scale(estimate.value or 0.0)
        marker(canvas, value, middle, row.place, 5)
        said = number(metric, estimate.value)
        said = said.removesuffix("%") if points else said
        half = text_width(said, 11) / 2
        at = min(max(value, scale.start + half), scale.stop - half)
        canvas.text(at, middle - 10, said, fill="ink", anchor="middle")


def legend(canvas: Canvas, x: float, y: float, labels: Sequence[str], room: float) -> float:
    """Shapes and names of agents, in as many lines as it takes; gives the place below."""
    left = x
    for place, label in enumerate(labels):
        shown = fitted(label, LABEL, room - 24)
        width = 22 + text_width(shown, LABEL) + 16
        if left > x and left + width > x + room:
            left, y = x, y + 20
        marker(canvas, left + 6, y - 4, place, 5)
        canvas.text(left + 18, y, shown, size=LABEL, fill="ink")
        left += width
    canvas.reach(x, y + 6)
    return y + 20
