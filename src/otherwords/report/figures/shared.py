"""What the figures have in common: data, title, and the order of agents."""

from __future__ import annotations

from typing import Any

from otherwords.report.data import AgentRow, ReportData
from otherwords.report.text import one_line
from otherwords.report.words import size_text

PANEL_WIDTH = 380
MOST_AGENTS, MOST_PANELS = 12, 6
"""A figure stays readable up to here and says so; the page and the CSV files have every agent."""


def chart_of(rows: list[dict[str, Any]]) -> Any:
    import altair as alt

    data: Any = alt.Data
    return alt.Chart(data(values=rows))


def figure_title(data: ReportData, text: str, agents: tuple[AgentRow, ...], n: bool = True) -> Any:
    import altair as alt

    lines = [one_line(data.title, 110)]
    if n:
        sizes = list(dict.fromkeys(size_text(data, agent) for agent in agents))
        size = sizes[0] if len(sizes) == 1 else "sizes differ by agent: see agent_level_sensitivity.csv"
        lines.append(f"n: {size}. Bars are {100 * data.level:g}% intervals.")
        if any(agent.repeats <= 1 for agent in agents):
            lines.append("One repeat: phrasing and luck are not separated.")
    if len(data.agents) > len(agents):
        lines.append(f"The first {len(agents)} of {len(data.agents)} agents.")
    return alt.Title(text, subtitle=lines, fontSize=18, offset=20)
