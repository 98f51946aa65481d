"""Public API of otherwords: every name that the documentation has, imported from its module on first use.

Everything that the documentation names can be imported from here:

    from otherwords import load_all_results, s_prompt

    print(s_prompt(load_all_results("logs")))

A name is looked up when it is first used, so that `import otherwords` stays quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from otherwords.core import lazy_names

if TYPE_CHECKING:
    from otherwords.core.errors import (
        GateFailed as GateFailed,
        InputError as InputError,
        MissingDependencyError as MissingDependencyError,
        OtherwordsError as OtherwordsError,
        RunError as RunError,
        UnknownNameError as UnknownNameError,
    )
    from otherwords.core.types import (
        CheckResult as CheckResult,
        Estimate as Estimate,
        Item as Item,
        Message as Message,
        MissingVariant as MissingVariant,
        Variant as Variant,
        Vetted as Vetted,
    )
    from otherwords.core.template import (
        Template as Template,
        read_template as read_template,
    )
    from otherwords.core.registry import (
        FAMILIES as FAMILIES,
        Family as Family,
        FamilyTraits as FamilyTraits,
    )
    from otherwords.core.tool_calls import NORMALIZERS as NORMALIZERS
    from otherwords.items import (
        items_from_task as items_from_task,
        load_items as load_items,
    )
    from otherwords.variants.file import (
        VariantsFile as VariantsFile,
        VariantsHeader as VariantsHeader,
        read_variants as read_variants,
        write_variants as write_variants,
    )
    from otherwords.variants.format import generate_perturbations as generate_perturbations
    from otherwords.variants.llm import LlmFamily as LlmFamily
    from otherwords.variants.paraphrase import generate_paraphrases as generate_paraphrases
    from otherwords.checks import (
        CHECKS as CHECKS,
        CheckTraits as CheckTraits,
        MeaningCheck as MeaningCheck,
        make_check as make_check,
        vet as vet,
    )
    from otherwords.runs import (
        Budget as Budget,
        Limits as Limits,
        RunSummary as RunSummary,
        vary_task as vary_task,
    )
    from otherwords.runs.agents.external import (
        command_agent as command_agent,
        url_agent as url_agent,
    )
    from otherwords.runs.agents.function import (
        callable_agent as callable_agent,
    )
    from otherwords.runs.agents.hal import (
        hal_agent as hal_agent,
    )
    from otherwords.results import (
        READERS as READERS,
        Reader as Reader,
        Results as Results,
        inspect_accuracy as inspect_accuracy,
        load_all_results as load_all_results,
        read_results as read_results,
        readable_only as readable_only,
        write_hal_upload as write_hal_upload,
    )
    from otherwords.metrics import (
        Attribution as Attribution,
        Beats as Beats,
        Comparison as Comparison,
        Components as Components,
        Correlation as Correlation,
        Decision as Decision,
        Difference as Difference,
        EnoughVariants as EnoughVariants,
        Finding as Finding,
        Gate as Gate,
        METRICS as METRICS,
        McNemar as McNemar,
        Measure as Measure,
        Metric as Metric,
        PhrasingTest as PhrasingTest,
        Plan as Plan,
        PlanOption as PlanOption,
        RankStability as RankStability,
        Recommendations as Recommendations,
        RepairSearch as RepairSearch,
        ScoreArrays as ScoreArrays,
        SelfTest as SelfTest,
        SensitiveItem as SensitiveItem,
        Step as Step,
        TemplateRanking as TemplateRanking,
        TemplateSummary as TemplateSummary,
        TrajectorySummary as TrajectorySummary,
        Verdict as Verdict,
        WorstSearch as WorstSearch,
        accuracy as accuracy,
        accuracy_orig as accuracy_orig,
        accuracy_quantiles as accuracy_quantiles,
        agreement as agreement,
        attribution as attribution,
        benjamini_hochberg as benjamini_hochberg,
        best_at_k as best_at_k,
        by_change as by_change,
        by_distance as by_distance,
        by_item as by_item,
        by_outcome as by_outcome,
        c_out as c_out,
        changed_items as changed_items,
        check as check,
        check_table as check_table,
        compare as compare,
        consistency_at_k as consistency_at_k,
        correlations as correlations,
        delta_accuracy as delta_accuracy,
        enough_variants as enough_variants,
        excess_flips as excess_flips,
        fix as fix,
        format_failure_rate as format_failure_rate,
        fragility_score as fragility_score,
        item_evidence as item_evidence,
        mcnemar_orig_vs_variants as mcnemar_orig_vs_variants,
        mean_over_groups as mean_over_groups,
        mean_variance as mean_variance,
        metric as metric,
        min_max_gap as min_max_gap,
        outcome_rates as outcome_rates,
        pdr as pdr,
        phrasing_test as phrasing_test,
        pilot_components as pilot_components,
        plan as plan,
        prior_components as prior_components,
        r_fault as r_fault,
        r_prompt as r_prompt,
        rank_stability as rank_stability,
        rank_templates as rank_templates,
        responsiveness as responsiveness,
        robust_at_k as robust_at_k,
        s_corrected as s_corrected,
        s_norm as s_norm,
        s_prompt as s_prompt,
        s_task as s_task,
        selftest as selftest,
        std_variance as std_variance,
        summarise as summarise,
        template_spread as template_spread,
        template_summaries as template_summaries,
        trajectory_changes as trajectory_changes,
        trajectory_effort as trajectory_effort,
        trajectory_summaries as trajectory_summaries,
        variance_components as variance_components,
        verdicts as verdicts,
    )
    from otherwords.audit import (
        Audit as Audit,
        AuditLabels as AuditLabels,
        AuditSettings as AuditSettings,
    )
    from otherwords.publish import (
        ScanResult as ScanResult,
        TextPatterns as TextPatterns,
        scan as scan,
    )
    from otherwords.pipeline.audit import (
        audit_dataset as audit_dataset,
        run_ambiguity_audit as run_ambiguity_audit,
    )
    from otherwords.pipeline.decisions import (
        Coverage as Coverage,
    )
    from otherwords.pipeline.evaluate import (
        evaluate as evaluate,
        evaluate_async as evaluate_async,
    )
    from otherwords.pipeline.evaluation import (
        Evaluation as Evaluation,
        EvaluationComparison as EvaluationComparison,
    )
    from otherwords.pipeline.frozen import (
        freeze as freeze,
    )
    from otherwords.pipeline.agents import (
        Agent as Agent,
    )
    from otherwords.pipeline.inputs import (
        Source as Source,
        open_source as open_source,
    )
    from otherwords.pipeline.publish import (
        aggregate as aggregate,
    )
    from otherwords.pipeline.rounds import (
        Until as Until,
    )
    from otherwords.pipeline.run import (
        run as run,
    )
    from otherwords.pipeline.templates import (
        template_wordings as template_wordings,
        vary as vary,
    )
    from otherwords.pipeline.vary import (
        PromptVariationGenerator as PromptVariationGenerator,
        Wordings as Wordings,
    )
    from otherwords.pipeline.vet import (
        vet_file as vet_file,
    )
    from otherwords.pipeline.study import Study as Study
    from otherwords.pipeline.study import study as study
    from otherwords.pipeline.write_report import (
        build_report_data as build_report_data,
        review as review,
        write_report as write_report,
    )
    from otherwords.report import (
        ReportData as ReportData,
    )
    from otherwords.report.figures import (
        FIGURES as FIGURES,
    )

__version__ = "0.2.0"

_NAMES = {
    "core.errors": (
        "GateFailed",
        "InputError",
        "MissingDependencyError",
        "OtherwordsError",
        "RunError",
        "UnknownNameError",
    ),
    "core.types": ("CheckResult", "Estimate", "Item", "Message", "MissingVariant", "Variant", "Vetted"),
    "core.template": ("Template", "read_template"),
    "core.registry": ("FAMILIES", "Family", "FamilyTraits"),
    "core.tool_calls": ("NORMALIZERS",),
    "items": ("items_from_task", "load_items"),
    "variants.file": ("VariantsFile", "VariantsHeader", "read_variants", "write_variants"),
    "variants.format": ("generate_perturbations",),
    "variants.llm": ("LlmFamily",),
    "variants.paraphrase": ("generate_paraphrases",),
    "checks": ("CHECKS", "CheckTraits", "MeaningCheck", "make_check", "vet"),
    "runs": ("Budget", "Limits", "RunSummary", "vary_task"),
    "runs.agents.external": ("command_agent", "url_agent"),
    "runs.agents.function": ("callable_agent",),
    "runs.agents.hal": ("hal_agent",),
    "results": (
        "READERS",
        "Reader",
        "Results",
        "inspect_accuracy",
        "load_all_results",
        "read_results",
        "readable_only",
        "write_hal_upload",
    ),
    "metrics": (
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
        "METRICS",
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
        "template_spread",
        "template_summaries",
        "trajectory_changes",
        "trajectory_effort",
        "trajectory_summaries",
        "variance_components",
        "verdicts",
    ),
    "audit": ("Audit", "AuditLabels", "AuditSettings"),
    "publish": ("ScanResult", "TextPatterns", "scan"),
    "pipeline.audit": ("audit_dataset", "run_ambiguity_audit"),
    "pipeline.decisions": ("Coverage",),
    "pipeline.evaluate": ("evaluate", "evaluate_async"),
    "pipeline.evaluation": ("Evaluation", "EvaluationComparison"),
    "pipeline.frozen": ("freeze",),
    "pipeline.agents": ("Agent",),
    "pipeline.inputs": ("Source", "open_source"),
    "pipeline.publish": ("aggregate",),
    "pipeline.rounds": ("Until",),
    "pipeline.run": ("run",),
    "pipeline.templates": ("template_wordings", "vary"),
    "pipeline.vary": ("PromptVariationGenerator", "Wordings"),
    "pipeline.vet": ("vet_file",),
    "pipeline.study": ("Study", "study"),
    "pipeline.write_report": ("build_report_data", "review", "write_report"),
    "report": ("ReportData",),
    "report.figures": ("FIGURES",),
}
"""Each module below `otherwords` with the names that are taken from it."""

_HOMES = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names}
__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605  one list of names is enough
__getattr__, __dir__ = lazy_names(__name__, _HOMES)
