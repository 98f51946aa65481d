"""Draws the figures that compare agents: side by side (S_prompt, accuracy), and as trends over runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from otherwords.core.types import Estimate
from otherwords.report.escape import short_labels
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
    legend_of,
    lowest,
    measure_rows,
    panel_height,
    x_axis,
    y_axis,
)
from otherwords.report.formats import HIGH, MEDIUM, METRIC_NAMES, interval, interval_columns, items_
from otherwords.report.svg import Canvas, Scale, agent_colour, text_width

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData, RunPoint

COMPARED = ("accuracy", "s_prompt", "mean_variance", "min_max_gap")
ONE_AGENT = {
    "accuracy_orig": METRIC_NAMES["accuracy_orig"],
    "accuracy": METRIC_NAMES["accuracy"],
    "s_prompt": "S_prompt",
    "s_norm": "S_norm",
    "min_max_gap": "Gap between best and worst wording",
    "mean_variance": "Mean variance over wordings",
}
ONE_WIDTH = 640
TREND_HEIGHT = 240
TRENDS = {
    "accuracy": METRIC_NAMES["accuracy"],
    "s_prompt": "S_prompt; dashed: lowest possible",
    "fragility_score": METRIC_NAMES["fragility_score"],
    "c_out": METRIC_NAMES["c_out"],
}
AS_SHARE = frozenset({"accuracy", "fragility_score"})


def comparison(data: ReportData) -> Figure:
    """Four panels: S_prompt, mean variance, mean gap, accuracy against S_prompt."""
    canvas, title = Canvas(), "How much wording matters"
    agents = data.agents[:MOST_AGENTS]
    if len(agents) == 1:
        return _one_agent(data, agents[0], canvas, title)
    top = header(canvas, data, title, agents)
    room = label_room(labels_of(data, agents))
    second = MARGIN + room + PANEL + GAP
    below = top + max(panel_height(len(agents)), 210) + 14
    steady = agent_rows(data, agents, "s_prompt", floor=True)
    start = lowest(steady)
    scale = Scale(start, 1.0, MARGIN + room, MARGIN + room + PANEL)
    bands = [("low", start, MEDIUM), ("medium", MEDIUM, HIGH), ("high", HIGH, 1.0)]
    interval_panel(
        canvas,
        MARGIN,
        top,
        "S_prompt: higher is less affected by wording",
        "s_prompt",
        steady,
        scale,
        "Grey tick: the lowest value possible with this many wordings",
        bands=bands,
    )
    for name, heading, largest, x, y in (
        ("mean_variance", "Mean variance over wordings", 0.5, second, top),
        ("min_max_gap", "Mean gap between best and worst wording", 1.0, MARGIN, below),
    ):
        rows = agent_rows(data, agents, name)
        reach = max((ends(one)[1] for row in rows if (one := known(row.estimate))), default=0.1)
        scale = Scale(0.0, min(largest, max(0.1, 1.12 * reach)), x + room, x + room + PANEL)
        interval_panel(canvas, x, y, heading, name, rows, scale, "0: wording changes nothing")
    _scatter(canvas, second, below, room, data, steady)
    return figure("sensitivity_comparison", title, canvas, _compared(data), _comparison_said(data))


def _compared(data: ReportData) -> list[dict[str, Any]]:
    return [
        {
            "agent": agent.model,
            "benchmark": agent.task,
            **interval_columns(agent.estimates, *COMPARED),
            "s_prompt_floor": data.floor(agent),
        }
        for agent in data.agents
    ]


def _one_agent(data: ReportData, agent: AgentRow, canvas: Canvas, title: str) -> Figure:
    """One panel of all measures: side by side each would hold one dot."""
    floor = data.floor(agent)
    lowest_ = f"Lowest possible S_prompt with this many wordings: {floor:.2f}." if floor is not None else ""
    top = header(canvas, data, title, [agent], *([lowest_] if lowest_ else []))
    rows = measure_rows(data, agent, ONE_AGENT)
    room = label_room([row.label for row in rows])
    scale = Scale(0.0, 1.0, MARGIN + room, MARGIN + room + ONE_WIDTH)
    heading, axis = data.name(agent), "0 to 1; accuracy and gap: share of right answers"
    interval_panel(canvas, MARGIN, top, heading, "s_prompt", rows, scale, axis)
    return figure("sensitivity_comparison", title, canvas, _compared(data), _comparison_said(data))


def _scatter(canvas: Canvas, x: float, y: float, room: float, data: ReportData, rows: list[Row]) -> None:
    canvas.text(x, y + 12, "Accuracy against S_prompt", size=14, fill="ink", bold=True)
    left, right = x + max(room, 48), x + max(room, 48) + PANEL
    top, bottom = y + 44, y + 44 + max(140, 30 * len(rows))
    across, up = Scale(0.0, 1.0, left, right), Scale(lowest(rows), 1.0, bottom, top)
    points = [
        (row, right_, steady)
        for row in rows
        if row.agent is not None
        and (right_ := known(row.agent.estimates.get("accuracy")))
        and (steady := known(row.estimate))
    ]
    if not points:
        canvas.text(left, (top + bottom) / 2, "not computed", size=12)
        canvas.reach(right, bottom + 60)
        return
    y_axis(canvas, up, left, right)
    canvas.text(left, top - 8, "S_prompt")
    x_axis(canvas, across, top, bottom, "Accuracy over all wordings", percent=True)
    floor_lines(canvas, up, left, right, rows)
    for row, accuracy, steady in points:
        at, height = across(accuracy.value or 0.0), up(steady.value or 0.0)
        (a_low, a_high), (s_low, s_high) = ends(accuracy), ends(steady)
        sides = (across(a_low), across(a_high)), (up(s_low), up(s_high))
        cross(canvas, at, height, *sides, agent_colour(row.place))
        canvas.marker(at, height, row.place)
    legend(canvas, left, bottom + 58, legend_of(data, data.agents[:MOST_AGENTS]), right - left)


def _comparison_said(data: ReportData) -> str:
    each = [
        f"{data.name(agent)}: accuracy {interval('accuracy', agent.estimates.get('accuracy'))}, "
        f"S_prompt {interval('s_prompt', agent.estimates.get('s_prompt'))}"
        for agent in data.agents[:MOST_AGENTS]
    ]
    return f"Comparison of agents. {'; '.join(each)}."


class _Runs(NamedTuple):
    """The runs along the axis of a trend, and each agent's place with its points."""

    labels: list[str]
    shown: list[str]
    turned: bool
    by_agent: list[tuple[int, list[RunPoint]]]


