from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from otherwords.cli import main
from otherwords.core.table import as_outcomes
from otherwords.pipeline.report_parts import against_baseline, provenance_of
from otherwords.pipeline.write_report import build_report_data
from otherwords.results import Results
from otherwords.results.reader import empty_wordings


def runs(model: str = "m", *, wrong: tuple[str, ...] = (), items: int = 12) -> pl.DataFrame:
    rows = [
        {
            "task": "t",
            "model": model,
            "id": f"q{item}",
            "variant": variant,
            "kind": "orig" if variant == "orig" else "paraphrase",
            "repeat": repeat,
            "score": 0.0 if f"q{item}" in wrong else 1.0,
        }
        for item in range(items)
        for variant in ("orig", "para1", "para2")
        for repeat in (1, 2, 3)
    ]
    return as_outcomes(pl.DataFrame(rows))


def test_items_that_broke_and_that_were_fixed() -> None:
    before, now = runs(wrong=("q1", "q2")), runs(wrong=("q2", "q3"))
    (found,) = against_baseline(now, before)
    assert (found.row.broken, found.row.fixed, found.row.unchanged) == (("q3",), ("q1",), 10)
    assert (found.row.went_wrong, found.row.went_right) == (1, 1)
    assert found.row.change.value == 0
    moved = dict(found.moved.select("id", "moved").iter_rows())
    assert (moved["q3"], moved["q1"], moved["q2"]) == (-1, 1, 0)


def test_one_run_that_differs_is_noise() -> None:
    now = runs()
    one = (pl.col("id") == "q5") & (pl.col("variant") == "para1") & (pl.col("repeat") == 2)
    now = now.with_columns(score=pl.when(one).then(0.0).otherwise("score"))
    (found,) = against_baseline(now, runs())
    assert (found.row.broken, found.row.fixed) == ((), ())


def test_agents_are_matched_by_name_or_alone() -> None:
    assert [one.row.model for one in against_baseline(runs("new"), runs("old"))] == ["new"]
    two = pl.concat([runs("a"), runs("b")])
    assert [one.row.model for one in against_baseline(two, runs("b"))] == ["b"]
    assert list(against_baseline(two, runs("c"))) == []
    other = runs("a").with_columns(task=pl.lit("other"))
    assert list(against_baseline(runs("a"), other)) == []


def test_a_report_has_it_and_how_it_was_made() -> None:
    now, before = runs(wrong=("q3",)), runs()
    wordings = pl.DataFrame(
        [
            {
                "task": "t",
                "id": "q1",
                "variant": name,
                "kind": kind,
                "change": "",
                "prompt": name,
                "target": "x",
            }
            for name, kind in (("orig", "orig"), ("para1", "paraphrase"))
        ]
    ).with_columns(choices=pl.lit([], pl.List(pl.String)), target=pl.lit("x"))
    results = Results(outcomes=now, wordings=wordings)
    data = build_report_data(results, baseline=before, baseline_name="october")
    assert data.baseline[0].broken == ("q3",)
    assert data.items.filter(pl.col("moved") == -1)["id"].to_list() == ["q3"]
    made: Any = data.provenance
    assert made.calls == 108
    assert made.families == (("paraphrase", 1),)
    assert (made.tokens, made.cost) == (None, None)
    assert made.runs[0].agent == "m"
    again: Any = build_report_data(Results(now, wordings.reverse())).provenance
    assert (again.items_hash, again.variants_hash) == (made.items_hash, made.variants_hash)
    other = wordings.with_columns(prompt=pl.col("prompt") + "!")
    changed: Any = build_report_data(Results(now, other)).provenance
    assert changed.items_hash != made.items_hash
    assert changed.variants_hash != made.variants_hash


@pytest.mark.parametrize(
    ("first_line", "seeds"),
    [
        ('{"format": "otherwords-variants", "seed": 7}', (7,)),
        ('{"format": "otherwords-variants", "seed": "x"}', ()),
        ('{"format": "another", "seed": 7}', ()),
        ("not JSON", ()),
        (None, ()),
    ],
)
def test_the_seed_of_the_wordings_is_that_of_the_file_beside_the_logs(
    tmp_path: Path, first_line: str | None, seeds: tuple[int, ...]
) -> None:
    if first_line is not None:
        (tmp_path / "variants.jsonl").write_text(f"{first_line}\n", "utf-8")
    now = runs().with_columns(log=pl.lit(str(tmp_path / "run.eval")))
    assert provenance_of(now, empty_wordings(), [], []).wording_seeds == seeds


@pytest.mark.slow
def test_the_command_writes_what_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs(wrong=("q3",)).write_parquet(tmp_path / "now.parquet")
    runs().write_parquet(tmp_path / "before.parquet")
    out = tmp_path / "report"
    given = ["report", str(tmp_path / "now.parquet"), "--baseline", str(tmp_path / "before.parquet")]
    with pytest.raises(SystemExit) as end:
        main([*given, "-o", str(out), "--latex", "--png"])
    assert not end.value.code
    assert "Against the baseline: 1 newly broken, 0 newly fixed, 11 unchanged" in capsys.readouterr().out
    names = {path.name for path in out.iterdir()}
    assert {"tables.tex", "change_costs.png", "change_costs.svg", "index.html"} <= names
    assert "## Compared with the baseline" in (out / "sensitivity_report.md").read_text("utf-8")
