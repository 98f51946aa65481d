"""How a report looks in a notebook: one table and one figure, without a script."""

from __future__ import annotations

import html

from otherwords.report.data import ReportData
from otherwords.report.figures.comparison import comparison
from otherwords.report.text import one_line
from otherwords.report.words import interval, verdict

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
    head = ["Agent", *(title for title, _ in _COLUMNS), "Floor of S_prompt", "Band"]
    rows = []
    for agent in data.agents:
        floor, said = data.floor(agent), verdict(data, agent)
        row = [data.name(agent), *(interval(name, agent.estimates.get(name)) for _, name in _COLUMNS)]
        rows.append([*row, "—" if floor is None else f"{floor:.2f}", said.band or "—"])
    lines = "".join(f"<tr>{''.join(f'<td>{_safe(cell)}</td>' for cell in row)}</tr>" for row in rows)
    told = "".join(
        f"<p><b>{_safe(data.name(agent))}</b>: {_safe(said.headline)} {_safe(' '.join(said.cautions))}</p>"
        for agent in data.agents
        for said in [verdict(data, agent)]
    )
    return (
        f"<h3>{_safe(data.title)}</h3><table><thead><tr>"
        f"{''.join(f'<th>{_safe(name)}</th>' for name in head)}</tr></thead><tbody>{lines}</tbody></table>"
        f"<p>In brackets: {100 * data.level:g}% intervals. S_prompt cannot fall below its floor.</p>{told}"
        f"{comparison(data).svg}"
    )


def _safe(text: str) -> str:
    return html.escape(one_line(text))
