"""Runs that differ are told apart, and no file makes a repeat."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from otherwords.metrics import variance_components
from otherwords.pipeline.report_estimates import read_runs
from otherwords.results import read_results
from otherwords.results.run_identity import RunIdentity, labels_of


def log(
    values: dict[tuple[str, str, int], float | None],
    *,
    task_id: str = "t1",
    created: str = "2026-11-01T10:00:00+00:00",
    spec: dict[str, Any] | None = None,
    fingerprint: dict[str, str] | None = None,
) -> dict[str, Any]:
    """An Inspect log: the score of each item, wording and epoch; None for one that failed."""
    samples = [
        {
            "id": f"{item}#{variant}",
            "epoch": epoch,
            "input": f"{item} {variant}",
            "target": "x",
            "metadata": {"item_id": item, "variant": variant},
            "error": {"message": "RuntimeError('x')"} if value is None else None,
            "scores": None if value is None else {"match": {"value": value, "answer": str(value)}},
        }
        for (item, variant, epoch), value in values.items()
    ]
    about = {
        "task": "quiz",
        "task_id": task_id,
        "model": "openai/x",
        "created": created,
        "config": {"epochs": max(epoch for _, _, epoch in values)},
        "metadata": {} if fingerprint is None else {"otherwords_fingerprint": fingerprint},
        **(spec or {}),
    }
    return {"status": "success", "eval": about, "samples": samples}


def write(folder: Path, *logs: dict[str, Any]) -> Path:
    folder.mkdir(exist_ok=True, parents=True)
    for place, one in enumerate(logs, start=1):
        (folder / f"log{place}.json").write_text(json.dumps(one), encoding="utf-8")
    return folder


def rows(score: float, items: int = 4, epochs: int = 1) -> dict[tuple[str, str, int], float | None]:
    wordings = [(f"q{item}", name) for item in range(items) for name in ("orig", "para1")]
    return {(*wording, epoch): score for wording in wordings for epoch in range(1, epochs + 1)}


def test_other_generation_settings_are_another_model(tmp_path: Path) -> None:
    """Seen: temperature 0 and 1 in one folder read as noise .5."""
    logs = [
        log(
            rows(float(heat)),
            task_id=f"t{heat}",
            spec={"model_generate_config": {"temperature": heat, "max_retries": heat}},
        )
        for heat in (0, 1)
    ]
    results = read_results(write(tmp_path, *logs), strict=True)
    assert sorted(set(results.outcomes["model"])) == ["openai/x (temperature=0)", "openai/x (temperature=1)"]
    assert set(results.outcomes["repeat"]) == {1}
    assert variance_components(results.outcomes, model="openai/x (temperature=1)")["noise"].value is None
    assert results.notes == (
        "In quiz, runs of 'openai/x' differ and are reported apart: 'openai/x (temperature=0)' and "
        "'openai/x (temperature=1)'.",
    )
    assert [one.model for one in results.logs] == ["openai/x (temperature=0)", "openai/x (temperature=1)"]
    assert results.skipped == ()


def test_an_edited_scorer_is_another_run(tmp_path: Path) -> None:
    """Seen: an edited scorer read as phrasing share −300%."""
    parts = {"task": "a", "solver": "b", "scorer": "c", "generate": "d"}
    logs = [
        log(rows(1.0), task_id="t1", fingerprint=parts, created="2026-11-01T10:00:00+00:00"),
        log(
            rows(0.0), task_id="t2", fingerprint=parts | {"scorer": "e"}, created="2026-11-02T09:00:00+00:00"
        ),
    ]
    table = read_results(write(tmp_path, *logs)).outcomes
    found = {model: set(part["score"]) for (model,), part in table.group_by("model")}
    assert found == {"openai/x": {1.0}, "openai/x (scorer changed, 2026-11-02)": {0.0}}


def test_edited_samples_are_another_run(tmp_path: Path) -> None:
    """A dataset's file is no code: only its samples tell that it has changed."""

    def with_content(one: dict[str, Any], content: str) -> dict[str, Any]:
        for sample in one["samples"]:
            sample["metadata"]["otherwords_content"] = f"{sample['id']} {content}"
        return one

    parts = {"task": "a", "scorer": "c"}
    first = log(rows(1.0, items=2, epochs=3), task_id="t1", fingerprint=parts)
    more = log(rows(1.0, items=9), task_id="t2", fingerprint=parts, created="2026-11-02T09:00:00+00:00")
    edited = log(rows(0.0, items=9), task_id="t3", fingerprint=parts, created="2026-11-03T09:00:00+00:00")
    logs = [with_content(first, "now"), with_content(more, "now"), with_content(edited, "later")]
    table = read_results(write(tmp_path, *logs)).outcomes
    found = {model: (part.height, set(part["score"])) for (model,), part in table.group_by("model")}
    assert found == {
        "openai/x": (9 * 2 + 2 * 2 * 2, {1.0}),
        "openai/x (samples changed, 2026-11-03)": (9 * 2, {0.0}),
    }


def test_files_make_no_repeats(tmp_path: Path) -> None:
    """Seen: two runs at once in one folder, which paid double, were read as two repeats."""
    older = log(rows(0.0), task_id="t1", created="2026-11-01T10:00:00+00:00")
    newer = log(rows(1.0), task_id="t2", created="2026-11-02T10:00:00+00:00")
    results = read_results(write(tmp_path, older, newer), strict=True)
    assert results.outcomes.select("score", "repeat").unique().rows() == [(1.0, 1)]
    assert [(one.path, one.reason, one.unreadable) for one in results.skipped] == [
        (
            tmp_path / "log1.json",
            "holds the same wordings and epochs as log2.json, which counts: repeats come from epochs, not "
            "from files (for more, run again with a higher --repeats; for runs over time, name each log by "
            "itself)",
            False,
        )
    ]


