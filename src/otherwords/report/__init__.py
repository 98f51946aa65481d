"""Estimates → CSV, figures, Markdown and one HTML page. Draws, never computes statistics."""

from otherwords.report.data import AgentRow, ReportData, SkippedFile
from otherwords.report.words import breaking_wording, most_sensitive, verdict
from otherwords.report.write import write_report

__all__ = [
    "AgentRow",
    "ReportData",
    "SkippedFile",
    "breaking_wording",
    "most_sensitive",
    "verdict",
    "write_report",
]
