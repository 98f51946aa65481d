"""compare, check, plan, fix and selftest, on tables whose answer is known."""

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


@pytest.fixture
def otherwords(run_command: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "200")
    return run_command


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
    assert out.splitlines()[0] == "PASS: 2 of 2 thresholds are met"
    assert out.count("PASS m · quiz: ") == 2
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
    assert out.startswith("FAIL: 1 of 2 thresholds are not met\nRewording costs m 75 points (")
    assert "wanted at least 0.85, the low end is" in out
    assert "::error title=m · quiz%3A min-s-prompt::FAIL: wanted at least 0.85" in out
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
    assert (code, err) == (
        2,
        "Error: a plan needs a goal\nGive --half-width, --drop, --difference or --threshold.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "goal"),
    [
        (("--half-width", 0.05), "accuracy to ± 0.05"),
        (("--goal", "loss", "--half-width", 0.05), "the loss by rewording to ± 0.05"),
        (("--goal", "s_prompt", "--half-width", 0.02), "S_prompt to ± 0.02"),
        (("--goal", "flips", "--half-width", 0.05), "the flip rate to ± 0.05"),
        (("--goal", "phrasing_share", "--half-width", 0.2), "the phrasing share to ± 0.2"),
        (("--goal", "compare", "--half-width", 0.05), "the difference of two runs to ± 0.05"),
        (("--drop", 0.08), "to see a loss of 0.08 by rewording"),
        (("--difference", 0.08), "to see a difference of 0.08 between two runs"),
        (("--threshold", 0.5, "--truth", 0.7), "to pass accuracy at least 0.5"),
    ],
)
def test_every_goal_has_a_recommendation_before_the_table(
    otherwords: Run, brittle: Path, arguments: tuple[object, ...], goal: str
) -> None:
    code, out, _ = otherwords("plan", *arguments, "--pilot", brittle)
    assert code == 0
    first, second, *rest = out.splitlines()
    assert first.startswith("Recommended: ")
    assert second.startswith(f"Goal: {goal}")
    assert any("smallest detectable loss" in line for line in rest)
    assert "It will speak for other items." in out
    code, out, _ = otherwords("plan", *arguments, "--pilot", brittle, "--json")
    found = json.loads(out)
    best = found["recommended"]
    said = f"{best['items']:,} items, {best['variants']} wordings each, {best['repeats']} repeat"
    assert said in first
    assert best in found["options"]
    assert (found["format"], found["generalize"]) == ("otherwords-plan", "items")


def test_a_plan_that_cannot_be_says_so(otherwords: Run) -> None:
    code, out, _ = otherwords("plan", "--half-width", 0.01, "--items", 50)
    assert code == 0
    assert "Recommended" not in out
    assert "Note: 50 items cannot reach it: 10 wordings with 5 repeats give ± 0." in out
    assert (
        otherwords("plan", "--goal", "gate")[2] == "Error: the goal gate lacks its number\nGive threshold.\n"
    )
    assert otherwords("plan", "--threshold", 1.5)[0] == 2
    assert otherwords("plan", "--drop", 0.1, "--model-b", "m")[0] == 2


def test_fix_names_the_change_that_costs(otherwords: Run, brittle: Path) -> None:
    code, out, _ = otherwords("fix", brittle, "--most", 2)
    assert code == 0
    assert out.splitlines()[0] == "1 effect of rewording to fix, 1 agent, of 3 questions."
    assert "What survives of 3 questions" in otherwords("fix", brittle, "--full")[1]
    said = " ".join(out.split())
    assert "Wordings of kind 'casual typing' cost about 75 points of accuracy (" in said
    assert "75 were seen, shrunk because the largest are picked) on 60 items of quiz, q < .001" in said
    assert "… and 43 items more (--most)." in out
    assert "The intervals speak for other items." in out
    code, out, _ = otherwords("fix", brittle, "--json")
    found = json.loads(out)
    assert len(found["items"]) == 45
    (finding,) = found["findings"]
    assert (finding["kind"], finding["what"], finding["effect"]) == ("naturalistic", "accuracy", 0.75)
    assert finding["confirmation"] is None


