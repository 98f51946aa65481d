"""Accepted variants become an Inspect task, and Inspect runs it.

The names are looked up on first use, because importing Inspect takes seconds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from otherwords.runs.expand import build_task, to_samples
    from otherwords.runs.runner import Progress, RunSummary, run_tasks
    from otherwords.runs.scoring import answers, short_answer
    from otherwords.runs.tasks import paraphrase_consistency, perturbation_stability

__all__ = [
    "Progress",
    "RunSummary",
    "answers",
    "build_task",
    "paraphrase_consistency",
    "perturbation_stability",
    "run_tasks",
    "short_answer",
    "to_samples",
]

_HOMES = {
    "Progress": "runner",
    "RunSummary": "runner",
    "answers": "scoring",
    "build_task": "expand",
    "paraphrase_consistency": "tasks",
    "perturbation_stability": "tasks",
    "run_tasks": "runner",
    "short_answer": "scoring",
    "to_samples": "expand",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
