from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from otherwords.core.types import Estimate
from otherwords.report import breaking_wording, most_sensitive, verdict
from otherwords.report.messages import ONE_REPEAT, band_shares, findings, quadrant, ranking, size_text


def estimate(name: str, value: float | None, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(
        name, "m", value, low, high, 4, 8, 0, reason="" if value is not None else "one wording only"
    )


def with_estimates(data: Any, **values: Estimate) -> Any:
    agent = data.agents[0]
    return replace(data, agents=(replace(agent, estimates={**agent.estimates, **values}),))


def test_the_verdict_has_accuracy_interval_and_floor_beside_s_prompt(build: Any) -> None:
    data = with_estimates(
        build(1, 60, missing=0),
        accuracy=estimate("accuracy", 0.64, 0.57, 0.71),
        s_prompt=estimate("s_prompt", 0.91, 0.9, 0.93),
        s_norm=estimate("s_norm", 0.72, 0.66, 0.77),
    )
    found = verdict(data, data.agents[0])
    assert found.numbers == (
        "Right 64% (95% interval 57% to 71%) of the time; S_prompt 0.91 (95% interval 0.90 to 0.93), low "
        "sensitivity, lowest possible value: 0.70; S_norm 0.72 (0.66 to 0.77) on a full scale from 0 to 1."
    )
    moved = data.items.filter(pl.col("min_max_gap") > 0).height
    assert found.headline == f"The score differs between wordings on {moved} of 60 items."
    assert found.band == "high"
    assert (
        "With 6 wordings an item, S_prompt cannot go below 0.70, so high sensitivity is out of reach; "
        "S_norm uses the whole scale."
    ) in found.cautions


def test_one_repeat_says_that_phrasing_and_noise_are_not_separated(build: Any) -> None:
    once = build(1, 5, repeats=1)
    twice = with_estimates(build(1, 5), phrasing_share=estimate("phrasing_share", 0.42, 0.2, 0.61))
    assert ONE_REPEAT in verdict(once, once.agents[0]).cautions
    cautions = verdict(twice, twice.agents[0]).cautions
    assert ONE_REPEAT not in cautions
    assert cautions[0] == (
        "Of the variance between runs of an item, 42% (20% to 61%) comes from phrasing and the rest from "
        "run-to-run noise (the same prompt asked again)."
    )


def test_always_wrong_is_not_praised_for_being_steady(build: Any) -> None:
    data = build(1, 5, chance=0.0, missing=0)
    found = verdict(data, data.agents[0])
    assert found.headline == (
        "The same outcome under every wording on all 5 items: 0 always right, 5 always wrong."
    )
    assert "It is nearly always wrong: robustness means little until it can do the task." in found.cautions
    assert "5 items are always right or always wrong: 0 right, 5 wrong." in found.cautions


def test_no_s_prompt_is_said_with_its_reason(build: Any) -> None:
    data = with_estimates(build(1, 3), s_prompt=estimate("s_prompt", None))
    found = verdict(data, data.agents[0])
    assert found.headline == "Robustness could not be measured: one wording only."
    assert found.band is None


def test_runs_without_a_score_are_counted_by_status(build: Any) -> None:
    data = build(1, 3)
    agent = replace(data.agents[0], statuses={"scored": 1000, "error": 2, "limit": 0, "unscored": 3})
    data = replace(data, agents=(agent,))
    assert "Runs without a score: 5 of 1,005 (2 error, 3 unscored)." in verdict(data, agent).cautions
    agent = replace(agent, unscored={"answered": 2, "provider_error": 3})
    said = "Runs without a score: 5 of 1,005 (2 answered and not scored, 3 provider error)."
    assert said in verdict(replace(data, agents=(agent,)), agent).cautions


def test_sizes_in_words(build: Any) -> None:
    data = build(1, 1, 2, 1, missing=0)
    assert size_text(data, data.agents[0]) == "1 item × 2 wordings × 1 repeat"


def test_the_most_sensitive_items_all_differ_between_wordings(build: Any) -> None:
    data = build(1, 30)
    items = most_sensitive(data, data.agents[0], 5)
    assert len(items) == 5
    assert all(item["min_max_gap"] > 0 for item in items)
    steady = build(1, 5, chance=1.0, missing=0)
    assert most_sensitive(steady, steady.agents[0], 5) == []


def scored(data: Any, **scores: float | None) -> Any:
    rows = [
        {
            "task": "capitals",
            "model": data.agents[0].model,
            "id": "item-001",
            "variant": name,
            "score": score,
            "n": 1,
            "status": "scored",
            "answer": f"answer to {name}",
        }
        for name, score in scores.items()
    ]
    return replace(data, cells=pl.DataFrame(rows, infer_schema_length=None))


def test_the_wording_that_broke_an_item_is_the_worst_one(build: Any) -> None:
    data = scored(build(1, 2), orig=0.5, para1=1.0, para2=0.0)
    found = breaking_wording(data, data.agents[0], "item-001")
    assert found is not None
    assert (found.variant, found.score, found.orig_score, found.broke) == ("para2", 0.0, 0.5, True)
    assert found.prompt == "Name the capital of Portugal."
    assert found.answer == "answer to para2"


def test_where_no_wording_is_worse_the_better_one_is_named(build: Any) -> None:
    data = scored(build(1, 2), orig=0.0, para1=0.0, para2=1.0)
    found = breaking_wording(data, data.agents[0], "item-001")
    assert found is not None
    assert (found.variant, found.broke) == ("para2", False)


@pytest.mark.parametrize(
    "scores", [{"orig": 1.0, "para1": 1.0}, {"para1": 1.0}, {"orig": None, "para1": 0.0}]
)
def test_nothing_broke_it(build: Any, scores: dict[str, float | None]) -> None:
    data = scored(build(1, 2), **scores)
    assert breaking_wording(data, data.agents[0], "item-001") is None


def with_values(data: Any, place: int = 0, **values: Any) -> Any:
    """One agent with some of its estimates set: name=(value, low, high)."""
    agent = data.agents[place]
    found = {
        name: Estimate(name, agent.model, value, low, high, 30, 300, 0)
        for name, (value, low, high) in values.items()
    }
    changed = replace(agent, estimates={**agent.estimates, **found})
    return replace(data, agents=(*data.agents[:place], changed, *data.agents[place + 1 :]))


@pytest.mark.parametrize(
    ("c_out", "s_prompt", "name"),
    [
        (0.9, 0.9, "Deterministic and robust"),
        (0.9, 0.8, "Deterministic but brittle"),
        (0.5, 0.9, "Stochastic but robust"),
        (0.5, 0.8, "Stochastic and brittle"),
    ],
)
def test_the_four_quadrants(build: Any, c_out: float, s_prompt: float, name: str) -> None:
    data = with_values(build(1, 5), c_out=(c_out, None, None), s_prompt=(s_prompt, None, None))
    assert quadrant(data.agents[0]) == name


def test_without_repeats_there_is_no_quadrant(build: Any) -> None:
    assert quadrant(build(1, 5, repeats=1).agents[0]) is None


def test_band_shares_split_off_what_says_nothing(build: Any) -> None:
    data = build(1, 4, missing=0, chance=1.0)
    assert band_shares(data, data.agents[0])["all right"] == 4
    data = build(1, 4, missing=0, chance=0.0)
    assert band_shares(data, data.agents[0])["all wrong"] == 4
    data = build(1, 4, 1, missing=0)
    assert band_shares(data, data.agents[0])["no variance"] == 4


def test_the_ranking_says_when_it_is_not_certain(build: Any) -> None:
    data = build(2, 30)
    near = with_values(data, s_prompt=(0.88, 0.80, 0.95))
    near = with_values(near, 1, s_prompt=(0.86, 0.79, 0.90))
    (line,) = ranking(near)
    assert line.startswith(
        "mock/steady-70b is least affected by wording (S_prompt 0.88 (0.80 to 0.95), "
        "lowest possible value 0.70, accuracy "
    )
    assert line.endswith("; their intervals overlap, so the order is not certain.")
    far = with_values(near, s_prompt=(0.96, 0.94, 0.98))
    assert "overlap" not in ranking(far)[0]
    assert ranking(build(1, 5)) == []


def test_findings_name_only_costs_that_are_certain(build: Any) -> None:
    data = build(1, 30)
    sure = data.kinds.with_columns(delta=pl.lit(0.2), delta_low=pl.lit(0.1), delta_high=pl.lit(0.3))
    found = " ".join(findings(replace(data, kinds=sure)))
    assert "which loses 20.0 (10.0 to 30.0) points of accuracy." in found
    unsure = sure.with_columns(q=pl.lit(0.2))
    assert "no kind of change is known to cost accuracy." in " ".join(findings(replace(data, kinds=unsure)))
