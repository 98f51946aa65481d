"""Draws `consistency`, shares of equal answers, and `consistency_quadrants`, C_out against S_prompt."""

from __future__ import annotations

from collections.abc import Set
from typing import TYPE_CHECKING, Any

from otherwords.core.types import Estimate
from otherwords.report.figures.shared import (
    GAP,
    MARGIN,
    MOST_AGENTS,
    PANEL,
    Figure,
    Row,
    agent_rows,
    cross,
    ends,
    figure,
    floor_lines,
    header,
    interval_panel,
    known,
    label_room,
    labels_of,
    legend,
    lowest,
    measure_row,
    measure_rows,
    panel_height,
    x_axis,
    y_axis,
)
from otherwords.report.formats import METRIC_NAMES, TARGET, interval, interval_columns, number
from otherwords.report.messages import C_OUT_CUT, NOT_ROBUST, QUADRANTS, quadrant
from otherwords.report.svg import Canvas, Scale, agent_colour

if TYPE_CHECKING:
    from otherwords.report.data import ReportData

PANELS = (
    ("consistency_at_k", "Same answer under every wording", "Share of items; falls with every wording added"),
    ("pairwise_agreement", "Same answer under two wordings", "Share of pairs of wordings, each run once"),
    ("accuracy", "Right answers", "Accuracy over all wordings: consistently wrong is consistent too"),
    ("c_out", METRIC_NAMES["c_out"], "Same outcome when asked again: (2p − 1)² over repeats of one wording"),
)
QUADRANTS_WIDTH, QUADRANTS_HEIGHT = 800, 400


def consistency(data: ReportData) -> Figure:
    """Four panels: over all wordings, over pairs, accuracy beside them, and over repeats."""
    canvas, title = Canvas(), "How consistent the answers are"
    agents = data.agents[:MOST_AGENTS]
    top = header(canvas, data, title, agents)
    room = label_room(labels_of(data, agents))
    table: list[dict[str, Any]] = []
    if len(agents) == 1:
        rows = measure_rows(data, agents[0], {name: heading for name, heading, _ in PANELS})
        room = label_room([row.label for row in rows])
        scale = Scale(0.0, 1.0, MARGIN + room, MARGIN + room + QUADRANTS_WIDTH - 160)
        axis = "Shares; C_out: 1 when the same wording always comes out the same way"
        interval_panel(canvas, MARGIN, top, data.name(agents[0]), "accuracy", rows, scale, axis)
    for place, (name, heading, axis) in enumerate(PANELS):
        table += [measure_row(agent, name, agent.estimates.get(name)) for agent in data.agents]
        if len(agents) == 1:
            continue
        x = MARGIN + (place % 2) * (room + PANEL + GAP)
        y = top + (place // 2) * (panel_height(len(agents)) + 14)
        scale = Scale(0.0, 1.0, x + room, x + room + PANEL)
        rows = agent_rows(data, agents, name)
        interval_panel(canvas, x, y, heading, name, rows, scale, axis, percent=name != "c_out")
    each = [
        f"{data.name(agent)}: {interval('consistency_at_k', agent.estimates.get('consistency_at_k'))}"
        for agent in agents
    ]
    said = f"Share of items with the same answer under every wording. {'; '.join(each)}."
    return figure("consistency", title, canvas, table, said)


def quadrants(data: ReportData) -> Figure:
    """A point for each agent; a hollow one where S_prompt would be without run-to-run noise."""
    canvas, title = Canvas(), "HAL's quadrants: repeatability (C_out) against S_prompt"
    agents = data.agents[:MOST_AGENTS]
    top = header(
        canvas,
        data,
        title,
        agents,
        f"Cut at S_prompt {TARGET} and C_out {C_OUT_CUT}. "
        "Small ring: S_prompt corrected for run-to-run noise.",
        "A quadrant is not called robust where the verdict on an agent in it does not say so.",
    )
    rows = agent_rows(data, agents, "s_prompt", floor=True)
    left, right, bottom = MARGIN + 40, MARGIN + 40 + QUADRANTS_WIDTH, top + QUADRANTS_HEIGHT
    across = Scale(0.0, 1.0, left, right)
    up = Scale(min(lowest(rows), TARGET - 0.1), 1.0, bottom, top)
    doubted = {
        (agent.estimates["c_out"].value or 0.0) >= C_OUT_CUT
        for agent in agents
        if quadrant(agent) == NOT_ROBUST
    }
    _ground(canvas, across, up, doubted)
    drawn = [row for row in rows if known(row.estimate) and known(_c_out(row))]
    for row in drawn:
        _point(canvas, across, up, row)
    if not drawn:
        canvas.text(
            left + 12, top + 44, "not computed: C_out needs each wording to be run twice or more", size=12
        )
    floor_lines(canvas, up, left, right, rows)
    named = [(row.place, f"{row.label} (accuracy {_accuracy(row)})") for row in rows]
    legend(canvas, left, bottom + 60, named, QUADRANTS_WIDTH)
    table = [
        {
            "agent": agent.model,
            "benchmark": agent.task,
            **interval_columns(agent.estimates, "c_out", "s_prompt", "s_corrected", "accuracy"),
            "quadrant": quadrant(agent),
        }
        for agent in data.agents
    ]
    each = [f"{data.name(agent)}: {quadrant(agent) or 'not known'}" for agent in agents]
    said = f"Outcome consistency against prompt robustness. {'; '.join(each)}."
    return figure("consistency_quadrants", title, canvas, table, said)


def _accuracy(row: Row) -> str:
    found = row.agent.estimates.get("accuracy") if row.agent else None
    return number("accuracy", found.value if found else None)


def _c_out(row: Row) -> Estimate | None:
    return row.agent.estimates.get("c_out") if row.agent else None


def _ground(canvas: Canvas, across: Scale, up: Scale, doubted: Set[bool]) -> None:
    """The quadrants with their names; `doubted`: of which C_out an agent is that may not be called robust."""
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
        doubtful = robust and consistent in doubted
        said = f"{name.split()[0]}, high S_prompt" if doubtful else name
        canvas.text(x, top + 18 if robust else bottom - 10, said, size=12, fill="ink", anchor=anchor)


def _point(canvas: Canvas, across: Scale, up: Scale, row: Row) -> None:
    agent, paint = row.agent, agent_colour(row.place)
    if agent is None:
        return
    steady, again = agent.estimates["s_prompt"], agent.estimates["c_out"]
    x, y = across(again.value or 0.0), up(steady.value or 0.0)
    (c_low, c_high), (s_low, s_high) = ends(again), ends(steady)
    cross(canvas, x, y, (across(c_low), across(c_high)), (up(s_low), up(s_high)), paint)
    corrected = known(agent.estimates.get("s_corrected"))
    if corrected is not None:
        ring = up(corrected.value or 0.0)
        canvas.line(x, y, x, ring, paint, dash="2 3")
        canvas.dot(x, ring, 4, "paper", ring=paint)
    canvas.marker(x, y, row.place)
