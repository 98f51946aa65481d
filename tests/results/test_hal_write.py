from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otherwords.core.errors import InputError
from otherwords.metrics import s_task
from otherwords.results import read_results, write_hal_upload
from otherwords.results.reader import outcomes_frame

KINDS = {"orig": "orig", "para1": "paraphrase", "mild": "llm", "control:negate": "control"}
ABOUT = ["task", "model", "id", "variant", "kind", "change", "repeat", "score"]


def row(item: str, variant: str, score: float | None, repeat: int = 1, model: str = "m") -> dict[str, Any]:
    return {
        "task": "airline",
        "model": model,
        "id": item,
        "variant": variant,
        "kind": KINDS[variant],
        "change": "" if variant == "orig" else "frame",
        "repeat": repeat,
        "status": "unscored" if score is None else "scored",
        "score": score,
        "reason": "format" if score is None else None,
        "log": "x.eval",
    }


def written(table: pl.DataFrame, folder: Path, run_id: str = "run1") -> list[Path]:
    return write_hal_upload(table, folder, run_id=run_id, per_item=s_task(table), date="2026-01-09")


def test_the_file_is_as_hal_writes_it(tmp_path: Path) -> None:
    table = outcomes_frame(
        [
            row("a", "orig", 1.0),
            row("a", "para1", 0.0),
            row("a", "control:negate", 0.0),
            row("b", "orig", 0.5),
            row("b", "para1", None),
        ]
    )
    (path,) = written(table, tmp_path / "results")
    assert path == tmp_path / "results" / "airline" / "run1" / "run1_UPLOAD.json"
    assert json.loads(path.read_text(encoding="utf-8")) == {
        "config": {
            "agent_name": "m",
            "benchmark_name": "airline",
            "date": "2026-01-09",
            "run_id": "run1",
            "agent_args": {},
            "run_command": "",
            "prompt_sensitivity": True,
            "variations": {
                "0": {"variant": "orig", "kind": "orig", "change": ""},
                "1": {"variant": "para1", "kind": "paraphrase", "change": "frame"},
            },
            "rows_left_out": 1,
        },
        "results": {
            "accuracy": 0.5,
            "successful_tasks": ["a", "b"],
            "failed_tasks": [],
            "unscored_tasks": [],
            "agent_errors": 0,
            "provider_errors": 0,
        },
        "raw_eval_results": {
            "a": [{"variation_id": 0, "score": 1.0}, {"variation_id": 1, "score": 0.0}],
            "b": [{"variation_id": 0, "score": 0.5}],
        },
        "unscored_runs": [
            {
                "task_id": "b",
                "variation_id": 1,
                "status": "unscored",
                "outcome": "unreadable",
                "reason": "format",
            }
        ],
        "prompt_sensitivity_metrics": {
            "mean_variance": 0.5,
            "std_variance": 0.0,
            "mean_min_max_gap": 1.0,
            "max_min_max_gap": 1.0,
            "task_variances": {"a": 0.5},
            "task_means": {"a": 0.5},
            "task_min_max_gaps": {"a": 1.0},
            "num_tasks": 1,
        },
    }


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.dictionaries(
        st.tuples(
            st.sampled_from(["a", "b", "c"]), st.sampled_from(["orig", "para1", "mild"]), st.integers(1, 3)
        ),
        st.floats(0, 1),
        min_size=1,
    )
)
def test_read_back_the_scores_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, scores: dict[tuple[str, str, int], float]
) -> None:
    # Repeats count from one without gaps, as they do in every log.
    counted: dict[tuple[str, str], int] = {}
    rows = []
    for (item, variant, _), score in scores.items():
        counted[item, variant] = counted.get((item, variant), 0) + 1
        rows.append(row(item, variant, score, counted[item, variant]))
    table = outcomes_frame(rows)
    (path,) = written(table, tmp_path_factory.mktemp("hal"))
    results = read_results(path)
    again = results.outcomes.filter(pl.col("status") == "scored")
    assert set(again.select(ABOUT).iter_rows()) == set(table.select(ABOUT).iter_rows())
    assert results.skipped == ()


def test_each_model_has_a_run_of_its_own(tmp_path: Path) -> None:
    table = outcomes_frame([row("a", "orig", 1.0, model="x/1"), row("a", "orig", 0.0, model="y")])
    paths = written(table, tmp_path)
    assert [path.name for path in paths] == ["run1_x_1_UPLOAD.json", "run1_y_UPLOAD.json"]
    again = read_results(tmp_path).outcomes
    assert again.select("model", "score").rows() == [("x/1", 1.0), ("y", 0.0)]
    metrics = json.loads(paths[0].read_text(encoding="utf-8"))["prompt_sensitivity_metrics"]
    assert (metrics["mean_variance"], metrics["num_tasks"]) == (None, 0)


def test_all_files_or_none(tmp_path: Path) -> None:
    table = outcomes_frame([row("a", "orig", 1.0, model="x"), row("a", "orig", 0.0, model="y")])
    blocked = tmp_path / "airline" / "run1_y"
    blocked.parent.mkdir()
    blocked.write_text("in the way", encoding="utf-8")
    with pytest.raises(InputError):
        written(table, tmp_path)
    assert list(tmp_path.rglob("*_UPLOAD.json")) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.drop("variance"), "per_item lacks the columns variance"),
        (lambda frame: frame.clear(), "item 'a': per_item has no variance for it"),
    ],
)
def test_numbers_that_do_not_fit_are_refused(change: Any, message: str, tmp_path: Path) -> None:
    table = outcomes_frame([row("a", "orig", 1.0), row("a", "para1", 0.0)])
    with pytest.raises(InputError) as caught:
        write_hal_upload(table, tmp_path, run_id="r", per_item=change(s_task(table)))
    assert str(caught.value) == message
    assert list(tmp_path.iterdir()) == []


def test_names_never_leave_the_folder(tmp_path: Path) -> None:
    table = outcomes_frame([{**row("a", "orig", 1.0), "task": "../../up"}])
    (path,) = written(table, tmp_path / "out", run_id="../r")
    assert path == tmp_path / "out" / "up" / "r" / "r_UPLOAD.json"
    assert read_results(path).outcomes["task"].to_list() == ["../../up"]


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    table = outcomes_frame([row("a", "orig", 1.0)])
    with pytest.raises(InputError) as caught:
        write_hal_upload(table.clear(), tmp_path, run_id="r", per_item=s_task(table))
    assert str(caught.value) == "there are no outcomes to write"
