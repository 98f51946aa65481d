"""Which templates are better than which."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics.gate import check_table
from otherwords.metrics.template_ranking import rank_templates, template_spread, template_summaries


def table_of(
    chances: dict[str, float], n_items: int = 60, wordings: tuple[str, ...] = ("orig",), seed: int = 1
):
    """Runs of templates with these chances; in other wordings than the original, 0.3 lower."""
    rng = np.random.default_rng(seed)
    easy = rng.normal(0, 0.1, n_items)
    rows = [
        (name, f"q{i}", wording, float(rng.random() < p + easy[i] - 0.3 * (wording != "orig")))
        for name, p in chances.items()
        for i in range(n_items)
        for wording in wordings
    ]
    return pl.DataFrame(rows, schema=["template", "id", "variant", "score"], orient="row")


def test_equal_templates_are_not_ranked() -> None:
    found = rank_templates(table_of(dict.fromkeys("abcdef", 0.7)))
    assert found.sentence == "No template is better than another; n = 60 items."
    assert found.real == ()
    assert set(found.best) == set("abcdef")
    assert len(found.differences) == 15


def test_false_alarms_are_rare() -> None:
    alarms = [bool(rank_templates(table_of(dict.fromkeys("abcde", 0.7), 30, seed=n)).real) for n in range(40)]
    # 40 simulations of 5%: more than 7 in one of a thousand
    assert sum(alarms) <= 7


def test_a_better_template_is_named_and_what_cannot_be_told_is_said() -> None:
    found = rank_templates(table_of({"good": 0.85, "better": 0.9, "bad": 0.3}))
    assert [one.template for one in found.templates][-1] == "bad"
    assert set(found.best) == {"good", "better"}
    assert {(one.a, one.b) for one in found.real} == {("good", "bad"), ("better", "bad")}
    assert "is better than bad by" in found.sentence
    assert "is better cannot be told; n = 60 items." in found.sentence
    # the pairs' differences are those of the accuracies, where all have the same items
    accuracy = {one.template: one.accuracy.value or 0.0 for one in found.templates}
    for one in found.differences:
        assert one.difference.value == pytest.approx(accuracy[one.a] - accuracy[one.b])


def test_users_wordings_give_a_loss_and_a_worst_part() -> None:
    found = rank_templates(table_of({"a": 0.9, "b": 0.9}, 50, ("orig", "casual", "terse", "formal")))
    for one in found.templates:
        assert one.loss.value == pytest.approx(0.3, abs=0.12)
        assert (one.loss.low or 0) > 0
        assert one.worst.value is not None
        assert (one.worst.value or 0) < (one.accuracy.value or 0)
    alone = rank_templates(table_of({"a": 0.9, "b": 0.9}).drop("variant")).templates[0]
    assert alone.loss.reason == "no item was asked in its own wording and in another one"
    assert alone.worst.reason == "it takes at least 3 user wordings, and there are 1"


def test_pairs_are_compared_on_what_both_were_asked() -> None:
    table = table_of({"a": 0.5, "b": 0.5})
    # b was asked the easy half only: its mean is higher, and nothing follows
    kept = table.filter(
        (pl.col("template") == "a")
        | pl.col("id").is_in(
            table.filter((pl.col("template") == "a") & (pl.col("score") == 1))["id"].to_list()
        )
    )
    easy = kept.with_columns(score=pl.when(pl.col("template") == "b").then(1.0).otherwise(pl.col("score")))
    found = rank_templates(easy)
    (difference,) = found.differences
    assert difference.difference.value == 0
    assert found.sentence == "No template is better than another; n = 60 items."
    apart = table.filter((pl.col("template") == "a") == pl.col("id").is_in(["q1", "q2", "q3"]))
    (none,) = rank_templates(apart).differences
    assert (none.difference.value, none.p) == (None, None)
    assert none.difference.reason == "they have no item and user wording in common"


def test_bad_tables() -> None:
    with pytest.raises(
        InputError, match="a ranking takes at least two templates with a score, and there is 1"
    ):
        rank_templates(table_of({"a": 0.5}))
    with pytest.raises(
        InputError, match="a ranking takes at least two templates with a score, and there are 0"
    ):
        rank_templates(table_of({"a": 0.5}).drop("template"))
    with pytest.raises(InputError, match="the table lacks the column id"):
        rank_templates(table_of({"a": 0.5, "b": 0.5}).drop("id"))


def test_the_spread_of_equal_templates_is_not_their_range() -> None:
    """A gate on the spread fails by chance in at most 2.5% of tables, and its value is not the raw range."""
    failed, values, ranges = 0, [], []
    for seed in range(60):
        table = table_of(dict.fromkeys("abcdef", 0.7), 40, seed=seed).with_columns(variant=pl.col("template"))
        spread, p = template_spread(table)
        assert spread.value is not None
        assert spread.low is not None
        assert spread.high is not None
        assert p is not None
        assert spread.low <= spread.value <= spread.high
        assert (spread.low > 0) == (p <= 0.025)
        (told,) = check_table(table, {"max_template_spread": 0.0}).decisions
        failed += told.status == "fail"
        values.append(spread.value)
        means = table.group_by("template").agg(pl.col("score").mean())["score"].to_numpy()
        ranges.append(float(np.ptp(means)))
    # 60 tables at 2.5%: more than 5 in one of a thousand
    assert failed <= 5
    assert np.mean(values) < 0.5 * np.mean(ranges)


def test_the_spread_of_templates_that_differ() -> None:
    spread, p = template_spread(table_of({"a": 0.9, "b": 0.9, "c": 0.4}, 200), at_most=0.1)
    assert spread.value == pytest.approx(0.5, abs=0.08)
    assert spread.low is not None
    assert spread.low > 0.3
    assert p is not None
    assert p < 1e-6
    assert spread.generalizes == "items"


def test_runs_without_a_score_bound_the_spread() -> None:
    table = table_of({"a": 0.6, "b": 0.6}, 50)
    lost = table.with_columns(score=pl.when(pl.col("id") < "q2").then(None).otherwise(pl.col("score")))
    spread, _ = template_spread(lost)
    assert spread.n_missing == lost["score"].null_count()
    assert spread.low_if_missing is not None
    assert spread.high_if_missing is not None
    assert spread.low_if_missing <= (spread.value or 0.0) <= spread.high_if_missing
    assert spread.high_if_missing > 0.2


def test_a_design_without_templates_has_shares_and_no_ranking() -> None:
    rows = [
        (f"q{i}", f"{w}+{f}", f"wording={w};format={f}", float(i % 2 == 0 or f == "orig"))
        for i in range(30)
        for w in ("orig", "para1")
        for f in ("orig", "caps")
    ]
    table = pl.DataFrame(rows, schema=["id", "variant", "levels", "score"], orient="row")
    (found,) = template_summaries(table)
    assert found.ranking is None
    assert found.spread is None
    assert found.attribution is not None
    assert found.attribution["format"].found
    assert not found.attribution["wording"].found
    assert template_summaries(table.drop("levels")) == ()
