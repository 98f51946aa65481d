"""Report data → the HTML that a notebook shows: one table, the verdicts and one figure, without a script."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from otherwords.report.escape import one_line
from otherwords.report.figures.agents import comparison
from otherwords.report.formats import band_of, floor_text, interval, level_text

if TYPE_CHECKING:
    from otherwords.report.data import AgentRow, ReportData

_COLUMNS = (
    ("Accuracy", "accuracy"),
    ("S_prompt", "s_prompt"),
    ("S_norm", "s_norm"),
    ("Phrasing share", "phrasing_share"),
    ("Answers that flip", "fragility_score"),
    ("Wrong format", "format_failure_rate"),
)


def summary_html(data: ReportData) -> str:
    """What `ReportData` shows of itself in a notebook."""
    head = ["Agent", *(title for title, _ in _COLUMNS), "Lowest possible S_prompt", "Sensitivity"]
    rows = []
    for agent in data.agents:
        row = [data.name(agent), *(interval(name, agent.estimates.get(name)) for _, name in _COLUMNS)]
        rows.append([*row, floor_text(data.floor(agent)), level_text(band_of(_s_prompt(agent)))])
    lines = "".join(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>" for row in rows)
    told = "".join(
        f"<p><b>{_safe(agent.verdict.sentence)}</b> {_safe(' '.join(agent.verdict.cautions))}</p>"
        for agent in data.agents
    )
    return (
        f"<h3>{_safe(data.title)}</h3>{told}<table><thead><tr>"
        f"{''.join(f'<th>{_safe(name)}</th>' for name in head)}</tr></thead><tbody>{lines}</tbody></table>"
        f"<p>In brackets: {100 * data.level:g}% intervals. "
        f"S_prompt cannot fall below its lowest possible value.</p>"
        f"{comparison(data).svg}"
    )


def _s_prompt(agent: AgentRow) -> float | None:
    found = agent.estimates.get("s_prompt")
    return found.value if found else None


def _safe(text: str) -> str:
    return html.escape(one_line(text))
