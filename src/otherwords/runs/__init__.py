"""Accepted variants become an Inspect task, and Inspect runs it.

The names are looked up on first use, because importing Inspect takes seconds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core.lazy import lazy_names

if TYPE_CHECKING:
    from otherwords.runs.expand import build_task, to_samples
    from otherwords.runs.progress import OnProgress, Progress
    from otherwords.runs.runner import Limits, RunSummary, run_tasks
    from otherwords.runs.scoring import answers, short_answer
    from otherwords.runs.solving import ask
    from otherwords.runs.tasks import paraphrase_consistency, perturbation_stability

__all__ = [
    "Limits",
    "OnProgress",
    "Progress",
    "RunSummary",
    "answers",
    "ask",
    "build_task",
    "paraphrase_consistency",
    "perturbation_stability",
    "run_tasks",
    "short_answer",
    "to_samples",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        **dict.fromkeys(("build_task", "to_samples"), "otherwords.runs.expand"),
        **dict.fromkeys(("OnProgress", "Progress"), "otherwords.runs.progress"),
        **dict.fromkeys(("Limits", "RunSummary", "run_tasks"), "otherwords.runs.runner"),
        **dict.fromkeys(("answers", "short_answer"), "otherwords.runs.scoring"),
        "ask": "otherwords.runs.solving",
        **dict.fromkeys(("paraphrase_consistency", "perturbation_stability"), "otherwords.runs.tasks"),
    },
)
