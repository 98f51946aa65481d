"""At most 40 lines of 80 columns, whatever the data; Markdown for a pull request at most 60."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

pytestmark = pytest.mark.slow

Run = Callable[..., tuple[int, str, str]]
LONG = "organisation/a-model-with-a-long-name-2026-07-18-preview"


@pytest.fixture
def otherwords(run_command: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "80")
    return run_command


def write_table(
    path: Path, *, agents: int, tasks: int, items: int, missing: float = 0.0, repeats: int = 3, seed: int = 0
) -> Path:
    """The last agent loses under every kind; reasons, ids and names are long."""
    rng = np.random.default_rng(seed)
    kinds = ("orig", "paraphrase", "format", "naturalistic", "llm", "casual", "formal")
    rows = []
    for task in range(tasks):
        for agent in range(agents):
            for item in range(items):
                for place, kind in enumerate(kinds):
                    chance = 0.9 - (0.6 if agent == agents - 1 and place else 0.0)
                    for repeat in range(repeats):
                        gone = rng.random() < missing
                        rows.append(
                            {
                                "task": f"inspect_evals/a_benchmark_with_a_long_name_{task}",
                                "model": f"{LONG}-{agent}",
                                "id": f"a_benchmark_with_a_long_name_{task}-{'x' * 60}-{item:05d}",
                                "variant": "orig" if not place else f"{kind}:1",
                                "kind": kind,
                                "repeat": repeat + 1,
                                "score": None if gone else float(rng.random() < chance),
                                "status": "error" if gone else "scored",
                                "reason": f"kind {item % 7} of a long failure " * 5 if gone else None,
                            }
                        )
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
    return path


SHAPES = {
    "one item": {"agents": 1, "tasks": 1, "items": 1},
    "one agent": {"agents": 1, "tasks": 1, "items": 40},
    "many": {"agents": 5, "tasks": 4, "items": 12, "repeats": 2},
    "30% without a score": {"agents": 2, "tasks": 2, "items": 30, "missing": 0.3},
    "no score at all": {"agents": 1, "tasks": 1, "items": 3, "missing": 1.1},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_command_fits_on_a_screen(otherwords: Run, tmp_path: Path, shape: str) -> None:
    path = write_table(tmp_path / "t.parquet", **SHAPES[shape])  # type: ignore[arg-type]
    models = [f"{LONG}-0", f"{LONG}-{SHAPES[shape]['agents'] - 1}"]
    commands = {
        "report": ("report", path, "-o", tmp_path / "report"),
        "check": ("check", path, "--max-accuracy-drop", 0.05, "--max-excess-flips", 0.1, "--min-s-norm", 0.5),
        "fix": ("fix", path, "--most", 10),
        "compare": ("compare", path, path, "--model-a", models[0], "--model-b", models[1]),
    }
    for name, command in commands.items():
        code, out, err = otherwords(*command)
        assert code in (0, 1), (name, err)
        lines = out.splitlines()
        assert 0 < len(lines) <= 40, (name, len(lines))
        assert max(map(len, lines)) <= 80, (name, max(lines, key=len))
    _, out, _ = otherwords("report", path, "-o", tmp_path / "report")
    assert f"{LONG}-{SHAPES[shape]['agents'] - 1}" in out.replace("\n  ", "")


def test_the_table_of_agents_names_its_columns(otherwords: Run, tmp_path: Path) -> None:
    path = write_table(tmp_path / "t.parquet", agents=1, tasks=1, items=12, repeats=2)
    _, out, _ = otherwords("report", path, "-o", tmp_path / "report")
    lines = out.splitlines()
    place = lines.index("  accuracy by rewording      beyond noise       share      score    effect")
    assert lines[place - 1] == "           points lost       flips              phrasing   no"
    assert "Phrasing share: variation within items that is due to wording, not to noise." in lines
    assert [line for line in lines[:place] if line.startswith("In brackets: 95% intervals")]


def test_full_says_all_and_begins_alike(otherwords: Run, tmp_path: Path) -> None:
    path = write_table(tmp_path / "t.parquet", agents=5, tasks=2, items=12, repeats=2)
    _, brief, _ = otherwords("report", path, "-o", tmp_path / "report")
    _, full, _ = otherwords("report", path, "-o", tmp_path / "report", "--full")
    assert brief.splitlines()[0] == full.splitlines()[0]
    assert len(full.splitlines()) > 40
    assert full.count("HAL's measures: S_prompt") == 10


@pytest.mark.parametrize("shape", SHAPES)
def test_the_text_for_a_pull_request_is_short_and_begins_with_the_answer(
    otherwords: Run, tmp_path: Path, shape: str
) -> None:
    path = write_table(tmp_path / "t.parquet", **SHAPES[shape])  # type: ignore[arg-type]
    comment, junit = tmp_path / "comment.md", tmp_path / "gate.xml"
    arguments = ("--max-accuracy-drop", 0.05, "--max-excess-flips", 0.1, "--max-phrasing-share", 0.3)
    code, out, _ = otherwords("check", path, *arguments, "--markdown", comment, "--junit", junit, "--json")
    told = json.loads(out)
    assert (code == 0) == told["passed"] == (told["outcome"] == "pass")
    lines = comment.read_text().splitlines()
    assert len(lines) <= 59  # and a mark
    assert lines[0].startswith(f"## otherwords check: {told['outcome'].upper()}")
    assert lines[2].startswith("**")
    cases = ElementTree.parse(junit).getroot().findall("testcase")
    names = [case.get("name") for case in cases]
    assert len(names) == len(set(names)) == len(told["decisions"])
    assert all("a_benchmark_with_a_long_name_" in str(name) for name in names)


def test_a_renamed_agent_is_compared_with_its_baseline(otherwords: Run, tmp_path: Path) -> None:
    first = write_table(tmp_path / "a.parquet", agents=1, tasks=1, items=20)
    second = tmp_path / "b.parquet"
    pl.read_parquet(first).with_columns(model=pl.lit("new-name")).write_parquet(second)
    code, _, err = otherwords("check", second, "--baseline", first)
    assert (code, err.startswith("Error: the baseline has no model of task")) == (2, True)
    code, out, _ = otherwords("check", second, "--baseline", first, "--as", f"{LONG}-0")
    assert (code, f"{LONG}-0" in out, "new-name" in out) == (0, True, False)
    both = tmp_path / "both.parquet"
    pl.concat([pl.read_parquet(one) for one in (first, second)]).write_parquet(both)
    code, _, err = otherwords("check", both, "--baseline", first, "--as", "other")
    assert code == 2
    assert err.startswith(f"Error: --as other: the logs have 2 agents ({LONG}-0, new-name)\n")
    code, _, err = otherwords("check", both, "--max-accuracy-drop", 0.9, "--as", f"new-name={LONG}-0")
    assert (code, err) == (2, f"Error: --as: two agents would be called '{LONG}-0'\n")
    assert otherwords("check", both, "--max-accuracy-drop", 0.9, "--as", "new-name=x")[0] == 0
    code, _, err = otherwords("check", both, "--max-accuracy-drop", 0.9, "--as", "nobody=x")
    assert (code, err.startswith("Error: unknown agent 'nobody'")) == (2, True)


def test_a_page_of_a_comparison_obeys_nothing_in_its_texts(otherwords: Run, tmp_path: Path) -> None:
    path = write_table(tmp_path / "<script>alert(1)<script>.parquet", agents=2, tasks=1, items=20)
    evil = pl.read_parquet(path).with_columns(id=pl.format("<img src=x onerror=alert(1)>{}", "id"))
    evil.write_parquet(path)
    models = ("--model-a", f"{LONG}-0", "--model-b", f"{LONG}-1")
    code, out, _ = otherwords("compare", path, path, *models, "-o", tmp_path / "page")
    assert code == 0
    assert f"{LONG}-1 loses " in " ".join(out.split())
    page = (tmp_path / "page" / "index.html").read_text()
    assert "<img" not in page
    assert "<script>" not in page
    assert "default-src 'none'" in page
    assert "items broke" in page
    told = json.loads(otherwords("compare", path, path, *models, "--json")[1])
    assert told["sentence"].startswith(f"{LONG}-1 loses ")
    assert {one["change"] for one in told["items"]} <= {"broken", "fixed", "unchanged"}
