"""The outcome table in, estimates out: each number with its interval, its counts and what to keep in mind."""

from __future__ import annotations

from otherwords.metrics.accuracy import accuracy, accuracy_orig
from otherwords.metrics.consistency_at_k import consistency_at_k
from otherwords.metrics.delta_accuracy import delta_accuracy
from otherwords.metrics.format_failure_rate import format_failure_rate
from otherwords.metrics.fragility_score import fragility_score
from otherwords.metrics.mcnemar_orig_vs_variants import McNemar, mcnemar_orig_vs_variants
from otherwords.metrics.measure import METRICS, Metric
from otherwords.metrics.min_max_gap import min_max_gap
from otherwords.metrics.s_norm import s_norm
from otherwords.metrics.s_prompt import s_prompt
from otherwords.metrics.s_task import s_task
from otherwords.metrics.summarise import summarise
from otherwords.metrics.variance_components import variance_components

__all__ = [
    "METRICS",
    "McNemar",
    "Metric",
    "accuracy",
    "accuracy_orig",
    "consistency_at_k",
    "delta_accuracy",
    "format_failure_rate",
    "fragility_score",
    "mcnemar_orig_vs_variants",
    "min_max_gap",
    "s_norm",
    "s_prompt",
    "s_task",
    "summarise",
    "variance_components",
]
