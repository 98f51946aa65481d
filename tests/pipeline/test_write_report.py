"""From result files to a report, over the real readers and metrics."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from otherwords.cli.report import print_summary
from otherwords.core.errors import UnknownNameError
from otherwords.core.table import largest_variance, lowest_s_prompt
from otherwords.metrics import s_prompt, s_task
from otherwords.pipeline.report_estimates import LATEST, TOGETHER, Run, read_runs
from otherwords.pipeline.write_report import build_report_data, write_report
from otherwords.publish.file_parts import parts_of
from otherwords.publish.pseudonyms import kept_salt
from otherwords.report import write_report as write_report_files
from otherwords.report.tables import report_json
from otherwords.results import Results, read_results
from otherwords.results.tables import write_parquet

Scores = dict[str, list[float | None]]
VARIANTS = (("orig", "orig", ""), ("para1", "paraphrase", "imperative"), ("pert:punct", "format", "punct"))


def table(scores: Scores, **fixed: Any) -> pl.DataFrame:
    """The scores of each item under orig, para1 and pert:punct."""
    from otherwords.core.table import as_outcomes

    rows = [
        {
            "task": "capitals",
            "model": "mock/a",
            "id": item,
            "variant": variant,
            "kind": kind,
            "change": change,
            "score": score,
            "status": "error" if score is None else "scored",
            "answer": None if score is None else "right" if score else "wrong",
            "log": "logs/2026-01-15T10-00-00+00-00_capitals_x.eval",
            **fixed,
        }
        for item, line in scores.items()
        for (variant, kind, change), score in zip(VARIANTS, line, strict=True)
    ]
    return as_outcomes(pl.DataFrame(rows, infer_schema_length=None))


STEADY: Scores = {"x": [1, 1, 1], "y": [0, 0, 0], "z": [1, 1, 1], "w": [1, 1, 0]}
SHAKY: Scores = {"x": [1, 0, 1], "y": [0, 1, 0], "z": [1, 0, 0], "w": [1, 1, None]}


def test_the_numbers_are_those_of_the_metrics() -> None:
    outcomes = pl.concat([table(STEADY), table(SHAKY, model="mock/b")])
    data = build_report_data(Results(outcomes=outcomes))
    assert [agent.model for agent in data.agents] == ["mock/a", "mock/b"]
    for agent in data.agents:
        mine = outcomes.filter(pl.col("model") == agent.model)
        assert agent.estimates["s_prompt"] == s_prompt(outcomes, model=agent.model)
        items = data.items_of(agent).sort("id")
        assert items["variance"].to_list() == s_task(mine).sort("id")["variance"].to_list()
    assert data.agents[1].statuses == {"scored": 11, "error": 1}
    assert data.floor(data.agents[0]) == pytest.approx(1 - largest_variance(3))
    assert set(data.agents[0].flips) == {"format", "paraphrase"}


def test_bounds_for_missing_scores_are_in_every_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of 12 runs 6 are right and one, a rewording of w, has no score."""
    data = build_report_data(Results(outcomes=table(SHAKY)))
    (agent,) = data.agents
    assert dict(agent.unscored) == {"provider_error": 1}
    bounds = {"accuracy": (6 / 12, 7 / 12), "accuracy_orig": (None, None), "delta_accuracy": (1 / 4, 3 / 8)}
    written = write_report_files(data, tmp_path)
    (row,) = csv.DictReader((tmp_path / "agent_level_sensitivity.csv").read_text().splitlines())
    (told,) = json.loads(report_json(data))["agents"]
    for name, (low, high) in bounds.items():
        for end, value in (("low_if_missing", low), ("high_if_missing", high)):
            assert getattr(agent.estimates[name], end) == (None if value is None else pytest.approx(value))
            assert told["estimates"][name][end] == (None if value is None else pytest.approx(value))
            cell = row[f"{name}_{end}"]
            assert (float(cell) if cell else None) == (None if value is None else pytest.approx(value))
    said = (
        "1 of 12 runs have no score (1 ended by an error of the provider). Accuracy is 50% if all of them "
        "were wrong, 58% if all were right; the loss by rewording is from 25 to 38 points."
    )
    assert said in told["verdict"]["cautions"]
    assert told["rows_without_score"] == {"provider_error": 1}
    assert len(written) > 3
    page = (tmp_path / "sensitivity_report.md").read_text()
    assert said in page
    assert "| Runs | answered | ended by an error of the provider |" in page
    print_summary(data)
    assert said in " ".join(capsys.readouterr().out.split())


