"""What Inspect finds through its entry point: our tasks, solver, scorers and the embedded model."""

from __future__ import annotations

from otherwords.runs.benchmarks.appworld.task import act_in_appworld, appworld, appworld_tests
from otherwords.runs.gguf.register import gguf
from otherwords.runs.scoring import answers, short_answer
from otherwords.runs.solving import ask
from otherwords.runs.tasks import paraphrase_consistency, perturbation_stability

__all__ = [
    "act_in_appworld",
    "answers",
    "appworld",
    "appworld_tests",
    "ask",
    "gguf",
    "paraphrase_consistency",
    "perturbation_stability",
    "short_answer",
]
