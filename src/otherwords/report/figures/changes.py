"""Draws the figures on kinds of change: `change_costs`, in accuracy, and `flip_rates`, in answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.types import Estimate
from otherwords.report.escape import short_labels
from otherwords.report.figures.shared import (
    GAP,
    MARGIN,
    MOST_AGENTS,
    MOST_PANELS,
    PANEL,
    Figure,
    Row,
    agent_rows,
    ends,
    figure,
    header,
    interval_panel,
    known,
    label_room,
    labels_of,
    legend,
    measure_row,
    panel_height,
)
from otherwords.report.formats import METRIC_NAMES, interval, points
from otherwords.report.svg import Canvas, Scale

if TYPE_CHECKING:
    from otherwords.report.data import ReportData

MOST_CHANGES, COSTS_WIDTH = 12, 640
MOST_KINDS = 24


def costs(data: ReportData) -> Figure:
    """A panel for each agent: accuracy lost by each change, with its interval, costliest first."""
    canvas, title = Canvas(), "What each kind of change costs"
    agents = data.agents[:MOST_PANELS]
    y = header(
        canvas,
        data,
        title,
        agents,
        "Accuracy on the original minus accuracy with the change, same items. Right of zero is a loss.",
    )
    table: list[dict[str, Any]] = []
    names = short_labels([data.name(agent) for agent in agents], 60)
    for place, (agent, name) in enumerate(zip(agents, names, strict=True)):
        mine = data.kinds_of(agent)
        mine = mine.filter(pl.col("change") != "") if mine["change"].str.len_chars().sum() else mine
        height = _cost_panel(canvas, y, name, mine, place)
        y += height + 14
        table += mine.select(
            pl.lit(agent.model).alias("agent"),
            pl.lit(agent.task).alias("benchmark"),
            *("kind", "change", "accuracy", "delta", "delta_low", "delta_high", "q", "n_items"),
        ).to_dicts()
    return figure("change_costs", title, canvas, table, _costs_said(data))


def _cost_panel(canvas: Canvas, y: float, name: str, kinds: pl.DataFrame, place: int) -> float:
    """Draws one agent's changes and gives the panel's height."""
    shown = kinds.head(MOST_CHANGES)
    more = f", the {MOST_CHANGES} dearest of {kinds.height}" if kinds.height > shown.height else ""
    labels = short_labels(
        [
            f"{kind}: {change} (n {n})" if change else f"{kind} (n {n})"
            for kind, change, n in shown.select("kind", "change", "n_items").iter_rows()
        ],
        40,
    )
    rows = [
        Row(label, _estimate(row), place)
        for label, row in zip(labels, shown.iter_rows(named=True), strict=True)
    ]
    spans = [ends(one) for row in rows if (one := known(row.estimate))]
    reach = max([0.05, *(1.1 * abs(end) for span in spans for end in span)])
    room = max(label_room(labels, 300), 120)
    scale = Scale(-min(reach, 1.0), min(reach, 1.0), MARGIN + room, MARGIN + room + COSTS_WIDTH)
    interval_panel(
        canvas,
        MARGIN,
        y,
        f"{name}{more}",
        "delta_accuracy",
        rows,
        scale,
        "Percentage points of accuracy lost; n: items with a score for both",
        points=True,
        zero=True,
    )
    return panel_height(len(rows))


def _estimate(row: dict[str, Any]) -> Estimate:
    numbers = row["delta"], row["delta_low"], row["delta_high"]
    return Estimate("delta_accuracy", "", *numbers, row["n_items"], row["n_rows"] or 0, 0)


def _costs_said(data: ReportData) -> str:
    parts = []
    for agent in data.agents[:MOST_PANELS]:
        said = "not computed"
        for row in data.kinds_of(agent).filter(pl.col("delta").is_not_null()).head(1).iter_rows(named=True):
            said = f"{row['kind']} {row['change'] or ''} costs {points(row['delta'], None, None)} points"
        parts.append(f"{data.name(agent)}: {said}")
    return f"Accuracy lost by kind of change, dearest first. {'; '.join(parts)}."


def flips(data: ReportData) -> Figure:
    """Flips against the original, those beyond run-to-run noise, and flips by kind of change."""
    canvas, title = Canvas(), "How often another wording changes the answer"
    agents = data.agents[:MOST_AGENTS]
    top = header(canvas, data, title, agents)
    room = label_room(labels_of(data, agents))
    table: list[dict[str, Any]] = []
    for place, (name, axis) in enumerate(
        (
            ("fragility_score", "Share of answers, right or wrong"),
            ("excess_flips", "Minus the flips between runs of the original; 0: run-to-run noise alone"),
        )
    ):
        rows = agent_rows(data, agents, name)
        x = MARGIN + place * (room + PANEL + GAP)
        signed = name == "excess_flips"
        scale = _flip_scale([row.estimate for row in rows], x + room, signed=signed)
        heading = METRIC_NAMES[name]
        interval_panel(canvas, x, top, heading, name, rows, scale, axis, percent=True, zero=signed)
        table += [measure_row(agent, name, agent.estimates.get(name), kind="all") for agent in data.agents]
    _flips_by_kind(canvas, top + panel_height(len(agents)) + 10, data)
    for agent in data.agents:
        for kind, estimate in agent.flips.items():
            table.append(measure_row(agent, "fragility_score", estimate, kind=kind or "all"))
    each = [
        f"{data.name(agent)}: {interval('fragility_score', agent.estimates.get('fragility_score'))}"
        for agent in agents
    ]
    said = f"Share of answers that flip against the original. {'; '.join(each)}."
    return figure("flip_rates", title, canvas, table, said)


def _flips_by_kind(canvas: Canvas, y: float, data: ReportData) -> None:
    agents = data.agents[:MOST_AGENTS]
    rows = [
        Row(kind, agent.flips[kind], place)
        for kind in data.flip_kinds
        for place, agent in enumerate(agents)
        if kind in agent.flips
    ]
    if not rows:
        return
    shown = rows[:MOST_KINDS]
    more = f", {MOST_KINDS} of {len(rows)} shown" if len(rows) > len(shown) else ""
    room = max(label_room([row.label for row in shown]), 120)
    x = MARGIN + room
    scale = _flip_scale([row.estimate for row in shown], x, width=2 * PANEL)
    heading = f"Flips by kind of change{more}"
    named = [
        Row(row.label if not before or before.label != row.label else "", row.estimate, row.place)
        for before, row in zip([None, *shown], shown, strict=False)
    ]
    interval_panel(
        canvas, MARGIN, y, heading, "fragility_score", named, scale, "Share of answers", percent=True
    )
    if len(data.agents) > 1:
        legend(canvas, x, y + panel_height(len(shown)) + 12, labels_of(data, agents), 2 * PANEL)


def _flip_scale(
    estimates: list[Estimate | None], start: float, *, signed: bool = False, width: float = PANEL
) -> Scale:
    spans = [ends(one) for estimate in estimates if (one := known(estimate))]
    high = min(1.0, max([0.1, *(1.12 * end for _, end in spans)]))
    low = max(-1.0, min([-0.05, *(1.12 * end for end, _ in spans)])) if signed else 0.0
    return Scale(low, high, start, start + width)
