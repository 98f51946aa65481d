"""`items_by_band`: how many items are steady, how many swing, and how many could not have shown either."""

from __future__ import annotations

from typing import Any

from otherwords.report.data import ReportData
from otherwords.report.figures.shared import (
    LABEL,
    MARGIN,
    MOST_AGENTS,
    ROW,
    Figure,
    figure,
    header,
    label_room,
    labels_of,
    x_axis,
)
from otherwords.report.svg import Canvas, Scale, fitted, text_width
from otherwords.report.words import BAND_SHARES, band_shares, items_

WIDTH = 640
PAINTS = {
    "all right": "right",
    "high": "mostly",
    "medium": "middle",
    "low": "partly",
    "all wrong": "wrong",
    "no variance": "absent",
}


def bands(data: ReportData) -> Figure:
    """A bar for each agent, divided into its items' bands."""
    canvas, title = Canvas(), "Items by band"
    agents = data.agents[:MOST_AGENTS]
    labels = labels_of(data, agents)
    y = header(
        canvas,
        data,
        title,
        agents,
        "Always right or always wrong items are in the high band, but say nothing about wording.",
        intervals=False,
    )
    y = _legend(canvas, y - 8)
    room = label_room(labels)
    scale = Scale(0.0, 1.0, MARGIN + room, MARGIN + room + WIDTH)
    bottom = y + ROW * len(agents)
    x_axis(canvas, scale, y, bottom, "Share of items", percent=True)
    table: list[dict[str, Any]] = []
    for line, (agent, label) in enumerate(zip(agents, labels, strict=True)):
        middle = y + ROW * (line + 0.5)
        canvas.text(
            scale.start - 10,
            middle + 4,
            fitted(label, LABEL, room - 12),
            size=LABEL,
            fill="ink",
            anchor="end",
        )
        shares = band_shares(data, agent)
        total = sum(shares.values())
        if not total:
            canvas.text(scale.start + 6, middle + 4, "no items")
        at = 0
        for name, count in shares.items():
            if not count:
                continue
            left, right = scale(at / total), scale((at + count) / total)
            at += count
            canvas.rect(left, middle - 12, right - left - 1, 24, PAINTS[name], round_=2)
            said = f"{count:,}"
            if right - left > text_width(said, 11) + 8:
                ink = {"right": "on-right", "wrong": "on-wrong"}.get(PAINTS[name], "ink")
                canvas.text((left + right) / 2, middle + 4, said, fill=ink, anchor="middle")
    for agent in data.agents:
        shares = band_shares(data, agent)
        table += [
            {"agent": agent.model, "benchmark": agent.task, "band": name, "items": count}
            for name, count in shares.items()
        ]
    return figure("items_by_band", title, canvas, table, _said(data))


def _legend(canvas: Canvas, y: float) -> float:
    x = float(MARGIN)
    for name, meaning in BAND_SHARES.items():
        width = 17 + text_width(meaning, 12) + 20
        if x > MARGIN and x + width > MARGIN + 860:
            x, y = MARGIN, y + 20
        canvas.rect(x, y - 9, 11, 11, PAINTS[name], round_=2)
        canvas.text(x + 17, y, meaning, size=12, fill="ink")
        x += width
    return y + 22


def _said(data: ReportData) -> str:
    each = []
    for agent in data.agents[:MOST_AGENTS]:
        counted = ", ".join(f"{count:,} {name}" for name, count in band_shares(data, agent).items() if count)
        each.append(
            f"{data.name(agent)}: of {items_(data.items_of(agent).height)} {counted or 'none measured'}"
        )
    return f"Items by band. {'; '.join(each)}."
