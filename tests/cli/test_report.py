"""`otherwords report` as a person types it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import polars as pl
import pytest

from otherwords.cli import main
from otherwords.results.tables import write_csv, write_parquet

SEEDS_FILES = {
    "task_level_sensitivity.csv",
    "agent_level_sensitivity.csv",
    "sensitivity_comparison.png",
    "task_sensitivity_distribution.png",
    "most_sensitive_tasks.png",
    "sensitivity_report.md",
}


def otherwords(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(["report", *arguments])
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


def outcomes(task: str = "taubench_airline", repeats: int = 1) -> pl.DataFrame:
    from otherwords.core.table import as_outcomes

    rows = [
        {
            "task": task,
            "model": model,
            "id": f"q{item}",
            "variant": variant,
            "kind": "orig" if variant == "orig" else "paraphrase",
            "repeat": repeat,
            "score": float((item + place + repeat) % 3 > 0),
            "answer": "=cmd|' /C calc'!A0\x1b[31m",
        }
        for model in ("mock/a", "mock/b")
        for item in range(6)
        for place, variant in enumerate(("orig", "para1", "para2"))
        for repeat in range(1, repeats + 1)
    ]
    return as_outcomes(pl.DataFrame(rows))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    write_parquet(pl.concat([outcomes(), outcomes("gaia")]), tmp_path / "results" / "outcomes.parquet")
    return tmp_path / "results"


@pytest.mark.slow
def test_the_options_that_hal_has(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "analysis"
    named = ("--results_dir", str(results), "--benchmark", "taubench_airline", "--output_dir", str(out))
    code, said, err = otherwords(*named, "--full", capsys=capsys)
    assert (code, err) == (0, "")
    assert {path.name for path in out.iterdir()} >= SEEDS_FILES | {
        "index.html",
        "flip_rates.svg",
        "consistency.svg",
    }
    assert set(pl.read_csv(out / "agent_level_sensitivity.csv")["benchmark"]) == {"taubench_airline"}
    said = " ".join(said.split())
    for part in ("HAL's measures: S_prompt", "lowest possible value", "accuracy"):
        assert part in said


@pytest.mark.slow
def test_a_table_is_reported_as_parquet_and_as_csv(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = []
    for write, name in ((write_parquet, "outcomes.parquet"), (write_csv, "outcomes.csv")):
        table = write(outcomes(repeats=2), tmp_path / name)
        assert otherwords(str(table), "-o", str(tmp_path / "out"), capsys=capsys)[0] == 0
        pages.append((tmp_path / "out" / "agent_level_sensitivity.csv").read_text())
    assert pages[0] == pages[1]


@pytest.mark.slow
def test_ddof_0_gives_the_variances_of_hals_code_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = {"1": [1.0, 0.0, 0.0, 1.0], "2": [1.0, 1.0, 1.0, 0.0]}
    upload = {
        "config": {"agent_name": "mine", "benchmark_name": "gaia"},
        "raw_eval_results": {
            task: [{"variation_id": place, "score": score} for place, score in enumerate(line)]
            for task, line in scores.items()
        },
        "prompt_sensitivity_metrics": {"mean_variance": (0.25 + 0.1875) / 2, "num_tasks": 2},
    }
    path = tmp_path / "x_UPLOAD.json"
    path.write_text(json.dumps(upload))
    by_ddof = {}
    for ddof in ("0", "1"):
        code, said, _ = otherwords(str(path), "--json", "--ddof", ddof, capsys=capsys)
        by_ddof[ddof] = json.loads(said)
        assert (code, by_ddof[ddof]["ddof"]) == (0, int(ddof))
    hal, ours = (by_ddof[ddof]["agents"][0]["estimates"] for ddof in ("0", "1"))
    assert hal["mean_variance"]["value"] == pytest.approx(0.21875)
    assert hal["s_prompt"]["value"] == pytest.approx(1 - 0.21875)
    assert ours["mean_variance"]["value"] == pytest.approx(0.21875 * 4 / 3)
    assert by_ddof["0"]["agents"][0]["s_prompt_floor"] == pytest.approx(0.75)
    assert any("ddof 0" in note for note in by_ddof["0"]["notes"])
    code, said, _ = otherwords(str(path), "-o", str(tmp_path / "out"), "--ddof", "0", "--full", capsys=capsys)
    assert "S_prompt (ddof 0)" in " ".join(said.split())
    (row,) = csv.DictReader((tmp_path / "out" / "agent_level_sensitivity.csv").read_text().splitlines())
    assert (row["ddof"], float(row["mean_variance"])) == ("0", pytest.approx(0.21875))
    rows = csv.DictReader((tmp_path / "out" / "task_level_sensitivity.csv").read_text().splitlines())
    assert sorted(float(one["variance"]) for one in rows) == pytest.approx([0.1875, 0.25])


def test_json_is_all_that_is_printed(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, said, err = otherwords(str(results), "--benchmark", "gaia", "--json", capsys=capsys)
    assert (code, err) == (0, "")
    found = json.loads(said)
    assert [agent["benchmark"] for agent in found["agents"]] == ["gaia", "gaia"]
    assert set(found["agents"][0]["estimates"]["s_prompt"]) == {
        "value",
        "low",
        "high",
        "n_items",
        "n_rows",
        "n_missing",
        "method",
        "reason",
        "generalizes",
        "low_if_missing",
        "high_if_missing",
    }
    assert not Path("report").exists()
    code, said, _ = otherwords(str(results), "--json", "-o", str(tmp_path / "out"), capsys=capsys)
    assert json.loads(said)["format"] == "otherwords-report"
    assert (tmp_path / "out" / "index.html").exists()


@pytest.mark.slow
def test_public(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "public"
    code, said, _ = otherwords(str(results), "-o", str(out), "--public", capsys=capsys)
    assert code == 0
    assert re.search(r"Salts?: \S+/otherwords/salts/\S+\.salt", " ".join(said.split()))
    assert not list(out.glob("*salt*"))
    for path in out.iterdir():
        assert b"/C calc" not in path.read_bytes()
    ids = pl.read_csv(out / "task_level_sensitivity.csv")["task_id"]
    assert all(name.startswith("item-") for name in ids)
    salt = tmp_path / "my.salt"
    otherwords(str(results), "-o", str(out), "--public", "--salt-file", str(salt), capsys=capsys)
    assert not set(ids) & set(pl.read_csv(out / "task_level_sensitivity.csv")["task_id"])
    code, _, err = otherwords(
        str(results), "-o", str(out), "--public", "--salt-file", str(out / "salt"), capsys=capsys
    )
    assert code == 2
    assert err.startswith(f"Error: {out / 'salt'}: the salt must not be in a folder that is made")


def test_a_salt_without_public_is_refused(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = otherwords(str(results), "--salt-file", "x", capsys=capsys)
    assert code == 2
    assert err.endswith("Error: --salt-file is for --public\n")


@pytest.mark.slow
def test_runs_over_time(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = write_parquet(
        outcomes().with_columns(score=pl.lit(1.0)), tmp_path / "february" / "outcomes.parquet"
    ).parent
    out = tmp_path / "report"
    code, said, _ = otherwords(str(results), str(second), "-o", str(out), capsys=capsys)
    assert code == 0
    assert "runs over time: --full" in said
    assert (
        "Runs over time" in otherwords(str(results), str(second), "-o", str(out), "--full", capsys=capsys)[1]
    )
    assert (out / "history.svg").exists()
    assert "| february | mock/a · taubench\\_airline |" in (out / "sensitivity_report.md").read_text()


def test_nothing_to_report_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = otherwords(capsys=capsys)
    assert code == 2
    assert err.endswith("Error: Missing argument 'LOGS...'.\n")
    code, _, err = otherwords(str(tmp_path / "nowhere"), capsys=capsys)
    assert (code, err) == (2, f"Error: {tmp_path / 'nowhere'}: there is no such file or folder\n")


def test_a_benchmark_that_is_not_there(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = otherwords(str(results), "--benchmark", "gaja", capsys=capsys)
    assert (code, err) == (2, "Error: unknown benchmark 'gaja'. Did you mean: gaia?\n")


@pytest.mark.slow
def test_the_terminal_obeys_nothing_that_a_model_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = (
        outcomes()
        .with_columns(model=pl.lit("\x1b]0;owned\x07mock[bold red]x"), id=pl.format("\x1b[2J{}", "id"))
        .unique(["id", "variant"], maintain_order=True)
    )
    table = write_parquet(evil, tmp_path / "evil.parquet")
    code, said, _ = otherwords(
        str(table), "-o", str(tmp_path / "out"), "--title", "\x1b[31mred", capsys=capsys
    )
    assert code == 0
    assert "\x1b" not in said
    assert "\x07" not in said
    assert "[bold red]x" in said.replace("\n", "")
