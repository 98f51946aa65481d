"""`task_sensitivity_distribution`: how the items' variances and gaps are spread."""

from __future__ import annotations

import math
from typing import Any

import polars as pl

from otherwords.report.data import AgentRow, ReportData, differs, is_uninformative
from otherwords.report.figures.shared import (
    GAP,
    MARGIN,
    MOST_PANELS,
    PANEL,
    Figure,
    figure,
    header,
    x_axis,
)
from otherwords.report.svg import Canvas, Scale, fitted, round_step, text_width
from otherwords.report.text import short_labels
from otherwords.report.words import items_, size_text

OUTCOMES = ("all wrong", "same under every wording", "differs between wordings", "all right")
OUTCOME_COLOURS = ("wrong", "absent", "edge", "right")
BINS, HEIGHT = 10, 130
PLOTS = (
    ("variance", "Variance of an item's scores over wordings", 0.5),
    ("min_max_gap", "Gap between an item's best and worst wording", 1.0),
)


def distribution(data: ReportData) -> Figure:
    """Two histograms for each agent, coloured by what is known of the items in them."""
    canvas, title = Canvas(), "Items by sensitivity to wording"
    agents = data.agents[:MOST_PANELS]
    y = header(canvas, data, title, agents, n=False)
    _legend(canvas, y - 10)
    y += 24
    table: list[dict[str, Any]] = []
    labels = short_labels([data.name(agent) for agent in agents], 60)
    for agent, label in zip(agents, labels, strict=True):
        canvas.text(MARGIN, y + 4, label, size=13, fill="ink", bold=True)
        canvas.text(MARGIN, y + 20, fitted(_caption(data, agent), 11, 2 * PANEL + GAP))
        for place, (column, axis, largest) in enumerate(PLOTS):
            counted = _counted(data, agent, column, largest)
            _histogram(canvas, MARGIN + 34 + place * (PANEL + GAP), y + 50, counted, axis, largest)
            table += [{"agent": agent.model, "benchmark": agent.task, "of": column, **row} for row in counted]
        y += 50 + HEIGHT + 68
    return figure("task_sensitivity_distribution", title, canvas, table, _said(data))


def _caption(data: ReportData, agent: AgentRow) -> str:
    absent = data.items_of(agent)["variance"].null_count()
    missing = f"; {items_(absent)} without two scored wordings not drawn" if absent else ""
    return f"n: {size_text(data, agent)}{missing}"


def _counted(data: ReportData, agent: AgentRow, column: str, largest: float) -> list[dict[str, Any]]:
    """Items by bin and outcome."""
    width = largest / BINS
    bins = (pl.col(column) / width).round(9).floor().clip(0, BINS - 1).cast(pl.Int64)
    outcome = (
        pl.when(differs())
        .then(pl.lit(2))
        .when(~is_uninformative())
        .then(pl.lit(1))
        .when(pl.col("mean_score") >= 1)
        .then(pl.lit(3))
        .otherwise(pl.lit(0))
    )
    counted = (
        data.items_of(agent)
        .filter(pl.col(column).is_not_null())
        .group_by(bin=bins, place=outcome)
        .agg(items=pl.len())
        .sort("bin", "place")
    )
    return [
        {
            "from": round(width * row["bin"], 3),
            "to": round(width * (row["bin"] + 1), 3),
            "outcome": OUTCOMES[row["place"]],
            "items": row["items"],
        }
        for row in counted.iter_rows(named=True)
    ]


def _histogram(
    canvas: Canvas, x: float, y: float, rows: list[dict[str, Any]], axis: str, largest: float
) -> None:
    across = Scale(0.0, largest, x, x + PANEL - 34)
    bottom = y + HEIGHT
    heights: dict[float, int] = {}
    for row in rows:
        heights[row["from"]] = heights.get(row["from"], 0) + row["items"]
    tallest = max(heights.values(), default=1)
    step = max(1, math.ceil(round_step(tallest / 4)))
    top = step * -(-tallest // step)
    up = Scale(0.0, top, bottom, y)
    x_axis(canvas, across, bottom, bottom, axis)
    for count in range(0, top + 1, step):
        canvas.line(x, up(count), across.stop, up(count), "line")
        canvas.text(x - 6, up(count) + 4, f"{count:,}", anchor="end")
    canvas.text(x - 6, y - 8, "items", anchor="end", size=10)
    if not rows:
        canvas.text(x + 8, (y + bottom) / 2, "no item with two scored wordings", size=12)
    so_far: dict[float, int] = {}
    for row in rows:
        base = so_far.get(row["from"], 0)
        so_far[row["from"]] = base + row["items"]
        left, right = across(row["from"]) + 1, across(row["to"]) - 1
        paint = OUTCOME_COLOURS[OUTCOMES.index(row["outcome"])]
        canvas.rect(left, up(base + row["items"]), right - left, up(base) - up(base + row["items"]), paint)


def _legend(canvas: Canvas, y: float) -> None:
    x = float(MARGIN)
    for text, paint in zip(OUTCOMES, OUTCOME_COLOURS, strict=True):
        canvas.rect(x, y - 9, 11, 11, paint, round_=2)
        canvas.text(x + 17, y, text, size=12, fill="ink")
        x += 17 + text_width(text, 12) + 22


def _said(data: ReportData) -> str:
    parts = []
    for agent in data.agents[:MOST_PANELS]:
        items = data.items_of(agent)
        moving = items.filter(differs()).height
        parts.append(f"{data.name(agent)}: {moving:,} of {items_(items.height)} differ between wordings")
    return f"Histograms of items by variance and by gap. {'; '.join(parts)}."
