"""Report data → what it says of agents' tool calls: tables for the page and for Markdown, and a figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from otherwords.core.texts import p_number, percent, percent_between, points_between
from otherwords.core.trajectory_results import (
    EFFORT_NAMES,
    SHARE_NAMES,
    TrajectoryShare,
    TrajectorySummary,
)
from otherwords.core.types import Estimate
from otherwords.core.wording_names import kind_name
from otherwords.report.escape import Html, markdown, table, tag
from otherwords.report.figures.shared import MARGIN, MOST_PANELS, Figure, figure, header, y_axis
from otherwords.report.svg import Canvas, Scale, agent_colour
from otherwords.report.verdict_markdown import bullets
from otherwords.report.verdict_markdown import table as markdown_table

if TYPE_CHECKING:
    from otherwords.report.data import ReportData

TITLE = "Where tool calls part"
FIGURE = "where_paths_part"
PARTED = "Where they part"
MOST_PLACES, MOST_TOOLS = 10, 20
LEAD = (
    "Every reworded run is compared with every run of the original, call by call. Beyond noise: minus what "
    "the runs of the original differ by among themselves. Arguments are the same if they differ only in "
    "case, white space, number formats, the order of keys, or ids that the environment made."
)
_WIDTH, _HEIGHT = 640, 180


def tables(one: TrajectorySummary) -> Iterator[tuple[str, tuple[str, ...], list[list[str]]]]:
    """Title, head and rows of each table; an empty one is left out."""
    against = ("Reworded runs", "Repeats of the original", "Beyond noise")
    shares = [[SHARE_NAMES[share.name], *_cells(share)] for share in one.shares]
    places = [
        [
            str(place.call),
            place.what,
            _points(place.excess),
            percent(place.other_outcome),
            p_number(place.q),
        ]
        for place in one.places[:MOST_PLACES]
    ]
    tools = [[each.tool, *_cells(each.share)] for each in one.tools[:MOST_TOOLS]]
    effort = [
        [
            kind_name(each.kind) if each.kind else "all",
            EFFORT_NAMES[each.name],
            _amount(each.name, each.original),
            _amount(each.name, each.reworded),
            percent_between(each.change.value, each.change.low, each.change.high),
        ]
        for each in one.effort
    ]
    found: tuple[tuple[str, tuple[str, ...], list[list[str]]], ...] = (
        ("How far calls differ", ("What differs", *against), shares),
        (
            PARTED,
            ("Call", "What mostly happens there", "Beyond noise", "With another outcome", "q"),
            places,
        ),
        ("Arguments that differ, by tool", ("Tool", *against), tools),
        ("What runs take", ("Wordings", "Mean per run", "Original", "Reworded", "Change"), effort),
    )
    return (each for each in found if each[2])


def _cells(share: TrajectoryShare) -> list[str]:
    return [
        percent_between(share.wordings.value, share.wordings.low, share.wordings.high),
        percent(share.rerun.value),
        _points(share.excess),
    ]


def _points(one: Estimate) -> str:
    return points_between(one.value, one.low, one.high)


def _amount(name: str, value: float) -> str:
    return f"${value:,.4f}" if name == "cost" else f"{value:,.1f}"


def trajectories_section(data: ReportData) -> Html:
    """The page's part; nothing where no agent calls tools."""
    if not data.trajectories:
        return Html("")
    parts: list[Html] = []
    for one in data.trajectories:
        name = data.name(one)
        parts.append(tag("h3", name))
        parts += [tag("p", sentence, class_="lead") for sentence in one.sentences]
        first, *rest = [
            (title, table(head, rows, label=f"{title}, {name}", words=[1] if title == PARTED else []))
            for title, head, rows in tables(one)
        ]
        parts += [tag("h4", first[0]), first[1]]
        parts += [tag("details", tag("summary", title), drawn) for title, drawn in rest]
    title = tag("h2", TITLE, id="trajectories-title")
    lead = tag("p", LEAD, class_="quiet wide")
    return tag("section", title, *parts, lead, id="trajectories", aria_labelledby="trajectories-title")


