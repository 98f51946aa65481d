"""Draws the figures on kinds of change: `change_costs`, in accuracy, and `flip_rates`, in answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from otherwords.core.texts import points_between
from otherwords.core.types import Estimate
from otherwords.core.verdict import ChangeLoss, Evidence
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
    legend_of,
    measure_row,
    measure_rows,
    panel_height,
)
from otherwords.report.formats import METRIC_NAMES, interval
from otherwords.report.svg import Canvas, Scale

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData

MOST_CHANGES, COSTS_WIDTH = 12, 640
MOST_KINDS = 24
FLIPS = {
    "fragility_score": "Share of answers, right or wrong",
    "excess_flips": "Percentage points; 0: no more than between runs of the original",
}


def costs(data: ReportData) -> Figure:
    """A panel for each agent: the points that each change loses, with its corrected interval, by evidence."""
    canvas, title = Canvas(), "What each kind of change costs"
    agents = data.agents[:MOST_PANELS]
    y = header(
        canvas,
        data,
        title,
        agents,
        f"Bars are {100 * data.level:g}% intervals, corrected for the number of questions asked.",
        "Accuracy on the original minus accuracy with the change, same items. Right of zero is a loss.",
        intervals=False,
    )
    table: list[dict[str, Any]] = []
    names = short_labels([data.name(agent) for agent in agents], 110)
    for agent, name in zip(agents, names, strict=True):
        y = _cost_panel(canvas, y, name, agent.verdict.changes, data.colour(agent))
        table += [_cost_row(agent, one) for one in agent.verdict.changes]
    return figure("change_costs", title, canvas, table, _costs_said(data))


def _cost_panel(canvas: Canvas, y: float, name: str, changes: Sequence[ChangeLoss], place: int) -> float:
    """Draws one agent's changes and gives the place below; a single one is a sentence, not a panel."""
    if len(changes) < 2:
        told = [f"{one.name}: {_interval(one.loss)} lost, n {one.loss.n_items:,}" for one in changes]
        canvas.text(MARGIN, y + 12, name, size=14, fill="ink", bold=True)
        canvas.text(MARGIN, y + 32, told[0] if told else "No kind of change has a score.", size=12)
        return y + 62
    shown = changes[:MOST_CHANGES]
    more = f", the first {MOST_CHANGES} of {len(changes)}" if len(changes) > len(shown) else ""
    labels = short_labels([f"{one.name} (n {one.loss.n_items:,})" for one in shown], 110)
    rows = [Row(label, _estimate(one.loss), place) for label, one in zip(labels, shown, strict=True)]
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
    return y + panel_height(len(rows)) + 14


def _estimate(loss: Evidence) -> Estimate:
    ends_ = loss.corrected_low, loss.corrected_high
    return Estimate("delta_accuracy", "", loss.value, *ends_, loss.n_items, 0, 0, reason=loss.reason)


def _interval(loss: Evidence) -> str:
    return points_between(loss.value, loss.corrected_low, loss.corrected_high)


def _cost_row(agent: AgentRow, one: ChangeLoss) -> dict[str, Any]:
    return {
        "agent": agent.model,
        "benchmark": agent.task,
        "kind": one.kind,
        "change": one.change,
        "delta": one.loss.value,
        "delta_low": one.loss.low,
        "delta_high": one.loss.high,
        "corrected_low": one.loss.corrected_low,
        "corrected_high": one.loss.corrected_high,
        "p": one.loss.p,
        "n_items": one.loss.n_items,
    }


def _costs_said(data: ReportData) -> str:
    parts = []
    for agent in data.agents[:MOST_PANELS]:
        changes = agent.verdict.changes
        said = f"{changes[0].name} {_interval(changes[0].loss)}" if changes else "not computed"
        parts.append(f"{data.name(agent)}: {said}")
    return f"Points of accuracy lost by kind of change, the surest first. {'; '.join(parts)}."


def flips(data: ReportData) -> Figure:
    """Flips against the original, those beyond run-to-run noise, and flips by kind of change."""
    canvas, title = Canvas(), "How often another wording changes the answer"
    agents = data.agents[:MOST_AGENTS]
    top = header(canvas, data, title, agents)
    room = label_room(labels_of(data, agents))
    table: list[dict[str, Any]] = []
    for place, (name, axis) in enumerate(FLIPS.items()):
        table += [measure_row(agent, name, agent.estimates.get(name), kind="all") for agent in data.agents]
        if len(agents) == 1:
            continue
        rows = agent_rows(data, agents, name)
        x = MARGIN + place * (room + PANEL + GAP)
        signed = name == "excess_flips"
        scale = _flip_scale([row.estimate for row in rows], x + room, signed=signed)
        heading = METRIC_NAMES[name]
        interval_panel(
            canvas, x, top, heading, name, rows, scale, axis, percent=not signed, points=signed, zero=signed
        )
    if len(agents) == 1:
        _flips_of_one(canvas, top, data, agents[0])
    _flips_by_kind(canvas, top + panel_height(max(2, len(agents))) + 10, data)
    for agent in data.agents:
        for kind, estimate in agent.flips.items():
            table.append(measure_row(agent, "fragility_score", estimate, kind=kind or "all"))
    each = [
        f"{data.name(agent)}: {interval('fragility_score', agent.estimates.get('fragility_score'))}"
        for agent in agents
    ]
    said = f"Share of answers that flip against the original. {'; '.join(each)}."
    return figure("flip_rates", title, canvas, table, said)


def _flips_of_one(canvas: Canvas, y: float, data: ReportData, agent: AgentRow) -> None:
    """Both measures in one panel: side by side each would hold one dot."""
    rows = measure_rows(data, agent, {name: METRIC_NAMES[name] for name in FLIPS})
    room = max(label_room([row.label for row in rows]), 120)
    scale = _flip_scale([row.estimate for row in rows], MARGIN + room, signed=True, width=2 * PANEL)
    axis = "Share of answers; beyond noise: minus the flips between runs of the original"
    interval_panel(
        canvas, MARGIN, y, data.name(agent), "fragility_score", rows, scale, axis, percent=True, zero=True
    )


def _flips_by_kind(canvas: Canvas, y: float, data: ReportData) -> None:
    agents = data.agents[:MOST_AGENTS]
    rows = [
        Row(f"{kind} · {task}" if len(data.tasks) > 1 else kind, agent.flips[kind], data.colour(agent))
        for kind in data.flip_kinds
        for task in data.tasks
        for agent in agents
        if agent.task == task and kind in agent.flips
    ]
    if len(rows) < 2:
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
        legend(canvas, x, y + panel_height(len(shown)) + 12, legend_of(data, agents), 2 * PANEL)


def _flip_scale(
    estimates: list[Estimate | None], start: float, *, signed: bool = False, width: float = PANEL
) -> Scale:
    spans = [ends(one) for estimate in estimates if (one := known(estimate))]
    high = min(1.0, max([0.1, *(1.12 * end for _, end in spans)]))
    low = max(-1.0, min([-0.05, *(1.12 * end for end, _ in spans)])) if signed else 0.0
    return Scale(low, high, start, start + width)
