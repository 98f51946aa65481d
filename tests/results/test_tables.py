from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from otherwords.core.contract import OUTCOMES
from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS, with_outcomes
from otherwords.results import read_results
from otherwords.results.reader import outcomes_frame
from otherwords.results.tables import write_csv, write_parquet

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
    table = with_outcomes(outcomes_frame([ROW, FAILED]))
    assert table["outcome"].to_list() == ["answered", "unreadable"]
    assert callable(write)
    write(table, tmp_path / "outcomes")
    assert_frame_equal(read_results(tmp_path / "outcomes").outcomes, table)


@pytest.mark.slow
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


TEXT = st.text(st.characters(blacklist_categories=("Cs",)), max_size=12)
MAYBE_TEXT = st.none() | TEXT
INTEGER = st.integers(-(2**63), 2**63 - 1)
SCORED = st.tuples(st.just("scored"), st.floats(0, 1), st.booleans())
UNSCORED = st.tuples(st.sampled_from(["unscored", "error", "limit", "missing"]), st.none(), st.none())


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    """Any table that a reader may give: its columns' types, nulls, empty texts and odd characters."""
    rows = []
    for number in range(draw(st.integers(1, 5))):
        status, score, correct = draw(SCORED | UNSCORED)
        rows.append(
            {
                **{name: draw(MAYBE_TEXT) for name in ("change", "paraphrase_id", "perturbation_kind")},
                **{name: draw(MAYBE_TEXT) for name in ("answer", "response", "reason")},
                **{name: draw(MAYBE_TEXT) for name in ("scorer", "reducer")},
                **{name: draw(TEXT) for name in ("task", "model", "variant", "kind", "log")},
                **{
                    name: draw(st.none() | INTEGER)
                    for name in ("pred_index", "target_index", "seed", "tokens")
                },
                **{
                    name: draw(st.none() | st.floats(allow_nan=False, allow_infinity=False))
                    for name in ("confidence", "seconds")
                },
                "id": f"{number}{draw(TEXT)}",
                "repeat": draw(st.integers(1, 2**63 - 1)),
                "status": status,
                "outcome": draw(st.none() | st.sampled_from(OUTCOMES)),
                "score": score,
                "correct": correct,
            }
        )
    return with_outcomes(outcomes_frame(rows))


