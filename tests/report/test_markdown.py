from __future__ import annotations

import html
import re
from typing import Any

import pytest
from markdown_it import MarkdownIt

from otherwords.report import write_report
from otherwords.report.escape import one_line
from otherwords.report.markdown import report_markdown

RENDERER = MarkdownIt("commonmark", {"html": True}).enable("table")


def test_the_report_has_its_parts(build: Any) -> None:
    text = report_markdown(build(2, 30))
    headings = re.findall(r"^(#+ .*)$", text, flags=re.M)
    assert headings == [
        "# Capitals, in other words",
        "## mock/steady-70b",
        "### Kinds of change, costliest first",
        "### Items by evidence",
        "## mock/wobbly-7b",
        "### Kinds of change, costliest first",
        "### Items by evidence",
        "## HAL's measures",
        "### What HAL's bands mean",
        "### Repeatability (C_out) × S_prompt, as HAL reads it",
        "## Figures",
        "## Runs by status and outcome",
        "## How this was made",
        "## Limits",
    ]
    assert "- logs/broken.eval: not a zip file" in text
    assert "These agents are invented." in text
    assert "with the original wording" in text


def test_the_verdict_comes_first_and_s_prompt_stands_under_hal_with_its_floor(build: Any) -> None:
    data = build(1, 30)
    text = report_markdown(data)
    (agent,) = data.agents
    plain = text.replace("\\", "")
    assert plain.splitlines()[2] == f"**{agent.verdict.sentence}**"
    assert text.index("What to do:") < text.index("| agent | benchmark |") < text.index("## HAL's measures")
    assert "S_prompt" not in text[: text.index("## mock/steady")]
    line = next(line for line in text.split("## HAL's measures")[1].splitlines() if line.startswith("| mock"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert re.fullmatch(r"0\.\d\d \(0\.\d\d to \d\.\d\d\)", cells[2])
    assert cells[3] == "0.70"


def test_one_repeat_is_said(build: Any) -> None:
    assert "Each wording was run once" in report_markdown(build(1, 3, repeats=1))


def test_agents_without_an_effect_have_no_sensitive_item(build: Any) -> None:
    text = report_markdown(build(1, 3, chance=1.0, missing=0))
    assert "No item is known to be sensitive to wording." in text


@pytest.mark.slow
def test_nothing_in_a_text_becomes_markup_and_nothing_is_lost(build: Any, attack: str) -> None:
    clean, dirty = (
        RENDERER.render(report_markdown(build(2, 6))),
        RENDERER.render(report_markdown(build(2, 6, evil=attack))),
    )
    tags = re.compile(r"<[a-zA-Z/!][^>]*>")
    assert set(tags.findall(dirty)) <= set(tags.findall(clean)) | {"<h2>", "<li>", "<ul>"}
    shown = " ".join(html.unescape(tags.sub("", dirty)).split())
    assert shown.count(html.unescape(one_line(attack))) >= 20
    assert "\x1b" not in dirty


def test_the_quadrants_name_each_agent_once(build: Any) -> None:
    data = build(3, 30)
    part = report_markdown(data).split("### Repeatability (C_out)")[1].split("\n## ")[0]
    for agent in data.agents:
        assert part.count(f" {agent.model} ") + part.count(f" {agent.model},") == 1
    assert "| High C_out + Low S_prompt | Deterministic but brittle |" in part
    once = report_markdown(build(1, 30, repeats=1))
    assert "| not known | C_out needs each wording to be run twice or more | mock/steady-70b |" in once


def test_runs_over_time_are_a_table(build: Any, in_runs: Any) -> None:
    text = report_markdown(in_runs(build(2, 30), 3))
    rows = [line for line in text.splitlines() if line.startswith("| 2026\\-0")]
    assert len(rows) == 6
    assert "![Runs over time](history.svg)" in text
    assert "Runs over time" not in report_markdown(build(2, 30))


@pytest.mark.slow
def test_every_figure_that_is_named_is_written(build: Any, in_runs: Any, tmp_path: Any) -> None:
    data = in_runs(build(1, 5))
    names = set(re.findall(r"\]\((\w+\.svg)\)", report_markdown(data)))
    assert names == {path.name for path in write_report(data, tmp_path) if path.suffix == ".svg"}
