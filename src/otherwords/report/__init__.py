"""Exports: estimates → CSV, figures, Markdown, a page; variants → a page to review; no statistics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names

if TYPE_CHECKING:
    from otherwords.report.data import (
        AgentRow,
        AuditedRow,
        BaselineRow,
        LogRow,
        ReportData,
        RunPoint,
        SkippedFile,
    )
    from otherwords.report.formats import ModelRun, Provenance
    from otherwords.report.messages import breaking_wording, headlines, most_sensitive
    from otherwords.report.review import review_html, write_review
    from otherwords.report.tables import report_json
    from otherwords.report.write import write_report

__all__ = [
    "AgentRow",
    "AuditedRow",
    "BaselineRow",
    "LogRow",
    "ModelRun",
    "Provenance",
    "ReportData",
    "RunPoint",
    "SkippedFile",
    "breaking_wording",
    "headlines",
    "most_sensitive",
    "report_json",
    "review_html",
    "write_report",
    "write_review",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(
            ("AgentRow", "AuditedRow", "BaselineRow", "LogRow", "ReportData", "RunPoint", "SkippedFile"),
            f"{__name__}.data",
        ),
        **dict.fromkeys(("ModelRun", "Provenance"), f"{__name__}.formats"),
        **dict.fromkeys(("review_html", "write_review"), f"{__name__}.review"),
        **dict.fromkeys(("breaking_wording", "headlines", "most_sensitive"), f"{__name__}.messages"),
        "report_json": f"{__name__}.tables",
        "write_report": f"{__name__}.write",
    },
)
