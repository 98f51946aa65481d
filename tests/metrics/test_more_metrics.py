"""Repeats, faults, controls, several wordings at once, several agents: by hand."""

from __future__ import annotations

from math import comb

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics import (
    agreement,
    best_at_k,
    c_out,
    correlations,
    excess_flips,
    mean_variance,
    pdr,
    r_fault,
    r_prompt,
    rank_stability,
    responsiveness,
    robust_at_k,
    s_corrected,
    s_prompt,
    std_variance,
    summarise,
    variance_components,
)


def runs(
    cells: dict[tuple[str, str], list[float | None]], kind: str | None = None, **columns: object
) -> pl.DataFrame:
    rows = [
        {"id": item, "variant": variant, "repeat": repeat, "score": score}
        for (item, variant), scores in cells.items()
        for repeat, score in enumerate(scores, start=1)
    ]
    schema = {"id": pl.String, "variant": pl.String, "repeat": pl.Int64, "score": pl.Float64}
    columns = {"kind": kind} if kind else {} | columns
    return pl.DataFrame(rows, schema=schema).with_columns(
        pl.lit(value).alias(name) for name, value in columns.items()
    )


def test_the_same_prompt_again():
    table = runs({("a", "orig"): [1, 1, 0, 1], ("a", "p"): [0, 0], ("b", "orig"): [1, 0], ("c", "orig"): [1]})
    a, b = ((2 * 0.75 - 1) ** 2 + 1) / 2, 0.0
    found = c_out(table)
    assert found.value == pytest.approx((a + b) / 2)
    assert (found.n_items, found.n_rows) == (2, 8)
    assert found.reason.startswith("1 of 3 items left out: no wording with two repeats")
    unbiased = ((1 - 4 * 0.25) + 1) / 2, 1 - 4 * 0.5
    assert c_out(table, ddof=1).value == pytest.approx(sum(unbiased) / 2)
    once = c_out(table.filter(pl.col("repeat") == 1))
    assert (once.value, once.reason) == (None, "no wording was run twice; rerun with --repeats 3")


def test_c_out_corrected_is_unbiased_where_the_definition_is_not():
    """A coin with p = 0.7 and two repeats: (2p − 1)² is 0.16; the definition expects 0.16 + 4 · 0.21 / 2."""
    rng = np.random.default_rng(1)
    table = runs({(f"q{t}", "orig"): (rng.random(2) < 0.7).astype(float).tolist() for t in range(4000)})
    assert c_out(table, ddof=1, resamples=0).value == pytest.approx(0.16, abs=0.05)
    assert c_out(table, resamples=0).value == pytest.approx(0.58, abs=0.03)


def test_accuracy_left_over(table_of):
    table = table_of({"a": [1, 0, 1], "b": [0.5, 1, 1]})
    assert r_prompt(table).value == pytest.approx((0.5 + 1) / 1.5)
    more = table_of({"a": [0.5, 1], "b": [0.5, 1]})
    assert (r_prompt(more).value, r_prompt(more, clamp=True).value, pdr(more).value) == (2.0, 1.0, -1.0)
    nothing = r_prompt(table_of({"a": [0, 1], "b": [0, 0]}))
    assert (nothing.value, nothing.low, nothing.reason) == (
        None,
        None,
        "the original wordings score 0, and nothing can be a share of that",
    )


def test_accuracy_under_faults():
    calm = runs(
        {("a", "orig"): [1, 1], ("a", "p"): [0], ("b", "orig"): [1], ("c", "orig"): [1]}, kind="paraphrase"
    )
    faults = runs({("a", "fault:timeout"): [0], ("a", "api"): [0.5], ("b", "api"): [0.5]}, kind="fault")
    found = r_fault(pl.concat([calm, faults]))
    assert found.value == pytest.approx((0.25 + 0.5) / (0.5 + 1))
    assert (found.n_items, found.n_rows, found.n_missing) == (2, 7, 0)
    assert r_fault(pl.concat([calm, faults]), clamp=True).value == found.value
    assert r_fault(calm).reason == "no item has a score both under a fault and without"
    beside = s_prompt(pl.concat([calm, faults]))
    assert (beside.value, s_prompt(calm).value) == (0.5, 0.5)
    assert "3 rows under faults are not part of it" in beside.reason
    none = r_fault(pl.concat([calm.with_columns(score=pl.lit(0.0)), faults]))
    assert none.reason == "the scores without faults are 0, and nothing can be a share of that"


