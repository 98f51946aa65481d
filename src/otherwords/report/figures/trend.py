"""`history`: each agent over its runs."""

from __future__ import annotations

from typing import Any

from otherwords.core.types import Estimate
from otherwords.report.data import ReportData, RunPoint
from otherwords.report.figures.comparison import lowest
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
    known,
    labels_of,
    legend,
    marker,
    y_axis,
)
from otherwords.report.svg import Canvas, Scale, text_width
from otherwords.report.text import short_labels
from otherwords.report.theme import colour
from otherwords.report.words import items_

HEIGHT = 240
PLOTS = (
    ("accuracy", "Accuracy, all wordings", True),
    ("s_prompt", "S_prompt; dashed: floor", False),
    ("fragility_score", "Answers that flip against the original", True),
    ("c_out", "Same outcome when asked again (C_out)", False),
)


def trend(data: ReportData) -> Figure:
    """Four panels over runs: accuracy, S_prompt, flips, C_out."""
    canvas, title = Canvas(), "Runs over time"
    agents = data.agents[:MOST_AGENTS]
    runs = data.runs
    by_agent = [
        (place, [point for point in data.history if point.key == agent.key])
        for place, agent in enumerate(agents)
    ]
    size = f"n: {len(runs)} runs, {_items(data)}. Bars are {100 * data.level:g}% intervals."
    top = header(canvas, data, title, agents, size, n=False)
    names = short_labels([_short_time(run) for run in runs], 24)
    turned = _turned(names, PANEL - 40)
    tall = HEIGHT + (96 if turned else 50) + 34
    for order, (name, heading, percent) in enumerate(PLOTS):
        x = MARGIN + (order % 2) * (PANEL + GAP + 30)
        y = top + (order // 2) * tall
        _plot(canvas, x, y, name, heading, percent, by_agent, runs, names, turned)
    canvas.reach(MARGIN + 2 * PANEL + GAP + 30, top + 2 * tall)
    legend(canvas, MARGIN + 40, top + 2 * tall + 4, labels_of(data, agents), 2 * PANEL)
    return figure("history", title, canvas, _table(data), _said(data))


def _plot(
    canvas: Canvas,
    x: float,
    y: float,
    name: str,
    heading: str,
    percent: bool,
    by_agent: list[tuple[int, list[RunPoint]]],
    runs: list[str],
    names: list[str],
    turned: bool,
) -> None:
    canvas.text(x, y + 12, heading, size=14, fill="ink", bold=True)
    # a turned label reaches to the left of its tick
    reach = max(text_width(name_, 11) for name_ in names) * 0.85 - 46 if turned else 0
    left, right, top, bottom = x + max(44, reach), x + PANEL, y + 32, y + 32 + HEIGHT
    rows = [
        Row("", point.estimates.get(name), place, point.floor if name == "s_prompt" else None)
        for place, points in by_agent
        for point in points
    ]
    if not any(known(row.estimate) for row in rows):
        canvas.text(left, (top + bottom) / 2, "not computed", size=12)
        canvas.reach(right, bottom)
        return
    up = Scale(lowest(rows) if name == "s_prompt" else 0.0, 1.0, bottom, top)
    along = Scale(0.0, max(len(runs) - 1, 1), left + 16, right - 16)
    y_axis(canvas, up, left, right, percent=percent)
    for place, run in enumerate(names):
        at = along(place if len(runs) > 1 else 0.5)
        if turned:
            canvas.text(at + 4, bottom + 14, run, anchor="end", turn=-32)
        else:
            canvas.text(at, bottom + 18, run, anchor="middle")
    for place, points in by_agent:
        spots = []
        for point in points:
            one = known(point.estimates.get(name))
            if one is None:
                continue
            # agents are moved apart a little, so that their intervals do not hide each other
            shift = (place - (len(by_agent) - 1) / 2) * min(7.0, 24 / len(by_agent))
            at = along(runs.index(point.label) if len(runs) > 1 else 0.5) + shift
            spots.append((at, one, point.floor))
        _line(canvas, up, place, spots, floors=name == "s_prompt")


def _line(
    canvas: Canvas, up: Scale, place: int, spots: list[tuple[float, Estimate, float | None]], floors: bool
) -> None:
    paint = colour(place)
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
        marker(canvas, x, up(one.value or 0.0), place, 5)


def _turned(names: list[str], room: float) -> bool:
    return max(text_width(name, 11) + 12 for name in names) * len(names) > room


def _short_time(label: str) -> str:
    return label.removesuffix(" UTC").replace("T", " ")


def _items(data: ReportData) -> str:
    counts = sorted({point.n_items for point in data.history})
    return f"{items_(counts[0])} each" if len(counts) == 1 else f"{counts[0]:,} to {items_(counts[-1])}"


def _table(data: ReportData) -> list[dict[str, Any]]:
    rows = []
    for point in data.history:
        row: dict[str, Any] = {"agent": point.model, "benchmark": point.task, "run": point.label}
        for name, _, _ in PLOTS:
            one = point.estimates.get(name)
            row |= {name: one.value if one else None}
            row |= {f"{name}_low": one.low if one else None, f"{name}_high": one.high if one else None}
        rows.append({**row, "s_prompt_floor": point.floor, "n_items": point.n_items})
    return rows


def _said(data: ReportData) -> str:
    from otherwords.report.words import interval

    parts = []
    for agent in data.agents[:MOST_AGENTS]:
        mine = [point for point in data.history if point.key == agent.key]
        if mine:
            first, last = (interval("s_prompt", mine[end].estimates.get("s_prompt")) for end in (0, -1))
            parts.append(f"{data.name(agent)}: S_prompt {first} in the first run, {last} in the last")
    return f"Each agent over its runs. {'; '.join(parts)}."
