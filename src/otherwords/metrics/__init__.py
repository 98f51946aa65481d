"""Exports of all metrics, tests, breakdowns, gates, plans, searches: an outcome table in, estimates out."""

from __future__ import annotations

from otherwords.core.template_results import Attribution, TemplateRanking, TemplateSummary
from otherwords.core.trajectory_results import TrajectorySummary
from otherwords.core.verdict import Decision
from otherwords.metrics.accuracy_metrics import (
    accuracy,
    accuracy_orig,
    delta_accuracy,
    format_failure_rate,
    outcome_rates,
    pdr,
    r_fault,
    r_prompt,
)
from otherwords.metrics.answer_metrics import (
    agreement,
    consistency_at_k,
    excess_flips,
    fragility_score,
    responsiveness,
)
from otherwords.metrics.change_breakdowns import by_change, by_outcome
from otherwords.metrics.evidence import changed_items, item_evidence
from otherwords.metrics.findings import Finding
from otherwords.metrics.gate import Gate, check, check_table
from otherwords.metrics.item_breakdowns import Correlation, by_item, correlations, s_task
from otherwords.metrics.known_models import SelfTest, selftest
from otherwords.metrics.measures import Measure, mean_over_groups, sums_over_groups
from otherwords.metrics.metric_registry import METRICS, Metric, metric, summarise
from otherwords.metrics.model_comparison import Comparison, Difference, compare
from otherwords.metrics.model_ranking import Beats, RankStability, rank_stability
from otherwords.metrics.noise_metrics import c_out, s_corrected, variance_components
from otherwords.metrics.pilot_variances import Components, pilot_components, prior_components
from otherwords.metrics.recommendations import Recommendations, SensitiveItem, fix
from otherwords.metrics.sample_size import Plan, PlanOption, plan
from otherwords.metrics.score_arrays import ScoreArrays
from otherwords.metrics.sensitivity_metrics import (
    best_at_k,
    mean_variance,
    min_max_gap,
    robust_at_k,
    s_norm,
    s_prompt,
    std_variance,
)
from otherwords.metrics.significance import benjamini_hochberg
from otherwords.metrics.template_quantiles import accuracy_quantiles
from otherwords.metrics.template_ranking import rank_templates, template_spread, template_summaries
from otherwords.metrics.template_search import RepairSearch, WorstSearch
from otherwords.metrics.trajectories import trajectory_changes, trajectory_effort
from otherwords.metrics.trajectory_breakdowns import trajectory_summaries
from otherwords.metrics.variance_shares import attribution
from otherwords.metrics.verdict import Verdict, verdicts
from otherwords.metrics.wording_breakdowns import EnoughVariants, Step, by_distance, enough_variants
from otherwords.metrics.wording_tests import McNemar, PhrasingTest, mcnemar_orig_vs_variants, phrasing_test

__all__ = [
    "METRICS",
    "Attribution",
    "Beats",
    "Comparison",
    "Components",
    "Correlation",
    "Decision",
    "Difference",
    "EnoughVariants",
    "Finding",
    "Gate",
    "McNemar",
    "Measure",
    "Metric",
    "PhrasingTest",
    "Plan",
    "PlanOption",
    "RankStability",
    "Recommendations",
    "RepairSearch",
    "ScoreArrays",
    "SelfTest",
    "SensitiveItem",
    "Step",
    "TemplateRanking",
    "TemplateSummary",
    "TrajectorySummary",
    "Verdict",
    "WorstSearch",
    "accuracy",
    "accuracy_orig",
    "accuracy_quantiles",
    "agreement",
    "attribution",
    "benjamini_hochberg",
    "best_at_k",
    "by_change",
    "by_distance",
    "by_item",
    "by_outcome",
    "c_out",
    "changed_items",
    "check",
    "check_table",
    "compare",
    "consistency_at_k",
    "correlations",
    "delta_accuracy",
    "enough_variants",
    "excess_flips",
    "fix",
    "format_failure_rate",
    "fragility_score",
    "item_evidence",
    "mcnemar_orig_vs_variants",
    "mean_over_groups",
    "mean_variance",
    "metric",
    "min_max_gap",
    "outcome_rates",
    "pdr",
    "phrasing_test",
    "pilot_components",
    "plan",
    "prior_components",
    "r_fault",
    "r_prompt",
    "rank_stability",
    "rank_templates",
    "responsiveness",
    "robust_at_k",
    "s_corrected",
    "s_norm",
    "s_prompt",
    "s_task",
    "selftest",
    "std_variance",
    "summarise",
    "sums_over_groups",
    "template_spread",
    "template_summaries",
    "trajectory_changes",
    "trajectory_effort",
    "trajectory_summaries",
    "variance_components",
    "verdicts",
]
