"""Report data → what a notebook shows of it: the verdicts, the table of agents and one figure, no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.report.escape import Html, join, tag
from otherwords.report.figures.changes import costs
from otherwords.report.page_verdict import agents_section, verdict_section

if TYPE_CHECKING:
    from otherwords.report.data import ReportData


def summary_html(data: ReportData) -> str:
    """What `ReportData` shows of itself in a notebook."""
    return join(
        [
            tag("h2", data.title),
            verdict_section(data),
            agents_section(data),
            tag("div", Html(costs(data).svg)),
        ]
    )
