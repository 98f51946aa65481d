"""What follows from the numbers: plans, thresholds, what to fix, how many wordings, and the self-test."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics import (
    Components,
    check,
    enough_variants,
    fix,
    pilot_components,
    plan,
    prior_components,
    s_prompt,
    selftest,
    summarise,
)
from otherwords.metrics.known_models import KNOWN_MODELS, known_model_table


def simulated(n_items: int, n_variants: int, repeats: int, seed: int, tables: int) -> np.ndarray:
    """Scores [table, item, wording, repeat] with item 0.04, phrasing 0.01 and what noise is left."""
    rng = np.random.default_rng(seed)
    p = (
        0.6
        + 0.2 * rng.choice([-1, 1], (tables, n_items, 1))
        + 0.1 * rng.choice([-1, 1], (tables, n_items, n_variants))
    )
    return (rng.random((tables, n_items, n_variants, repeats)) < p[..., None]).astype(float)


PARTS = Components(item=0.04, phrasing=0.01, noise=0.24 - 0.04 - 0.01, source="known")


def test_a_planned_half_width_is_what_comes_out():
    option = plan(half_width=0.06, components=PARTS, variants=[4], repeats=[2]).options[0]
    scores = simulated(option.items, 4, 2, seed=1, tables=3000)
    assert 1.96 * scores.mean(axis=(1, 2, 3)).std() == pytest.approx(0.06, rel=0.05)
    assert option.half_width == pytest.approx(0.06, abs=0.001)
    assert option.calls == option.items * 8


def test_planned_power_is_what_comes_out():
    option = plan(drop=0.08, components=PARTS, variants=[4], repeats=[2], power=0.8).options[0]
    scores = simulated(option.items, 4, 2, seed=2, tables=3000).mean(axis=3)
    # a loss of 0.08 added to differences that have none
    losses = scores[:, :, 0] - scores[:, :, 1:].mean(axis=2) + 0.08
    z = losses.mean(axis=1) / (losses.std(axis=1, ddof=1) / np.sqrt(option.items))
    assert np.mean(z > 1.96) == pytest.approx(0.8, abs=0.03)
    assert option.power == pytest.approx(0.8, abs=0.01)
    assert option.detectable == pytest.approx(0.08, abs=0.001)


def test_options_are_sorted_by_calls_and_kept_within_the_items_there_are():
    found = plan(half_width=0.05, items=300)
    assert found.options == tuple(sorted(found.options, key=lambda one: (one.calls, one.items)))
    assert all(one.items <= 300 and one.half_width <= 0.05 for one in found.options)
    assert found.goal == "accuracy to ± 0.05 with a 95% interval"
    assert found.components.source == (
        "assumed: accuracy 0.7, its variance 60% items, 15% phrasing, 25% run-to-run noise"
    )
    none = plan(half_width=0.01, drop=0.02, items=100)
    assert none.options == ()
    assert none.goal == (
        "accuracy to ± 0.01 with a 95% interval and to see a loss of 0.02 by rewording with a chance of 80%"
    )
    assert none.notes == (
        "100 items cannot reach it: 10 wordings with 5 repeats give ± 0.071, or see a loss of 0.061",
    )


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "a plan needs a goal\nGive half_width, drop, or both."),
        ({"half_width": 1.5}, "half_width must be between 0 and 1, got 1.5"),
        ({"drop": 0.0}, "drop must be between 0 and 1, got 0"),
        (
            {"drop": 0.1, "variants": [1]},
            "to see a loss by rewording takes at least 2 wordings, the original among them",
        ),
        ({"drop": 0.1, "repeats": [0]}, "repeats must be at least 1, got 0"),
        ({"drop": 0.1, "items": -3}, "items must be at least 1, got -3"),
    ],
)
def test_a_plan_without_sense_is_refused(wrong, message):
    with pytest.raises(InputError) as caught:
        plan(**wrong)
    assert str(caught.value) == message


def test_priors_and_pilots_say_where_they_come_from(table_of):
    assert prior_components(0.5, 0.5, 0.2) == Components(
        0.125,
        0.05,
        pytest.approx(0.075),
        "assumed: accuracy 0.5, its variance 50% items, 20% phrasing, 30% run-to-run noise",
    )
    with pytest.raises(InputError, match=r"^accuracy must be between 0 and 1, got 1$"):
        prior_components(1.0)
    with pytest.raises(InputError) as caught:
        prior_components(0.5, 0.9, 0.2)
    assert str(caught.value) == "item_share and phrasing_share must be shares of one whole, got 0.9 and 0.2"
    pilot = pilot_components(table_of({"a": [1, 0], "b": [1, 1], "c": [0, 0]}))
    assert pilot.notes == (
        "the pilot has one repeat: what may be run-to-run noise is counted as phrasing, so repeats look "
        "useless here",
    )
    assert (pilot.phrasing, pilot.noise, pilot.source) == (pytest.approx(0.5 / 3), 0.0, "pilot of 3 items")
    with pytest.raises(InputError) as caught:
        pilot_components(table_of({"a": [1, 0]}))
    assert str(caught.value) == (
        "the pilot cannot tell how much items differ: the spread of items takes at least two items"
    )
    once = table_of({"a": [1, 0], "b": [0, 1]}).with_columns(repeat=pl.lit(1))
    again = once.with_columns(repeat=pl.lit(2), score=1 - pl.col("score"))
    assert pilot_components(pl.concat([once, again])).notes == ("phrasing came out at -0.25 and counts as 0",)


def test_a_pilot_in_which_nothing_differs_plans_nothing(table_of):
    with pytest.raises(InputError) as caught:
        pilot_components(table_of({"a": [1, 1], "b": [1, 1]}))
    assert str(caught.value) == (
        "all 2 items of the pilot gave the same score under every wording, so it cannot tell how much others "
        "would differ\nPlan from an assumed accuracy instead: --accuracy 0.9."
    )


def estimate(
    value: float | None, low: float | None = None, high: float | None = None, **more: object
) -> Estimate:
    facts: dict[str, object] = {"n_items": 50, "n_rows": 200, "n_missing": 0, **more}
    return Estimate("s_prompt", "m", value, low, high, **facts)


def test_a_check_decides_on_the_bound_unless_asked_otherwise():
    estimates = {"s_prompt": estimate(0.88, 0.84, 0.91), "fragility_score": estimate(0.1, 0.06, 0.15)}
    thresholds = {"min_s_prompt": 0.85, "max_flip_rate": 0.15}
    first, second = check(estimates, thresholds)
    assert (first.passed, first.bound, first.value, first.threshold) == (False, 0.84, 0.88, 0.85)
    assert first.why == (
        "wanted at least 0.85, the low end is 0.84 (estimate 0.88); the estimate itself would pass: more "
        "items would tell"
    )
    assert (second.passed, second.metric, second.bound) == (True, "fragility_score", 0.15)
    assert second.why == "wanted at most 0.15, the high end is 0.15 (estimate 0.1)"
    assert [one.passed for one in check(estimates, thresholds, on="value")] == [True, True]
    assert check(estimates, {"min_s_prompt": 0.9}, on="value")[0].why == (
        "wanted at least 0.9, the estimate is 0.88"
    )


def test_what_was_not_measured_does_not_pass():
    (decision,) = check(
        {"s_prompt": estimate(None, reason="no item has two wordings with a score")}, {"min_s_prompt": 0}
    )
    assert not decision.passed
    assert decision.why == ("wanted at least 0, and there is no value: no item has two wordings with a score")
    (one_item,) = check(
        {"s_prompt": estimate(1.0, reason="no interval: it takes at least two items, and there is one")},
        {"min_s_prompt": 0.1},
    )
    assert not one_item.passed
    assert one_item.why == (
        "wanted at least 0.1, the estimate is 1, and no interval: it takes at least two items, and there is "
        "one"
    )


def test_a_perfect_score_passes_when_enough_items_say_so(table_of):
    def perfect(n_items: int) -> dict[str, Estimate]:
        return summarise(table_of({f"q{n}": [1, 1] for n in range(n_items)}))["all"]

    few, many = (check(perfect(n), {"min_s_prompt": 0.85, "max_flip_rate": 0.15})[0] for n in (10, 50))
    assert not few.passed
    # with two wordings the variance of an unseen item is at most a half
    assert few.bound == pytest.approx(1 - (1 - 0.025 ** (1 / 10)) / 2)
    assert many.passed
    assert many.why == (
        "wanted at least 0.85, the low end is 0.9644 (estimate 1; all 50 items agree, but up to 7.1% of all "
        "such items may not)"
    )
    # a difference can be as bad as −1
    (change,) = check({"accuracy_change": perfect(50)["delta_accuracy"]}, {"min_accuracy_change": -0.05})
    assert change.bound == pytest.approx(-(1 - 0.025 ** (1 / 50)))
    assert not change.passed


def test_a_threshold_for_nothing_is_refused():
    estimates = {"s_prompt": estimate(0.9, 0.8, 1.0)}
    with pytest.raises(InputError) as caught:
        check(estimates, {"min_s_promt": 0.5})
    assert str(caught.value) == "unknown metric 's_promt'. Did you mean: s_prompt?"
    with pytest.raises(InputError) as caught:
        check(estimates, {"s_prompt": 0.5})
    assert str(caught.value) == "a threshold is named min_ or max_ and a metric, got 's_prompt'"
    with pytest.raises(InputError, match=r"^on must be 'bound' or 'value', got 'mean'$"):
        check(estimates, {}, on="mean")


@pytest.mark.slow
def test_more_wordings_keep_the_value_and_narrow_the_interval():
    rng = np.random.default_rng(3)
    rows = [
        (f"q{t}", f"v{v}", float(rng.random() < p))
        for t, p in enumerate(rng.beta(1, 1, 60))
        for v in range(8)
    ]
    table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
    found = enough_variants(table, resamples=400)
    whole = s_prompt(table, resamples=400)
    assert [step.variants for step in found.steps] == [2, 3, 4, 5, 6, 7, 8]
    assert found.steps[-1].value == pytest.approx(whole.value)
    assert (found.steps[-1].low, found.steps[-1].high) == pytest.approx((whole.low, whole.high))
    assert found.steps[-1].wobble == pytest.approx(0.0, abs=1e-12)
    assert all(step.value == pytest.approx(whole.value, abs=0.02) for step in found.steps)
    widths = [step.high - step.low for step in found.steps]
    assert widths[0] > 1.3 * widths[-1]
    assert found.enough == next(
        step.variants for step, width in zip(found.steps, widths, strict=True) if width <= 1.1 * widths[-1]
    )
    assert enough_variants(table, resamples=400) == found
    assert (
        enough_variants(table.filter(pl.col("variant") == "v0")).reason
        == "no item has two wordings with a score"
    )
    with pytest.raises(InputError, match=r"^orders must be at least 1, got 0$"):
        enough_variants(table, orders=0)


def fixable() -> pl.DataFrame:
    rng = np.random.default_rng(4)
    rows = []
    for t in range(30):
        for variant, kind, change, chance in (
            ("orig", "orig", "", 1.0),
            ("para1", "paraphrase", "polite", 0.97),
            ("pert:order_rev", "options", "order:reverse", 0.4),
            ("control:negate", "control", "negate", 0.95),
        ):
            p = 1.0 if t < 20 else 0.0 if t == 29 else chance
            p = chance if variant == "pert:order_rev" and t < 29 else p
            rows.append((f"q{t:02}", variant, kind, change, float(rng.random() < p), "scored", None))
    rows += [(f"q{t:02}", "para2", "paraphrase", "these", None, "unscored", "format") for t in range(30)]
    schema = ["id", "variant", "kind", "change", "score", "status", "reason"]
    return pl.DataFrame(rows, schema=schema, orient="row", infer_schema_length=None)


def test_the_failing_wording_stands_beside_the_passing_one():
    found = fix(fixable(), resamples=300)
    assert all(one.failing in {"pert:order_rev", "para1"} for one in found.items)
    first = found.items[0]
    assert (first.passing, first.failing_kind, first.gap, first.q) == ("orig", "options", 1.0, None)
    assert found.costs["delta"].to_list() == [*sorted(found.costs["delta"].drop_nulls(), reverse=True), None]
    cost = found.costs.row(0, named=True)
    delta, low, high = (f"{100 * cost[name]:.0f}" for name in ("delta", "delta_low", "delta_high"))
    points = f"{delta} points of accuracy ({low} to {high}) on 30 items, q = {cost['q']:.3g}"
    assert found.suggestions == (
        f"Wordings of kind 'options' cost {points}; the order of the options sways the answer: ask in "
        "several orders, or for the option's text.",
        f"The change 'order:reverse' (options) costs {points}.",
        "25% of the replies could not be read: ask for the answer's format more plainly, or read it more "
        "leniently.",
        "Only 0% of the answers change where the question's meaning does: stability here may be "
        "insensitivity to the question.",
        f"{len(found.items)} items score differently from one wording to another; with one repeat, this "
        "cannot be told from run-to-run noise (--repeats 3).",
    )


@pytest.mark.slow
def test_nothing_to_fix_is_said_with_how_sure_that_is():
    found = fix(known_model_table("random", seed=1), resamples=300)
    assert found.suggestions[0].startswith(
        "No kind of rewording is known to cost accuracy; over all of them the loss is -0.6 points ("
    )
    assert found.suggestions[1] == (
        "Run-to-run noise (the same prompt asked again) moves the outcome more than wording does: lower the "
        "temperature, or take the majority of several runs, before rewording anything."
    )
    assert found.suggestions[2].endswith("; for 0 of them that is more than run-to-run noise (q ≤ 0.05).")
    assert fix(known_model_table("oracle"), resamples=50).items == ()
    empty = fix(fixable().clear())
    assert (empty.items, empty.suggestions, empty.costs.height) == ((), (), 0)


def test_models_are_named_when_there_are_several():
    both = pl.concat([known_model_table("always A"), known_model_table("oracle")])
    told = fix(both, resamples=50).suggestions
    assert {text.partition(":")[0] for text in told} == {"always A", "oracle"}


@pytest.mark.slow
def test_known_models_get_the_values_that_they_must():
    rows = selftest()
    assert {row.model for row in rows} == set(KNOWN_MODELS)
    assert [row for row in rows if not row.ok] == []
    assert len(rows) > 40


@pytest.mark.slow
def test_the_self_test_can_fail():
    row = selftest()[0]
    assert (row.model, row.metric, row.expected, row.value) == ("oracle", "accuracy", "1", 1.0)
    from dataclasses import replace

    assert not replace(row, value=0.99).ok
    assert not replace(row, value=None).ok
    assert replace(row, low=0.5, value=0.99).expected == "0.5 to 1"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_self_test_does_not_hang_on_one_seed(seed):
    assert [row for row in selftest(seed) if not row.ok] == []
