"""Accepted variants become an Inspect task, and Inspect runs it.

The names are looked up on first use, because importing Inspect takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core.lazy import lazy_names

if TYPE_CHECKING:
    from otherwords.runs.budget import Budget, parse_budget
    from otherwords.runs.expand import build_task, to_samples
    from otherwords.runs.progress import OnProgress, Progress
    from otherwords.runs.resolve import registered_tasks, resolve_task
    from otherwords.runs.runner import RunSummary, count_finished, run_tasks
    from otherwords.runs.scoring import answers, short_answer
    from otherwords.runs.selectors import DEFAULT_SELECTOR, Selector, parse_selector
    from otherwords.runs.settings import Limits, RunSettings
    from otherwords.runs.solving import ask
    from otherwords.runs.tasks import paraphrase_consistency, perturbation_stability
    from otherwords.runs.wrap import refused_variants, vary_task

__all__ = [
    "DEFAULT_SELECTOR",
    "Budget",
    "Limits",
    "OnProgress",
    "Progress",
    "RunSettings",
    "RunSummary",
    "Selector",
    "answers",
    "ask",
    "build_task",
    "count_finished",
    "paraphrase_consistency",
    "parse_budget",
    "parse_selector",
    "perturbation_stability",
    "refused_variants",
    "registered_tasks",
    "resolve_task",
    "run_tasks",
    "short_answer",
    "to_samples",
    "vary_task",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("Budget", "parse_budget"), "otherwords.runs.budget"),
        **dict.fromkeys(("build_task", "to_samples"), "otherwords.runs.expand"),
        **dict.fromkeys(("OnProgress", "Progress"), "otherwords.runs.progress"),
        **dict.fromkeys(("registered_tasks", "resolve_task"), "otherwords.runs.resolve"),
        **dict.fromkeys(("RunSummary", "count_finished", "run_tasks"), "otherwords.runs.runner"),
        **dict.fromkeys(("answers", "short_answer"), "otherwords.runs.scoring"),
        **dict.fromkeys(("DEFAULT_SELECTOR", "Selector", "parse_selector"), "otherwords.runs.selectors"),
        **dict.fromkeys(("Limits", "RunSettings"), "otherwords.runs.settings"),
        "ask": "otherwords.runs.solving",
        **dict.fromkeys(("paraphrase_consistency", "perturbation_stability"), "otherwords.runs.tasks"),
        **dict.fromkeys(("refused_variants", "vary_task"), "otherwords.runs.wrap"),
    },
)
