from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from otherwords.core.types import Estimate
from otherwords.report.figures import FIGURES
from otherwords.report.theme import png


def size(image: bytes) -> tuple[int, int]:
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def spec(name: str, data: Any) -> str:
    return json.dumps(FIGURES[name](data).to_dict(), ensure_ascii=False)


def test_the_figures_by_name() -> None:
    assert list(FIGURES) == [
        "sensitivity_comparison.png",
        "task_sensitivity_distribution.png",
        "most_sensitive_tasks.png",
    ]


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("shape", [(3, 60, 6, 2), (1, 2, 2, 1), (1, 1, 1, 1)])
def test_each_figure_is_drawn_full_and_nearly_empty(build: Any, name: str, shape: tuple[int, ...]) -> None:
    width, height = size(png(FIGURES[name](build(*shape))))
    assert width > 600
    assert height > 150


def test_the_comparison_has_four_panels_with_n(build: Any) -> None:
    chart = FIGURES["sensitivity_comparison.png"](build(3, 60)).to_dict()
    titles = [panel["title"] for panel in chart["concat"]]
    assert titles == [
        "S_prompt: higher is steadier",
        "Mean variance over wordings",
        "Mean gap between best and worst wording",
        "Accuracy against S_prompt",
    ]
    assert chart["title"]["subtitle"][1] == "n: 60 items × 6 wordings × 2 repeats. Bars are 95% intervals."


def test_one_repeat_is_said_in_the_figure(build: Any) -> None:
    said = "One repeat: phrasing and luck are not separated."
    assert said in spec("sensitivity_comparison.png", build(1, 3, repeats=1))
    assert said not in spec("sensitivity_comparison.png", build(1, 3, repeats=2))


def test_a_panel_without_numbers_says_so(build: Any) -> None:
    data = build(1, 3)
    none = Estimate("s_prompt", "m", None, None, None, 0, 0, 0, reason="one wording")
    agent = replace(data.agents[0], estimates={**data.agents[0].estimates, "s_prompt": none})
    text = spec("sensitivity_comparison.png", replace(data, agents=(agent,)))
    assert text.count("not computed") == 2


def test_the_distribution_counts_every_item_once(build: Any) -> None:
    data = build(1, 60, missing=0)
    chart = FIGURES["task_sensitivity_distribution.png"](data).to_dict()
    found = list(_values(chart))
    assert len(found) == 2
    for values in found:
        assert sum(row["items"] for row in values) == 60


def test_items_that_cannot_be_drawn_are_counted(build: Any) -> None:
    data = build(1, 4, missing=0)
    lost = data.items.with_columns(
        variance=pl.when(pl.col("id") == "item-001").then(None).otherwise(pl.col("variance"))
    )
    said = "n: 4 items × 6 wordings × 2 repeats; 1 item without two scored wordings not drawn"
    assert said in spec("task_sensitivity_distribution.png", replace(data, items=lost))


def _values(node: Any) -> Any:
    if isinstance(node, dict):
        if "values" in node and node["values"] and isinstance(node["values"][0], dict):
            yield node["values"]
        for value in node.values():
            yield from _values(value)
    elif isinstance(node, list):
        for value in node:
            yield from _values(value)


def test_steady_agents_have_a_sentence_instead_of_bars(build: Any) -> None:
    text = spec("most_sensitive_tasks.png", build(1, 4, chance=1.0, missing=0))
    assert "No item differs between wordings (4 items, 6 wordings)." in text


def test_too_many_agents_are_cut_and_counted(build: Any) -> None:
    data = build(1, 3)
    many = replace(data, agents=tuple(replace(data.agents[0], model=f"m{i}") for i in range(14)))
    assert "The first 12 of 14 agents." in spec("sensitivity_comparison.png", many)
    assert "The first 6 of 14 agents." in spec("most_sensitive_tasks.png", many)


@pytest.mark.parametrize("name", FIGURES)
def test_control_characters_do_not_reach_a_figure(build: Any, attack: str, name: str) -> None:
    drawn = json.dumps(FIGURES[name](build(1, 3, evil=attack)).to_dict())
    assert not [code for code in ("\\u001b", "\\u0000", "\\u202e", "\\u2028") if code in drawn]


@pytest.mark.parametrize("name", FIGURES)
def test_attack_strings_are_drawn_as_text(build: Any, attacks: tuple[str, ...], name: str) -> None:
    everything = " ".join(attacks)
    width, _ = size(png(FIGURES[name](build(1, 3, evil=everything))))
    assert width < 4000
