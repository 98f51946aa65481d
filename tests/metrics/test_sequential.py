"""Goals are read, looks keep the error of a gate, and a run stops when it is decided."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.metrics.error_spending import Looks, plan_looks
from otherwords.metrics.sequential import Design, Goal, StoppingRule

GATE = {"min_s_prompt": 0.85}


def bounds(looks: Looks) -> list[float]:
    return [NormalDist().inv_cdf(1 - error) for error in looks.errors if error > 1e-15]


def test_the_bounds_are_those_of_o_brien_and_fleming() -> None:
    assert bounds(plan_looks(100)) == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=0.002)


def test_one_look_spends_all() -> None:
    assert plan_looks(10).errors == pytest.approx((0.025,))


def crossed(looks: Looks) -> np.ndarray:
    """For each of many paths without an effect, the place of the first look that a bound is crossed at."""
    steps = np.diff([0, *looks.items])
    rng = np.random.default_rng(1)
    paths = np.cumsum(rng.standard_normal((40_000, len(steps))) * np.sqrt(steps), axis=1)
    spread = np.sqrt(np.array(looks.items))
    limits = np.array([NormalDist().inv_cdf(1 - max(error, 1e-16)) for error in looks.errors])
    over = paths / spread > limits
    return np.where(over.any(axis=1), over.argmax(axis=1), len(steps))


def test_paths_without_an_effect_cross_as_seldom_as_promised() -> None:
    assert (crossed(plan_looks(200)) < 10).mean() == pytest.approx(0.025, abs=0.003)


def test_a_maximum_that_is_raised_on_the_way_keeps_the_error() -> None:
    looks = plan_looks(400, earlier=[(200, 100)])
    assert looks.items == tuple(range(20, 401, 20))
    assert looks.errors[:5] == pytest.approx(plan_looks(200).errors[:5])
    # what was spent by then is more than the new plan would have, so that it has to wait
    assert max(looks.errors[5:7]) < 1e-9
    assert (crossed(looks) < 20).mean() == pytest.approx(0.025, abs=0.003)


def test_a_maximum_that_is_raised_at_its_end_adds_to_the_error_and_the_rule_says_so() -> None:
    rule = StoppingRule(Goal.read("gate"), 400, GATE, earlier=((200, 200),))
    assert rule.error == 0.05
    assert (crossed(rule.looks) < 20).mean() == pytest.approx(0.05, abs=0.004)


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
        (
            "accuracy",
            "'accuracy' is no goal. Known: gate, accuracy:WIDTH, loss:WIDTH, flips:WIDTH, "
            "excess-flips:WIDTH, s_prompt:WIDTH, phrasing:WIDTH.\nFor example: --until accuracy:0.05",
        ),
        ("accuracy:wide", "the width of a goal is a number between 0 and 1, got 'wide' in 'accuracy:wide'"),
        ("accuracy:0", "the width of a goal is a number between 0 and 1, got '0' in 'accuracy:0'"),
        (
            "speed:0.1",
            "unknown goal 'speed'. Known: accuracy, excess-flips, flips, gate, loss, phrasing, s_prompt.",
        ),
    ],
)
def test_wrong_goals(text: str, message: str) -> None:
    with pytest.raises(InputError) as refused:
        Goal.read(text, ["m"])
    assert str(refused.value) == message


def outcomes(n_items: int, chance: float, wordings: int = 5, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    names = ["orig", *(f"para{place}" for place in range(1, wordings))]
    rows = [(f"q{item:03}", name, float(rng.random() < chance)) for item in range(n_items) for name in names]
    return pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")


def test_a_gate_stops_early_where_it_is_clear() -> None:
    rule = StoppingRule(Goal.read("gate"), 200, GATE)
    found = rule.look(outcomes(80, 0.99), 80)
    assert (found.status, found.decided) == ("pass", True)
    assert found.sentence() == "stopped after 80 of 200 items: decided"
    assert found.error == rule.looks.errors[3]
    assert rule.told(found).startswith(
        "stopped after 80 of 200 items: decided: pass; min-s-prompt: wanted at least 0.85, the low end is "
    )
    assert rule.look(outcomes(80, 0.5), 80).status == "fail"


def test_a_gate_goes_on_where_it_is_not() -> None:
    rule = StoppingRule(Goal.read("gate"), 200, GATE)
    # the usual interval would decide here
    found = rule.look(outcomes(40, 0.99), 40)
    assert found.sentence() == "not decided after 40 of 200 items"


def test_between_two_looks_nothing_is_decided() -> None:
    rule = StoppingRule(Goal.read("gate"), 200, GATE)
    assert not rule.look(outcomes(199, 0.99), 199).decided
    width = StoppingRule(Goal.read("accuracy:0.1"), 200)
    assert not width.look(outcomes(199, 0.9), 199).decided
    assert width.look(outcomes(200, 0.9), 200).sentence() == "decided with all 200 items"


def test_a_width_is_reached_when_the_interval_is_narrow_enough() -> None:
    rule = StoppingRule(Goal.read("accuracy:0.1"), 400)
    early = rule.look(outcomes(20, 0.7, 2), 20)
    assert not early.decided
    assert rule.needed(early) == "20 items give ± 0.159; ± 0.1 takes about 51 items"
    late = rule.look(outcomes(200, 0.7, 2), 200)
    assert late.decided
    assert late.estimate is not None
    assert late.estimate.metric == "accuracy"
    assert rule.needed(late) == ""


def test_two_models() -> None:
    a, b = (
        outcomes(60, chance, 2, seed).with_columns(model=pl.lit(name))
        for seed, (name, chance) in enumerate({"a": 0.9, "b": 0.6}.items())
    )
    rule = StoppingRule(Goal.read("a-b:0.2", ["a", "b"]), 60)
    found = rule.look(pl.concat([a, b]), 60)
    assert found.decided
    assert found.estimate is not None
    assert found.estimate.value is not None
    assert found.estimate.value > 0


def test_a_rule_is_kept_and_read_again() -> None:
    rule = StoppingRule(Goal.read("gate"), 400, GATE, earlier=((200, 60),), generalize="items")
    assert StoppingRule.from_json(rule.to_json()) == rule
    two = StoppingRule(Goal.read("a-b:0.2", ["a", "b"]), 60)
    assert StoppingRule.from_json(two.to_json()) == two
    with pytest.raises(ValueError, match="is no rule by which a run stops"):
        StoppingRule.from_json({**rule.to_json(), "generalize": "all"})


@pytest.mark.parametrize(
    ("goal", "least", "items"),
    [("accuracy", "0.045", "220"), ("loss", "0.056", "280"), ("phrasing", "0.014", "67")],
)
def test_a_width_that_no_answers_could_reach_is_refused(goal: str, least: str, items: str) -> None:
    rule = StoppingRule(Goal.read(f"{goal}:0.01"), 50)
    with pytest.raises(InputError) as refused:
        rule.require_reachable(rule.goal.design)
    assert str(refused.value) == (
        f"{goal}:0.01 cannot be reached with 50 items: even if all answers were alike, they would give "
        f"± {least}\nAsk for a width of {least} or more, or give about {items} items."
    )
    enough = StoppingRule(Goal.read(f"{goal}:{least}"), 50)
    enough.require_reachable(enough.goal.design)


def test_a_gate_without_thresholds_or_with_an_unknown_one_is_refused() -> None:
    with pytest.raises(InputError, match="a gate needs a threshold"):
        StoppingRule(Goal.read("gate"), 50).require_reachable(Design(5, 1))
    with pytest.raises(InputError, match="unknown metric 'speed'"):
        StoppingRule(Goal.read("gate"), 50, {"min_speed": 1}).require_reachable(Design(5, 1))