def test_what_fix_finds_is_confirmed_on_what_did_not_pick_it(
    otherwords: Run, steady: Path, brittle: Path, tmp_path: Path
) -> None:
    code, out, _ = otherwords("fix", brittle, "--split", "--full")
    assert code == 0
    assert "confirmed: 83.3 on 30 other items" in out
    code, out, _ = otherwords("fix", brittle, "--confirm", steady, "--full")
    assert code == 0
    assert "not confirmed: 0.0 on 60 items, run again" in out
    said = " ".join(out.split())
    assert "; not confirmed on other runs of the same items (0 points on 60 items, p = .500)" in said
    code, _, err = otherwords("fix", brittle, "--confirm", brittle)
    assert code == 2
    assert err.startswith("Error: what --confirm names says the same in every run")
    assert otherwords("fix", brittle, "--split", "--confirm", steady)[0] == 2


def coins(path: Path, repeats: int, seed: int) -> Path:
    """200 items; every answer is a coin with the item's own p, whatever the wording."""
    rng, of_items = np.random.default_rng(seed), np.random.default_rng(1).beta(1, 1, 200)
    names = ["orig", "para1", "para2", "para3", "para4"]
    rows = [
        {
            "id": f"q{item}",
            "variant": name,
            "kind": "orig" if name == "orig" else "paraphrase",
            "repeat": repeat,
            "score": score,
            "answer": str(score),
        }
        for item, p in enumerate(of_items)
        for name in names
        for repeat in range(1, repeats + 1)
        for score in [float(rng.random() < p)]
    ]
    pl.DataFrame(rows).write_parquet(path)
    return path


def test_a_table_in_which_wording_does_nothing(otherwords: Run, tmp_path: Path) -> None:
    """No command takes noise for an effect, and a gate that noise alone fails says so."""
    coin = coins(tmp_path / "coins.parquet", 2, seed=1)
    again, once = coins(tmp_path / "again.parquet", 2, seed=4), coins(tmp_path / "once.parquet", 1, seed=3)
    code, out, _ = otherwords("fix", coin)
    assert code == 0
    assert out.splitlines()[0] == "Nothing to fix: no loss by rewording survives of 2 questions."
    assert "· Nothing that noise would not do as well: 2 questions were asked, and no effect" in " ".join(
        out.split()
    )
    assert "fail" not in out
    _, out, _ = otherwords("fix", once)
    said = " ".join(out.split())
    assert said.startswith(
        "Nothing to fix: no loss by rewording survives of 1 question. · Nothing that noise"
    )
    assert "with one repeat no single item can be told from run-to-run noise (--repeats 3)" in said
    _, out, _ = otherwords("compare", coin, again, "--json")
    assert [one["metric"] for one in json.loads(out)["differences"] if (one["p"] or 1) < 0.01] == []
    _, out, _ = otherwords("compare", coin, again)
    assert out.startswith("No difference found in what rewording costs: again.parquet loses ")
    assert "Of twenty measures that did not change, one is below .05 by chance" in " ".join(out.split())
    assert otherwords("check", again, "--baseline", coin)[0] == 0
    code, out, _ = otherwords("check", coin, "--max-flip-rate", 0.1)
    assert code == 1
    explained = "all, max-flip-rate: run-to-run noise alone may explain it; the flip rate beyond noise is "
    assert explained in " ".join(out.split())
    _, out, _ = otherwords("check", once, "--max-flip-rate", 0.1)
    one_repeat = "how much of it is run-to-run noise cannot be told from one repeat (--repeats 3)"
    assert one_repeat in " ".join(out.split())


@pytest.fixture
def half_missing(tmp_path: Path) -> Path:
    """All right where there is a score; half of the rewordings of 60 items have none."""
    path = write_table(tmp_path / "missing.parquet", lambda *_: True)
    gone = (pl.col("variant") != "orig") & (pl.col("id").str.slice(1).cast(pl.Int64) % 2 == 0)
    table = pl.read_parquet(path).with_columns(
        score=pl.when(~gone).then("score"),
        status=pl.when(gone).then(pl.lit("error")).otherwise(pl.lit("scored")),
    )
    table.write_parquet(path)
    return path