def test_kinds_and_changes_are_ranked_with_their_families() -> None:
    data = build_report_data(Results(outcomes=table(SHAKY)))
    kinds = data.kinds_of(data.agents[0])
    found = {
        (kind, change): delta for kind, change, delta in kinds.select("kind", "change", "delta").iter_rows()
    }
    assert found == {
        ("paraphrase", ""): 0.25,
        ("paraphrase", "imperative"): 0.25,
        ("format", ""): pytest.approx(1 / 3),
        ("format", "punct"): pytest.approx(1 / 3),
    }
    assert kinds["delta"].to_list() == sorted(kinds["delta"], reverse=True)


def test_runs_over_time_divide_by_n_and_speak_for_items_where_the_report_does() -> None:
    history = [Run("january", table(STEADY)), Run("february", table(SHAKY))]
    data = build_report_data(Results(outcomes=table(SHAKY)), history=history, ddof=0, generalize="items")
    for run, point in zip(history, data.history, strict=True):
        expected = s_prompt(run.outcomes, ddof=0, generalize="items")
        found = point.estimates["s_prompt"]
        assert (found.value, found.low, found.generalizes) == (expected.value, expected.low, "items")
        assert point.floor == lowest_s_prompt(s_task(run.outcomes)["n_variants"], 0)


def test_cells_gather_repeats_statuses_and_answers() -> None:
    first, second = table(STEADY), table(SHAKY, repeat=2)
    cells = build_report_data(Results(outcomes=pl.concat([first, second]))).cells
    row = cells.filter(pl.col("id") == "w", pl.col("variant") == "pert:punct").row(0, named=True)
    assert (row["score"], row["n"], row["status"]) == (0.0, 1, "scored 1, error 1")
    row = cells.filter(pl.col("id") == "x", pl.col("variant") == "para1").row(0, named=True)
    assert (row["score"], row["n"], row["status"], row["answer"]) == (0.5, 2, "scored", "right | wrong")
    assert (row["kind"], row["change"]) == ("paraphrase", "imperative")


def test_one_benchmark_is_kept_by_its_name_or_the_last_part_of_it() -> None:
    outcomes = pl.concat([table(STEADY, task="evals/capitals"), table(SHAKY, task="rivers")])
    for name in ("evals/capitals", "capitals"):
        data = build_report_data(Results(outcomes=outcomes), benchmark=name)
        assert data.tasks == ["evals/capitals"]
        assert set(data.cells["task"]) == {"evals/capitals"}
    with pytest.raises(UnknownNameError) as caught:
        build_report_data(Results(outcomes=outcomes), benchmark="river")
    assert str(caught.value) == "unknown benchmark 'river'. Did you mean: rivers?"


def written(folder: Path, outcomes: pl.DataFrame) -> Path:
    return write_parquet(outcomes, folder / "outcomes.parquet").parent


def at(day: int) -> str:
    return f"logs/2026-01-{day:02d}T10-00-00+00-00_capitals_x.eval"


def test_folders_with_the_same_wordings_are_runs_and_the_latest_is_reported(tmp_path: Path) -> None:
    late = written(tmp_path / "late", table(SHAKY, log=at(20)))
    early = written(tmp_path / "early", table(STEADY, log=at(10)))
    data, _ = write_report([late, early], None)
    assert data.runs == ["2026-01-10 10:00:00", "2026-01-20 10:00:00"]
    assert [point.estimates["s_prompt"].value for point in data.history] == [
        s_prompt(table(STEADY)).value,
        s_prompt(table(SHAKY)).value,
    ]
    assert data.agents[0].estimates["s_prompt"].value == s_prompt(table(SHAKY)).value
    assert data.agents[0].repeats == 1
    assert data.notes == (LATEST.format(runs=2),)
    assert data.history[0].floor == pytest.approx(1 - largest_variance(3))


def test_an_agent_that_was_not_in_the_last_run_is_reported_from_its_own_last(tmp_path: Path) -> None:
    both = pl.concat([table(STEADY, log=at(10)), table(SHAKY, model="mock/b", log=at(10))])
    first, second = written(tmp_path / "1", both), written(tmp_path / "2", table(SHAKY, log=at(20)))
    data, _ = write_report([first, second], None)
    found = {agent.model: agent.estimates["s_prompt"].value for agent in data.agents}
    assert found == {"mock/a": s_prompt(table(SHAKY)).value, "mock/b": s_prompt(table(SHAKY)).value}
    assert [(point.model, point.label[:10]) for point in data.history] == [
        ("mock/a", "2026-01-10"),
        ("mock/b", "2026-01-10"),
        ("mock/a", "2026-01-20"),
    ]


def test_runs_without_a_time_keep_the_order_given_and_the_names_of_their_folders(tmp_path: Path) -> None:
    names = ["b/results", "a/results"]
    folders = [
        written(tmp_path / name, table(scores, log=None))
        for name, scores in zip(names, (STEADY, SHAKY), strict=True)
    ]
    data, _ = write_report(folders, None)
    assert data.runs == ["b/results", "a/results"]


