"""The numbers that any implementation can be held to, one small table each."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from otherwords import metrics
from otherwords.core.contract import OUTCOMES
from otherwords.metrics import (
    accuracy,
    accuracy_orig,
    consistency_at_k,
    delta_accuracy,
    format_failure_rate,
    fragility_score,
    mcnemar_orig_vs_variants,
    min_max_gap,
    s_norm,
    s_prompt,
    s_task,
    summarise,
    variance_components,
)
from otherwords.metrics.wording_tests import log_exact_binomial


def test_one_right_of_four_has_variance_a_quarter_and_gap_one(table_of):
    row = s_task(table_of({"q": [1, 0, 0, 0]})).row(0, named=True)
    assert row == {
        "task": "",
        "model": "",
        "id": "q",
        "n_variants": 4,
        "mean_score": 0.25,
        "variance": 0.25,
        "s_task": 0.75,
        "min_max_gap": 1.0,
        "n_rows": 4,
        "n_missing": 0,
    }


def test_one_right_of_two_is_as_sensitive_as_can_be(table_of):
    table = table_of({"q": [1, 0]})
    assert s_prompt(table).value == 0.5
    assert s_prompt(table, ddof=0).value == 0.75
    assert s_norm(table).value == 0.0


@pytest.mark.parametrize(("n_variants", "lowest"), [(2, 0.5), (3, 2 / 3), (4, 2 / 3), (5, 0.7)])
def test_s_norm_reaches_zero_where_s_prompt_cannot(table_of, n_variants, lowest):
    half = n_variants // 2
    table = table_of({"q": [1.0] * half + [0.0] * (n_variants - half)})
    assert s_prompt(table).value == pytest.approx(lowest)
    assert s_norm(table).value == pytest.approx(0.0)


@pytest.mark.parametrize("score", [0.0, 0.3, 1.0])
def test_equal_scores_are_perfectly_robust(table_of, score):
    once = table_of({"a": [score] * 4, "b": [score] * 3})
    table = pl.concat([once.with_columns(pl.lit(repeat).alias("repeat")) for repeat in (1, 2)])
    found = summarise(table)["all"]
    assert {name: found[name].value for name in ("s_prompt", "s_norm", "consistency_at_k")} == pytest.approx(
        {"s_prompt": 1.0, "s_norm": 1.0, "consistency_at_k": 1.0}
    )
    for name in ("phrasing", "noise", "fragility_score", "min_max_gap", "delta_accuracy"):
        assert found[name].value == pytest.approx(0.0)
    assert found["phrasing_share"].value is None
    assert found["phrasing_share"].reason == (
        "neither phrasing nor noise is above zero, so there is nothing to share"
    )


def test_mean_pairwise_difference_of_binary_scores_is_twice_the_lost_robustness(table_of):
    rng = np.random.default_rng(3)
    items = {f"q{n}": rng.integers(0, 2, 5).astype(float).tolist() for n in range(30)}
    pairwise = np.mean([abs(x - y) for scores in items.values() for x, y in combinations(scores, 2)])
    assert pairwise == pytest.approx(2 * (1 - s_prompt(table_of(items)).value))


def test_an_unscored_row_changes_no_value_only_counts(table_of):
    table = table_of({"a": [1, 0, 1], "b": [1, 1, 1], "c": [0, 1, 0], "d": [1, 0, 0]}, status="scored")
    extra = table_of({"a": [None]}, status="error").with_columns(pl.lit("para9").alias("variant"))
    before, after = summarise(table)["all"], summarise(pl.concat([table, extra]))["all"]
    assert after["provider_error_rate"].value == pytest.approx(1 / 13)
    for name, estimate in before.items():
        if name.endswith("_rate") and name != "format_failure_rate":
            continue  # shares of all runs, also of those without a score
        assert (after[name].value, after[name].low, after[name].high) == (
            estimate.value,
            estimate.low,
            estimate.high,
        )
        assert after[name].n_rows == estimate.n_rows
        beside = name in ("accuracy_orig", "r_fault", "r_fault_hal", "responsiveness")
        assert after[name].n_missing == estimate.n_missing + (not beside)


def test_rows_of_controls_are_no_part_of_any_metric(table_of):
    table = table_of({"a": [1, 0], "b": [1, 1]}, kind="paraphrase")
    control = pl.DataFrame({"id": ["a"], "variant": ["control:negate"], "score": [0.0], "kind": ["control"]})
    estimate = s_prompt(pl.concat([table, control]))
    assert estimate.value == s_prompt(table).value
    assert (estimate.n_rows, estimate.n_missing) == (4, 0)
    assert "1 rows of negative controls are not part of it" in estimate.reason


def test_items_with_one_wording_are_left_out_and_said(table_of):
    estimate = s_prompt(table_of({"a": [1, 0], "b": [1, None], "c": [0, 1]}, status=None))
    assert (estimate.value, estimate.n_items, estimate.n_rows, estimate.n_missing) == (0.5, 2, 4, 1)
    assert estimate.reason == (
        "1 of 3 items left out: fewer than two wordings with a score; only 2 items: the interval is rough"
    )


def test_largest_gap_has_no_interval_and_says_why(table_of):
    estimate = min_max_gap(table_of({"a": [1, 0.5], "b": [1, 1]}), over_items="max")
    assert (estimate.value, estimate.low, estimate.metric) == (0.5, None, "min_max_gap_max")
    assert estimate.reason == "no interval: other items say nothing of a largest value"


def answers(cells: dict[tuple[str, str], list[str | None]], column: str = "answer") -> pl.DataFrame:
    rows = [
        {"id": item, "variant": variant, "repeat": repeat, "score": 0.0, column: answer}
        for (item, variant), given in cells.items()
        for repeat, answer in enumerate(given, start=1)
    ]
    return pl.DataFrame(rows)


def test_flips_and_consistency_compare_answers_and_not_scores():
    table = answers(
        {
            ("a", "orig"): ["x"],
            ("a", "p1"): ["x"],
            ("a", "p2"): ["y"],
            ("b", "orig"): ["z"],
            ("b", "p1"): ["z"],
        }
    )
    assert fragility_score(table).value == 0.25
    assert consistency_at_k(table).value == 0.5


def test_repeats_are_compared_as_pairs_of_independent_runs():
    table = answers({("a", "orig"): ["x", "x", "y"], ("a", "p1"): ["x", "y"], ("a", "p2"): ["y"]})
    pairs = {"p1": 1 - (2 / 3 * 1 / 2 + 1 / 3 * 1 / 2), "p2": 2 / 3}
    assert fragility_score(table).value == pytest.approx(sum(pairs.values()) / 2)
    assert consistency_at_k(table).value == pytest.approx(1 / 3 * 1 / 2 * 1)


def test_what_names_no_option_is_an_answer_of_its_own():
    table = pl.DataFrame(
        {
            "id": ["a"] * 3,
            "variant": ["orig", "p1", "p2"],
            "score": [1.0, 1.0, 0.0],
            "answer": ["A", "A", "no idea"],
            "pred_index": [0, 0, None],
        }
    )
    estimate = fragility_score(table)
    assert (estimate.value, estimate.n_rows, estimate.n_missing) == (0.5, 3, 0)
    # Where the table keeps no text, the outcome tells it.
    without_text = table.with_columns(answer=None, outcome=pl.Series(["answered", "answered", "unreadable"]))
    assert fragility_score(without_text).value == 0.5
    assert consistency_at_k(without_text).value == 0.0
    # A mere score is no answer, and is left out.
    estimate = fragility_score(table.with_columns(answer=None))
    assert (estimate.value, estimate.n_rows, estimate.n_missing) == (0.0, 2, 1)


def test_reversing_options_and_answers_changes_neither_flips_nor_consistency():
    rng = np.random.default_rng(5)
    rows = [
        {
            "id": f"q{t}",
            "variant": "orig" if v == 0 else f"p{v}",
            "score": 0.0,
            "pred_index": int(rng.integers(4)),
        }
        for t in range(25)
        for v in range(4)
    ]
    table = pl.DataFrame(rows)
    turned = table.with_columns(3 - pl.col("pred_index"))
    for metric in (fragility_score, consistency_at_k):
        assert metric(turned) == metric(table)


def test_delta_is_positive_when_rewording_costs(table_of):
    assert delta_accuracy(table_of({"a": [1, 0, 1], "b": [1, 0, 0]})).value == 0.75
    estimate = delta_accuracy(table_of({"a": [None, 1]}))
    assert estimate.value is None
    assert estimate.reason == "no item has a score both for the original and for another wording"


def test_accuracy_overall_and_of_the_original(table_of):
    table = table_of({"a": [1, 0, 0.5], "b": [0, 0], "c": [None, 1]})
    assert accuracy(table).value == pytest.approx((1 + 0 + 0.5 + 0 + 0 + 1) / 6)
    orig = accuracy_orig(table)
    assert (orig.value, orig.n_rows, orig.n_missing) == (0.5, 2, 1)
    assert orig.reason == (
        "1 of 3 items left out: no score for the original; only 2 items: the interval is rough"
    )


def test_format_failures_are_a_share_of_replies():
    table = pl.DataFrame(
        {
            "id": ["a", "a", "b", "b", "b"],
            "variant": ["orig", "p1", "orig", "p1", "p2"],
            "score": [1.0, None, None, None, None],
            "status": ["scored", "unscored", "unscored", "unscored", "error"],
            "reason": [None, "format", "format: two letters", "no scorer", "format"],
        }
    )
    estimate = format_failure_rate(table)
    assert (estimate.value, estimate.n_rows, estimate.n_missing) == (0.5, 4, 1)


def test_one_repeat_cannot_tell_phrasing_from_noise(table_of):
    parts = variance_components(table_of({"a": [1, 0], "b": [1, 1]}))
    for name in ("phrasing", "noise", "phrasing_share"):
        assert parts[name].value is None
        assert parts[name].reason == "not identifiable with one repeat; rerun with --repeats 3"
    assert parts["item"].value == pytest.approx(0.125 - 0.25 / 2)


def test_components_of_a_balanced_table_follow_the_formulas():
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 2, (6, 4, 3)).astype(float)
    rows = [
        {"id": f"q{t}", "variant": f"v{v}", "repeat": r + 1, "score": scores[t, v, r]}
        for t, v, r in np.ndindex(*scores.shape)
    ]
    means = scores.mean(axis=2)
    noise = scores.var(axis=2, ddof=1).mean()
    phrasing = means.var(axis=1, ddof=1).mean() - noise / 3
    item = means.mean(axis=1).var(ddof=1) - means.var(axis=1, ddof=1).mean() / 4
    found = {name: part.value for name, part in variance_components(pl.DataFrame(rows)).items()}
    assert found == pytest.approx(
        {"item": item, "phrasing": phrasing, "noise": noise, "phrasing_share": phrasing / (phrasing + noise)}
    )


def test_a_cell_run_once_borrows_the_noise_of_the_others():
    cells = {
        ("a", "orig"): [1.0, 0.0],
        ("a", "p1"): [1.0],
        ("b", "orig"): [1.0, 1.0],
        ("b", "p1"): [0.0, 1.0],
    }
    rows = [
        {"id": item, "variant": variant, "repeat": repeat, "score": score}
        for (item, variant), scores in cells.items()
        for repeat, score in enumerate(scores)
    ]
    noise = (0.5 + 0.0 + 0.5) / 3
    first = 0.125 - (0.5 / 2 + noise / 1) / 2
    second = 0.125 - (0.0 + 0.5 / 2) / 2
    assert variance_components(pl.DataFrame(rows))["phrasing"].value == pytest.approx((first + second) / 2)


def test_mcnemar_counts_ties_apart(table_of):
    result = mcnemar_orig_vs_variants(
        table_of({"a": [1, 0, 0], "b": [1, 0, 0], "c": [0, 1, 1], "d": [1, 1, 0], "e": [1, 1, 1]})
    )
    assert (result.n, result.b, result.c, result.ties) == (4, 2, 1, 1)
    assert result.p == pytest.approx(1.0)
    assert result.mean_difference == pytest.approx((1 + 1 - 1 + 0.5 + 0) / 5)
    assert "rest conclusions on sign_flip_p" in result.reason
    # of 16 sign flips of (1, 1, 1, ½), the sums of size 1.5 or more: ±3.5, ±2.5 and three each of ±1.5
    assert result.sign_flip_p == pytest.approx(10 / 16)


def test_log_p_survives_a_million_items():
    assert log_exact_binomial(3, 7) == pytest.approx(
        math.log(2 * sum(math.comb(10, j) for j in range(4)) / 2**10)
    )
    assert log_exact_binomial(5, 5) == 0.0
    assert log_exact_binomial(1_000_000, 0) == pytest.approx(math.log(2) - 1_000_000 * math.log(2))
    assert math.isfinite(log_exact_binomial(300_000, 700_000))


def test_every_estimate_metric_is_registered_and_summarised(table_of):
    names = set(metrics.METRICS.names())
    assert {name for name in metrics.__all__ if name in names} == names
    found = summarise(table_of({"a": [1, 0], "b": [1, 1]}))["all"]
    parts = {"item", "phrasing", "noise", "phrasing_share", "min_max_gap_max", "c_out_unbiased"}
    parts |= {"r_prompt_hal", "r_fault_hal", "pairwise_agreement", "fleiss_kappa", "answer_entropy"}
    parts |= {f"{outcome}_rate" for outcome in OUTCOMES if outcome != "answered"}
    several = {"variance_components", "agreement", "outcome_rates", "trajectory_changes", "trajectory_effort"}
    assert set(found) == names - {"s_task", "mcnemar_orig_vs_variants"} - several | parts


def test_by_kind_each_kind_is_measured_against_the_original():
    table = pl.DataFrame(
        {
            "model": ["m"] * 3,
            "id": ["a"] * 3,
            "variant": ["orig", "para1", "pert:space"],
            "kind": ["orig", "paraphrase", "format"],
            "score": [1.0, 0.0, 1.0],
        }
    )
    found = summarise(table, by_kind=True, metrics=["delta_accuracy"])
    values = {group: estimates["delta_accuracy"].value for group, estimates in found.items()}
    assert values == {"m": 0.5, "m / format": 0.0, "m / paraphrase": 1.0}
