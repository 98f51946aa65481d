from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS
from otherwords.results import read_results
from otherwords.results.tables import write_csv, write_parquet
from otherwords.results.types import outcomes_frame

ROW = {
    "task": "t",
    "model": "m",
    "id": "007",
    "variant": "orig",
    "kind": "orig",
    "change": "",
    "repeat": 1,
    "status": "scored",
    "score": 1.0,
    "correct": True,
    "answer": "A",
    "pred_index": 0,
    "log": "x.eval",
}
FAILED = {**ROW, "id": "008", "status": "unscored", "score": None, "correct": None, "reason": "format"}


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_a_written_table_reads_back_the_same(write: object, tmp_path: Path) -> None:
    table = outcomes_frame([ROW, FAILED])
    assert callable(write)
    write(table, tmp_path / "outcomes")
    assert_frame_equal(read_results(tmp_path / "outcomes").outcomes, table)


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(st.none(), st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"))),
        min_size=1,
    )
)
def test_any_text_survives_a_csv_file(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str | None]
) -> None:
    rows = [{**ROW, "id": f"q{n}", "answer": text, "reason": text} for n, text in enumerate(texts)]
    path = tmp_path_factory.mktemp("csv") / "outcomes.csv"
    write_csv(outcomes_frame(rows), path)
    assert read_results(path).outcomes["answer"].to_list() == texts


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "'quoted"])
def test_text_that_a_spreadsheet_would_run_is_guarded(text: str, tmp_path: Path) -> None:
    path = write_csv(outcomes_frame([{**ROW, "answer": text}]), tmp_path / "outcomes.csv")
    raw = pl.read_csv(path, infer_schema=False)
    assert raw["answer"].to_list() == ["'" + text]


def test_numbers_are_left_alone(tmp_path: Path) -> None:
    path = write_csv(outcomes_frame([{**ROW, "seed": -3}]), tmp_path / "outcomes.csv")
    assert pl.read_csv(path, infer_schema=False)["seed"].to_list() == ["-3"]


def test_a_short_table_gets_its_other_columns(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,variant,score\n1,orig,0\n1,para1,\n", encoding="utf-8")
    table = read_results(path).outcomes
    assert dict(table.schema) == OUTCOME_COLUMNS
    assert table.select("id", "status", "score", "repeat").rows() == [
        ("1", "scored", 0.0, 1),
        ("1", "unscored", None, 1),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("id,variant,score\nq1,orig,good\n", "row 1 has 'good' where column 'score' wants a number"),
        ("id,variant,score\nq1,orig,3\n", "item 'q1': the score 3 is outside [0, 1]"),
        ("id,variant\nq1,orig\n", "is not a result file of a known kind"),
    ],
)
def test_a_wrong_table_is_refused_with_its_reason(content: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == f"no results found in {path}\n{path}: {reason}"


def test_a_cut_parquet_file_is_named(tmp_path: Path) -> None:
    good = write_parquet(outcomes_frame([ROW]), tmp_path / "good.parquet")
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(good.read_bytes()[:100])
    results = read_results(tmp_path)
    assert results.outcomes.height == 1
    ((path, reason),) = [(one.path, one.reason) for one in results.skipped]
    assert path == cut
    assert reason.startswith("is damaged or cut short: ")