def answers(cells: dict[tuple[str, str], list[str]]) -> pl.DataFrame:
    rows = [
        {"id": item, "variant": variant, "repeat": repeat, "score": 0.0, "answer": answer}
        for (item, variant), given in cells.items()
        for repeat, answer in enumerate(given, start=1)
    ]
    return pl.DataFrame(rows)


def test_flips_beyond_those_of_asking_again():
    table = answers(
        {("a", "orig"): ["x", "x", "y"], ("a", "p"): ["y"], ("b", "orig"): ["z"], ("b", "p"): ["w"]}
    )
    found = excess_flips(table)
    assert found.value == pytest.approx(2 / 3 - 2 / 3)
    assert found.n_items == 1
    assert found.reason.startswith(
        "1 of 2 items left out: no answer to the original or to any other wording, or the original was "
        "answered once"
    )
    once = excess_flips(answers({("a", "orig"): ["x"], ("a", "p"): ["y"]}))
    assert once.reason == "no original was answered twice; rerun with --repeats 3"


def test_excess_flips_of_a_coin_are_zero():
    rng = np.random.default_rng(2)
    cells = {
        (f"q{t}", v): [str(n) for n in rng.integers(0, 3, 2)] for t in range(3000) for v in ("orig", "a", "b")
    }
    assert excess_flips(answers(cells), resamples=0).value == pytest.approx(0.0, abs=0.03)


def test_controls_must_change_the_answer():
    table = answers(
        {
            ("a", "orig"): ["x"],
            ("a", "p"): ["x"],
            ("a", "control:n"): ["y"],
            ("b", "orig"): ["x"],
            ("b", "control:n"): ["x"],
            ("b", "control:m"): ["y"],
            ("c", "control:n"): ["y"],
        }
    )
    found = responsiveness(table)
    assert (found.value, found.n_items, found.n_rows) == (0.75, 2, 5)
    assert found.reason.startswith(
        "1 of 3 items left out: no answer to the original or to any negative control"
    )
    assert responsiveness(table.filter(~pl.col("variant").str.starts_with("control"))).reason == (
        "no item has an answer both to the original and to a negative control"
    )


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_k_wordings_drawn_at_random(table_of, k):
    right = {"a": 4, "b": 2, "c": 0, "d": 3}
    table = table_of({item: [1] * c + [0] * (4 - c) for item, c in right.items()})
    robust = np.mean([comb(c, k) / comb(4, k) for c in right.values()])
    best = np.mean([1 - comb(4 - c, k) / comb(4, k) for c in right.values()])
    assert robust_at_k(table, k=k).value == pytest.approx(robust)
    assert best_at_k(table, k=k).value == pytest.approx(best)
    assert robust_at_k(table, k=k).reason.startswith(f"k = {k}")


def test_k_beyond_the_wordings_there_are(table_of):
    found = robust_at_k(table_of({"a": [1, 1], "b": [1, 1, 0]}))
    assert (found.value, found.n_items) == (0.0, 1)
    assert found.reason.startswith("1 of 2 items left out: fewer than 3 wordings with a score")
    assert robust_at_k(table_of({"a": [1, 1]}), k=5).reason == "no item has 5 wordings with a score"
    with pytest.raises(InputError, match=r"^k must be at least 1, got 0$"):
        best_at_k(table_of({"a": [1, 1]}), k=0)


def fleiss(table: list[list[str]]) -> float:
    """The textbook: rows are items, one answer a wording."""
    categories = sorted({answer for row in table for answer in row})
    counts = np.array([[row.count(one) for one in categories] for row in table], dtype=float)
    n = counts.sum(axis=1)[0]
    agree = ((counts**2).sum(axis=1) - n) / (n * (n - 1))
    chance = np.sum((counts.sum(axis=0) / counts.sum()) ** 2)
    return float((agree.mean() - chance) / (1 - chance))


