"""A study of many agents on many benchmarks → one HTML page, its figures, and tables for a paper.

All numbers are handed over; this computes none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from otherwords.core.types import Estimate
from otherwords.report.comparison import page_section
from otherwords.report.escape import Html, join, one_file, one_line, table, tag
from otherwords.report.figures.shared import (
    LONGEST_NAME,
    MARGIN,
    PANEL,
    Figure,
    Row,
    cross,
    ends,
    figure,
    interval_panel,
    known,
    label_room,
    legend,
    panel_height,
    x_axis,
    y_axis,
)
from otherwords.report.svg import Canvas, Scale, agent_colour, fitted
from otherwords.report.tables import HEAD, latex_table, latex_text

_MOST_POINTS = 60


@dataclass(frozen=True)
class StudyTable:
    """A table of the study, as texts."""

    name: str
    """Of its label in LaTeX."""
    title: str
    lead: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """The first so many columns are of text."""


@dataclass(frozen=True)
class Dot:
    """One agent in a figure of two axes."""

    agent: str
    place: int
    x: Estimate
    y: Estimate


def agents_figure(measure: str, benchmarks: Sequence[tuple[str, Sequence[Row]]]) -> Figure:
    """The measure of every agent, one panel a benchmark."""
    canvas, y = Canvas(), float(MARGIN)
    every = [row for _, rows in benchmarks for row in rows]
    room = label_room([row.label for row in every])
    scale = _scale(
        [one for row in every if (one := known(row.estimate))], MARGIN + room, MARGIN + room + PANEL
    )
    for benchmark, rows in benchmarks:
        interval_panel(canvas, MARGIN, y, one_line(benchmark, LONGEST_NAME), measure, rows, scale, measure)
        y += panel_height(len(rows)) + 24
    told = [
        {"agent": row.label, "benchmark": benchmark, **_numbers(row.estimate)}
        for benchmark, rows in benchmarks
        for row in rows
    ]
    return figure("study_agents", f"{measure} of every agent", canvas, told)


def dots_figure(name: str, title: str, across: str, up: str, dots: Sequence[Dot]) -> Figure:
    """One point an agent, with both intervals where it has them."""
    canvas = Canvas()
    shown = dots[:_MOST_POINTS]
    left, top = MARGIN + 60.0, MARGIN + 50.0
    right, bottom = left + PANEL, top + 300.0
    canvas.text(MARGIN, MARGIN + 16, fitted(title, 16, PANEL + 80, bold=True), size=16, fill="ink", bold=True)
    xs, ys = _scale([dot.x for dot in shown], left, right), _scale([dot.y for dot in shown], bottom, top)
    y_axis(canvas, ys, left, right)
    canvas.text(MARGIN, top - 12, fitted(up, 11, PANEL + 60))
    x_axis(canvas, xs, top, bottom, across)
    for dot in shown:
        (x_low, x_high), (y_low, y_high) = ends(dot.x), ends(dot.y)
        at, height = xs(dot.x.value or 0.0), ys(dot.y.value or 0.0)
        sides = (xs(x_low), xs(x_high)), (ys(y_low), ys(y_high))
        cross(canvas, at, height, *sides, agent_colour(dot.place))
        canvas.marker(at, height, dot.place)
    named = [(dot.place, one_line(dot.agent, LONGEST_NAME)) for dot in shown]
    legend(canvas, left, bottom + 58, named, right - left)
    told = [
        {"agent": dot.agent, **_numbers(dot.x, "x_"), **_numbers(dot.y, "y_")}  # both axes of each point
        for dot in shown
    ]
    return figure(name, title, canvas, told)


def _numbers(estimate: Estimate | None, start: str = "") -> dict[str, Any]:
    named = ("value", "low", "high")
    return {f"{start}{name}": None if estimate is None else getattr(estimate, name) for name in named}


def _scale(found: Sequence[Estimate], start: float, stop: float) -> Scale:
    """A little wider than all intervals."""
    low = min((ends(one)[0] for one in found), default=0.0)
    high = max((ends(one)[1] for one in found), default=1.0)
    margin = (high - low) * 0.06 or 0.05
    return Scale(low - margin, high + margin, start, stop)


def study_page(
    sentence: str,
    about: str,
    tables: Sequence[StudyTable],
    figures: Sequence[Figure],
    notes: Sequence[str],
) -> str:
    """The whole page; every text of a file is escaped."""
    sections = [
        page_section(
            one.title,
            one.lead,
            table(one.head, one.rows, label=one.title, words=range(one.words))
            if one.rows
            else tag("p", "None.", class_="quiet"),
        )
        for one in tables
    ]
    drawn = [
        tag("figure", tag("div", Html(one.svg), class_="scroll drawing", tabindex=0, role="region"))
        for one in figures
    ]
    sections.append(page_section("Figures", "", join(drawn)))
    return one_file(
        "comparison",
        title="A study of robustness",
        data=None,
        insert={
            "eyebrow": "study of many runs",
            "sentence": join([sentence]),
            "about": join([about]),
            "body": "\n".join(sections),
            "footer": join(tag("p", note) for note in notes),
        },
    )


def study_latex(tables: Sequence[StudyTable]) -> str:
    """The text of `study.tex`."""
    return HEAD + "\n".join(
        latex_table(
            [latex_text(name) for name in one.head],
            [[latex_text(text) for text in row] for row in one.rows],
            latex_text(f"{one.title}. {one.lead}"),
            f"tab:{one.name}",
            left=one.words,
        )
        for one in tables
        if one.rows
    )
