"""`FIGURES` by name, each one function; report data → the figures that a report has, drawn as SVG."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from otherwords.report.figures.agents import comparison, trend
from otherwords.report.figures.changes import consistency, costs, flips, quadrants, shares
from otherwords.report.figures.items import bands, distribution, sensitive
from otherwords.report.figures.shared import Figure
from otherwords.report.messages import quadrant
from otherwords.report.trajectories import FIGURE, where_paths_part

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
"""By name, as the files are called."""
HISTORY: dict[str, Draw] = {"history": trend}
"""In a report of several runs."""
DESIGN: dict[str, Draw] = {"variance_shares": shares}
"""In a report of several templates, or of a design of crossed factors."""
PATHS: dict[str, Draw] = {FIGURE: where_paths_part}
"""In a report of agents that call tools."""


SEVERAL = "consistency_quadrants"
"""With one dot for each agent: only in a report that has two or more of them."""


def figure_names(data: ReportData) -> list[str]:
    """The figures that a report on `data` has."""
    dots = sum(quadrant(agent) is not None for agent in data.agents)
    designed = any(one.attribution is not None for one in data.templates)
    names = (*(HISTORY if data.history else ()), *FIGURES, *(DESIGN if designed else ()))
    names += tuple(PATHS) if data.trajectories else ()
    return [name for name in names if dots >= 2 or name != SEVERAL]


def all_figures() -> dict[str, Draw]:
    """Every figure that a report may have, by name."""
    return {**HISTORY, **FIGURES, **DESIGN, **PATHS}


def draw_all(data: ReportData) -> list[Figure]:
    """Every figure that a report on `data` has."""
    return [all_figures()[name](data) for name in figure_names(data)]


__all__ = ["FIGURES", "HISTORY", "Draw", "Figure", "all_figures", "draw_all", "figure_names"]
