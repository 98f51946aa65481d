from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.dom import minidom

import polars as pl
import pytest

from otherwords.report import write_report
from otherwords.report.figures import FIGURES
from otherwords.report.write import badge_svg

TABLES = [
    "index.html",
    "sensitivity_report.md",
    "task_level_sensitivity.csv",
    "agent_level_sensitivity.csv",
]
NAMES = [
    *TABLES,
    *(f"{name}.svg" for name in FIGURES),
    "sensitivity_comparison.png",
    "task_sensitivity_distribution.png",
    "most_sensitive_tasks.png",
]


@pytest.mark.slow
def test_all_files_are_written_and_named(build: Any, tmp_path: Path) -> None:
    paths = write_report(build(2, 5), tmp_path / "new" / "report")
    assert paths == [tmp_path / "new" / "report" / name for name in NAMES]
    assert sorted(path.name for path in (tmp_path / "new" / "report").iterdir()) == sorted(NAMES)
    assert all(path.stat().st_size > 100 for path in paths)


@pytest.mark.slow
def test_the_same_data_gives_the_same_bytes(build: Any, tmp_path: Path) -> None:
    first, second = (write_report(build(1, 5), tmp_path / name) for name in ("a", "b"))
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_when_one_part_fails_nothing_is_written(build: Any, tmp_path: Path, monkeypatch: Any) -> None:
    def fail(data: Any) -> Any:
        raise RuntimeError("no figure today")

    monkeypatch.setitem(FIGURES, "most_sensitive_tasks", fail)
    with pytest.raises(RuntimeError, match="no figure today"):
        write_report(build(1, 3), tmp_path / "report")
    assert not (tmp_path / "report").exists()


@pytest.mark.slow
def test_the_guide_names_every_file(build: Any, in_runs: Any, tmp_path: Path) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "report.md").read_text("utf-8")
    named = set(re.findall(r"^\| `([^`]+)`", guide, flags=re.M))
    rates = pl.DataFrame({"task": ["t"], "model": ["m"], "outcome": ["refused"], "rate": [0.5]})
    data = replace(in_runs(build(2, 3)), outcome_rates=rates)
    written = {path.name for path in write_report(data, tmp_path, latex=True)}
    assert named == written | {"texts-1.js", "where_paths_part.svg"}


@pytest.mark.slow
def test_a_report_replaces_an_earlier_one(build: Any, in_runs: Any, tmp_path: Path) -> None:
    write_report(in_runs(build(1, 3)), tmp_path)
    assert (tmp_path / "history.svg").exists()
    (tmp_path / "texts-of-mine.js").write_text("mine")
    write_report(build(1, 3), tmp_path)
    assert not (tmp_path / "history.svg").exists()
    assert (tmp_path / "texts-of-mine.js").exists()


@pytest.mark.slow
def test_without_a_font_the_figures_are_on_the_page_only(
    build: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    write_report(build(1, 3), tmp_path)
    monkeypatch.setattr("otherwords.report.write.has_font", lambda: False)
    with pytest.warns(UserWarning, match="no font to draw the figures' text"):
        written = write_report(build(1, 3), tmp_path)
    assert [path.name for path in written if path.suffix != ".svg"] == TABLES
    assert list(tmp_path.glob("*.png")) == []
    for name in ("index.html", "sensitivity_report.md"):
        assert "This machine has no font" in (tmp_path / name).read_text("utf-8")
    assert "<svg" in (tmp_path / "index.html").read_text("utf-8")


@pytest.mark.slow
def test_every_figure_is_a_png_file_where_asked(build: Any, tmp_path: Path) -> None:
    written = {path.name for path in write_report(build(2, 3), tmp_path, png=FIGURES)}
    assert {f"{name}.png" for name in FIGURES} <= written
    few = {path.name for path in write_report(build(2, 3), tmp_path, png=())}
    assert not [name for name in few if name.endswith(".png")]
    assert not list(tmp_path.glob("*.png"))


@pytest.mark.parametrize(
    ("effects", "said"),
    [
        (["none found"], "none found"),
        (["none found", "large", "small"], "large"),
        (["none found", "cannot tell"], "cannot tell"),
        ([], "cannot tell"),
    ],
)
def test_a_badge_tells_the_worst_of_all_agents(effects: list[Any], said: str) -> None:
    badge = badge_svg(effects)
    assert f'aria-label="effect of wording: {said}"' in badge
    assert minidom.parseString(badge).documentElement.tagName == "svg"


def test_a_badge_is_written_where_it_is_asked_for_and_removed_where_it_is_not(
    build: Any, tmp_path: Path
) -> None:
    write_report(build(1, 5), tmp_path, png=(), badge=True)
    assert (tmp_path / "badge.svg").exists()
    write_report(build(1, 5), tmp_path, png=())
    assert not (tmp_path / "badge.svg").exists()
