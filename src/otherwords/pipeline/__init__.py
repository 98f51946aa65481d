"""Where the rooms meet: the command line calls these, and so can you."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core.lazy import lazy_names

if TYPE_CHECKING:
    from otherwords.pipeline.reporting import build_report_data, report
    from otherwords.pipeline.running import RunPlan, plan_run, run
    from otherwords.pipeline.varying import Coverage, coverage, freeze, vary

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

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("build_report_data", "report"), f"{__name__}.reporting"),
        **dict.fromkeys(("RunPlan", "plan_run", "run"), f"{__name__}.running"),
        **dict.fromkeys(("Coverage", "coverage", "freeze", "vary"), f"{__name__}.varying"),
    },
)
