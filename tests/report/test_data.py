from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.core.table import largest_variance


@pytest.mark.parametrize(
    ("wordings", "floor"), [(2, 0.5), (3, 2 / 3), (4, 2 / 3), (5, 0.7), (6, 0.7), (1001, 0.75)]
)
def test_floor_is_one_minus_the_largest_variance(wordings: int, floor: float) -> None:
    assert 1 - largest_variance(wordings) == pytest.approx(floor, abs=1e-3)


def test_floor_averages_over_items_with_different_numbers_of_wordings(build: Any) -> None:
    data = build(1, 2, 6, missing=0)
    uneven = replace(data, items=data.items.with_columns(n_variants=pl.Series([2, 6])))
    assert uneven.floor(uneven.agents[0]) == pytest.approx((0.5 + 0.7) / 2)
    assert uneven.wordings_range(uneven.agents[0]) == (2, 6)


def test_no_floor_where_no_item_has_two_wordings(build: Any) -> None:
    data = build(1, 2, 6, missing=0)
    single = replace(data, items=data.items.with_columns(n_variants=pl.lit(1)))
    assert single.floor(single.agents[0]) is None


def test_items_of_an_agent_come_by_evidence(build: Any) -> None:
    data = build(2, 20)
    items = data.items_of(data.agents[1])
    assert set(items["model"]) == {data.agents[1].model}
    assert items["probability"].to_list() == sorted(items["probability"], reverse=True)


def test_the_original_is_the_first_wording(build: Any) -> None:
    data = build(1, 2, 4)
    shuffled = replace(data, wordings=data.wordings.reverse())
    assert shuffled.variants_of("capitals") == ["orig", "pert:punct", "para2", "para1"]


def test_the_benchmark_is_in_the_name_only_when_there_are_several(build: Any) -> None:
    data = build(2, 2)
    assert data.name(data.agents[0]) == "mock/steady-70b"
    two = replace(data, agents=(data.agents[0], replace(data.agents[1], task="rivers")))
    assert [two.name(agent) for agent in two.agents] == [
        "mock/steady-70b · capitals",
        "mock/wobbly-7b · rivers",
    ]


def test_optional_columns_are_filled_with_nulls(build: Any) -> None:
    data = build(1, 2, cells=build(1, 2).cells.drop("log"))
    assert data.cells["log"].null_count() == data.cells.height


def test_a_frame_of_nothing_is_an_empty_one(build: Any) -> None:
    data = build(1, 2, kinds=pl.DataFrame())
    assert data.kinds.height == 0
    assert "delta" in data.kinds.columns


def test_a_frame_without_a_needed_column_is_refused(build: Any) -> None:
    kinds = build(1, 2).kinds.select("task", "model", "kind")
    with pytest.raises(InputError) as caught:
        build(1, 2, kinds=kinds)
    assert str(caught.value) == (
        "the report's frame 'kinds' lacks the columns accuracy, delta, delta_low, delta_high, n_items\n"
        "It has: task, model, kind."
    )


def test_an_agent_twice_on_one_benchmark_is_refused(build: Any) -> None:
    data = build(1, 2)
    with pytest.raises(InputError) as caught:
        replace(data, agents=data.agents * 2)
    assert str(caught.value) == "agent 'mock/steady-70b' appears twice on benchmark 'capitals'"


def test_a_report_about_nobody_is_refused(build: Any) -> None:
    data = build(1, 2)
    with pytest.raises(InputError) as caught:
        replace(data, agents=())
    assert str(caught.value) == "a report needs at least one agent with results"
