"""What Inspect finds through its entry point: our tasks, solvers, scorers and the models that are ours."""

from __future__ import annotations

from otherwords.runs.agents.hal import hal_agent
from otherwords.runs.agents.named import NamedAgent
from otherwords.runs.agents.plain import callable_agent
from otherwords.runs.benchmarks.appworld.task import act_in_appworld, appworld, appworld_tests
from otherwords.runs.gguf.register import gguf
from otherwords.runs.scoring import answers, short_answer
from otherwords.runs.solving import ask
from otherwords.runs.tasks import paraphrase_consistency, perturbation_stability

__all__ = [
    "NamedAgent",
    "act_in_appworld",
    "answers",
    "appworld",
    "appworld_tests",
    "ask",
    "callable_agent",
    "gguf",
    "hal_agent",
    "paraphrase_consistency",
    "perturbation_stability",
    "short_answer",
]