@pytest.mark.slow
@pytest.mark.parametrize("write", [write_csv, write_parquet])
@settings(deadline=None)
@given(table=tables())
def test_the_round_trip_is_perfect(
    write: Any, table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = write(table, tmp_path_factory.mktemp("trip") / "outcomes")
    results = read_results(path, strict=True)
    assert_frame_equal(results.outcomes, table, check_exact=True)
    assert results.skipped == ()


def test_an_empty_cell_is_null_and_two_quotes_are_an_empty_text(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text('id,variant,score,answer,seed\n1,orig,1,,\n2,orig,1,"",3\n', encoding="utf-8")
    rows = read_results(path).outcomes.select("id", "answer", "seed").rows()
    assert rows == [("1", None, None), ("2", "", 3)]


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


THEIRS = [
    {"q": "q1", "wording": "orig", "result": {"acc": 1}, "who": "m1", "asked": "Who?"},
    {"q": "q1", "wording": "formal", "result": {"acc": 0.5}, "who": "m1", "asked": "Whom?"},
]
MAPPING = {"id": "q", "variant": "wording", "score": "result.acc", "model": "who", "prompt": "asked"}
MAPPED = [("m1", "q1", "orig", "orig", "scored", 1.0, True), ("m1", "q1", "formal", "", "scored", 0.5, False)]
MAPPED_COLUMNS = ["model", "id", "variant", "kind", "status", "score", "correct"]


def flat() -> pl.DataFrame:
    return pl.DataFrame([{**row, "result": row["result"]["acc"]} for row in THEIRS])  # type: ignore[index]


@pytest.mark.parametrize("kind", ["csv", "csv with ;", "csv with tabs", "parquet", "lines", "list"])
def test_a_mapping_names_our_columns(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "theirs"
    mapping = {**MAPPING, "score": "result"}
    if kind.startswith("csv"):
        separator = {"csv": ",", "csv with ;": ";", "csv with tabs": "\t"}[kind]
        flat().write_csv(path, separator=separator)
    elif kind == "parquet":
        flat().write_parquet(path)
    else:
        mapping = MAPPING
        lines = [json.dumps(row) for row in THEIRS]
        path.write_text("\n".join(lines) if kind == "lines" else f"[{','.join(lines)}]", encoding="utf-8")
    results = read_results(path, columns=mapping, strict=True)
    assert results.outcomes.select(MAPPED_COLUMNS).rows() == MAPPED
    assert set(results.outcomes["log"]) == {str(path)}
    assert results.wordings.select("id", "variant", "prompt", "target").rows() == [
        ("q1", "orig", "Who?", ""),
        ("q1", "formal", "Whom?", ""),
    ]


def test_the_mapped_column_counts_where_ours_is_there_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,variant,score,acc\n1,orig,0,1\n", encoding="utf-8")
    assert read_results(path, columns={"score": "acc"}).outcomes["score"].to_list() == [1.0]
    assert read_results(path).outcomes["score"].to_list() == [0.0]


def test_a_mapping_of_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    pl.DataFrame({"id": ["1"], "variant": ["orig"], "score": [1]}).write_parquet(path)
    with pytest.raises(InputError) as caught:
        read_results(path, columns={"model": "who"})
    assert str(caught.value) == (
        f"no results found in {path}\n{path}: has no column 'who' for model (it has: id, variant, score)"
    )


def test_a_mapping_to_a_column_that_nobody_knows() -> None:
    with pytest.raises(InputError) as caught:
        read_results("x.csv", columns={"modle": "who"})
    assert str(caught.value) == "unknown column 'modle'. Did you mean: model, model_calls?"


def test_lines_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(
        '{"id": 1, "variant": "orig", "score": true}\nnope\n3\n{"id": 2, "variant": "orig", "score": null}\n',
        encoding="utf-8",
    )
    results = read_results(path)
    assert results.outcomes.select("id", "status", "score", "reason").rows() == [
        ("1", "scored", 1.0, None),
        ("2", "unscored", None, "the table has no score for it"),
    ]
    (skipped,) = results.skipped
    assert skipped.unreadable
    assert skipped.reason.startswith("2 of its lines cannot be read; line 2: ")


@pytest.mark.parametrize(
    ("column", "values", "read"),
    [
        ("score", ["C", "i", " P ", "true", "False", "1.0", "nan", ""], [1, 0, 0.5, 1, 0, 1, None, None]),
        ("score", [True, False, None], [1, 0, None]),
        ("score", [1.0, float("nan")], [1, None]),
        ("repeat", ["1", "2.0"], [1, 2]),
        ("repeat", [1.0, 2.0], [1, 2]),
        ("tokens", ["", "None", "7"], [None, None, 7]),
        ("correct", ["TRUE", "0", ""], [True, False, None]),
        ("correct", [1, 0, None], [True, False, None]),
        ("answer", [1, 2], ["1", "2"]),
    ],
)
def test_values_of_other_types(column: str, values: list[Any], read: list[Any], tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    frame = pl.DataFrame({"id": range(len(values)), "variant": "orig", "score": 1.0})
    frame.with_columns(pl.Series(column, values)).write_parquet(path)
    assert read_results(path).outcomes[column].to_list() == read


@pytest.mark.parametrize(
    ("column", "values", "reason"),
    [
        ("score", ["good"], "row 1 has 'good' where column 'score' wants a number"),
        ("score", [1.0, float("inf")], "row 2 has 'inf' where column 'score' wants a number"),
        ("score", [-0.5], "item '0': the score -0.5 is outside [0, 1]"),
        ("score", [[1]], "column 'score' holds List(Int64), not a number"),
        ("repeat", [1.5], "row 1 has '1.5' where column 'repeat' wants a whole number"),
        ("repeat", [2**63], "row 1 has '9223372036854775808' where column 'repeat' wants a whole number"),
        ("repeat", [None], "row 1 has no repeat"),
        ("correct", ["perhaps"], "row 1 has 'perhaps' where column 'correct' wants true or false"),
        ("correct", [2], "row 1 has '2' where column 'correct' wants true or false"),
        ("id", [None], "row 1 has no id"),
        (
            "status",
            ["fine"],
            "item '0': the status 'fine' is none of scored, unscored, error, limit, missing",
        ),
        ("status", ["error"], "item '0': its status is error and it has a score"),
    ],
)
def test_values_that_do_not_fit_are_refused(
    column: str, values: list[Any], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.parquet"
    frame = pl.DataFrame({"id": range(len(values)), "variant": "orig", "score": 1.0})
    frame.with_columns(pl.Series(column, values)).write_parquet(path)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value) == f"no results found in {path}\n{path}: {reason}"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"id,variant,score,model\nq,orig,1,m\nq,para1,0", "is cut short: its last row is not whole"),
        (b"id,variant,score\nq,orig,1,extra,more\n", "is damaged or cut short: "),
        (b"id,variant,score\nq,orig,1\nq,\xe9,1\n", "is damaged or cut short: "),
    ],
)
def test_a_damaged_csv_is_named(content: bytes, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_results(path)
    assert str(caught.value).startswith(f"no results found in {path}\n{path}: {reason}")


def test_a_last_row_without_a_line_end_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("id,variant,score,model\nq,orig,1,m\nq,para1,0,", encoding="utf-8")
    assert read_results(path).outcomes["model"].to_list() == ["m", ""]


def test_a_table_without_rows_is_noted(tmp_path: Path) -> None:
    write_parquet(outcomes_frame([]), tmp_path / "empty.parquet")
    write_parquet(outcomes_frame([ROW]), tmp_path / "full.parquet")
    results = read_results(tmp_path, strict=True)
    assert [str(one) for one in results.skipped] == [f"{tmp_path / 'empty.parquet'}: has no rows"]


def test_a_cut_parquet_file_is_named(tmp_path: Path) -> None:
    good = write_parquet(outcomes_frame([ROW]), tmp_path / "good.parquet")
    cut = tmp_path / "cut.parquet"
    cut.write_bytes(good.read_bytes()[:100])
    results = read_results(tmp_path)
    assert results.outcomes.height == 1
    ((path, reason),) = [(one.path, one.reason) for one in results.skipped]
    assert path == cut
    assert reason.startswith("is damaged or cut short: ")
