"""Exports, on first use: variants → an Inspect task, run by Inspect; its settings, budget and summary.

The names are looked up on first use, because importing Inspect takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names

if TYPE_CHECKING:
    from otherwords.runs.earlier_runs import samples_left
    from otherwords.runs.item_task import answers, ask, build_task, short_answer, to_samples
    from otherwords.runs.progress import OnProgress, Progress
    from otherwords.runs.resolve import registered_tasks, resolve_task
    from otherwords.runs.runner import run_tasks
    from otherwords.runs.sample_costs import Budget, parse_budget
    from otherwords.runs.selectors import DEFAULT_SELECTOR, Selector, parse_selector
    from otherwords.runs.settings import Limits, RunSettings
    from otherwords.runs.summary import RunSummary
    from otherwords.runs.wrap_task import refused_variants, vary_task

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
    "parse_budget",
    "parse_selector",
    "refused_variants",
    "registered_tasks",
    "resolve_task",
    "run_tasks",
    "samples_left",
    "short_answer",
    "to_samples",
    "vary_task",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(
            ("answers", "ask", "build_task", "short_answer", "to_samples"), "otherwords.runs.item_task"
        ),
        **dict.fromkeys(("OnProgress", "Progress"), "otherwords.runs.progress"),
        **dict.fromkeys(("Budget", "parse_budget"), "otherwords.runs.sample_costs"),
        "samples_left": "otherwords.runs.earlier_runs",
        **dict.fromkeys(("registered_tasks", "resolve_task"), "otherwords.runs.resolve"),
        "run_tasks": "otherwords.runs.runner",
        "RunSummary": "otherwords.runs.summary",
        **dict.fromkeys(("DEFAULT_SELECTOR", "Selector", "parse_selector"), "otherwords.runs.selectors"),
        **dict.fromkeys(("Limits", "RunSettings"), "otherwords.runs.settings"),
        **dict.fromkeys(("refused_variants", "vary_task"), "otherwords.runs.wrap_task"),
    },
)