def trend(data: ReportData) -> Figure:
    """Four panels over runs: accuracy, S_prompt, flips, repeatability."""
    canvas, title = Canvas(), "Runs over time"
    agents = data.agents[:MOST_AGENTS]
    labels = data.runs
    shown = short_labels([label.removesuffix(" UTC").replace("T", " ") for label in labels], 24)
    by_agent = [
        (data.colour(agent), [point for point in data.history if point.key == agent.key]) for agent in agents
    ]
    turned = max(text_width(name, 11) + 12 for name in shown) * len(shown) > PANEL - 40
    runs = _Runs(labels, shown, turned, by_agent)
    size = f"n: {len(labels)} runs, {_items(data)}. Bars are {100 * data.level:g}% intervals."
    top = header(canvas, data, title, agents, size, n=False)
    tall = TREND_HEIGHT + (96 if turned else 50) + 34
    for order, (name, heading) in enumerate(TRENDS.items()):
        x = MARGIN + (order % 2) * (PANEL + GAP + 30)
        y = top + (order // 2) * tall
        _trend_panel(canvas, x, y, name, heading, runs)
    canvas.reach(MARGIN + 2 * PANEL + GAP + 30, top + 2 * tall)
    legend(canvas, MARGIN + 40, top + 2 * tall + 4, legend_of(data, agents), 2 * PANEL)
    table: list[dict[str, Any]] = [
        {
            "agent": point.model,
            "benchmark": point.task,
            "run": point.label,
            **interval_columns(point.estimates, *TRENDS),
            "s_prompt_floor": point.floor,
            "n_items": point.n_items,
        }
        for point in data.history
    ]
    return figure("history", title, canvas, table, _trend_said(data))


def _trend_panel(canvas: Canvas, x: float, y: float, name: str, heading: str, runs: _Runs) -> None:
    canvas.text(x, y + 12, heading, size=14, fill="ink", bold=True)
    # a turned label reaches to the left of its tick
    reach = max(text_width(label, 11) for label in runs.shown) * 0.85 - 46 if runs.turned else 0
    left, right, top, bottom = x + max(44, reach), x + PANEL, y + 32, y + 32 + TREND_HEIGHT
    rows = [
        Row("", point.estimates.get(name), place, point.floor if name == "s_prompt" else None)
        for place, points in runs.by_agent
        for point in points
    ]
    if not any(known(row.estimate) for row in rows):
        canvas.text(left, (top + bottom) / 2, "not computed", size=12)
        canvas.reach(right, bottom)
        return
    up = Scale(lowest(rows) if name == "s_prompt" else 0.0, 1.0, bottom, top)
    count = len(runs.labels)
    along = Scale(0.0, max(count - 1, 1), left + 16, right - 16)
    y_axis(canvas, up, left, right, percent=name in AS_SHARE)
    for place, label in enumerate(runs.shown):
        at = along(place if count > 1 else 0.5)
        if runs.turned:
            canvas.text(at + 4, bottom + 14, label, anchor="end", turn=-32)
        else:
            canvas.text(at, bottom + 18, label, anchor="middle")
    for order, (place, points) in enumerate(runs.by_agent):
        spots = []
        for point in points:
            one = known(point.estimates.get(name))
            if one is None:
                continue
            # agents are moved apart a little, so that their intervals do not hide each other
            shift = (order - (len(runs.by_agent) - 1) / 2) * min(7.0, 24 / len(runs.by_agent))
            at = along(runs.labels.index(point.label) if count > 1 else 0.5) + shift
            spots.append((at, one, point.floor))
        _trend_line(canvas, up, place, spots, floors=name == "s_prompt")


def _trend_line(
    canvas: Canvas, up: Scale, place: int, spots: list[tuple[float, Estimate, float | None]], floors: bool
) -> None:
    paint = agent_colour(place)
    steps = [f"{x:.2f} {up(one.value or 0.0):.2f}" for x, one, _ in spots]
    if len(steps) > 1:
        canvas.path("M" + "L".join(steps), paint, width=1.5)
    low_steps = [f"{x:.2f} {up(floor):.2f}" for x, _, floor in spots if floor is not None]
    if floors and len(low_steps) > 1:
        canvas.path("M" + "L".join(low_steps), "edge", dash="4 3")
    for x, one, _ in spots:
        low, high = ends(one)
        if high > low:
            canvas.line(x, up(low), x, up(high), paint, width=3, opacity=0.5)
        canvas.marker(x, up(one.value or 0.0), place, 5)


def _items(data: ReportData) -> str:
    counts = sorted({point.n_items for point in data.history})
    return f"{items_(counts[0])} each" if len(counts) == 1 else f"{counts[0]:,} to {items_(counts[-1])}"


def _trend_said(data: ReportData) -> str:
    parts = []
    for agent in data.agents[:MOST_AGENTS]:
        mine = [point for point in data.history if point.key == agent.key]
        if mine:
            first, last = (interval("s_prompt", mine[end].estimates.get("s_prompt")) for end in (0, -1))
            parts.append(f"{data.name(agent)}: S_prompt {first} in the first run, {last} in the last")
    return f"Each agent over its runs. {'; '.join(parts)}."
