"""Goals are read, looks keep the error of a gate, and a run stops when it is decided."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics.sequential import Design, Goal, look, plan_looks, reachable, spent_errors


def test_the_bounds_are_those_of_o_brien_and_fleming() -> None:
    errors = spent_errors([0.2, 0.4, 0.6, 0.8, 1.0])
    bounds = [NormalDist().inv_cdf(1 - error) for error in errors]
    assert bounds == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=0.002)


def test_one_look_spends_all() -> None:
    assert spent_errors([1.0]) == pytest.approx((0.025,))


def test_paths_without_an_effect_cross_as_seldom_as_promised() -> None:
    looks = plan_looks(200)
    bounds = np.array([NormalDist().inv_cdf(1 - error) for error in looks.errors])
    steps = np.diff([0, *looks.items]) / 200
    paths = np.cumsum(np.random.default_rng(1).standard_normal((40_000, len(steps))) * np.sqrt(steps), axis=1)
    crossed = (paths / np.sqrt(np.array(looks.items) / 200) > bounds).any(axis=1).mean()
    assert crossed == pytest.approx(0.025, abs=0.003)


def test_there_are_at_most_twenty_looks_and_the_last_is_at_the_end() -> None:
    assert plan_looks(50).items == (20, 40, 50)
    assert len(plan_looks(10_000).items) == 20
    assert plan_looks(10_000).items[-1] == 10_000
    with pytest.raises(InputError, match="a run that may stop early takes at least two items, got 1"):
        plan_looks(1)


def test_goals() -> None:
    assert Goal.read("gate") == Goal("gate")
    assert Goal.read("excess-flips:0.1").design == Design(3, 1, again=1)
    assert Goal.read("openai/a-b-c:0.05", ["openai/a-b", "c"]).models == ("openai/a-b", "c")
    assert str(Goal.read("flips:0.05")) == "flips:0.05"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accuracy", "a goal is 'gate' or METRIC:WIDTH, got 'accuracy'"),
        ("accuracy:wide", "the width of a goal is a number between 0 and 1, got 'wide' in 'accuracy:wide'"),
        ("accuracy:0", "the width of a goal is a number between 0 and 1, got '0' in 'accuracy:0'"),
        ("speed:0.1", "unknown goal 'speed'"),
    ],
)
def test_wrong_goals(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        Goal.read(text, ["m"])
    assert message in str(refused.value)


def outcomes(n_items: int, chance: float, wordings: int = 5, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    names = ["orig", *(f"para{place}" for place in range(1, wordings))]
    rows = [(f"q{item:03}", name, float(rng.random() < chance)) for item in range(n_items) for name in names]
    return pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")


def test_a_gate_stops_early_where_it_is_clear() -> None:
    looks, goal = plan_looks(200), Goal.read("gate")
    found = look(outcomes(80, 0.99), goal, looks, 3, thresholds={"min_s_prompt": 0.85})
    assert (found.status, found.decided) == ("pass", True)
    assert found.sentence() == "stopped after 80 of 200 items: decided"
    assert found.level == pytest.approx(1 - 2 * looks.errors[3])
    found = look(outcomes(80, 0.5), goal, looks, 3, thresholds={"min_s_prompt": 0.85})
    assert found.status == "fail"


def test_a_gate_goes_on_where_it_is_not() -> None:
    looks, goal = plan_looks(200), Goal.read("gate")
    # the usual interval would decide here
    table = outcomes(20, 0.99)
    assert look(table, goal, looks, 0, thresholds={"min_s_prompt": 0.85}).sentence() == (
        "not decided after 20 of 200 items"
    )
    with pytest.raises(InputError, match="a gate needs a threshold"):
        look(table, goal, looks, 0)


def test_a_width_is_reached_when_the_interval_is_narrow_enough() -> None:
    looks, goal = plan_looks(400), Goal.read("accuracy:0.1")
    early = look(outcomes(20, 0.7, 2), goal, looks, 0)
    assert not early.decided
    assert reachable(early, goal).startswith("20 items give ± 0.1")
    late = look(outcomes(200, 0.7, 2), goal, looks, 9)
    assert late.decided
    assert late.estimate is not None
    assert late.estimate.metric == "accuracy"
    assert late.level == 0.95


def test_two_models() -> None:
    a, b = (
        outcomes(60, chance, 2, seed).with_columns(model=pl.lit(name))
        for seed, (name, chance) in enumerate({"a": 0.9, "b": 0.6}.items())
    )
    goal = Goal.read("a-b:0.2", ["a", "b"])
    found = look(pl.concat([a, b]), goal, plan_looks(60), 2)
    assert found.decided
    assert found.estimate is not None
    assert found.estimate.value is not None
    assert found.estimate.value > 0