def trajectories_markdown(data: ReportData) -> list[str]:
    """The same for `sensitivity_report.md`."""
    if not data.trajectories:
        return []
    lines = [f"## {TITLE}", ""]
    for one in data.trajectories:
        lines += [f"### {markdown(data.name(one))}", "", *bullets(map(markdown, one.sentences))]
        for title, head, rows in tables(one):
            lines += [f"{title}:", "", *markdown_table(head, [[*map(markdown, row)] for row in rows])]
    return [*lines, LEAD, "", f"![{TITLE}]({FIGURE}.svg)", ""]


def where_paths_part(data: ReportData) -> Figure:
    """A panel for each agent: the share of pairs of runs that are still together after each call."""
    canvas = Canvas()
    told = {one.key: one for one in data.trajectories}
    agents = [agent for agent in data.agents if agent.key in told][:MOST_PANELS]
    y = header(
        canvas,
        data,
        TITLE,
        agents,
        "Share of pairs of runs that made the same calls so far. Solid: a reworded run and one of the",
        "original; dashed: two of the original. The distance between the lines is what rewording does.",
        f"Bars: {100 * data.level:g}% intervals of that distance, below the dashed line.",
        intervals=False,
    )
    rows: list[dict[str, Any]] = []
    for agent in agents:
        one = told[agent.key]
        canvas.text(MARGIN, y + 12, data.name(agent), size=14, fill="ink", bold=True)
        y = _panel(canvas, y + 30, one, agent_colour(data.colour(agent))) + 34
        rows += [{"agent": one.model, "benchmark": one.task, **row} for row in _rows(one)]
    said = " ".join(f"{data.name(told[agent.key])}: {told[agent.key].sentences[0]}" for agent in agents)
    return figure(FIGURE, TITLE, canvas, rows, said)


def _panel(canvas: Canvas, top: float, one: TrajectorySummary, paint: str) -> float:
    """Draws one agent's curve and gives the place below."""
    if not one.curve:
        canvas.text(MARGIN, top + 4, "No run parts from any other.", size=12)
        return top + 12
    left, right, bottom = MARGIN + 44, MARGIN + 44 + _WIDTH, top + _HEIGHT
    last = one.curve[-1].call + 1
    along, up = Scale(0.0, last, left, right), Scale(0.0, 1.0, bottom, top)
    y_axis(canvas, up, left, right, percent=True)
    for call in range(0, last + 1, max(1, last // 10)):
        canvas.text(along(call), bottom + 16, str(call), anchor="middle")
    canvas.text(left, bottom + 34, "Calls made")
    curves = (
        ([(point.call, point.rerun_together) for point in one.curve], "5 3", "edge"),
        ([(point.call, point.together) for point in one.curve], "", paint),
    )
    for points, dash, colour in curves:
        steps, before = [f"M{along(0):.2f} {up(1.0):.2f}"], 1.0
        for call, together in points:
            if together is not None:
                steps.append(f"L{along(call):.2f} {up(before):.2f}L{along(call):.2f} {up(together):.2f}")
                before = together
        if len(steps) > 1:
            steps.append(f"L{right:.2f} {up(before):.2f}")
            canvas.path("".join(steps), colour, width=2, dash=dash)
    for point in one.curve:
        low, high, floor = point.excess.low, point.excess.high, point.rerun_together
        if low is not None and high is not None and floor is not None:
            at, ends = along(point.call + 0.5), (up(min(floor - low, 1.0)), up(max(floor - high, 0.0)))
            canvas.line(at, ends[0], at, ends[1], paint, width=3, opacity=0.5)
    canvas.reach(right, bottom + 40)
    return bottom + 40


def _rows(one: TrajectorySummary) -> Iterator[dict[str, Any]]:
    for point in one.curve:
        yield {
            "call": point.call,
            "together": point.together,
            "rerun_together": point.rerun_together,
            "excess_parted": point.excess.value,
            "excess_parted_low": point.excess.low,
            "excess_parted_high": point.excess.high,
            "other_outcome": point.other_outcome.value,
            "other_outcome_low": point.other_outcome.low,
            "other_outcome_high": point.other_outcome.high,
        }
