"""One file a figure, and one line here."""

from __future__ import annotations

from collections.abc import Callable

from otherwords.report.data import ReportData
from otherwords.report.figures.bands import bands
from otherwords.report.figures.comparison import comparison
from otherwords.report.figures.consistency import consistency
from otherwords.report.figures.costs import costs
from otherwords.report.figures.distribution import distribution
from otherwords.report.figures.flips import flips
from otherwords.report.figures.quadrants import quadrants
from otherwords.report.figures.sensitive import sensitive
from otherwords.report.figures.shared import Figure
from otherwords.report.figures.trend import trend

Draw = Callable[[ReportData], Figure]

FIGURES: dict[str, Draw] = {
    "sensitivity_comparison": comparison,
    "task_sensitivity_distribution": distribution,
    "most_sensitive_tasks": sensitive,
    "items_by_band": bands,
    "change_costs": costs,
    "flip_rates": flips,
    "consistency": consistency,
    "consistency_quadrants": quadrants,
}
"""In every report, as `NAME.png`."""
HISTORY: dict[str, Draw] = {"history": trend}
"""In a report of several runs."""


def draw_all(data: ReportData) -> list[Figure]:
    wanted = {**HISTORY, **FIGURES} if data.history else FIGURES
    return [draw(data) for draw in wanted.values()]


__all__ = ["FIGURES", "HISTORY", "Draw", "Figure", "draw_all"]
