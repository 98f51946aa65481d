"""Where the rooms meet: the command line calls these, and so can you."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core.lazy import lazy_names

if TYPE_CHECKING:
    from otherwords.pipeline.paraphrasing import PromptVariationGenerator
    from otherwords.pipeline.reporting import build_report_data, report
    from otherwords.pipeline.reviewing import review
    from otherwords.pipeline.running import RunPlan, plan_run, run
    from otherwords.pipeline.source import Source, open_source
    from otherwords.pipeline.varying import Coverage, Varied, coverage, freeze, make_variants, vary
    from otherwords.pipeline.vetting import vet_again

__all__ = [
    "Coverage",
    "PromptVariationGenerator",
    "RunPlan",
    "Source",
    "Varied",
    "build_report_data",
    "coverage",
    "freeze",
    "make_variants",
    "open_source",
    "plan_run",
    "report",
    "review",
    "run",
    "vary",
    "vet_again",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("build_report_data", "report"), f"{__name__}.reporting"),
        **dict.fromkeys(("RunPlan", "plan_run", "run"), f"{__name__}.running"),
        "PromptVariationGenerator": f"{__name__}.paraphrasing",
        **dict.fromkeys(("Source", "open_source"), f"{__name__}.source"),
        "review": f"{__name__}.reviewing",
        **dict.fromkeys(
            ("Coverage", "Varied", "coverage", "freeze", "make_variants", "vary"), f"{__name__}.varying"
        ),
        "vet_again": f"{__name__}.vetting",
    },
)
