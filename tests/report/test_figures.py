from __future__ import annotations

import re
import struct
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import polars as pl
import pytest

from otherwords.core.types import Estimate
from otherwords.core.verdict import Evidence
from otherwords.report.figures import FIGURES, HISTORY, figure_names
from otherwords.report.figures.shared import LABEL, label_room
from otherwords.report.svg import fitted, text_width

EVERY = {**FIGURES, **HISTORY}
SVG = "{http://www.w3.org/2000/svg}"


def size(image: bytes) -> tuple[int, int]:
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", image[16:24])
    return width, height


def drawn(name: str, data: Any) -> str:
    return str(EVERY[name](data).svg)


def texts(svg: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_the_figures_by_name() -> None:
    assert list(FIGURES) == [
        "sensitivity_comparison",
        "task_sensitivity_distribution",
        "most_sensitive_tasks",
        "items_by_band",
        "change_costs",
        "flip_rates",
        "consistency",
        "consistency_quadrants",
    ]
    assert list(HISTORY) == ["history"]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shape", [(3, 60, 6, 2), (1, 2, 2, 1), (1, 1, 1, 1)])
def test_each_figure_is_drawn_full_and_nearly_empty(
    build: Any, in_runs: Any, name: str, shape: tuple[int, ...]
) -> None:
    figure = EVERY[name](in_runs(build(*shape)))
    width, height = size(figure.png())
    assert width > 600
    assert height > 150
    assert figure.name == name
    assert all(node.get("class") for node in ElementTree.fromstring(figure.svg).iter() if node.get("fill"))


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("shape", [(3, 60, 6, 2), (6, 30, 8, 3), (1, 2, 2, 1), (1, 1, 1, 1)])
def test_nothing_is_cut_or_overlaps(build: Any, in_runs: Any, name: str, shape: tuple[int, ...]) -> None:
    """By the widths that the text is given: no label leaves the picture or lies on another."""
    root = ElementTree.fromstring(EVERY[name](in_runs(build(*shape))).svg)
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    boxes = []
    for node in root.iter(f"{SVG}text"):
        if node.get("transform"):
            continue
        x, y, letters = float(node.get("x", 0)), float(node.get("y", 0)), float(node.get("font-size", 0))
        long = text_width(node.text or "", letters, bold=node.get("font-weight") == "bold")
        left = x - long * {None: 0.0, "middle": 0.5, "end": 1.0}[node.get("text-anchor")]
        assert left >= 0, node.text
        assert left + long <= width + 1, node.text
        assert letters <= y <= height, node.text
        boxes.append((left, y - 0.72 * letters, left + long, y, node.text))
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            across = min(one[2], other[2]) - max(one[0], other[0])
            down = min(one[3], other[3]) - max(one[1], other[1])
            assert across <= 1 or down <= 1, (one, other)


@pytest.mark.parametrize("name", EVERY)
def test_every_figure_says_its_n(build: Any, in_runs: Any, name: str) -> None:
    said = " ".join(texts(drawn(name, in_runs(build(2, 30)))))
    assert "n: " in said or "of 30 items" in said


def test_the_comparison_has_four_panels_with_n(build: Any) -> None:
    said = texts(drawn("sensitivity_comparison", build(3, 60)))
    for title in (
        "S_prompt: higher is less affected by wording",
        "Mean variance over wordings",
        "Mean gap between best and worst wording",
        "Accuracy against S_prompt",
        "n: 60 items × 6 wordings × 2 repeats. Bars are 95% intervals.",
    ):
        assert said.count(title) == 1


def test_one_repeat_is_said_in_the_figure(build: Any) -> None:
    said = "One repeat: phrasing and run-to-run noise are not separated."
    assert said in texts(drawn("sensitivity_comparison", build(1, 3, repeats=1)))
    assert said not in texts(drawn("sensitivity_comparison", build(1, 3, repeats=2)))


def test_a_panel_without_numbers_says_so(build: Any) -> None:
    data = build(1, 3)
    none = Estimate("s_prompt", "m", None, None, None, 0, 0, 0, reason="one wording")
    agent = replace(data.agents[0], estimates={**data.agents[0].estimates, "s_prompt": none})
    two = (agent, replace(agent, model="other"))
    said = texts(drawn("sensitivity_comparison", replace(data, agents=two)))
    assert said.count("not computed") == 2
    assert "one wording" in said


@pytest.mark.parametrize("name", EVERY)
def test_no_panel_of_one_agent_holds_one_dot(build: Any, in_runs: Any, name: str) -> None:
    data = in_runs(build(1, 30))
    if name not in figure_names(data):
        assert name == "consistency_quadrants"
        return
    root = ElementTree.fromstring(drawn(name, data))
    dots = [float(node.get("cy", 0)) for node in root.iter(f"{SVG}circle")]
    assert len(dots) != 1


def test_an_agent_has_one_colour_on_every_benchmark(build: Any) -> None:
    data = build(2, 6)
    again = [replace(agent, task="other") for agent in data.agents]
    both = replace(data, agents=(*data.agents, *again))
    assert [both.colour(agent) for agent in both.agents] == [0, 1, 0, 1]
    svg = drawn("sensitivity_comparison", both)
    assert "agent-1" in svg
    assert "agent-2" not in svg


def test_a_long_name_is_whole_in_more_lines(build: Any) -> None:
    name = "local/very-long-name-of-a-fine-tuned-model-v2-checkpoint-3000"
    data = build(2, 6)
    long = replace(data, agents=(replace(data.agents[0], model=name), data.agents[1]))
    said = texts(drawn("consistency", long))
    assert name in "".join(said)
    assert not [text for text in said if "…" in text]


def test_costs_are_those_of_the_verdict(build: Any) -> None:
    data = build(1, 40)
    table = EVERY["change_costs"](data).table
    assert table["corrected_low"].to_list() == [
        one.loss.corrected_low for one in data.agents[0].verdict.changes
    ]
    one = replace(data.agents[0].verdict, changes=data.agents[0].verdict.changes[:1])
    figure = drawn("change_costs", replace(data, agents=(replace(data.agents[0], verdict=one),)))
    assert "<circle" not in figure
    assert [text for text in texts(figure) if text.endswith("lost, n 40")]


def test_the_zero_line_goes_through_no_number(build: Any) -> None:
    data = build(1, 40)
    verdict = data.agents[0].verdict
    near, far = (
        replace(verdict.changes[0].loss, value=value, corrected_low=-0.2, corrected_high=0.4)
        for value in (0.001, 0.3)
    )
    changes = tuple(
        replace(verdict.changes[0], kind=kind, loss=loss) for kind, loss in (("a", near), ("b", far))
    )
    agent = replace(data.agents[0], verdict=replace(verdict, changes=changes))
    figure = drawn("change_costs", replace(data, agents=(agent,)))
    assert len(re.findall(r'<rect x="[^>]*height="12"[^>]*class="f-paper"/><text', figure)) == 1


def test_the_numbers_of_a_figure_are_in_its_table(build: Any, in_runs: Any) -> None:
    data = in_runs(build(2, 30))
    for name, draw in EVERY.items():
        table = draw(data).table
        assert table.height >= 2, name
        assert {"agent", "benchmark"} <= set(table.columns), name


def test_the_distribution_counts_every_item_once(build: Any) -> None:
    table = EVERY["task_sensitivity_distribution"](build(1, 60, missing=0)).table
    assert table.group_by("of").agg(pl.col("items").sum()).sort("of").rows() == [
        ("min_max_gap", 60),
        ("variance", 60),
    ]


def test_the_bands_count_every_item_once(build: Any) -> None:
    table = EVERY["items_by_band"](build(2, 60)).table
    assert table.group_by("agent").agg(pl.col("items").sum())["items"].to_list() == [60, 60]


def test_items_that_cannot_be_drawn_are_counted(build: Any) -> None:
    data = build(1, 4, missing=0)
    lost = data.items.with_columns(
        variance=pl.when(pl.col("id") == "item-001").then(None).otherwise(pl.col("variance"))
    )
    said = "n: 4 items × 6 wordings × 2 repeats; 1 item without two scored wordings not drawn"
    assert said in texts(drawn("task_sensitivity_distribution", replace(data, items=lost)))


@pytest.mark.parametrize(
    ("effect", "why"),
    [
        ("none found", "No effect of wording was found"),
        ("cannot tell", "It cannot be told whether wording matters"),
    ],
)
def test_where_no_effect_was_found_no_item_is_listed(build: Any, effect: Any, why: str) -> None:
    data = build(1, 40, chance=0.5, missing=0)
    agent = replace(data.agents[0], verdict=replace(data.agents[0].verdict, effect=effect))
    said = texts(drawn("most_sensitive_tasks", replace(data, agents=(agent,))))
    assert f"{why}, so that no item is listed (n: 40 items, 6 wordings)." in said
    assert not [text for text in said if text.startswith("item-")]


def test_the_quadrants_are_named_and_need_repeats(build: Any) -> None:
    said = texts(drawn("consistency_quadrants", build(1, 20)))
    assert {"Stochastic and brittle", "Deterministic but brittle"} <= set(said)
    once = texts(drawn("consistency_quadrants", build(1, 20, repeats=1)))
    assert "not computed: C_out needs each wording to be run twice or more" in once


def test_a_quadrant_is_not_called_robust_against_the_verdict(build: Any) -> None:
    data = build(2, 40, chance=1.0, missing=0)
    nothing = Evidence(0.0, -0.01, 0.01, -0.02, 0.02, 0.9, 40)
    verdict = replace(
        data.agents[0].verdict, effect="none found", loss=nothing, excess_flips=nothing, changes=()
    )
    agents = tuple(replace(agent, verdict=verdict) for agent in data.agents)
    said = texts(drawn("consistency_quadrants", replace(data, agents=agents)))
    assert "Deterministic and robust" in said
    lost = replace(verdict, effect="large", loss=Evidence(0.31, 0.25, 0.37, 0.25, 0.37, 0.001, 40))
    agents = (agents[0], replace(agents[1], verdict=lost))
    said = texts(drawn("consistency_quadrants", replace(data, agents=agents)))
    assert "Deterministic, high S_prompt" in said
    assert not [text for text in said if text.endswith(" and robust")]


def test_too_many_agents_are_cut_and_counted(build: Any) -> None:
    data = build(1, 3)
    many = replace(data, agents=tuple(replace(data.agents[0], model=f"m{i}") for i in range(14)))
    assert "The first 12 of 14 agents." in texts(drawn("sensitivity_comparison", many))
    assert "The first 6 of 14 agents." in texts(drawn("most_sensitive_tasks", many))
    assert EVERY["sensitivity_comparison"](many).table.height == 14


def test_the_trend_follows_the_runs(build: Any, in_runs: Any) -> None:
    figure = EVERY["history"](in_runs(build(2, 20), 3))
    assert figure.table["run"].unique(maintain_order=True).to_list() == [
        "2026-01-15 09:30",
        "2026-02-15 09:30",
        "2026-03-15 09:30",
    ]
    first = figure.table.filter(pl.col("agent") == "mock/steady-70b")["s_prompt"].to_list()
    assert first == sorted(first, reverse=True)
    assert "n: 3 runs, 20 items each. Bars are 95% intervals." in texts(figure.svg)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_control_characters_do_not_reach_a_figure(build: Any, in_runs: Any, attack: str, name: str) -> None:
    figure = EVERY[name](in_runs(build(1, 3, evil=attack), 2, attack))
    assert not [code for code in ("\x1b", "\x00", "\u202e", "\u2028") if code in figure.svg]
    tags = {node.tag.removeprefix(SVG) for node in ElementTree.fromstring(figure.svg).iter()}
    assert tags <= {"svg", "rect", "path", "circle", "text"}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_attack_strings_are_drawn_as_text(
    build: Any, in_runs: Any, attacks: tuple[str, ...], name: str
) -> None:
    everything = " ".join(attacks)
    figure = EVERY[name](in_runs(build(1, 3, evil=everything), 2, everything))
    width, _ = size(figure.png())
    assert width < 4000


@pytest.mark.parametrize(
    "labels", [["coin", "good"], ["a", "gpt-4o-mini-2024-07-18", "claude-sonnet-with-a-long-name"]]
)
@pytest.mark.parametrize("left", [20.0, 33.3, 506.0000001])
def test_labels_that_have_room_are_not_cut(labels: list[str], left: float) -> None:
    start = left + label_room(labels)
    assert [fitted(label, LABEL, start - left - 12) for label in labels] == labels
