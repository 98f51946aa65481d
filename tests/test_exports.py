"""The public names are these and no others; a change here is a change for users."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import otherwords
from otherwords.cli import COMMANDS

PUBLIC = """
    Agent Attribution Audit AuditLabels AuditSettings Beats Budget CHECKS CheckResult CheckTraits
    Comparison Components Correlation Coverage Decision Difference EnoughVariants Estimate Evaluation
    EvaluationComparison FAMILIES FIGURES Family FamilyTraits Finding Gate GateFailed InputError Item
    Limits LlmFamily METRICS
    McNemar MeaningCheck Measure Message Metric MissingDependencyError MissingVariant NORMALIZERS
    OtherwordsError PhrasingTest Plan PlanOption PromptVariationGenerator READERS RankStability Reader
    Recommendations RepairSearch ReportData Results RunError RunSummary ScanResult ScoreArrays SelfTest
    SensitiveItem Source Step Study Template TemplateRanking TemplateSummary TextPatterns TrajectorySummary
    UnknownNameError Until Variant VariantsFile VariantsHeader Verdict Vetted Wordings WorstSearch __version__
    accuracy accuracy_orig accuracy_quantiles aggregate agreement attribution audit_dataset
    benjamini_hochberg best_at_k build_report_data by_change by_distance by_item by_outcome c_out
    callable_agent changed_items check check_table command_agent compare consistency_at_k correlations
    delta_accuracy enough_variants evaluate evaluate_async excess_flips fix format_failure_rate
    fragility_score freeze generate_paraphrases generate_perturbations hal_agent inspect_accuracy
    item_evidence items_from_task load_all_results load_items make_check mcnemar_orig_vs_variants
    mean_over_groups mean_variance metric min_max_gap open_source outcome_rates pdr phrasing_test
    pilot_components plan prior_components r_fault r_prompt rank_stability rank_templates read_results
    read_template read_variants readable_only responsiveness review robust_at_k run run_ambiguity_audit
    s_corrected s_norm s_prompt s_task scan selftest std_variance study summarise template_spread
    template_summaries template_wordings trajectory_changes trajectory_effort trajectory_summaries
    url_agent variance_components vary vary_task verdicts vet vet_file write_hal_upload write_report
    write_variants
""".split()
ROOMS = [
    *("core", "english", "items", "variants", "checks", "runs", "results", "metrics"),
    *("report", "audit", "publish", "pipeline", "cli", "data", "benchmarks"),
]
HEAVY = ("inspect_ai", "polars", "numpy", "altair", "resvg_py", "pandas", "pydantic", "rich", "spacy")
FUNCTIONS = [name for name in PUBLIC if inspect.isfunction(getattr(otherwords, name))]


def test_public_names() -> None:
    assert otherwords.__all__ == PUBLIC
    assert dir(otherwords) == [name for name in PUBLIC if name != "__version__"]
    for name in PUBLIC:
        assert getattr(otherwords, name) is not None


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(otherwords.__file__).read_text(encoding="utf-8"))
    seen = [
        (alias.asname, node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("otherwords.")
        for alias in node.names
        if alias.asname
    ]
    assert dict(seen) == otherwords._HOMES
    assert len(seen) == len(otherwords._HOMES)


def test_no_public_name_is_that_of_a_room() -> None:
    """Importing the room would put it in the place of the name."""
    assert not set(ROOMS) & set(PUBLIC)


@pytest.mark.slow
@pytest.mark.parametrize("backwards", [False, True])
def test_the_order_of_imports_hides_no_name(backwards: bool) -> None:
    """Every module of the package is imported, in one order and in the other, and then every name."""
    code = f"""
import inspect, pkgutil
from importlib import import_module
import otherwords
modules = sorted(one.name for one in pkgutil.walk_packages(otherwords.__path__, "otherwords."))
for name in reversed(modules) if {backwards} else modules:
    if not name.endswith(("__main__", "worker")):
        import_module(name)
hidden = [name for name in otherwords.__all__ if inspect.ismodule(getattr(otherwords, name))]
assert not hidden, hidden
for room in ("metrics", "results", "items", "checks", "runs", "audit", "publish", "report"):
    module = import_module(f"otherwords.{{room}}")
    hidden = [name for name in module.__all__ if inspect.ismodule(getattr(module, name))]
    assert not hidden, hidden
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_is_documented_with_an_example_that_runs(name: str) -> None:
    function = getattr(otherwords, name)
    text = inspect.getdoc(function) or ""
    for section in ("Args:", "Returns:", "Raises:", "Example"):
        assert section in text, f"{name} has no section {section}"
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"^    \*{{0,2}}{parameter}(?: \(.*\))?:", text, re.MULTILINE), (
            f"{name}: {parameter}"
        )
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert examples.examples, f"{name} has no example"
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=failures.append)
    assert not failures, "\n".join(failures)


def test_every_public_class_says_what_it_is() -> None:
    classes = [getattr(otherwords, name) for name in PUBLIC if inspect.isclass(getattr(otherwords, name))]
    # a dataclass without a docstring is given its signature as one
    undocumented = [one for one in classes if not one.__doc__ or one.__doc__.startswith(f"{one.__name__}(")]
    assert not undocumented


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = f"import sys, otherwords\nassert not [name for name in {HEAVY!r} if name in sys.modules]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "room", ["items", "checks", "runs", "results", "metrics", "report", "audit", "publish"]
)
def test_every_name_of_a_room_is_there(room: str) -> None:
    module = import_module(f"otherwords.{room}")
    assert len(set(module.__all__)) == len(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"^module 'otherwords' has no attribute 'nothing'$"):
        _ = otherwords.nothing


@pytest.mark.parametrize(
    "arguments",
    [[], *([name] for name in COMMANDS)],
    ids=lambda arguments: " ".join(arguments) or "otherwords",
)
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys\nfrom otherwords.cli import main\n"
        f"try: main({[*arguments, '--help']!r})\nexcept SystemExit as end: assert end.code == 0, end.code\n"
        f"loaded = [name for name in {HEAVY!r} if name in sys.modules]\nassert not loaded, loaded"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage: otherwords" in done.stdout
