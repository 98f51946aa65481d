"""What Inspect finds through its entry point: our tasks, solvers, scorers and model providers."""

from __future__ import annotations

from otherwords.pipeline.inspect_tasks import paraphrase_consistency, perturbation_stability
from otherwords.runs.agents.answering import PlaceholderModel
from otherwords.runs.agents.callable_agent import callable_agent
from otherwords.runs.agents.hal import hal_agent
from otherwords.runs.benchmarks.appworld import act_in_appworld, appworld, appworld_tests
from otherwords.runs.gguf.provider import gguf
from otherwords.runs.item_task import answers, ask, short_answer

__all__ = [
    "PlaceholderModel",
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
