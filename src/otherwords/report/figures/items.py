"""Draws figures on items: histograms of S_task, items by band, the scores of the most sensitive items."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.texts import percent
from otherwords.core.verdict import CANNOT_TELL, LARGE, NONE_FOUND, SMALL
from otherwords.report.escape import short_labels
from otherwords.report.figures.shared import (
    GAP,
    LABEL,
    MARGIN,
    MOST_AGENTS,
    MOST_PANELS,
    PANEL,
    ROW,
    Figure,
    figure,
    header,
    label_room,
    labels_of,
    row_label,
    swatches,
    x_axis,
)
from otherwords.report.formats import differs, is_uninformative, items_
from otherwords.report.messages import BAND_SHARES, band_shares, size_text, wordings_text
from otherwords.report.svg import Canvas, Scale, fitted, round_step, text_width

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData

OUTCOMES = {
    "all wrong": "wrong",
    "same under every wording": "absent",
    "differs between wordings": "edge",
    "all right": "right",
}
"""What is known of an item, and its colour in a histogram."""
BINS, HEIGHT = 10, 130
HISTOGRAMS = (
    ("variance", "Variance of an item's scores over wordings", 0.5),
    ("min_max_gap", "Gap between an item's best and worst wording", 1.0),
)
BANDS_WIDTH = 640
BAND_COLOURS = {
    "all right": "right",
    "high": "mostly",
    "medium": "middle",
    "low": "partly",
    "all wrong": "wrong",
    "no variance": "absent",
}
MOST_ITEMS, MOST_VARIANTS = 10, 16
IDS, BARS, CELL, STEP = 370, 190, 46, 22
LIKELY = 0.5


def distribution(data: ReportData) -> Figure:
    """Two histograms for each agent, coloured by what is known of the items in them."""
    canvas, title = Canvas(), "Items by sensitivity to wording"
    agents = data.agents[:MOST_PANELS]
    y = header(canvas, data, title, agents, n=False)
    swatches(canvas, y - 10, OUTCOMES.items())
    y += 24
    table: list[dict[str, Any]] = []
    labels = short_labels([data.name(agent) for agent in agents], 110)
    for agent, label in zip(agents, labels, strict=True):
        absent = data.items_of(agent)["variance"].null_count()
        missing = f"; {items_(absent)} without two scored wordings not drawn" if absent else ""
        caption = f"n: {size_text(data, agent)}{missing}"
        canvas.text(MARGIN, y + 4, label, size=13, fill="ink", bold=True)
        canvas.text(MARGIN, y + 20, fitted(caption, 11, 2 * PANEL + GAP))
        for place, (column, axis, largest) in enumerate(HISTOGRAMS):
            counted = _counted(data, agent, column, largest)
            _histogram(canvas, MARGIN + 34 + place * (PANEL + GAP), y + 50, counted, axis, largest)
            table += [{"agent": agent.model, "benchmark": agent.task, "of": column, **row} for row in counted]
        y += 50 + HEIGHT + 68
    parts = []
    for agent in agents:
        items = data.items_of(agent)
        moving = items.filter(differs()).height
        parts.append(f"{data.name(agent)}: {moving:,} of {items_(items.height)} differ between wordings")
    said = f"Histograms of items by variance and by gap. {'; '.join(parts)}."
    return figure("task_sensitivity_distribution", title, canvas, table, said)


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
    outcomes = list(OUTCOMES)
    return [
        {
            "from": round(width * row["bin"], 3),
            "to": round(width * (row["bin"] + 1), 3),
            "outcome": outcomes[row["place"]],
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
        upper, lower = up(base + row["items"]), up(base)
        canvas.rect(left, upper, right - left, lower - upper, OUTCOMES[row["outcome"]])


def bands(data: ReportData) -> Figure:
    """A bar for each agent, divided by how sensitive to wording its items are."""
    canvas, title = Canvas(), "Items by level of sensitivity"
    agents = data.agents[:MOST_AGENTS]
    labels = labels_of(data, agents)
    y = header(
        canvas,
        data,
        title,
        agents,
        "Items always right or always wrong count as low sensitivity, but cannot show what wording does.",
        intervals=False,
    )
    y = swatches(canvas, y - 8, ((BAND_SHARES[name], paint) for name, paint in BAND_COLOURS.items()))
    room = label_room(labels)
    scale = Scale(0.0, 1.0, MARGIN + room, MARGIN + room + BANDS_WIDTH)
    x_axis(canvas, scale, y, y + ROW * len(agents), "Share of items", percent=True)
    for line, (agent, label) in enumerate(zip(agents, labels, strict=True)):
        middle = y + ROW * (line + 0.5)
        row_label(canvas, scale.start - 10, middle, label, room - 12)
        _divided_bar(canvas, scale, middle, band_shares(data, agent))
    table = [
        {"agent": agent.model, "benchmark": agent.task, "band": name, "items": count}
        for agent in data.agents
        for name, count in band_shares(data, agent).items()
    ]
    each = []
    for agent in agents:
        counted = ", ".join(
            f"{count:,} {BAND_SHARES[name]}" for name, count in band_shares(data, agent).items() if count
        )
        each.append(
            f"{data.name(agent)}: of {items_(data.items_of(agent).height)} {counted or 'none measured'}"
        )
    return figure("items_by_band", title, canvas, table, f"{title}. {'; '.join(each)}.")


def _divided_bar(canvas: Canvas, scale: Scale, middle: float, shares: dict[str, int]) -> None:
    total = sum(shares.values())
    if not total:
        canvas.text(scale.start + 6, middle + 4, "no items")
    at = 0
    for name, count in shares.items():
        if not count:
            continue
        left, right = scale(at / total), scale((at + count) / total)
        at += count
        paint = BAND_COLOURS[name]
        canvas.rect(left, middle - 12, right - left - 1, 24, paint, round_=2)
        said = f"{count:,}"
        if right - left > text_width(said, 11) + 8:
            ink = {"right": "on-right", "wrong": "on-wrong"}.get(paint, "ink")
            canvas.text((left + right) / 2, middle + 4, said, fill=ink, anchor="middle")


def sensitive(data: ReportData) -> Figure:
    """Each agent's items for which wording matters most likely, and their score under every wording."""
    canvas, title = Canvas(), "Items for which wording matters most likely"
    agents = data.agents[:MOST_PANELS]
    y = header(
        canvas,
        data,
        title,
        agents,
        "Bars: the probability that wording matters; with one repeat, where noise cannot be told apart, the "
        "variance.",
        "Cells: mean score under each wording; blue is right, orange with a cross wrong, a dash no score.",
        intervals=False,
    )
    table: list[dict[str, Any]] = []
    labels = short_labels([data.name(agent) for agent in agents], 110)
    parts = []
    for agent, label in zip(agents, labels, strict=True):
        listed, by = _listed(data, agent)
        y = _most_sensitive(canvas, y, data, agent, label, listed.head(MOST_ITEMS), by, table)
        named = ", ".join(f"{row[0]} ({row[1]:.2f})" for row in listed.head(3).select("id", by).iter_rows())
        parts.append(f"{data.name(agent)}: {named or 'none'}")
    said = f"The items for which wording matters most likely. {'; '.join(parts)}."
    return figure("most_sensitive_tasks", title, canvas, table, said)