@pytest.mark.parametrize("n_answers", [2, 4, 30])
def test_kappa_is_the_textbooks(n_answers):
    rng = np.random.default_rng(n_answers)
    given = [
        [str(rng.integers(n_answers)) if rng.random() < 0.6 else "0" for _ in range(4)] for _ in range(40)
    ]
    cells = {(f"q{t}", f"v{v}"): [answer] for t, row in enumerate(given) for v, answer in enumerate(row)}
    found = agreement(answers(cells))
    assert found["fleiss_kappa"].value == pytest.approx(fleiss(given))
    assert found["fleiss_kappa"].low < found["fleiss_kappa"].value < found["fleiss_kappa"].high


def test_agreement_at_its_ends():
    same = agreement(answers({(q, v): ["x"] for q in "ab" for v in ("orig", "p1", "p2")}))
    assert (same["pairwise_agreement"].value, same["answer_entropy"].value) == (1.0, 0.0)
    assert same["fleiss_kappa"].value is None
    assert same["fleiss_kappa"].reason == "every answer is the same one, so chance alone would agree"
    all_apart = agreement(answers({("a", "orig"): ["x"], ("a", "p1"): ["y"], ("a", "p2"): ["z"]}))
    assert (all_apart["pairwise_agreement"].value, all_apart["answer_entropy"].value) == (
        0.0,
        pytest.approx(1.0),
    )


def test_variances_over_items(table_of):
    table = table_of({"a": [1, 0], "b": [1, 1], "c": [0, 0]})
    assert mean_variance(table).value == pytest.approx(0.5 / 3)
    assert mean_variance(table).value == pytest.approx(1 - s_prompt(table).value)
    assert std_variance(table).value == pytest.approx(np.std([0.5, 0, 0], ddof=1))
    assert std_variance(table, ddof=0).value == pytest.approx(np.std([0.25, 0, 0]))
    assert std_variance(table_of({"a": [1, 0]})).reason == "the spread of items takes at least two items"


def test_corrected_is_one_minus_phrasing():
    rng = np.random.default_rng(3)
    table = runs({(f"q{t}", f"v{v}"): rng.integers(0, 2, 3).tolist() for t in range(20) for v in range(4)})
    phrasing, corrected = variance_components(table)["phrasing"], s_corrected(table)
    assert corrected.value == pytest.approx(1 - phrasing.value)
    assert (corrected.low, corrected.high) == pytest.approx((1 - phrasing.high, 1 - phrasing.low), abs=0.004)


