"""The outcome table in, estimates out: each number with its interval, its counts and what to keep in mind."""

from __future__ import annotations

from otherwords.metrics.accuracy import accuracy, accuracy_orig
from otherwords.metrics.agreement import agreement
from otherwords.metrics.c_out import c_out
from otherwords.metrics.consistency_at_k import consistency_at_k
from otherwords.metrics.delta_accuracy import delta_accuracy
from otherwords.metrics.excess_flips import excess_flips
from otherwords.metrics.format_failure_rate import format_failure_rate
from otherwords.metrics.fragility_score import fragility_score
from otherwords.metrics.mcnemar_orig_vs_variants import McNemar, mcnemar_orig_vs_variants
from otherwords.metrics.mean_variance import mean_variance, std_variance
from otherwords.metrics.measure import METRICS, Metric
from otherwords.metrics.min_max_gap import min_max_gap
from otherwords.metrics.r_fault import r_fault
from otherwords.metrics.r_prompt import pdr, r_prompt
from otherwords.metrics.responsiveness import responsiveness
from otherwords.metrics.robust_at_k import best_at_k, robust_at_k
from otherwords.metrics.s_corrected import s_corrected
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
    "agreement",
    "best_at_k",
    "c_out",
    "consistency_at_k",
    "delta_accuracy",
    "excess_flips",
    "format_failure_rate",
    "fragility_score",
    "mcnemar_orig_vs_variants",
    "mean_variance",
    "min_max_gap",
    "pdr",
    "r_fault",
    "r_prompt",
    "responsiveness",
    "robust_at_k",
    "s_corrected",
    "s_norm",
    "s_prompt",
    "s_task",
    "std_variance",
    "summarise",
    "variance_components",
]
