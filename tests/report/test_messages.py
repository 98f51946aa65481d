from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from otherwords.core.types import Estimate
from otherwords.core.verdict import EFFECTS, ChangeLoss
from otherwords.report import breaking_wording, headlines, most_sensitive
from otherwords.report.messages import NOT_ROBUST, band_shares, quadrant, size_text


def test_sizes_in_words(build: Any) -> None:
    data = build(1, 1, 2, 1, missing=0)
    assert size_text(data, data.agents[0]) == "1 item × 2 wordings × 1 repeat"


def test_sensitive_items_are_those_of_the_verdict_and_there_are_none_without_an_effect(build: Any) -> None:
    data = build(2, 60, repeats=5)
    agent = data.agents[1]
    assert agent.verdict.effect in ("small", "large")
    items = most_sensitive(data, agent, 5)
    assert {item["id"] for item in items} <= {one.id for one in agent.verdict.items}
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
def test_the_four_quadrants_call_nothing_robust_that_the_verdict_does_not(
    build: Any, c_out: float, s_prompt: float, name: str
) -> None:
    data = with_values(
        build(1, 200, repeats=3, chance=0.97, missing=0),
        c_out=(c_out, None, None),
        s_prompt=(s_prompt, None, None),
    )
    (agent,) = data.agents
    assert agent.verdict.robust
    assert quadrant(agent) == name
    found = replace(agent, verdict=replace(agent.verdict, effect="small"))
    assert not found.verdict.robust
    assert quadrant(found) == (NOT_ROBUST if "robust" in name else name)


def test_without_repeats_there_is_no_quadrant(build: Any) -> None:
    assert quadrant(build(1, 5, repeats=1).agents[0]) is None


def test_band_shares_split_off_what_says_nothing(build: Any) -> None:
    data = build(1, 4, missing=0, chance=1.0)
    assert band_shares(data, data.agents[0])["all right"] == 4
    data = build(1, 4, missing=0, chance=0.0)
    assert band_shares(data, data.agents[0])["all wrong"] == 4
    data = build(1, 4, 1, missing=0)
    assert band_shares(data, data.agents[0])["no variance"] == 4


def test_headlines_begin_with_what_was_found(build: Any) -> None:
    data = build(3, 60)
    effects = [
        replace(agent.verdict, effect=effect) for agent, effect in zip(data.agents, EFFECTS[:3], strict=True)
    ]
    agents = [replace(agent, verdict=one) for agent, one in zip(data.agents, effects, strict=True)]
    none, small, large = effects
    assert headlines(replace(data, agents=tuple(agents))) == [one.sentence for one in (large, small, none)]


def test_the_first_item_shows_what_the_verdict_says(build: Any) -> None:
    data = build(1, 40, missing=0)
    agent = data.agents[0]
    worst = ChangeLoss("format", "punct", agent.verdict.loss)
    data = replace(data, agents=(replace(agent, verdict=replace(agent.verdict, worst=worst)),))
    items = data.items_of(data.agents[0])
    assert items["probability"].round(2).is_sorted(descending=True)
    alike = items.filter(pl.col("probability").round(2) == round(items["probability"][0], 2))
    assert alike["worst_loss"].is_sorted(descending=True)
    cells = data.cells_of(agent)
    for row in items.head(5).iter_rows(named=True):
        scores = dict(cells.filter(id=row["id"]).select("variant", "score").iter_rows())
        assert row["worst_loss"] == pytest.approx(scores["orig"] - scores["pert:punct"])