def test_folders_of_different_agents_or_items_are_one_report_without_history(tmp_path: Path) -> None:
    half = {name: STEADY[name] for name in ("x", "y")}
    rest = {name: STEADY[name] for name in ("z", "w")}
    folders = [
        written(tmp_path / "1", table(half, log=at(10))),
        written(tmp_path / "2", table(rest, log=at(11))),
        written(tmp_path / "3", table(SHAKY, model="mock/b", log=at(12))),
    ]
    data, _ = write_report(folders, None)
    assert data.history == ()
    assert data.notes == ()
    assert [(agent.model, data.items_of(agent).height) for agent in data.agents] == [
        ("mock/a", 4),
        ("mock/b", 4),
    ]


def test_the_same_results_named_twice_are_one_run(tmp_path: Path) -> None:
    folder = written(tmp_path / "1", table(STEADY))
    data, _ = write_report([folder, folder / "outcomes.parquet"], None)
    assert data.history == ()
    assert data.agents[0].statuses == {"scored": 12}


def test_runs_in_one_folder_are_repeats_with_a_trend(tmp_path: Path) -> None:
    """As Inspect leaves them when a task is run again into the same folder."""
    again = pl.concat([table(STEADY, log=at(10)), table(SHAKY, log=at(20), repeat=2)])
    other = pl.concat(
        [table(STEADY, log=at(11), model="mock/b"), table(STEADY, log=at(21), model="mock/b", repeat=2)]
    )
    folder = written(tmp_path / "logs", pl.concat([again, other]))
    data, _ = write_report(folder, None)
    assert data.agents[0].repeats == 2
    assert [(point.model, point.label[:10]) for point in data.history] == [
        ("mock/a", "2026-01-10"),
        ("mock/b", "2026-01-10"),
        ("mock/a", "2026-01-20"),
        ("mock/b", "2026-01-20"),
    ]
    assert data.notes == (TOGETHER.format(runs=2),)


def test_shards_of_one_run_are_not_runs(tmp_path: Path) -> None:
    half = {name: STEADY[name] for name in ("x", "y")}
    rest = {name: STEADY[name] for name in ("z", "w")}
    folder = written(tmp_path / "logs", pl.concat([table(half, log=at(10)), table(rest, log=at(11))]))
    assert read_runs(folder).history == ()


def test_the_time_is_read_from_hals_names_too(tmp_path: Path) -> None:
    logs = [f"results/taubench_airline_agent_{stamp}_UPLOAD.json" for stamp in (1767225600, 1769904000)]
    folders = [
        written(tmp_path / str(place), table(scores, log=log))
        for place, (log, scores) in enumerate(zip(logs, (STEADY, SHAKY), strict=True))
    ]
    data, _ = write_report(folders, None)
    assert data.runs == ["2026-01-01 00:00:00", "2026-02-01 00:00:00"]


def every_text(path: Path) -> str:
    """A file's texts, what is compressed in it too."""
    return "\n".join(part.text for part in parts_of(path.read_bytes()))


@pytest.mark.slow
def test_a_public_report_from_real_logs_has_no_text_of_the_set(
    tmp_path: Path, scripted: Callable[[str, Callable[[str], str]], str]
) -> None:
    from otherwords.core.types import Item, original, variant_id
    from otherwords.runs import build_task, run_tasks

    items = [
        Item(id=f"secret-{number}", prompt=f"What is the capital of Planted{number}?", target=("Paris",))
        for number in range(3)
    ]
    firsts = [original(item) for item in items]
    others = [
        replace(
            one,
            id=variant_id(one.item_id, "para1"),
            name="para1",
            kind="paraphrase",
            prompt=f"Name {one.prompt}",
        )
        for one in firsts
    ]
    model = scripted("planter", lambda prompt: "Paris" if prompt.startswith("What") else "Plantedanswer")
    run_tasks(build_task("capitals", items, [*firsts, *others]), model, log_dir=tmp_path / "logs", repeats=1)
    private, _ = write_report(tmp_path / "logs", tmp_path / "private")
    assert "Planted1" in every_text(tmp_path / "private" / "index.html")
    data, written_ = write_report(tmp_path / "logs", tmp_path / "public", public=True)
    assert kept_salt("capitals").exists()
    assert data.agents[0].estimates["s_prompt"].value == private.agents[0].estimates["s_prompt"].value
    for path in written_:
        content = every_text(path)
        for secret in ("Planted", "secret-", str(tmp_path), ".eval"):
            assert secret not in content, (path.name, secret)
    assert read_results(tmp_path / "logs").outcomes["id"].n_unique() == 3
