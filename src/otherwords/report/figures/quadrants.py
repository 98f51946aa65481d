"""`consistency_quadrants`: C_out against S_prompt, which makes four kinds of agent."""

from __future__ import annotations

from typing import Any

from otherwords.report.data import AgentRow, ReportData
from otherwords.report.figures.comparison import lowest
from otherwords.report.figures.shared import (
    MARGIN,
    MOST_AGENTS,
    Figure,
    Row,
    ends,
    figure,
    header,
    known,
    labels_of,
    legend,
    marker,
    x_axis,
    y_axis,
)
from otherwords.report.svg import Canvas, Scale
from otherwords.report.theme import colour
from otherwords.report.words import C_OUT_CUT, QUADRANTS, TARGET, number, quadrant

WIDTH, HEIGHT = 800, 400


def quadrants(data: ReportData) -> Figure:
    """A point for each agent; a hollow one where S_prompt would be without luck."""
    canvas, title = Canvas(), "Consistent and robust: C_out against S_prompt"
    agents = data.agents[:MOST_AGENTS]
    labels = labels_of(data, agents)
    top = header(
        canvas,
        data,
        title,
        agents,
        f"Cut at S_prompt {TARGET} and C_out {C_OUT_CUT}. Small ring: S_prompt with luck taken out.",
    )
    rows = [
        Row(label, agent.estimates.get("s_prompt"), place, data.floor(agent))
        for place, (agent, label) in enumerate(zip(agents, labels, strict=True))
    ]
    left, bottom = MARGIN + 40, top + HEIGHT
    across = Scale(0.0, 1.0, left, left + WIDTH)
    up = Scale(min(lowest(rows), TARGET - 0.1), 1.0, bottom, top)
    _ground(canvas, across, up)
    drawn = [row for row in rows if known(row.estimate) and known(_c_out(data, row))]
    for row in drawn:
        _point(canvas, across, up, data, row)
    if not drawn:
        canvas.text(
            left + 12, top + 44, "not computed: C_out needs each wording to be run twice or more", size=12
        )
    for floor in sorted({round(row.floor, 2) for row in rows if row.floor is not None}):
        canvas.line(left, up(floor), left + WIDTH, up(floor), "edge", dash="4 3")
        canvas.text(left + 8, up(floor) - 5, f"floor {floor:.2f}", size=10)
    named = [f"{label} (accuracy {_accuracy(agent)})" for agent, label in zip(agents, labels, strict=True)]
    legend(canvas, left, bottom + 60, named, WIDTH)
    return figure("consistency_quadrants", title, canvas, _table(data), _said(data))


def _accuracy(agent: AgentRow) -> str:
    found = agent.estimates.get("accuracy")
    return number("accuracy", found.value if found else None)


def _c_out(data: ReportData, row: Row) -> Any:
    return data.agents[row.place].estimates.get("c_out")


def _ground(canvas: Canvas, across: Scale, up: Scale) -> None:
    left, right, top, bottom = across.start, across.stop, up.stop, up.start
    middle, cut = across(C_OUT_CUT), up(TARGET)
    canvas.rect(middle, top, right - middle, cut - top, "band-high")
    canvas.rect(left, top, middle - left, cut - top, "band-medium")
    canvas.rect(middle, cut, right - middle, bottom - cut, "band-medium")
    canvas.rect(left, cut, middle - left, bottom - cut, "band-low")
    y_axis(canvas, up, left, right)
    canvas.text(left, top - 8, "S_prompt")
    x_axis(canvas, across, top, bottom, "C_out: 1 when the same wording always comes out the same way")
    for (consistent, robust), name in QUADRANTS.items():
        x, anchor = (right - 8, "end") if consistent else (left + 8, "start")
        canvas.text(x, top + 18 if robust else bottom - 10, name, size=12, fill="ink", anchor=anchor)


def _point(canvas: Canvas, across: Scale, up: Scale, data: ReportData, row: Row) -> None:
    agent, paint = data.agents[row.place], colour(row.place)
    steady, again = agent.estimates["s_prompt"], agent.estimates["c_out"]
    x, y = across(again.value or 0.0), up(steady.value or 0.0)
    low, high = ends(again)
    if high > low:
        canvas.line(across(low), y, across(high), y, paint, width=2, opacity=0.5)
    low, high = ends(steady)
    if high > low:
        canvas.line(x, up(low), x, up(high), paint, width=2, opacity=0.5)
    without_luck = known(agent.estimates.get("s_corrected"))
    if without_luck is not None:
        ring = up(without_luck.value or 0.0)
        canvas.line(x, y, x, ring, paint, dash="2 3")
        canvas.dot(x, ring, 4, "paper", ring=paint)
    marker(canvas, x, y, row.place)


def _table(data: ReportData) -> list[dict[str, Any]]:
    rows = []
    for agent in data.agents:
        row: dict[str, Any] = {"agent": agent.model, "benchmark": agent.task}
        for name in ("c_out", "s_prompt", "s_corrected", "accuracy"):
            one = agent.estimates.get(name)
            row |= {name: one.value if one else None}
            row |= {f"{name}_low": one.low if one else None, f"{name}_high": one.high if one else None}
        rows.append({**row, "quadrant": quadrant(agent)})
    return rows


def _said(data: ReportData) -> str:
    each = [f"{data.name(agent)}: {quadrant(agent) or 'not known'}" for agent in data.agents[:MOST_AGENTS]]
    return f"Outcome consistency against prompt robustness. {'; '.join(each)}."