def agents_table(n_agents: int, repeats: int = 2, n_items: int = 60, seed: int = 4) -> pl.DataFrame:
    """Better agents are steadier too: accuracy and S_prompt rise together."""
    rng = np.random.default_rng(seed)
    rows = []
    for agent in range(n_agents):
        for item in range(n_items):
            for variant in ("orig", "p1", "p2", "fault:x"):
                chance = 0.45 + 0.5 * agent / max(n_agents - 1, 1)
                rows += [
                    (f"agent{agent}", f"q{item:02}", variant, repeat, float(rng.random() < chance))
                    for repeat in range(1, repeats + 1)
                ]
    schema = ["model", "id", "variant", "repeat", "score"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_correlations_over_agents_and_items():
    found = correlations(agents_table(5), resamples=300)
    over_agents = {(one.x, one.y): one.estimate for one in found if one.across == "agents"}
    assert len(over_agents) == 6
    both = over_agents["s_prompt", "accuracy"]
    values = summarise(agents_table(5), resamples=0)
    by_hand = np.corrcoef(
        [values[f"agent{n}"]["s_prompt"].value for n in range(5)],
        [values[f"agent{n}"]["accuracy"].value for n in range(5)],
    )[0, 1]
    assert both.value == pytest.approx(by_hand)
    assert both.low > 0.5
    assert (both.n_items, both.reason) == (60, "5 agents")
    over_items = [one for one in found if one.across == "items"]
    assert {one.group for one in over_items} == {f"agent{n}" for n in range(5)}
    ranks = correlations(agents_table(5), method="spearman", resamples=0)
    assert all(one.estimate.value is None or -1 <= one.estimate.value <= 1 for one in ranks)


def test_over_two_agents_there_is_no_correlation(table_of):
    found = correlations(agents_table(2), resamples=0)
    reasons = {one.estimate.reason for one in found if one.across == "agents"}
    assert reasons == {"2 agents have both; a correlation over agents takes 3"}
    assert all(one.estimate.value is None for one in found if one.across == "agents")
    flat = correlations(table_of({"a": [1, 1], "b": [0, 0], "c": [1, 1]}), resamples=0)
    by_pair = {(one.x, one.y): one.estimate.reason for one in flat if one.across == "items"}
    assert by_pair["s_prompt", "accuracy"] == "one of the two does not vary"
    assert by_pair["s_prompt", "c_out"] == "0 items have both; it takes 3"
    with pytest.raises(InputError, match=r"^method must be 'pearson' or 'spearman', got 'kendall'$"):
        correlations(table_of({}), method="kendall")


def test_item_correlation_is_numpys():
    table = agents_table(1, n_items=80)
    from otherwords.metrics import by_item

    items = by_item(table).select("s_task", "accuracy").drop_nulls()
    for method, values in (("pearson", items), ("spearman", items.select(pl.all().rank()))):
        found = correlations(table, method=method, resamples=0)
        one = next(one for one in found if (one.x, one.y, one.across) == ("s_prompt", "accuracy", "items"))
        assert one.estimate.value == pytest.approx(np.corrcoef(values.to_numpy().T)[0, 1])


def test_a_clear_ranking_is_stable_and_a_tie_is_not():
    clear = rank_stability(agents_table(3), resamples=200)
    assert clear.agents == ("agent2", "agent1", "agent0")
    assert clear.tau.value > 0.95
    assert clear.rerun_tau.value > 0.95
    assert [(one.a, one.b) for one in clear.beats] == [
        ("agent1", "agent0"),
        ("agent2", "agent0"),
        ("agent2", "agent1"),
    ]
    assert all(one.chance.value > 0.95 for one in clear.beats)
    twins = agents_table(1).with_columns(model=pl.lit("a"))
    same = rank_stability(
        pl.concat([twins, agents_table(1, seed=9).with_columns(model=pl.lit("b"))]), resamples=200
    )
    assert abs(same.tau.value) < 0.6
    assert 0.1 < same.beats[0].chance.value < 0.9
    assert rank_stability(agents_table(3), resamples=200) == clear


def test_wordings_that_decide_the_ranking_are_told_from_noise():
    """Each agent is good at one wording: other wordings turn the ranking, asking again does not."""
    rows = [
        (model, f"q{t:02}", variant, repeat, float((model == "a") == (variant == "orig")))
        for model in ("a", "b")
        for t in range(40)
        for variant in ("orig", "p")
        for repeat in (1, 2)
    ]
    table = pl.DataFrame(rows, schema=["model", "id", "variant", "repeat", "score"], orient="row")
    found = rank_stability(table, resamples=100)
    assert found.rerun_tau.value > 0.7
    assert found.tau.value < -0.7
    assert found.beats[0].chance.value == pytest.approx(0.5)


def test_a_ranking_needs_agents_wordings_and_repeats(table_of):
    assert rank_stability(agents_table(1)).tau.reason == "a ranking takes two agents"
    once = rank_stability(agents_table(2, repeats=1), resamples=50)
    assert once.tau.value is not None
    assert once.rerun_tau.reason == "no wording was run twice by every agent; rerun with --repeats 3"
    apart = pl.concat([table_of({"a": [1, 0]}, model="m"), table_of({"b": [1, 0]}, model="n")])
    assert rank_stability(apart).tau.reason == (
        "no item has two wordings that every agent has a score for; 4 wordings are not scored for every agent"
    )
