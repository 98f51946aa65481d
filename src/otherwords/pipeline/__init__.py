"""Where the rooms meet: the command line calls these, and so can you."""

from __future__ import annotations

from otherwords.pipeline.report import build_report_data, report
from otherwords.pipeline.run import RunPlan, plan_run, run
from otherwords.pipeline.vary import Coverage, coverage, freeze, vary

__all__ = [
    "Coverage",
    "RunPlan",
    "build_report_data",
    "coverage",
    "freeze",
    "plan_run",
    "report",
    "run",
    "vary",
]
