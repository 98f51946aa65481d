"""Files that version 0.1 wrote are read: variants, logs, tables, an audit and a suite."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import doors
import polars as pl
import pytest
from pin_data import MADE, V0_1, lay_out, load, plain, require_same
from pin_runs import INTERRUPTED, outcome_rows
from since_0_1 import REWORDED_ANEW, TABLE_COLUMNS, names_in, old_rows, without

pytestmark = pytest.mark.slow

PLACES = re.compile(rb"/(?:home|root|tmp|work|Users|private|mnt|srv|opt|usr)/[A-Za-z0-9_.]")


def test_a_variants_file() -> None:
    read = doors.read_variants(MADE / "variants.jsonl")
    lines = [json.loads(line) for line in (MADE / "variants.jsonl").read_text("utf-8").splitlines()[1:]]
    assert [one.accepted for one in read.vetted] == [line["accepted"] for line in lines]
    for one, line in zip(read.vetted, lines, strict=True):
        for name in ("id", "item_id", "name", "kind", "prompt", "change", "generator", "params"):
            assert getattr(one.variant, name) == line[name]
        assert list(one.variant.option_order) == line["option_order"]
        said = [[check["check"], check["verdict"], check["reason"]] for check in line["checks"]]
        assert [doors.said_of(result) for result in one.checks] == said


def test_a_variants_file_serves_a_run(folder: Path) -> None:
    lay_out(folder)
    run = ("run", "questions.jsonl", "--variants", "variants.jsonl", "--agent", "mine.py:answer", "--dry-run")
    ended = doors.command(*run, "--log-dir", "new")
    assert ended.code == 0, ended.err


def require_same_rows(expected: Any, found: Any) -> None:
    """Every row says what happened, and is else as 0.1 read it."""
    assert set(TABLE_COLUMNS) <= names_in(found)
    require_same(expected, without(found, TABLE_COLUMNS))


@pytest.mark.parametrize("name", ["logs", "logs-questions"])
def test_logs(name: str) -> None:
    require_same_rows(load("reads")[name], outcome_rows(MADE / name))


@pytest.mark.parametrize("name", ["task", "dataset", "agent", "killed"])
def test_logs_of_an_unfinished_run(name: str) -> None:
    require_same_rows(load("reads")[f"interrupted {name}"], outcome_rows(INTERRUPTED / name))


def test_the_wordings_in_logs() -> None:
    require_same(load("reads")["wordings"], plain(doors.read_results(MADE / "logs-questions").wordings))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_outcome_table(ending: str) -> None:
    found = doors.load_all_results(MADE / f"outcomes.{ending}")
    written = pl.read_parquet(MADE / "outcomes.parquet")
    assert dict(found.select("status", "outcome").unique().iter_rows()) == {
        "scored": "answered",
        "unscored": "unreadable",
    }
    found = found.drop(TABLE_COLUMNS)
    assert found.columns == written.columns
    assert found.schema == written.schema
    kept = [name for name in written.columns if name != "log"]
    keys = ["task", "model", "id", "variant", "repeat"]
    require_same(plain(written.select(kept).sort(keys)), plain(found.select(kept).sort(keys)))


def test_an_audit(folder: Path) -> None:
    lay_out(folder)
    audited = ("--exclude-ambiguous", "--audit", "audit.json")
    ended = doors.command("vary", "mcq.jsonl", "-o", "out.jsonl", *audited)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0] == load("reads")["left out"]
    ended = doors.command("report", "logs", "--json", "--audit", "audit.json")  # it is of other items
    assert [ended.code, ended.err] == load("reads")["audit of others"]


def test_a_suite_runs(folder: Path) -> None:
    lay_out(folder)
    doors.command("vary", "quiz.py@capitals", "-o", "unused.jsonl")  # its model is known from here on
    ended = doors.command("run", "--config", "suite.yaml", "--log-dir", "suite-logs")
    assert ended.code == 0, ended.err
    found = {path.name: outcome_rows(path) for path in sorted(Path("suite-logs").iterdir()) if path.is_dir()}
    expected = {name: _not_reworded_anew(rows) for name, rows in load("reads")["suite"].items()}
    require_same(expected, {name: old_rows(_not_reworded_anew(rows)) for name, rows in found.items()})


def _not_reworded_anew(rows: Any) -> Any:
    return [row for row in rows if row["kind"] not in REWORDED_ANEW]


def test_no_file_says_where_it_was_made() -> None:
    for path in sorted(V0_1.rglob("*")):
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as archive:
                contents = [archive.read(name) for name in archive.namelist()]
        elif path.is_file() and path.suffix != ".gz":
            contents = [path.read_bytes()]
        else:
            continue
        for content in contents:
            assert not PLACES.search(content), path.name


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in V0_1.rglob("*") if path.is_file()) < 3_000_000
