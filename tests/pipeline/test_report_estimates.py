"""Robustness without the items whose options are ambiguous."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from otherwords.audit import audit_json, read_audit
from otherwords.core.errors import InputError
from otherwords.core.table import WORDING_COLUMNS, as_outcomes
from otherwords.metrics import s_prompt
from otherwords.pipeline.audit import audit_dataset
from otherwords.pipeline.write_report import build_report_data
from otherwords.results import Results

OPTIONS = {
    "clean1": ["Trout", "Dolphin", "Frog"],
    "clean2": ["Paris", "Rome", "Oslo"],
    "yes": ["Yes", "No"],
    "all": ["Iron", "Tin", "All of the above"],
    "open": [],
}
SCORES = {"clean1": (1, 1), "clean2": (1, 1), "yes": (1, 0), "all": (0, 1), "open": (0, 0)}


def outcomes(task: str = "quiz", models: tuple[str, ...] = ("m",)) -> pl.DataFrame:
    rows: list[dict[str, Any]] = [
        {"task": task, "model": model, "id": item, "variant": variant, "score": float(score)}
        for model in models
        for item, scores in SCORES.items()
        for variant, score in zip(("orig", "para1"), scores, strict=True)
    ]
    return as_outcomes(pl.DataFrame(rows))


def wordings(task: str = "quiz") -> pl.DataFrame:
    rows = [
        {
            "task": task,
            "id": item,
            "variant": variant,
            "kind": kind,
            "choices": choices,
            "prompt": "?",
            "target": "A",
        }
        for item, choices in OPTIONS.items()
        for variant, kind, choices in (
            ("orig", "orig", choices),
            ("control:negate", "control", ["Yes", "Yes"]),
        )
    ]
    return pl.DataFrame(rows, schema=WORDING_COLUMNS)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "audit.json"
    records = [{"id": item, "choices": choices} for item, choices in OPTIONS.items() if choices]
    path.write_text(audit_json(audit_dataset(records, name="quiz")))
    return path


@pytest.mark.parametrize("models", [("m",), ("m", "n")])
def test_the_options_in_the_logs_are_enough(models: tuple[str, ...]) -> None:
    table = outcomes(models=models)
    data = build_report_data(Results(outcomes=table, wordings=wordings()))
    kept = table.filter(pl.col("id").is_in(["clean1", "clean2", "open"]))
    assert [row.model for row in data.audited] == list(models)
    for row in data.audited:
        assert row.labels == {"clean": 2, "ambiguous": 2, "not audited": 1}
        assert row.reasons == {"boolean_like": 1, "meta_option:all_of_the_above": 1}
        assert (row.flagged, row.total) == (2, 5)
        assert row.estimates["s_prompt"] == s_prompt(kept, model=row.model)
        assert row.estimates["s_prompt"].value == 1.0
        assert row.floor == 0.5
    labelled = dict(data.items_of(data.agents[0]).select("id", "audit").iter_rows())
    assert labelled == {
        "clean1": "clean",
        "clean2": "clean",
        "yes": "ambiguous",
        "all": "ambiguous",
        "open": None,
    }


def test_nothing_is_shown_where_nothing_is_ambiguous() -> None:
    clean = wordings().filter(pl.col("id").is_in(["clean1", "clean2"]))
    assert build_report_data(Results(outcomes=outcomes(), wordings=clean)).audited == ()
    assert build_report_data(Results(outcomes=outcomes())).audited == ()


def test_an_audits_file_decides_where_there_is_one(labels: Path) -> None:
    data = build_report_data(Results(outcomes=outcomes()), audit=read_audit(labels))
    assert data.audited[0].flagged == 2


def test_a_file_is_for_its_own_benchmark(labels: Path) -> None:
    both = pl.concat([outcomes("quiz"), outcomes("other")])
    data = build_report_data(Results(outcomes=both), audit=read_audit(labels))
    assert {row.task: row.flagged for row in data.audited} == {"quiz": 2, "other": 0}
    one = build_report_data(Results(outcomes=outcomes("renamed")), audit=read_audit(labels))
    assert one.audited[0].flagged == 2


def test_a_file_of_other_items_is_refused(labels: Path) -> None:
    strange = outcomes().with_columns(pl.col("id") + "x")
    with pytest.raises(InputError) as error:
        build_report_data(Results(outcomes=strange), audit=read_audit(labels))
    hint = "Audit the dataset that was run: `otherwords audit DATASET --json FILE`."
    assert str(error.value) == f"{labels}: is of other items: none of its items is in the logs\n{hint}"
    two = pl.concat([outcomes("a"), outcomes("b")])
    with pytest.raises(InputError) as error:
        build_report_data(Results(outcomes=two), audit=read_audit(labels))
    assert (
        str(error.value) == f"{labels}: is of other items: it is of 'quiz', and the logs are of a, b\n{hint}"
    )


def test_when_nothing_is_left_there_is_no_number() -> None:
    table = outcomes().filter(pl.col("id").is_in(["yes", "all"]))
    data = build_report_data(Results(outcomes=table, wordings=wordings()))
    assert (data.audited[0].estimates, data.audited[0].floor) == ({}, None)


def test_public_logs_have_no_options_and_no_labels() -> None:
    hidden = wordings().with_columns(choices=pl.lit(None, WORDING_COLUMNS["choices"]))
    assert build_report_data(Results(outcomes=outcomes(), wordings=hidden)).audited == ()


def test_a_report_of_logs_without_options_imports_no_audit() -> None:
    listed = "[name for name in sys.modules if name.startswith('otherwords.audit')]"
    code = f"import sys, otherwords.pipeline.write_report; print({listed})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
