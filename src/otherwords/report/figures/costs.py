"""`change_costs`: what each kind of change costs in accuracy, dearest first."""

from __future__ import annotations

from typing import Any

import polars as pl

from otherwords.core.types import Estimate
from otherwords.report.data import ReportData
from otherwords.report.figures.shared import (
    MARGIN,
    MOST_PANELS,
    Figure,
    Row,
    ends,
    figure,
    header,
    interval_panel,
    label_room,
    panel_height,
)
from otherwords.report.svg import Canvas, Scale
from otherwords.report.text import short_labels

MOST_CHANGES, WIDTH = 12, 640


def costs(data: ReportData) -> Figure:
    """A panel for each agent: accuracy lost by each change, with its interval."""
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
        shown = mine.head(MOST_CHANGES)
        more = f", the {MOST_CHANGES} dearest of {mine.height}" if mine.height > shown.height else ""
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
        spans = [ends(row.estimate) for row in rows if row.estimate and row.estimate.value is not None]
        reach = max([0.05, *(1.1 * abs(end) for span in spans for end in span)])
        room = max(label_room(labels, 300), 120)
        scale = Scale(-min(reach, 1.0), min(reach, 1.0), MARGIN + room, MARGIN + room + WIDTH)
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
        y += panel_height(len(rows)) + 14
        table += mine.select(
            pl.lit(agent.model).alias("agent"),
            pl.lit(agent.task).alias("benchmark"),
            "kind",
            "change",
            "accuracy",
            "delta",
            "delta_low",
            "delta_high",
            "q",
            "n_items",
        ).to_dicts()
    return figure("change_costs", title, canvas, table, _said(data))


def _estimate(row: dict[str, Any]) -> Estimate:
    return Estimate(
        "delta_accuracy",
        "",
        row["delta"],
        row["delta_low"],
        row["delta_high"],
        row["n_items"],
        row["n_rows"] or 0,
        0,
    )


def _said(data: ReportData) -> str:
    from otherwords.report.words import points

    parts = []
    for agent in data.agents[:MOST_PANELS]:
        said = "not computed"
        for row in data.kinds_of(agent).filter(pl.col("delta").is_not_null()).head(1).iter_rows(named=True):
            said = f"{row['kind']} {row['change'] or ''} costs {points(row['delta'], None, None)} points"
        parts.append(f"{data.name(agent)}: {said}")
    return f"Accuracy lost by kind of change, dearest first. {'; '.join(parts)}."
