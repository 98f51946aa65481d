"""`consistency`: the same answer in every wording, in two wordings, and from the same wording again."""

from __future__ import annotations

from typing import Any

from otherwords.report.data import ReportData
from otherwords.report.figures.shared import (
    GAP,
    MARGIN,
    MOST_AGENTS,
    PANEL,
    Figure,
    Row,
    figure,
    header,
    interval_panel,
    label_room,
    labels_of,
    panel_height,
)
from otherwords.report.svg import Canvas, Scale

PANELS = (
    ("consistency_at_k", "Same answer under every wording", "Share of items; falls with every wording added"),
    ("pairwise_agreement", "Same answer under two wordings", "Share of pairs of wordings, each run once"),
    ("accuracy", "Right answers", "Accuracy over all wordings: consistently wrong is consistent too"),
    ("c_out", "Same outcome when asked again", "C_out, (2p − 1)² over repeats of one wording"),
)


def consistency(data: ReportData) -> Figure:
    """Four panels: over all wordings, over pairs, accuracy beside them, and over repeats."""
    canvas, title = Canvas(), "How consistent the answers are"
    agents = data.agents[:MOST_AGENTS]
    labels = labels_of(data, agents)
    top = header(canvas, data, title, agents)
    room = label_room(labels)
    table: list[dict[str, Any]] = []
    for place, (name, heading, axis) in enumerate(PANELS):
        x = MARGIN + (place % 2) * (room + PANEL + GAP)
        y = top + (place // 2) * (panel_height(len(agents)) + 14)
        rows = [
            Row(label, agent.estimates.get(name), order)
            for order, (agent, label) in enumerate(zip(agents, labels, strict=True))
        ]
        scale = Scale(0.0, 1.0, x + room, x + room + PANEL)
        interval_panel(canvas, x, y, heading, name, rows, scale, axis, percent=name != "c_out")
        for agent in data.agents:
            one = agent.estimates.get(name)
            table.append(
                {
                    "agent": agent.model,
                    "benchmark": agent.task,
                    "measure": name,
                    "value": one.value if one else None,
                    "low": one.low if one else None,
                    "high": one.high if one else None,
                    "n_items": one.n_items if one else 0,
                }
            )
    return figure("consistency", title, canvas, table, _said(data))


def _said(data: ReportData) -> str:
    from otherwords.report.words import interval

    each = [
        f"{data.name(agent)}: {interval('consistency_at_k', agent.estimates.get('consistency_at_k'))}"
        for agent in data.agents[:MOST_AGENTS]
    ]
    return f"Share of items with the same answer under every wording. {'; '.join(each)}."
