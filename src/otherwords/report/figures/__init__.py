"""Report data → figures as SVG, by name in `FIGURES`: a figure is one function and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from otherwords.report.figures.agents import comparison, trend
from otherwords.report.figures.changes import costs, flips
from otherwords.report.figures.consistency import consistency, quadrants
from otherwords.report.figures.items import bands, distribution, sensitive
from otherwords.report.figures.shared import Figure

if TYPE_CHECKING:
    from otherwords.report.data import ReportData

Draw: TypeAlias = "Callable[[ReportData], Figure]"

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
    """Every figure that a report on `data` has."""
    wanted = {**HISTORY, **FIGURES} if data.history else FIGURES
    return [draw(data) for draw in wanted.values()]


__all__ = ["FIGURES", "HISTORY", "Draw", "Figure", "draw_all"]
