"""The outcome table in, estimates out: each number with its interval, its counts and what to keep in mind."""

from __future__ import annotations

from otherwords.metrics.accuracy import accuracy, accuracy_orig
from otherwords.metrics.agreement import agreement
from otherwords.metrics.by_change import by_change
from otherwords.metrics.by_item import by_item
from otherwords.metrics.c_out import c_out
from otherwords.metrics.compare import Comparison, Difference, compare
from otherwords.metrics.consistency_at_k import consistency_at_k
from otherwords.metrics.correlations import Correlation, correlations
from otherwords.metrics.delta_accuracy import delta_accuracy
from otherwords.metrics.enough_variants import EnoughVariants, Step, enough_variants
from otherwords.metrics.excess_flips import excess_flips
from otherwords.metrics.false_discovery import benjamini_hochberg
from otherwords.metrics.format_failure_rate import format_failure_rate
from otherwords.metrics.fragility_score import fragility_score
from otherwords.metrics.gate import Decision, gate
from otherwords.metrics.mcnemar_orig_vs_variants import McNemar, mcnemar_orig_vs_variants
from otherwords.metrics.mean_variance import mean_variance, std_variance
from otherwords.metrics.measure import METRICS, Metric
from otherwords.metrics.min_max_gap import min_max_gap
from otherwords.metrics.phrasing_test import PhrasingTest, phrasing_test
from otherwords.metrics.plan import Components, Plan, PlanOption, pilot_components, plan, prior_components
from otherwords.metrics.r_fault import r_fault
from otherwords.metrics.r_prompt import pdr, r_prompt
from otherwords.metrics.rank_stability import Beats, RankStability, rank_stability
from otherwords.metrics.responsiveness import responsiveness
from otherwords.metrics.robust_at_k import best_at_k, robust_at_k
from otherwords.metrics.s_corrected import s_corrected
from otherwords.metrics.s_norm import s_norm
from otherwords.metrics.s_prompt import s_prompt
from otherwords.metrics.s_task import s_task
from otherwords.metrics.selftest import SelfTest, selftest
from otherwords.metrics.summarise import summarise
from otherwords.metrics.variance_components import variance_components
from otherwords.metrics.what_to_fix import SensitiveItem, WhatToFix, what_to_fix

__all__ = [
    "METRICS",
    "Beats",
    "Comparison",
    "Components",
    "Correlation",
    "Decision",
    "Difference",
    "EnoughVariants",
    "McNemar",
    "Metric",
    "PhrasingTest",
    "Plan",
    "PlanOption",
    "RankStability",
    "SelfTest",
    "SensitiveItem",
    "Step",
    "WhatToFix",
    "accuracy",
    "accuracy_orig",
    "agreement",
    "benjamini_hochberg",
    "best_at_k",
    "by_change",
    "by_item",
    "c_out",
    "compare",
    "consistency_at_k",
    "correlations",
    "delta_accuracy",
    "enough_variants",
    "excess_flips",
    "format_failure_rate",
    "fragility_score",
    "gate",
    "mcnemar_orig_vs_variants",
    "mean_variance",
    "min_max_gap",
    "pdr",
    "phrasing_test",
    "pilot_components",
    "plan",
    "prior_components",
    "r_fault",
    "r_prompt",
    "rank_stability",
    "responsiveness",
    "robust_at_k",
    "s_corrected",
    "s_norm",
    "s_prompt",
    "s_task",
    "selftest",
    "std_variance",
    "summarise",
    "variance_components",
    "what_to_fix",
]
