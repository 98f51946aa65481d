"""compare, check, plan, fix and selftest, on tables whose answer is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

from otherwords.cli import main

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def otherwords(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    return run


def write_table(path: Path, right: Callable[[int, str], bool], model: str = "m", items: int = 60) -> Path:
    rows = [
        {
            "task": "quiz",
            "model": model,
            "id": f"q{item}",
            "variant": variant,
            "kind": kind,
            "change": "" if variant == "orig" else kind,
            "repeat": repeat,
            "score": float(right(item, variant)),
            "answer": "right" if right(item, variant) else "wrong",
            "tokens": 100,
        }
        for item in range(items)
        for variant, kind in (("orig", "orig"), ("para1", "paraphrase"), ("typo", "naturalistic"))
        for repeat in (1, 2)
    ]
    pl.DataFrame(rows).write_parquet(path)
    return path


@pytest.fixture
def steady(tmp_path: Path) -> Path:
    return write_table(tmp_path / "steady.parquet", lambda item, _: item % 4 != 0)


@pytest.fixture
def brittle(tmp_path: Path) -> Path:
    return write_table(
        tmp_path / "brittle.parquet", lambda item, variant: item % 4 != 0 and variant != "typo"
    )


def test_a_gate_that_holds(otherwords: Run, steady: Path, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    code, out, err = otherwords(
        "check", steady, "--min-s-prompt", 0.85, "--max-flip-rate", 0.1, "--junit", junit
    )
    assert (code, err) == (0, "")
    assert out.count("pass") == 2
    suite = ElementTree.parse(junit).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "0")


def test_a_gate_that_fails_says_why_and_ends_with_1(otherwords: Run, brittle: Path, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    arguments = (
        "check",
        brittle,
        "--min-s-prompt",
        0.85,
        "--min-accuracy",
        0.1,
        "--junit",
        junit,
        "--github",
    )
    code, out, err = otherwords(*arguments)
    assert (code, err) == (1, "Error: 1 of 2 thresholds are not met\n")
    assert "wanted at least 0.85, the low end is" in out
    assert "::error title=m%3A min-s-prompt::wanted at least 0.85" in out
    assert ElementTree.parse(junit).getroot().get("failures") == "1"


def test_a_gate_decides_on_the_bound_unless_told_otherwise(otherwords: Run, steady: Path) -> None:
    assert otherwords("check", steady, "--min-accuracy", 0.74)[0] == 1
    assert otherwords("check", steady, "--min-accuracy", 0.74, "--on", "value")[0] == 0


@pytest.mark.slow
def test_a_fall_below_the_baseline_fails(otherwords: Run, steady: Path, brittle: Path) -> None:
    code, out, _ = otherwords("check", brittle, "--baseline", steady)
    assert code == 1
    assert "max-fall-of-accuracy" in out
    assert "it fell" in out
    assert otherwords("check", brittle, "--baseline", steady, "--max-fall", 0.5)[0] == 0
    assert otherwords("check", steady, "--baseline", steady)[0] == 0


def test_a_check_needs_a_threshold(otherwords: Run, steady: Path) -> None:
    code, _, err = otherwords("check", steady)
    assert (code, err) == (2, "Error: there is nothing to check\nFor example: --min-s-prompt 0.85\n")


def test_compare_pairs_the_runs(otherwords: Run, steady: Path, brittle: Path) -> None:
    code, out, _ = otherwords("compare", steady, brittle)
    assert code == 0
    assert "60 items, 180 pairs of wordings" in out
    code, out, _ = otherwords("compare", steady, brittle, "--json")
    found = {one["metric"]: one for one in json.loads(out)["differences"]}
    assert found["accuracy"]["change"]["value"] == pytest.approx(-0.25)
    assert found["accuracy"]["p"] < 0.01


def test_compare_says_what_one_side_lacks(otherwords: Run, steady: Path, tmp_path: Path) -> None:
    shorter = write_table(tmp_path / "short.parquet", lambda item, _: True, items=50)
    _, out, _ = otherwords("compare", steady, shorter)
    assert "10 items only in the first" in out


def test_plan_counts_calls_and_cost(otherwords: Run, brittle: Path) -> None:
    code, out, _ = otherwords("plan", "--half-width", 0.05, "--pilot", brittle, "--price", 10)
    assert code == 0
    assert "Goal: accuracy to ± 0.05 with a 95% interval" in out
    assert "pilot of 60 items" in out
    assert "$" in out
    code, _, err = otherwords("plan")
    assert (code, err) == (2, "Error: a plan needs a goal\nGive half_width, drop, or both.\n")


def test_fix_names_the_change_that_costs(otherwords: Run, brittle: Path) -> None:
    code, out, _ = otherwords("fix", brittle, "--most", 2)
    assert code == 0
    assert "Wordings of kind 'naturalistic' cost 75 points of accuracy" in out
    assert "… and 43 items more (--most)." in out
    code, out, _ = otherwords("fix", brittle, "--json")
    assert len(json.loads(out)["items"]) == 45


@pytest.mark.slow
def test_selftest_passes(otherwords: Run) -> None:
    code, out, _ = otherwords("selftest")
    assert code == 0
    assert "WRONG" not in out
    for answerer in ("oracle", "always A", "random", "ignore"):
        assert answerer in out
