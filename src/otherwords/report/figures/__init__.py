"""One file a figure, and one line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from otherwords.report.data import ReportData
from otherwords.report.figures.comparison import comparison
from otherwords.report.figures.distribution import distribution
from otherwords.report.figures.sensitive import sensitive

FIGURES: dict[str, Callable[[ReportData], Any]] = {
    "sensitivity_comparison.png": comparison,
    "task_sensitivity_distribution.png": distribution,
    "most_sensitive_tasks.png": sensitive,
}
