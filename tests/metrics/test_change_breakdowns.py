"""Outcomes told apart from scores, by kind and change of wording; and what missing scores could change."""

from __future__ import annotations

import polars as pl
import pytest

from otherwords.core.contract import OUTCOMES
from otherwords.metrics import (
    accuracy,
    accuracy_orig,
    by_change,
    by_outcome,
    delta_accuracy,
    format_failure_rate,
    outcome_rates,
    summarise,
)

N_ITEMS = 30


@pytest.fixture(scope="module")
def refuses() -> pl.DataFrame:
    """Three formats; under `caps` the model refuses every second item, and the scorer makes a 0 of it."""
    rows = []
    for item in range(N_ITEMS):
        for name, kind, change in (
            ("orig", "orig", ""),
            ("format:caps", "format", "caps"),
            ("format:list", "format", "list"),
            ("format:tabs", "format", "tabs"),
        ):
            refused = change == "caps" and item % 2 == 0
            outcome = "refused" if refused else "answered"
            rows.append((f"q{item:02}", name, kind, change, 0.0 if refused else 1.0, outcome))
    return pl.DataFrame(rows, schema=["id", "variant", "kind", "change", "score", "outcome"], orient="row")


def test_every_outcome_has_a_rate_with_an_interval_whatever_the_score(refuses):
    found = outcome_rates(refuses)
    assert list(found) == [f"{outcome}_rate" for outcome in OUTCOMES if outcome != "answered"]
    refused = outcome_rates(refuses, generalize="items")["refused_rate"]
    assert (refused.value, refused.n_items, refused.n_rows) == (pytest.approx(15 / 120), N_ITEMS, 120)
    assert 0 < refused.low < refused.value < refused.high < 1
    for name, one in found.items():
        if name != "refused_rate":
            assert (one.value, one.low) == (0.0, 0.0)
            assert 0 < one.high < 0.2
    by_kind = summarise(refuses, by_kind=True)
    # the kind with its original, as for every metric by kind
    assert by_kind["all / format"]["refused_rate"].value == pytest.approx(15 / 120)


def test_rates_are_shares_of_all_runs_planned():
    table = pl.DataFrame(
        {
            "id": ["a", "a", "b", "b"],
            "variant": ["orig", "para1"] * 2,
            "score": [1.0, None, 0.0, None],
            "status": ["scored", "error", "scored", "missing"],
            "outcome": ["answered", "provider_error", "unreadable", "missing"],
        }
    )
    found = outcome_rates(table)
    assert {name: one.value for name, one in found.items() if one.value} == {
        "unreadable_rate": 0.25,
        "provider_error_rate": 0.25,
        "missing_rate": 0.25,
    }
    assert format_failure_rate(table).value == 0.5


def test_a_wording_that_makes_it_refuse_is_found(refuses):
    found = by_outcome(refuses)
    assert found["outcome"].unique().to_list() == ["refused"]
    caps = found.filter(change="caps").row(0, named=True)
    assert (caps["rate"], caps["excess"], caps["n_rows"]) == (0.5, 0.5, N_ITEMS)
    assert caps["excess_low"] > 0
    assert caps["q"] < 0.001
    assert caps["generalizes"] == "items"
    whole = found.filter(change="").row(0, named=True)
    assert (whole["kind"], whole["rate"], whole["generalizes"]) == ("format", pytest.approx(1 / 6), "both")
    assert found.filter(change="list").is_empty()
    assert by_outcome(refuses.filter(pl.col("outcome") == "answered")).is_empty()


def test_excess_is_beyond_the_original_on_the_same_items(refuses):
    always = refuses.with_columns(outcome=pl.lit("filtered"))
    row = by_outcome(always).filter(change="caps").row(0, named=True)
    assert (row["rate"], row["excess"], row["p"]) == (1.0, 0.0, 1.0)


def test_costs_have_a_p_that_goes_with_their_interval(refuses):
    costs = by_change(refuses)
    caps = costs.filter(change="caps").row(0, named=True)
    assert (caps["delta"], caps["generalizes"]) == (0.5, "items")
    assert caps["delta_low"] > 0
    assert caps["p"] < 0.05
    whole = costs.filter(change="").row(0, named=True)
    # three wordings, of which two cost nothing, do not show what a fourth would cost
    assert whole["generalizes"] == "both"
    assert (whole["delta_low"] < 0, whole["p"] > 0.05) == (True, True)
    fixed = by_change(refuses, generalize="items").filter(change="").row(0, named=True)
    assert (fixed["delta"], fixed["delta_low"] > 0, fixed["p"] < 0.05) == (pytest.approx(1 / 6), True, True)


def test_two_shared_wordings_are_too_few_to_speak_for_others(refuses):
    two = refuses.filter(pl.col("change") != "tabs")
    row = by_change(two).filter(change="").row(0, named=True)
    assert (row["generalizes"], row["reason"]) == (
        "items",
        "2 shared wordings are too few to speak for others",
    )
    asked = by_change(two, generalize="both").filter(change="").row(0, named=True)
    assert (asked["generalizes"], asked["delta_low"], asked["delta_high"]) == ("both", -1.0, 1.0)


def test_q_is_over_all_models_and_kinds(refuses):
    models = pl.concat([refuses.with_columns(model=pl.lit(name)) for name in ("a", "b")])
    (alone,) = by_change(refuses).filter(change="caps")["q"]
    (first, second) = by_change(models).filter(change="caps")["q"]
    assert first == second == pytest.approx(alone)
    one = pl.concat([models.filter(model="a"), models.filter(model="b").with_columns(score=pl.lit(1.0))])
    (q,) = by_change(one).filter(model="a", change="caps")["q"]
    assert q == pytest.approx(2 * alone, rel=0.01)


# ---- what runs without a score could change


def test_bounds_of_accuracy_and_loss():
    table = pl.DataFrame(
        {
            "id": ["a", "a", "b", "b"],
            "variant": ["orig", "para1"] * 2,
            "score": [1.0, None, 1.0, 1.0],
        }
    )
    found = accuracy(table)
    assert (found.value, found.low_if_missing, found.high_if_missing) == (1.0, 0.75, 1.0)
    loss = delta_accuracy(table)
    assert (loss.value, loss.low_if_missing, loss.high_if_missing) == (0.0, 0.0, 0.5)
    assert accuracy_orig(table).low_if_missing is None
    whole = accuracy(table.drop_nulls())
    assert (whole.low_if_missing, whole.high_if_missing) == (None, None)


def test_bounds_count_single_repeats():
    table = pl.DataFrame(
        {"id": "a", "variant": "orig", "repeat": [1, 2, 3, 4], "score": [1.0, 1.0, 0.0, None]}
    )
    found = accuracy_orig(table)
    assert (found.low_if_missing, found.high_if_missing) == (0.5, 0.75)


def test_half_of_the_rewordings_without_a_score_cannot_look_perfect():
    rows = [
        (f"q{item}", name, None if name != "orig" and item % 2 else 1.0)
        for item in range(30)
        for name in ("orig", "para1", "para2")
    ]
    table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
    found = accuracy(table)
    assert (found.value, found.n_missing) == (1.0, 30)
    assert found.low_if_missing == pytest.approx(60 / 90)
    assert delta_accuracy(table).high_if_missing == pytest.approx(0.5)
