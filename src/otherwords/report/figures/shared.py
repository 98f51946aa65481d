"""`Figure`, and what several figures draw with: title, axes, legends, agents' markers, interval panels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.types import Estimate
from otherwords.report.escape import one_line, short_labels
from otherwords.report.formats import number, sensitivity
from otherwords.report.messages import size_text
from otherwords.report.svg import (
    Canvas,
    Scale,
    agent_colour,
    fitted,
    png,
    text_width,
    tick_text,
    wrapped,
)

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData

MARGIN = 20
PANEL = 400
"""The width of a panel's plot, without the labels at its left."""
GAP = 44
MOST_AGENTS, MOST_PANELS = 12, 6
LONGEST_NAME = 120
"""A figure stays readable up to here and says so; the page and the CSV files have every agent."""
LABEL, LINE = 12, 13
ROW, BAND_NAMES = 44, 12


@dataclass(frozen=True)
class Figure:
    """One figure of a report; a notebook shows it as a drawing.

    Attributes:
        name: its file's name without the ending.
        title: the line on top of it.
        said: what a screen reader says of it.
        svg: the drawing.
        table: the numbers in it.
    """

    name: str
    title: str
    said: str
    svg: str
    table: pl.DataFrame

    def png(self) -> bytes:
        """The drawing as a PNG image.

        Returns:
            The bytes of a PNG file.

        Raises:
            MissingDependencyError: this machine has no font to draw the text with.
        """
        return png(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg


def figure(name: str, title: str, canvas: Canvas, rows: Sequence[dict[str, Any]], said: str = "") -> Figure:
    empty = {"agent": pl.String, "benchmark": pl.String}
    frame = pl.DataFrame(list(rows), infer_schema_length=None) if rows else pl.DataFrame(schema=empty)
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
        size = "; ".join(sizes) if len(sizes) <= 2 else f"{sizes[0]}, and {len(sizes) - 1} other sizes"
        bars = f" Bars are {100 * data.level:g}% intervals." if intervals else ""
        under.append(f"n: {size}.{bars}")
        if any(agent.repeats <= 1 for agent in agents):
            under.append("One repeat: phrasing and run-to-run noise are not separated.")
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
    return short_labels([data.name(agent) for agent in agents], LONGEST_NAME)


def label_room(labels: Sequence[str], most: float = 260) -> float:
    """For the longest line, in whole units: a fraction lost on the way would break it once more."""
    lines = [line for label in labels for line in wrapped(label, LABEL, most)]
    return math.ceil(max((text_width(line, LABEL) for line in lines), default=0)) + 14


def ends(estimate: Estimate) -> tuple[float, float]:
    value = estimate.value or 0.0
    return (
        value if estimate.low is None else estimate.low,
        value if estimate.high is None else estimate.high,
    )


def known(estimate: Estimate | None) -> Estimate | None:
    return estimate if estimate is not None and estimate.value is not None else None


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
    """Of the agent's colour and shape."""
    floor: float | None = None
    metric: str = ""
    """Whose value it is, where the rows of a panel differ in that."""
    agent: AgentRow | None = None


def lowest(rows: Iterable[Row]) -> float:
    """Where a scale of S_prompt begins: below every interval and floor."""
    found = [0.6]
    for row in rows:
        one = known(row.estimate)
        found += [] if one is None else [ends(one)[0]]
        found += [] if row.floor is None else [row.floor]
    return max(0.0, min(found) - 0.04)


def agent_rows(
    data: ReportData, agents: Sequence[AgentRow], metric: str, *, floor: bool = False
) -> list[Row]:
    """A row for each agent with its estimate of `metric`, and with its lowest possible S_prompt if asked."""
    return [
        Row(
            label,
            agent.estimates.get(metric),
            data.colour(agent),
            data.floor(agent) if floor else None,
            agent=agent,
        )
        for agent, label in zip(agents, labels_of(data, agents), strict=True)
    ]


def measure_rows(data: ReportData, agent: AgentRow, named: Mapping[str, str]) -> list[Row]:
    """A row for each measure of one agent: a panel for each would hold one dot."""
    return [
        Row(title, agent.estimates.get(name), data.colour(agent), metric=name)
        for name, title in named.items()
    ]


def measure_row(agent: AgentRow, metric: str, estimate: Estimate | None, **more: Any) -> dict[str, Any]:
    """A line of a figure's table about one estimate; `more` stands before the numbers."""
    return {
        "agent": agent.model,
        "benchmark": agent.task,
        "measure": metric,
        **more,
        "value": estimate.value if estimate else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "n_items": estimate.n_items if estimate else 0,
    }


def row_label(canvas: Canvas, right: float, middle: float, label: str, room: float) -> None:
    """A label that ends at `right`, in up to three lines."""
    lines = wrapped(label, LABEL, room)
    for place, line in enumerate(lines):
        y = middle + 4 + (place - (len(lines) - 1) / 2) * LINE
        canvas.text(right, y, line, size=LABEL, fill="ink", anchor="end")


def legend_of(data: ReportData, agents: Sequence[AgentRow]) -> list[tuple[int, str]]:
    """Each model once: it has one colour on every benchmark."""
    return [(data.colour(agent), one_line(agent.model, LONGEST_NAME)) for agent in agents]


def floor_lines(canvas: Canvas, up: Scale, left: float, right: float, rows: Iterable[Row]) -> None:
    """A dashed line at each lowest possible S_prompt of the rows, with its value."""
    for floor in sorted({round(row.floor, 2) for row in rows if row.floor is not None}):
        canvas.line(left, up(floor), right, up(floor), "edge", dash="4 3")
        canvas.text(left + 4, up(floor) - 4, f"lowest possible {floor:.2f}", size=10)


def cross(
    canvas: Canvas, x: float, y: float, across: tuple[float, float], down: tuple[float, float], paint: str
) -> None:
    """The two intervals of a point at `x`, `y`, given by their ends on the canvas."""
    if across[0] != across[1]:
        canvas.line(across[0], y, across[1], y, paint, width=2, opacity=0.5)
    if down[0] != down[1]:
        canvas.line(x, down[0], x, down[1], paint, width=2, opacity=0.5)


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
        told = sensitivity(name)
        if right - left > text_width(told, 10) + 6:
            canvas.text(left + 4, bottom - 4, told, size=10)
    x_axis(canvas, scale, top, bottom, axis, percent=percent, points=points)
    if zero:
        canvas.line(scale(0), top, scale(0), bottom, "edge", width=1.5)
    for line, row in enumerate(rows):
        middle = top + ROW * (line + 0.5) + 4
        row_label(canvas, scale.start - 10, middle, row.label, room - 12)
        if row.floor is not None:
            canvas.line(scale(row.floor), middle - 7, scale(row.floor), middle + 7, "edge", width=2)
        estimate = known(row.estimate)
        if estimate is None:
            canvas.text(scale.start + 4, middle + 4, "not computed")
            continue
        low, high = ends(estimate)
        if high > low:
            canvas.line(
                scale(low), middle, scale(high), middle, agent_colour(row.place), width=4, opacity=0.5
            )
        value = scale(estimate.value or 0.0)
        canvas.marker(value, middle, row.place, 5)
        said = number(row.metric or metric, estimate.value)
        said = said.split(" ")[0] if points else said
        half = text_width(said, 11) / 2
        at = min(max(value, scale.start + half), scale.stop - half)
        if zero and abs(at - scale(0)) < half + 2:  # the line does not go through the number
            canvas.rect(at - half - 2, middle - 20, 2 * half + 4, 12, "paper")
        canvas.text(at, middle - 10, said, fill="ink", anchor="middle")


def legend(canvas: Canvas, x: float, y: float, named: Iterable[tuple[int, str]], room: float) -> float:
    """Colours and shapes with names of agents, in as many lines as it takes; gives the place below."""
    left = x
    for place, label in dict.fromkeys(named):
        lines = wrapped(label, LABEL, room - 24)
        width = 22 + max((text_width(line, LABEL) for line in lines), default=0) + 16
        if left > x and left + width > x + room:
            left, y = x, y + 20
        canvas.marker(left + 6, y - 4, place, 5)
        for number_, line in enumerate(lines):
            canvas.text(left + 18, y + LINE * number_, line, size=LABEL, fill="ink")
        y += LINE * (len(lines) - 1)
        left += width
    canvas.reach(x, y + 6)
    return y + 20


def swatches(canvas: Canvas, y: float, named: Iterable[tuple[str, str]], room: float = 860) -> float:
    """Squares of colour with what they stand for, in as many lines as it takes; gives the place below."""
    x = float(MARGIN)
    for text, paint in named:
        width = 17 + text_width(text, 12) + 22
        if x > MARGIN and x + width > MARGIN + room:
            x, y = MARGIN, y + 20
        canvas.rect(x, y - 9, 11, 11, paint, round_=2)
        canvas.text(x + 17, y, text, size=12, fill="ink")
        x += width
    return y + 22
