"""Tool calls in an outcome table → the page's part, the figure, Markdown, JSON and the terminal."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest

from otherwords.cli import main
from otherwords.pipeline.write_report import build_report_data, write_report
from otherwords.report import ReportData
from otherwords.report.figures import all_figures, figure_names
from otherwords.report.markdown import report_markdown
from otherwords.report.tables import report_json
from otherwords.report.trajectories import FIGURE, trajectories_section
from otherwords.report.write import page_files
from otherwords.results import read_results

USUAL, OTHER = "find#000001 book#000002", "find#00000a book#000002"


def write(path: Path, other: str = OTHER, repeats: int = 2, items: int = 30) -> Path:
    rows = [
        ("flights", "agent", f"q{item}", variant, kind, repeat, 1.0, USUAL if variant == "orig" else other)
        for item in range(items)
        for variant, kind in (("orig", "orig"), ("para1", "paraphrase"))
        for repeat in range(1, repeats + 1)
    ]
    names = ["task", "model", "id", "variant", "kind", "repeat", "score", "tool_calls"]
    pl.DataFrame(rows, schema=names, orient="row").write_csv(path)
    return path


@pytest.fixture
def data(tmp_path: Path) -> ReportData:
    return build_report_data(read_results(write(tmp_path / "outcomes.csv")))


SENTENCE = (
    "Tool calls part from the original's in 100% of reworded runs, and in 0% of its own repeats: 100 points "
)


def test_page_markdown_json_and_figure_say_the_same(data: ReportData) -> None:
    text = re.sub(r"<[^>]+>", " ", page_files(data)["index.html"])
    whole = report_markdown(data)
    for told in (
        "Where tool calls part",
        "find is called with other arguments",
        "Arguments of the same call",
    ):
        assert told in text
        assert told in whole
    assert SENTENCE.replace("'", "&#x27;") in text
    assert f"![Where tool calls part]({FIGURE}.svg)" in whole
    (found,) = json.loads(report_json(data))["trajectories"]
    assert found["sentences"][0].startswith(SENTENCE)
    assert found["places"][0]["call"] == 1
    assert FIGURE in figure_names(data)
    drawn = all_figures()[FIGURE](data)
    assert drawn.table.select("call", "together", "rerun_together", "excess_parted").rows() == [
        (1, 0.0, 1.0, 1.0)
    ]
    assert SENTENCE.replace("'", "&#x27;") in drawn.svg or SENTENCE in drawn.svg


def test_a_report_of_no_agent_that_calls_tools_has_none_of_it(tmp_path: Path) -> None:
    table = pl.read_csv(write(tmp_path / "outcomes.csv")).drop("tool_calls")
    table.write_csv(tmp_path / "plain.csv")
    plain = build_report_data(read_results(tmp_path / "plain.csv"))
    assert plain.trajectories == ()
    assert FIGURE not in figure_names(plain)
    assert trajectories_section(plain) == ""
    assert 'id="trajectories"' not in page_files(plain)["index.html"]


def test_a_public_report_has_no_tool(tmp_path: Path) -> None:
    public, _ = write_report(write(tmp_path / "outcomes.csv"), tmp_path / "public", public=True, png=())
    assert FIGURE not in figure_names(public)
    for text in (page_files(public)["index.html"], report_markdown(public), report_json(public)):
        assert "book" not in text
        assert "Tool calls part" not in text


def test_names_of_tools_are_escaped(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>#000001 book#000002"
    found = build_report_data(read_results(write(tmp_path / "outcomes.csv", other=evil)))
    assert found.trajectories[0].worst is not None
    assert found.trajectories[0].worst.instead == "<script>alert(1)</script>"
    for text in (page_files(found)["index.html"], report_markdown(found), all_figures()[FIGURE](found).svg):
        assert "<script>alert" not in text


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code in (0, None)
    return " ".join(capsys.readouterr().out.split())


def test_report_and_fix_say_it_in_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path / "outcomes.csv")
    place = "Rewording breaks its tool calls most at call 1: find is called with other arguments, 100 points "
    report = said(capsys, "report", table, "-o", tmp_path / "report")
    assert SENTENCE in report
    assert place in report
    fixed = said(capsys, "fix", table)
    assert fixed.startswith(
        "No loss by rewording survives of 2 questions, but rewording changes the tool calls."
    )
    assert place in fixed
    (found,) = json.loads(said(capsys, "fix", table, "--json"))["trajectories"]
    assert found["places"][0]["tool"] == "find"


def test_one_repeat_has_no_floor_and_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write(tmp_path / "outcomes.csv", repeats=1)
    report = said(capsys, "report", table, "-o", tmp_path / "report")
    assert "how many would without rewording is not known: rerun with --repeats 3." in report
    assert (tmp_path / "report" / f"{FIGURE}.svg").is_file()