def _listed(data: ReportData, agent: AgentRow) -> tuple[pl.DataFrame, str]:
    """The items to list, none where no effect was found, and the column that they are listed by."""
    items = data.items_of(agent)
    if agent.verdict.effect not in (SMALL, LARGE):
        return items.clear(), "probability"
    if items["probability"].null_count() == items.height:
        return items.filter(differs()), "variance"
    return items.filter(pl.col("probability") >= LIKELY), "probability"


def _most_sensitive(
    canvas: Canvas,
    y: float,
    data: ReportData,
    agent: AgentRow,
    label: str,
    shown: pl.DataFrame,
    by: str,
    table: list[dict[str, Any]],
) -> float:
    """Draws one agent's items, adds them to `table`, and gives the place below."""
    canvas.text(MARGIN, y + 4, label, size=13, fill="ink", bold=True)
    if shown.is_empty():
        why = {
            CANNOT_TELL: "It cannot be told whether wording matters",
            NONE_FOUND: "No effect of wording was found",
        }.get(agent.verdict.effect, "No single item stands out from noise")
        size = f"n: {items_(data.items_of(agent).height)}, {wordings_text(data, agent)}"
        canvas.text(MARGIN, y + 22, f"{why}, so that no item is listed ({size}).", size=12)
        return y + 52
    variants = data.variants_of(agent.task)[:MOST_VARIANTS]
    ids = shown["id"].to_list()
    names = short_labels(ids, 60)
    room = min(IDS, max(text_width(name, LABEL) for name in names)) + 12
    largest, axis = (1.0, "Probability") if by == "probability" else (0.5, "Variance")
    scale = Scale(0.0, largest, MARGIN + room, MARGIN + room + BARS)
    top = y + 24
    bottom = top + STEP * len(ids)
    cells = scale.stop + 46
    x_axis(canvas, scale, top, bottom, axis, percent=by == "probability")
    scores = _scores(data, agent, ids, variants)
    for line, (row, name) in enumerate(zip(shown.iter_rows(named=True), names, strict=True)):
        middle = top + STEP * (line + 0.5)
        row_label(canvas, scale.start - 8, middle, name, room - 10)
        canvas.rect(scale.start, middle - 6, scale(row[by]) - scale.start, 12, "edge")
        value = percent(row[by]) if by == "probability" else f"{row[by]:.2f}"
        canvas.text(scale(row[by]) + 5, middle + 4, value, size=10, fill="ink")
        for column, variant in enumerate(variants):
            _cell(canvas, cells + CELL * column, middle, scores.get((row["id"], variant)))
        table.append(
            {
                "agent": agent.model,
                "benchmark": agent.task,
                "item": row["id"],
                "probability": row["probability"],
                "variance": row["variance"],
                **{f"score {variant}": scores.get((row["id"], variant)) for variant in variants},
            }
        )
    tilted = short_labels(variants, 44)
    below = max(60.0, 24 + max(text_width(name, 10) for name in tilted) * math.sin(math.radians(32)))
    for column, name in enumerate(tilted):
        x = cells + CELL * (column + 0.5) + 4
        canvas.text(x, bottom + 14, name, size=10, anchor="end", turn=-32)
    canvas.reach(cells + CELL * len(variants), bottom + below)
    return bottom + below + 18


def _cell(canvas: Canvas, x: float, middle: float, score: float | None) -> None:
    width, height = CELL - 3, STEP - 3
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
