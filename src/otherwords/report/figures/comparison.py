"""`sensitivity_comparison`: the agents side by side, in four panels."""

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
    ends,
    figure,
    header,
    interval_panel,
    known,
    label_room,
    labels_of,
    legend,
    marker,
    panel_height,
    x_axis,
    y_axis,
)
from otherwords.report.svg import Canvas, Scale
from otherwords.report.theme import colour
from otherwords.report.words import HIGH, MEDIUM

MEASURES = ("accuracy", "s_prompt", "mean_variance", "min_max_gap")


def comparison(data: ReportData) -> Figure:
    """S_prompt with bands and floor, mean variance, mean gap, accuracy against S_prompt."""
    canvas, title = Canvas(), "How much wording matters"
    agents = data.agents[:MOST_AGENTS]
    labels = labels_of(data, agents)
    top = header(canvas, data, title, agents)
    room = label_room(labels)
    second = MARGIN + room + PANEL + GAP
    below = top + max(panel_height(len(agents)), 210) + 14

    def lines(name: str, floor: bool = False) -> list[Row]:
        return [
            Row(label, agent.estimates.get(name), place, data.floor(agent) if floor else None)
            for place, (agent, label) in enumerate(zip(agents, labels, strict=True))
        ]

    steady = lines("s_prompt", floor=True)
    start = lowest(steady)
    scale = Scale(start, 1.0, MARGIN + room, MARGIN + room + PANEL)
    bands = [("low", start, MEDIUM), ("medium", MEDIUM, HIGH), ("high", HIGH, 1.0)]
    interval_panel(
        canvas,
        MARGIN,
        top,
        "S_prompt: higher is steadier",
        "s_prompt",
        steady,
        scale,
        "Grey tick: floor, the lowest value possible with this many wordings",
        bands=bands,
    )
    for name, heading, largest, x, y in (
        ("mean_variance", "Mean variance over wordings", 0.5, second, top),
        ("min_max_gap", "Mean gap between best and worst wording", 1.0, MARGIN, below),
    ):
        rows = lines(name)
        reach = max((ends(one)[1] for row in rows if (one := known(row.estimate))), default=0.1)
        scale = Scale(0.0, min(largest, max(0.1, 1.12 * reach)), x + room, x + room + PANEL)
        interval_panel(canvas, x, y, heading, name, rows, scale, "0: wording changes nothing")
    _scatter(canvas, second, below, room, data, steady)
    return figure("sensitivity_comparison", title, canvas, _table(data), _said(data))


def lowest(rows: list[Row]) -> float:
    """Where a scale of S_prompt begins: below every interval and floor."""
    found = [0.6, *(ends(one)[0] for row in rows if (one := known(row.estimate)))]
    found += [row.floor for row in rows if row.floor is not None]
    return max(0.0, min(found) - 0.04)


def _scatter(canvas: Canvas, x: float, y: float, room: float, data: ReportData, rows: list[Row]) -> None:
    canvas.text(x, y + 12, "Accuracy against S_prompt", size=14, fill="ink", bold=True)
    left, right = x + max(room, 48), x + max(room, 48) + PANEL
    top, bottom = y + 44, y + 44 + max(140, 30 * len(rows))
    across, up = Scale(0.0, 1.0, left, right), Scale(lowest(rows), 1.0, bottom, top)
    points = [
        (row, right_, steady)
        for row in rows
        if (right_ := known(data.agents[row.place].estimates.get("accuracy")))
        and (steady := known(row.estimate))
    ]
    if not points:
        canvas.text(left, (top + bottom) / 2, "not computed", size=12)
        canvas.reach(right, bottom + 60)
        return
    y_axis(canvas, up, left, right)
    canvas.text(left, top - 8, "S_prompt")
    x_axis(canvas, across, top, bottom, "Accuracy over all wordings", percent=True)
    for floor in sorted({round(row.floor, 2) for row in rows if row.floor is not None}):
        canvas.line(left, up(floor), right, up(floor), "edge", dash="4 3")
        canvas.text(left + 4, up(floor) - 4, f"floor {floor:.2f}", size=10)
    for row, accuracy, steady in points:
        at, height = across(accuracy.value or 0.0), up(steady.value or 0.0)
        paint = colour(row.place)
        for estimate, flat in ((accuracy, True), (steady, False)):
            low, high = ends(estimate)
            if high > low and flat:
                canvas.line(across(low), height, across(high), height, paint, width=2, opacity=0.5)
            elif high > low:
                canvas.line(at, up(low), at, up(high), paint, width=2, opacity=0.5)
        marker(canvas, at, height, row.place)
    legend(canvas, left, bottom + 58, [row.label for row in rows], right - left)


def _table(data: ReportData) -> list[dict[str, Any]]:
    rows = []
    for agent in data.agents:
        row: dict[str, Any] = {"agent": agent.model, "benchmark": agent.task}
        for name in MEASURES:
            one = agent.estimates.get(name)
            row |= {
                name: one.value if one else None,
                f"{name}_low": one.low if one else None,
                f"{name}_high": one.high if one else None,
            }
        rows.append({**row, "s_prompt_floor": data.floor(agent)})
    return rows


def _said(data: ReportData) -> str:
    from otherwords.report.words import interval

    each = [
        f"{data.name(agent)}: accuracy {interval('accuracy', agent.estimates.get('accuracy'))}, "
        f"S_prompt {interval('s_prompt', agent.estimates.get('s_prompt'))}"
        for agent in data.agents[:MOST_AGENTS]
    ]
    return f"Comparison of agents. {'; '.join(each)}."
