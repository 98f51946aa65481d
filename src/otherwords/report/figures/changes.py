"""Draws figures by kind of change: costs, flips, shares of variance; also consistency, agents' quadrants."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING, Any

from otherwords.core.texts import points_between
from otherwords.core.types import Estimate
from otherwords.core.verdict import ChangeLoss, Evidence
from otherwords.core.wording_names import kind_name
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
    legend_of,
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


def shares(data: ReportData) -> Figure:
    """A panel for each agent of a design: the share of the variance of scores that each term explains."""
    canvas, title = Canvas(), "Where the variance of scores comes from"
    told = [(one.key, one.attribution.shares) for one in data.templates if one.attribution is not None]
    agents = [agent for agent in data.agents if agent.key in dict(told)][:MOST_PANELS]
    y = header(canvas, data, title, agents, "Factors act on all items alike; item × factor on single items.")
    table: list[dict[str, Any]] = []
    for agent in agents:
        mine, name = dict(told)[agent.key], data.name(agent)
        rows = [Row(one.term, one.estimate.cut_to_share(), data.colour(agent)) for one in mine]
        room = max(label_room([row.label for row in rows], 300), 120)
        scale = Scale(0.0, 1.0, MARGIN + room, MARGIN + room + COSTS_WIDTH)
        interval_panel(canvas, MARGIN, y, name, "phrasing_share", rows, scale, "Share of the variance")
        y += panel_height(len(rows)) + 14
        for one in mine:
            numbers = {"share": one.estimate.value, "low": one.estimate.low, "high": one.estimate.high}
            table.append({"agent": agent.model, "benchmark": agent.task, "term": one.term, **numbers})
    said = " ".join(one.attribution.sentence for one in data.templates if one.attribution is not None)
    return figure("variance_shares", title, canvas, table, said)


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
        Row(
            f"{kind_name(kind)} · {task}" if len(data.tasks) > 1 else kind_name(kind),
            agent.flips[kind],
            data.colour(agent),
        )
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
