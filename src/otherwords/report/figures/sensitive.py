"""`most_sensitive_tasks`: the items that wording moves most, with their score under every wording."""

from __future__ import annotations

from typing import Any

import polars as pl

from otherwords.report.data import AgentRow, ReportData, differs
from otherwords.report.figures.shared import LABEL, MARGIN, MOST_PANELS, Figure, figure, header, x_axis
from otherwords.report.svg import Canvas, Scale, fitted, text_width
from otherwords.report.text import short_labels
from otherwords.report.words import items_, repeats_text, wordings_text

MOST_ITEMS, MOST_VARIANTS = 10, 16
IDS, BARS, SQUARE, STEP = 230, 190, 46, 22
WIDE = IDS + BARS + 3 * SQUARE + 300


def sensitive(data: ReportData) -> Figure:
    """Each agent's most sensitive items: their variance, and the score under every wording."""
    canvas, title = Canvas(), "Most sensitive items"
    agents = data.agents[:MOST_PANELS]
    y = header(
        canvas,
        data,
        title,
        agents,
        "Squares: mean score under each wording; blue is right, orange with a cross wrong, a dash no score.",
        n=False,
    )
    table: list[dict[str, Any]] = []
    labels = short_labels([data.name(agent) for agent in agents], 60)
    for agent, label in zip(agents, labels, strict=True):
        y = _agent(canvas, y, data, agent, label, table)
    return figure("most_sensitive_tasks", title, canvas, table, _said(data))


def _agent(
    canvas: Canvas, y: float, data: ReportData, agent: AgentRow, label: str, table: list[dict[str, Any]]
) -> float:
    everything = data.items_of(agent)
    moving = everything.filter(differs())
    shown = moving.head(MOST_ITEMS)
    canvas.text(MARGIN, y + 4, label, size=13, fill="ink", bold=True)
    if shown.is_empty():
        size = f"{items_(everything.height)}, {wordings_text(data, agent)}"
        canvas.text(MARGIN, y + 22, f"No item differs between wordings ({size}).", size=12)
        return y + 52
    how_many = "all" if moving.height == shown.height else f"the first {shown.height}"
    said = (
        f"{moving.height:,} of {items_(everything.height)} score differently between wordings, "
        f"{how_many} shown; {wordings_text(data, agent)}, {repeats_text(agent)}"
    )
    canvas.text(MARGIN, y + 20, fitted(said, 11, WIDE), size=11)
    variants = data.variants_of(agent.task)[:MOST_VARIANTS]
    ids = shown["id"].to_list()
    names = short_labels(ids, 34)
    room = min(IDS, max(text_width(name, LABEL) for name in names)) + 12
    scale = Scale(0.0, 0.5, MARGIN + room, MARGIN + room + BARS)
    top = y + 40
    bottom = top + STEP * len(ids)
    squares = scale.stop + 46
    x_axis(canvas, scale, top, bottom, "Variance", about=5)
    scores = _scores(data, agent, ids, variants)
    for line, (row, name) in enumerate(zip(shown.iter_rows(named=True), names, strict=True)):
        middle = top + STEP * (line + 0.5)
        canvas.text(
            scale.start - 8, middle + 4, fitted(name, LABEL, room - 10), size=LABEL, fill="ink", anchor="end"
        )
        canvas.rect(scale.start, middle - 6, scale(row["variance"]) - scale.start, 12, "edge")
        canvas.text(scale(row["variance"]) + 5, middle + 4, f"{row['variance']:.2f}", size=10, fill="ink")
        for column, variant in enumerate(variants):
            score = scores.get((row["id"], variant))
            _square(canvas, squares + SQUARE * column, middle, score)
        table.append(
            {
                "agent": agent.model,
                "benchmark": agent.task,
                "item": row["id"],
                "variance": row["variance"],
                **{f"score {variant}": scores.get((row["id"], variant)) for variant in variants},
            }
        )
    for column, name in enumerate(short_labels(variants, 22)):
        x = squares + SQUARE * (column + 0.5) + 4
        canvas.text(x, bottom + 14, name, size=10, anchor="end", turn=-32)
    canvas.reach(squares + SQUARE * len(variants), bottom + 78)
    return bottom + 96


def _square(canvas: Canvas, x: float, middle: float, score: float | None) -> None:
    width, height = SQUARE - 3, STEP - 3
    top, centre = middle - height / 2, x + width / 2
    if score is None:
        canvas.rect(x, top, width, height, "absent", round_=3)
        canvas.line(centre - 4, middle, centre + 4, middle, "ink", width=1.5)
        return
    if score <= 0:
        canvas.rect(x, top, width, height, "wrong", round_=3)
        cross = f"M{centre - 3.5} {middle - 3.5}l7 7M{centre + 3.5} {middle - 3.5}l-7 7"
        canvas.path(cross, "on-wrong", width=1.8)
    elif score >= 1:
        canvas.rect(x, top, width, height, "right", round_=3)
    else:
        paint = "partly" if score < 0.35 else "mostly" if score > 0.65 else "middle"
        canvas.rect(x, top, width, height, paint, round_=3)
        canvas.text(centre, middle + 4, f"{score:.2f}".lstrip("0"), size=10, fill="ink", anchor="middle")


def _scores(
    data: ReportData, agent: AgentRow, ids: list[str], variants: list[str]
) -> dict[tuple[str, str], float | None]:
    cells = data.cells_of(agent).filter(pl.col("id").is_in(ids) & pl.col("variant").is_in(variants))
    return {(row[0], row[1]): row[2] for row in cells.select("id", "variant", "score").iter_rows()}


def _said(data: ReportData) -> str:
    parts = []
    for agent in data.agents[:MOST_PANELS]:
        first = data.items_of(agent).filter(differs()).head(3)
        named = ", ".join(f"{row[0]} ({row[1]:.2f})" for row in first.select("id", "variance").iter_rows())
        parts.append(f"{data.name(agent)}: {named or 'no item differs between wordings'}")
    return f"The items with the largest variance over wordings. {'; '.join(parts)}."