def test_the_fuller_of_two_runs_counts(tmp_path: Path) -> None:
    whole = log(rows(1.0, items=4), task_id="t1", created="2026-11-01T10:00:00+00:00")
    again = log(rows(0.0, items=2), task_id="t2", created="2026-11-02T10:00:00+00:00")
    assert set(read_results(write(tmp_path, whole, again)).outcomes["score"]) == {1.0}


def test_runs_over_time_that_differ_are_told(tmp_path: Path) -> None:
    folders = [
        write(
            tmp_path / name, log(rows(score), task_id=name, spec={"model_generate_config": {"top_p": score}})
        )
        for name, score in (("old", 0.5), ("new", 1.0))
    ]
    found = read_runs(folders)
    assert [run.label for run in found.history] == ["old", "new"]
    assert set(found.results.outcomes["score"]) == {1.0}
    assert found.results.notes == (
        "In quiz, runs of 'openai/x' differ and are reported apart: 'openai/x (top_p=1)' and "
        "'openai/x (top_p=0.5)'.",
    )
    assert (
        read_runs(
            [
                folders[0],
                write(
                    tmp_path / "again",
                    log(rows(0.5), task_id="x", spec={"model_generate_config": {"top_p": 0.5}}),
                ),
            ]
        ).results.notes
        == ()
    )


def test_a_pilot_and_the_rest_are_one_run(tmp_path: Path) -> None:
    pilot = log({("q1", "orig", 1): 1.0, ("q1", "para1", 1): None, ("q2", "orig", 1): 1.0}, task_id="t1")
    rest = log(
        {("q1", "para1", 1): 0.0, ("q2", "orig", 1): 0.0, ("q3", "orig", 1): 0.0, ("q3", "orig", 2): 0.0},
        task_id="t2",
        spec={"config": {"epochs": 1}},
    )
    results = read_results(write(tmp_path, pilot, rest), strict=True)
    assert sorted(results.outcomes.select("id", "variant", "repeat", "score").rows()) == [
        ("q1", "orig", 1, 1.0),
        ("q1", "para1", 1, 0.0),
        ("q2", "orig", 1, 0.0),
        ("q3", "orig", 1, 0.0),
        ("q3", "orig", 2, 0.0),
    ]
    assert [one.reason for one in results.skipped] == [
        "1 of its 2 results are also in log2.json, which counts"
    ]


@pytest.mark.parametrize(
    ("changes", "labels"),
    [
        ([{}, {}], ["", ""]),
        ([{"temperature": None}, {"temperature": 0.5}], ["temperature not set", "temperature=0.5"]),
        (
            [
                {"temperature": 0, "top_p": 1},
                {"temperature": 1, "top_p": 1},
                {"temperature": 0, "top_p": 0.5},
            ],
            ["temperature=0, top_p=1", "temperature=1, top_p=1", "temperature=0, top_p=0.5"],
        ),
        (
            [{"system_message": "You are terse."}, {"system_message": "You are a poet."}],
            ["", "settings changed, 2026-11-02"],
        ),
        (
            [{"a": "x y"}, {"a": "y z"}, {"a": "y z", "top_p": 1}],
            ["", "settings changed, 2026-11-02", "settings changed, 2026-11-03"],
        ),
    ],
)
def test_the_shortest_label_that_tells_them_apart(changes: list[dict[str, Any]], labels: list[str]) -> None:
    identities = [
        RunIdentity({"settings": json.dumps(one)}, {"settings": one}, f"2026-11-0{day}T10:00:00")
        for day, one in enumerate(changes, start=1)
    ]
    assert labels_of(identities) == labels


def test_runs_that_share_a_difference_are_told_apart_by_another() -> None:
    """Seen: of both it was said, with two dates, that their generation settings had changed."""
    parts = {"task": "a", "scorer": "c", "generate": "g"}
    identities = [
        RunIdentity(parts, {"generate": {"temperature": 0}}, "2026-11-01T10:00:00"),
        RunIdentity(parts | {"generate": "h"}, {"generate": {"temperature": 1}}, "2026-11-02T10:00:00"),
        RunIdentity(
            parts | {"generate": "h", "task": "b", "scorer": "d"},
            {"generate": {"temperature": 1}},
            "2026-11-03T10:00:00",
        ),
    ]
    assert labels_of(identities) == [
        "temperature=0",
        "temperature=1",
        "temperature=1, scorer changed, 2026-11-03",
    ]
    hidden = [RunIdentity(one.parts, {}, one.created) for one in identities]
    assert labels_of(hidden) == [
        "",
        "generation settings changed, 2026-11-02",
        "scorer changed, 2026-11-03, generation settings changed, 2026-11-02",
    ]


def test_a_log_of_an_earlier_version_is_not_taken_for_one_with_a_fingerprint(tmp_path: Path) -> None:
    old = log(rows(0.0), task_id="t1")
    new = copy.deepcopy(log(rows(1.0), task_id="t2", fingerprint={"task": "a"}))
    models = set(read_results(write(tmp_path, old, new)).outcomes["model"])
    assert models == {"openai/x", "openai/x (no fingerprint)"}
