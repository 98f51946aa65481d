from __future__ import annotations

import math
from typing import Any

import pandas as pd
import polars as pl
import pytest

from otherwords.core.errors import InputError
from otherwords.core.table import (
    OUTCOME_COLUMNS,
    as_outcomes,
    counted_and_others,
    empty_outcomes,
    score_labels,
    score_parts,
    which_counts,
)


def test_fills_in_every_column() -> None:
    table = as_outcomes(pl.DataFrame({"id": ["a", "a"], "variant": ["orig", "para1"], "score": [1, None]}))
    assert dict(table.schema) == OUTCOME_COLUMNS
    assert table["status"].to_list() == ["scored", "unscored"]
    assert table["kind"].to_list() == ["orig", ""]
    assert table["repeat"].to_list() == [1, 1]


def test_pandas_gives_the_same() -> None:
    columns = {"id": [1, 2], "variant": ["orig", "orig"], "score": [0.5, None]}
    assert as_outcomes(pd.DataFrame(columns)).equals(as_outcomes(pl.DataFrame(columns)))


def test_refuses_what_is_no_outcome_table() -> None:
    with pytest.raises(InputError) as caught:
        as_outcomes(pl.DataFrame({"id": ["a"]}))
    assert str(caught.value) == "the table lacks the columns variant, score\nIt has: id."
    with pytest.raises(InputError, match=r"^expected a polars or pandas frame, got list$"):
        as_outcomes([1])


def test_empty() -> None:
    assert as_outcomes(empty_outcomes()).height == 0


def test_a_score_in_words_is_refused_and_not_made_null() -> None:
    with pytest.raises(InputError) as caught:
        as_outcomes(
            pl.DataFrame({"id": ["a", "b", "b"], "variant": ["orig"] * 3, "score": ["0.5", "C", "wrong"]})
        )
    assert str(caught.value) == (
        "item 'b': row 2 of the table has the score 'C' (variant 'orig'), which is not a number\n"
        "2 rows have such a score. Scores are numbers from 0 to 1; a row without one is null."
    )
    with pytest.raises(InputError) as caught:
        as_outcomes(pl.DataFrame({"id": ["a"], "variant": ["orig"], "score": [[0.5]]}))
    assert str(caught.value) == "the column score holds List(Float64), not numbers"


def test_numbers_written_as_text_and_truths_are_scores() -> None:
    columns = {"id": ["a", "b"], "variant": ["orig", "orig"]}
    for scores in (["1", None], [True, None], ["1.0", "NaN"], [1.0, float("nan")]):
        table = as_outcomes(pl.DataFrame({**columns, "score": scores}))
        assert table["score"].to_list() == [1.0, None]
        assert table["status"].to_list() == ["scored", "unscored"]


PARTS = {"first": [], "pkg/grade": ["facts", "style"], "v1.2": ["a.b", "c"]}


def test_a_sample_without_a_score_does_not_hide_the_parts_of_the_others() -> None:
    values: list[dict[str, Any]] = [
        {"grade": math.nan},
        {"grade": None},
        {},
        {"grade": {"style": 1, "facts": "C"}, "first": "C"},
    ]
    assert score_parts(values, []) == {"grade": ["style", "facts"], "first": []}
    computed = [("first", "first"), ("grade", "facts"), ("grade", "style"), ("gone", "gone")]
    assert score_parts(values, computed) == {"first": [], "grade": ["facts", "style"]}


@pytest.mark.parametrize(
    ("wanted", "chosen", "others"),
    [
        (None, ("first", None), ["pkg/grade.facts", "pkg/grade.style", "v1.2.a.b", "v1.2.c"]),
        ("first", ("first", None), []),
        ("grade", ("pkg/grade", "facts"), ["pkg/grade.style"]),
        ("pkg/grade", ("pkg/grade", "facts"), ["pkg/grade.style"]),
        ("grade.style", ("pkg/grade", "style"), []),
        ("pkg/grade.facts", ("pkg/grade", "facts"), []),
        ("v1.2", ("v1.2", "a.b"), ["v1.2.c"]),
        ("v1.2.a.b", ("v1.2", "a.b"), []),
    ],
)
def test_the_score_that_counts_and_what_else_there_is(
    wanted: str | None, chosen: tuple[str, str | None], others: list[str]
) -> None:
    assert counted_and_others(wanted, PARTS) == (chosen, others)


@pytest.mark.parametrize("wanted", ["elo", "first.x", "grade.wit", ".", "", "v1"])
def test_there_is_no_such_score(wanted: str) -> None:
    assert counted_and_others(wanted, PARTS) is None


def test_no_score_at_all() -> None:
    assert counted_and_others(None, {}) is None
    assert score_labels({}) == []


def test_every_label_finds_its_score_again() -> None:
    for label in score_labels(PARTS):
        assert counted_and_others(label, PARTS) is not None
    assert which_counts("a", ["b", "c.d"]) == "'a' counts; there is also 'b', 'c.d' (choose with --scorer)"
