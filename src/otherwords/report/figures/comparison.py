"""`sensitivity_comparison.png`: the agents side by side, in four panels."""

from __future__ import annotations

from typing import Any

from otherwords.core.types import Estimate
from otherwords.report.data import AgentRow, ReportData
from otherwords.report.figures.shared import MOST_AGENTS, PANEL_WIDTH, chart_of, figure_title
from otherwords.report.text import short_labels
from otherwords.report.theme import BAND_COLOURS, INK, QUIET, VARIES, colour
from otherwords.report.words import HIGH, MEDIUM


def comparison(data: ReportData) -> Any:
    """S_prompt with bands and floor, mean variance, mean gap, accuracy against S_prompt."""
    import altair as alt

    agents = data.agents[:MOST_AGENTS]
    labels = short_labels([data.name(agent) for agent in agents])
    panels = alt.concat(
        _s_prompt_panel(data, agents, labels),
        _interval_panel("Mean variance over wordings", "mean_variance", 0.5, agents, labels),
        _interval_panel("Mean gap between best and worst wording", "min_max_gap", 1.0, agents, labels),
        _scatter_panel(data, agents, labels),
        columns=2,
    )
    panels = panels.resolve_scale(color="independent").resolve_legend(color="independent")
    return panels.properties(title=figure_title(data, "How much wording matters", agents))


def _estimates(name: str, agents: tuple[AgentRow, ...], labels: list[str]) -> list[dict[str, Any]]:
    rows = []
    for place, (agent, label) in enumerate(zip(agents, labels, strict=True)):
        estimate = agent.estimates.get(name)
        if estimate is not None and estimate.value is not None:
            low, high = _ends(estimate)
            rows.append(
                {"agent": label, "value": estimate.value, "low": low, "high": high, "colour": colour(place)}
            )
    return rows


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    value = estimate.value
    return (
        value if estimate.low is None else estimate.low,
        value if estimate.high is None else estimate.high,
    )


def _agent_axis(labels: list[str]) -> Any:
    import altair as alt

    axis = alt.Axis(title=None, ticks=False, domain=False, labelPadding=10)
    return alt.Y("agent:N", sort=labels, axis=axis, scale=alt.Scale(domain=labels))


def _height(labels: list[str]) -> int:
    return max(190, 44 * len(labels))


def _points(rows: list[dict[str, Any]], labels: list[str], x: Any, form: str) -> Any:
    import altair as alt

    base = chart_of(rows).encode(y=_agent_axis(labels))
    paint = alt.Color("colour:N", scale=None)
    line = base.mark_rule(strokeWidth=3, opacity=0.55, clip=True).encode(x=x, x2="high:Q", color=paint)
    dot = base.mark_point(filled=True, size=110, opacity=1).encode(x="value:Q", color=paint)
    text = base.mark_text(dy=-13, fontSize=11, color=INK).encode(
        x="value:Q", text=alt.Text("value:Q", format=form)
    )
    return alt.layer(line, dot, text)


def _nothing(title: str, height: int) -> Any:
    """A panel that says that there is nothing to draw."""

    return (
        chart_of([{"text": "not computed"}])
        .mark_text(color=QUIET, fontSize=12)
        .encode(text="text:N")
        .properties(title=title, width=PANEL_WIDTH, height=height)
    )


def _interval_panel(
    title: str, name: str, largest: float, agents: tuple[AgentRow, ...], labels: list[str]
) -> Any:
    import altair as alt

    rows = _estimates(name, agents, labels)
    if not rows:
        return _nothing(title, _height(labels))
    end = min(largest, max(0.1, 1.08 * max(row["high"] for row in rows)))
    scale = alt.Scale(domain=[0, end], nice=False)
    x = alt.X("low:Q", scale=scale, axis=alt.Axis(title="0: wording changes nothing", tickCount=6))
    form = ".3f" if name == "mean_variance" else ".2f"
    return _points(rows, labels, x, form).properties(title=title, width=PANEL_WIDTH, height=_height(labels))


