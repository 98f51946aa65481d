"""Where the rooms meet: the command line calls these, and so can you."""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core.lazy import lazy_names

if TYPE_CHECKING:
    from otherwords.pipeline.agents import Agent
    from otherwords.pipeline.estimate import RunEstimate, parse_prices
    from otherwords.pipeline.paraphrasing import PromptVariationGenerator
    from otherwords.pipeline.reporting import build_report_data, report
    from otherwords.pipeline.reviewing import review
    from otherwords.pipeline.running import RunPlan, Wordings, Writing, estimate_plan, plan_run, run
    from otherwords.pipeline.source import Source, open_source
    from otherwords.pipeline.varying import Coverage, Varied, coverage, freeze, make_variants, vary
    from otherwords.pipeline.vetting import vet_again

__all__ = [
    "Agent",
    "Coverage",
    "PromptVariationGenerator",
    "RunEstimate",
    "RunPlan",
    "Source",
    "Varied",
    "Wordings",
    "Writing",
    "build_report_data",
    "coverage",
    "estimate_plan",
    "freeze",
    "make_variants",
    "open_source",
    "parse_prices",
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
        "Agent": f"{__name__}.agents",
        **dict.fromkeys(("RunEstimate", "parse_prices"), f"{__name__}.estimate"),
        **dict.fromkeys(
            ("RunPlan", "Wordings", "Writing", "estimate_plan", "plan_run", "run"), f"{__name__}.running"
        ),
        "PromptVariationGenerator": f"{__name__}.paraphrasing",
        **dict.fromkeys(("Source", "open_source"), f"{__name__}.source"),
        "review": f"{__name__}.reviewing",
        **dict.fromkeys(
            ("Coverage", "Varied", "coverage", "freeze", "make_variants", "vary"), f"{__name__}.varying"
        ),
        "vet_again": f"{__name__}.vetting",
    },
)
