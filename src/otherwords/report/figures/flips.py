"""`flip_rates`: how often another wording changes the answer, by agent and by kind of change."""

from __future__ import annotations

from typing import Any

from otherwords.core.types import Estimate
from otherwords.report.data import ReportData
from otherwords.report.figures.shared import (
    GAP,
    MARGIN,
    MOST_AGENTS,
    PANEL,
    Figure,
    Row,
    ends,
    figure,
    header,
    interval_panel,
    known,
    label_room,
    labels_of,
    legend,
    panel_height,
)
from otherwords.report.svg import Canvas, Scale

MOST_KINDS = 24


def flips(data: ReportData) -> Figure:
    """Flips against the original, those beyond luck, and flips by kind."""
    canvas, title = Canvas(), "How often another wording changes the answer"
    agents = data.agents[:MOST_AGENTS]
    labels = labels_of(data, agents)
    top = header(canvas, data, title, agents)
    room = label_room(labels)
    table: list[dict[str, Any]] = []
    for place, (name, heading, axis) in enumerate(
        (
            ("fragility_score", "Answers that flip against the original", "Share of answers, right or wrong"),
            (
                "excess_flips",
                "Flips beyond luck",
                "Minus the flips between runs of the original itself; 0: no more than luck",
            ),
        )
    ):
        rows = [
            Row(label, agent.estimates.get(name), order)
            for order, (agent, label) in enumerate(zip(agents, labels, strict=True))
        ]
        x = MARGIN + place * (room + PANEL + GAP)
        scale = _scale([row.estimate for row in rows], x + room, signed=name == "excess_flips")
        interval_panel(
            canvas, x, top, heading, name, rows, scale, axis, percent=True, zero=name == "excess_flips"
        )
        for agent in data.agents:
            table.append(_row(agent.model, agent.task, name, "", agent.estimates.get(name)))
    y = top + panel_height(len(agents)) + 10
    _by_kind(canvas, y, data, labels, table)
    return figure("flip_rates", title, canvas, table, _said(data))


def _by_kind(
    canvas: Canvas, y: float, data: ReportData, labels: list[str], table: list[dict[str, Any]]
) -> None:
    rows: list[Row] = []
    for kind in data.flip_kinds:
        for place, agent in enumerate(data.agents[:MOST_AGENTS]):
            found = agent.flips.get(kind)
            if found is not None:
                rows.append(Row(kind, found, place))
    for agent in data.agents:
        for kind, estimate in agent.flips.items():
            table.append(_row(agent.model, agent.task, "fragility_score", kind, estimate))
    if not rows:
        return
    shown = rows[:MOST_KINDS]
    more = f", {MOST_KINDS} of {len(rows)} shown" if len(rows) > len(shown) else ""
    room = max(label_room([row.label for row in shown]), 120)
    x = MARGIN + room
    scale = _scale([row.estimate for row in shown], x, width=2 * PANEL)
    heading = f"Flips by kind of change{more}"
    named = [
        Row(row.label if not before or before.label != row.label else "", row.estimate, row.place)
        for before, row in zip([None, *shown], shown, strict=False)
    ]
    interval_panel(
        canvas, MARGIN, y, heading, "fragility_score", named, scale, "Share of answers", percent=True
    )
    if len(data.agents) > 1:
        legend(canvas, x, y + panel_height(len(shown)) + 12, labels, 2 * PANEL)


def _scale(
    estimates: list[Estimate | None], start: float, *, signed: bool = False, width: float = PANEL
) -> Scale:
    spans = [ends(one) for estimate in estimates if (one := known(estimate))]
    high = min(1.0, max([0.1, *(1.12 * end for _, end in spans)]))
    low = max(-1.0, min([-0.05, *(1.12 * end for end, _ in spans)])) if signed else 0.0
    return Scale(low, high, start, start + width)


def _row(model: str, task: str, metric: str, kind: str, estimate: Estimate | None) -> dict[str, Any]:
    return {
        "agent": model,
        "benchmark": task,
        "measure": metric,
        "kind": kind or "all",
        "value": estimate.value if estimate else None,
        "low": estimate.low if estimate else None,
        "high": estimate.high if estimate else None,
        "n_items": estimate.n_items if estimate else 0,
    }


def _said(data: ReportData) -> str:
    from otherwords.report.words import interval

    each = [
        f"{data.name(agent)}: {interval('fragility_score', agent.estimates.get('fragility_score'))}"
        for agent in data.agents[:MOST_AGENTS]
    ]
    return f"Share of answers that flip against the original. {'; '.join(each)}."