def _s_prompt_panel(data: ReportData, agents: tuple[AgentRow, ...], labels: list[str]) -> Any:
    import altair as alt

    rows = _estimates("s_prompt", agents, labels)
    title = "S_prompt: higher is steadier"
    if not rows:
        return _nothing(title, _height(labels))
    floors = [
        {"agent": label, "floor": floor}
        for agent, label in zip(agents, labels, strict=True)
        if (floor := data.floor(agent)) is not None
    ]
    start = max(0.0, min([0.6, *(row["low"] for row in rows), *(row["floor"] for row in floors)]) - 0.04)
    scale = alt.Scale(domain=[start, 1.0], nice=False, clamp=True)
    edges = (("low", start, MEDIUM), ("medium", MEDIUM, HIGH), ("high", HIGH, 1.0))
    bands = [
        {"band": band, "from": low, "to": high, "colour": BAND_COLOURS[band]} for band, low, high in edges
    ]
    zones = chart_of(bands)
    axis = alt.Axis(title="Grey tick: floor, the lowest value possible with this many wordings", tickCount=6)
    x = alt.X("low:Q", scale=scale, axis=axis)
    ground = zones.mark_rect().encode(
        x=alt.X("from:Q", scale=scale, axis=axis), x2="to:Q", color=alt.Color("colour:N", scale=None)
    )
    names = zones.mark_text(align="left", baseline="bottom", dx=5, fontSize=10, color=QUIET).encode(
        x=alt.X("from:Q", scale=scale), y=alt.value(_height(labels) - 4), text="band:N"
    )
    ticks = (
        chart_of(floors)
        .mark_tick(thickness=2, size=12, color=VARIES)
        .encode(x=alt.X("floor:Q", scale=scale), y=_agent_axis(labels))
    )
    layers = alt.layer(ground, names, ticks, _points(rows, labels, x, ".2f"))
    return layers.properties(title=title, width=PANEL_WIDTH, height=_height(labels))


def _scatter_panel(data: ReportData, agents: tuple[AgentRow, ...], labels: list[str]) -> Any:
    import altair as alt

    title, height = "Accuracy against S_prompt", _height(labels)
    rows: list[dict[str, Any]] = []
    for place, (agent, label) in enumerate(zip(agents, labels, strict=True)):
        right, steady = agent.estimates.get("accuracy"), agent.estimates.get("s_prompt")
        if right is None or steady is None or right.value is None or steady.value is None:
            continue
        right_low, right_high = _ends(right)
        low, high = _ends(steady)
        rows.append(
            {
                "agent": label,
                "right": right.value,
                "right_low": right_low,
                "right_high": right_high,
                "value": steady.value,
                "low": low,
                "high": high,
                "colour": colour(place),
            }
        )
    if not rows:
        return _nothing(title, height)
    floors = sorted({round(floor, 6) for agent in agents if (floor := data.floor(agent)) is not None})
    start = max(0.0, min([0.6, *(row["low"] for row in rows), *floors]) - 0.04)
    x_axis = alt.Axis(title="Accuracy over all wordings", format=".0%", tickCount=5)
    x = alt.X("right:Q", scale=alt.Scale(domain=[0, 1]), axis=x_axis)
    y_scale = alt.Scale(domain=[start, 1.0], nice=False, clamp=True)
    y = alt.Y("value:Q", scale=y_scale, axis=alt.Axis(title="S_prompt", tickCount=5))
    domain = [row["agent"] for row in rows]
    legend = alt.Legend(title=None, orient="bottom", columns=2, labelLimit=200, symbolOpacity=1)
    paint = alt.Color(
        "agent:N",
        sort=domain,
        scale=alt.Scale(domain=domain, range=[row["colour"] for row in rows]),
        legend=legend,
    )
    base = chart_of(rows)
    thin = alt.Color("colour:N", scale=None)
    across = base.mark_rule(opacity=0.5, strokeWidth=2, clip=True).encode(
        x=alt.X("right_low:Q", axis=x_axis), x2="right_high:Q", y=y, color=thin
    )
    upright = base.mark_rule(opacity=0.5, strokeWidth=2, clip=True).encode(
        x=x, y=alt.Y("low:Q", scale=y_scale), y2="high:Q", color=thin
    )
    ground = chart_of([{"floor": floor, "text": f"floor {floor:.2f}"} for floor in floors])
    floor_line = ground.mark_rule(strokeDash=[4, 3], color=VARIES).encode(y=alt.Y("floor:Q", scale=y_scale))
    floor_name = ground.mark_text(
        align="left", baseline="bottom", dx=4, dy=-3, fontSize=10, color=QUIET
    ).encode(y=alt.Y("floor:Q", scale=y_scale), x=alt.value(0), text="text:N")
    dots = base.mark_point(filled=True, size=120, opacity=1).encode(x=x, y=y, color=paint)
    layers = alt.layer(floor_line, floor_name, across, upright, dots).resolve_scale(color="independent")
    return layers.properties(title=title, width=PANEL_WIDTH, height=height)
