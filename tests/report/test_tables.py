from __future__ import annotations

import csv
import io
from typing import Any

import pytest

from otherwords.report.escape import visible
from otherwords.report.tables import agent_level_csv, task_level_csv


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_task_level_has_the_known_columns_and_a_row_per_item_and_agent(build: Any) -> None:
    data = build(2, 7)
    rows = read(task_level_csv(data))
    assert list(rows[0])[:8] == (
        ["agent", "benchmark", "task_id", "n_variations", "mean_score", "variance", "s_task", "min_max_gap"]
    )
    assert len(rows) == 14
    assert [float(row["variance"]) for row in rows] == pytest.approx(data.items["variance"].to_list())


def test_all_right_and_all_wrong_items_are_marked(build: Any) -> None:
    rows = read(task_level_csv(build(1, 4, chance=1.0, missing=0)))
    assert {row["uninformative"] for row in rows} == {"true"}


def test_agent_level_has_the_known_columns(build: Any) -> None:
    data = build(2, 7)
    rows = read(agent_level_csv(data))
    assert list(rows[0])[:11] == [
        "agent",
        "benchmark",
        "s_prompt",
        "s_prompt_low",
        "s_prompt_high",
        "mean_variance",
        "std_variance",
        "mean_min_max_gap",
        "max_min_max_gap",
        "num_tasks",
        "accuracy",
    ]
    first, agent = rows[0], data.agents[0]
    assert float(first["s_prompt"]) == agent.estimates["s_prompt"].value
    assert float(first["mean_min_max_gap"]) == agent.estimates["min_max_gap"].value
    assert float(first["s_prompt_floor"]) == pytest.approx(0.7)
    assert first["num_tasks"] == "7"
    assert int(first["rows_scored"]) + int(first["rows_error"]) == 7 * 6 * 2


def test_what_was_not_computed_is_an_empty_cell_not_a_zero(build: Any) -> None:
    row = read(agent_level_csv(build(1, 3, repeats=1)))[0]
    assert row["phrasing"] == row["phrasing_low"] == ""


def test_negative_numbers_stay_numbers(build: Any) -> None:
    rows = read(agent_level_csv(build(3, 20)))
    assert any(float(row["delta_accuracy_low"]) < 0 for row in rows)


def test_no_text_cell_is_a_formula_and_none_is_lost(build: Any, attack: str) -> None:
    data = build(1, 2, evil=attack)
    for text in (task_level_csv(data), agent_level_csv(data)):
        assert "\x1b" not in text
        for row in read(text):
            for name in ("agent", "benchmark"):
                assert row[name][:1] not in set("=+-@\t\r")
                assert visible(attack) in row[name]