@pytest.mark.parametrize(
    "threshold", [("--min-accuracy", 0.8), ("--min-s-prompt", 0.9), ("--max-flip-rate", 0.3)]
)
def test_what_missing_scores_could_change_cannot_be_told(
    otherwords: Run, half_missing: Path, tmp_path: Path, threshold: tuple[str, float]
) -> None:
    """A third of the runs have no score, the others are all right: the gate used to pass."""
    code, out, err = otherwords("check", half_missing, *threshold)
    assert (code, err) == (1, "Error: CANNOT TELL: 1 of 1 thresholds are left open\n")
    assert out.startswith("CANNOT TELL: 1 of 1 thresholds are left open\n")
    said = " ".join(out.split())
    assert "cannot tell: 120 runs without a score could change this (" in said
    assert (
        "[!] 120 of 360 runs (33%) have no score: 120 ended by an error of the provider (q0, "
        "para1, run 1); run the same" in said
    )
    junit = tmp_path / "gate.xml"
    code, out, err = otherwords("check", half_missing, *threshold, "--cannot-tell", "pass", "--junit", junit)
    assert (code, err) == (0, "")
    assert "CANNOT TELL" in out
    suite = ElementTree.parse(junit).getroot()
    assert suite.get("failures") == "0"
    assert suite.find("testcase/skipped") is not None
    told, counted = suite.findall("properties/property")
    assert told.get("name") == "verdict: m · quiz"
    assert str(counted.get("value")).startswith(
        "120 of 360 runs have no score (120 ended by an error of the provider)."
    )
    code, out, _ = otherwords("check", half_missing, *threshold, "--json")
    told = json.loads(out)
    assert (code, told["passed"], told["verdicts"][0]["unscored"]["count"]) == (1, False, 120)
    assert told["decisions"][0]["status"] == "cannot tell"
    code, out, _ = otherwords("check", half_missing, *threshold, "--on", "value")
    assert (code, "CANNOT TELL" in out) == (1, True)


def test_a_gate_always_says_how_many_runs_have_no_score(otherwords: Run, steady: Path) -> None:
    code, out, _ = otherwords("check", steady, "--min-accuracy", 0.1)
    assert code == 0
    assert "All 360 runs have a score." in out
    _, out, _ = otherwords("check", steady, "--min-accuracy", 0.1, "--json")
    (verdict,) = json.loads(out)["verdicts"]
    assert (verdict["unscored"]["count"], verdict["unscored"]["n_runs"]) == (0, 360)


def formats(path: Path, shift: float, seed: int) -> Path:
    """60 items under five layouts that all of them share; each layout is right more or less often."""
    rng = np.random.default_rng(seed)
    moved = shift * np.array([0.0, 1.0, -1.0, 0.5, -0.5, 0.8])
    names = ["orig", *(f"pert:layout{place}" for place in range(1, 6))]
    rows = [
        {
            "model": "m",
            "id": f"q{item}",
            "variant": name,
            "kind": "orig" if name == "orig" else "format",
            "score": float(rng.random() < 0.6 + by),
        }
        for item in range(60)
        for name, by in zip(names, moved, strict=True)
    ]
    pl.DataFrame(rows).write_parquet(path)
    return path


def test_the_output_says_for_whom_it_speaks(otherwords: Run, tmp_path: Path) -> None:
    a, b = formats(tmp_path / "a.parquet", 0.2, 1), formats(tmp_path / "b.parquet", 0.2, 2)
    speaks = {
        "items": "The intervals speak for other items.",
        "wordings": "The intervals speak for other wordings of these items",
        "both": "The intervals speak for other items and other wordings",
    }
    commands = {
        "check": ("check", a, "--min-accuracy", 0.3),
        "compare": ("compare", a, b),
        "report": ("report", a, "-o", tmp_path / "report"),
    }
    for name, command in commands.items():
        assert speaks["both"] in " ".join(otherwords(*command)[1].split()), name
        for target, said in speaks.items():
            out = otherwords(*command, "--generalize", target)[1]
            assert said in " ".join(out.split()), (name, target)
    plans = ("plan", "--half-width", 0.1, "--pilot", a)
    assert "It will speak for other items and other wordings." in otherwords(*plans)[1]
    assert "It will speak for other items." in otherwords(*plans, "--generalize", "items")[1]

    def bound(target: str) -> float:
        out = otherwords("check", a, "--min-accuracy", 0.3, "--generalize", target, "--json")[1]
        (decision,) = json.loads(out)["decisions"]
        assert decision["generalizes"] == target
        return float(decision["bound"])

    assert bound("both") < bound("items")
    assert otherwords("check", a, "--min-accuracy", 0.3, "--generalize", "models")[0] == 2


@pytest.mark.slow
def test_selftest_passes(otherwords: Run) -> None:
    code, out, _ = otherwords("selftest")
    assert code == 0
    assert "WRONG" not in out
    for answerer in ("oracle", "always A", "random", "ignore"):
        assert answerer in out
