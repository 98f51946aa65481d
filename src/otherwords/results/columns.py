"""Columns of any type made those of the outcome table; what does not fit is refused by its row."""

from __future__ import annotations

from typing import Any, get_args

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import OUTCOME_COLUMNS, as_outcomes
from otherwords.core.types import ORIG, Status
from otherwords.results.types import empty_wordings, wordings_frame

_TRUTHS = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
_SCORE_WORDS = {"true": "1", "yes": "1", "correct": "1", "c": "1", "p": "0.5"} | dict.fromkeys(
    ("false", "no", "incorrect", "i"), "0"
)
_BLANKS = ["", "nan", "na", "n/a", "none", "null"]
"""What tools write into a column of numbers where there is none."""
_STATUSES = get_args(Status)
_WANTS = {pl.Int64: "a whole number", pl.Float64: "a number", pl.Boolean: "true or false", pl.String: "text"}


def typed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(_typed(frame[name]) for name in frame.columns)


def _typed(given: pl.Series) -> pl.Series:
    kind = OUTCOME_COLUMNS.get(given.name, pl.String)
    made: pl.Series = given
    if given.dtype == kind and kind != pl.Float64:
        return given
    if given.dtype.is_nested() or given.dtype in (pl.Object, pl.Binary):
        raise InputError(f"column '{given.name}' holds {given.dtype}, not {_WANTS[kind]}")
    if kind == pl.String or given.dtype == pl.Null:
        made = given.cast(kind)
        return made
    if given.dtype == pl.String:
        given = given.set(given.str.strip_chars().str.to_lowercase().is_in(_BLANKS), None)
        made = _from_text(given, kind)
    else:
        given = given.cast(pl.Float64).fill_nan(None) if given.dtype.is_float() else given
        made = given.cast(kind, strict=False)
    bad = given.is_not_null() & (made.is_null() | ~_finite(made) | (_differs(given, made)))
    if bad.any():
        place = bad.arg_true()[0]
        raise InputError(
            f"row {place + 1} has '{given[place]}' where column '{given.name}' wants {_WANTS[kind]}"
        )
    return made


def _from_text(given: pl.Series, kind: Any) -> pl.Series:
    made: pl.Series = given.str.strip_chars().str.to_lowercase()
    if kind == pl.Boolean:
        made = made.replace_strict(_TRUTHS, default=None, return_dtype=pl.Boolean)
    elif kind == pl.Float64:
        words = made.replace(_SCORE_WORDS) if given.name == "score" else made
        made = words.cast(pl.Float64, strict=False)
    else:  # `3` and, as pandas writes a column with gaps, `3.0`
        made = made.str.replace(r"\.0+$", "").cast(pl.Int64, strict=False)
    return made


def _finite(made: pl.Series) -> pl.Series:
    finite: pl.Series = made.is_finite() if made.dtype.is_float() else made.is_not_null()
    return finite.fill_null(False)


def _differs(given: pl.Series, made: pl.Series) -> pl.Series:
    """Whether something was lost in making a whole number or a truth of a number."""
    lost: pl.Series = pl.repeat(False, len(given), eager=True)
    if given.dtype.is_numeric() and not made.dtype.is_float():
        lost = (given.cast(pl.Float64) != made.cast(pl.Float64)).fill_null(False)
    return lost


def checked_outcomes(frame: pl.DataFrame, log: str) -> pl.DataFrame:
    """Every column of the outcome table, with what a table of one's own need not say filled in."""
    had = set(frame.columns)
    table = as_outcomes(frame)
    score, orig = pl.col("score"), pl.col("variant") == ORIG
    table = table.with_columns(
        pl.col("task", "model").fill_null(""),
        pl.col("kind").fill_null(pl.when(orig).then(pl.lit(ORIG)).otherwise(pl.lit(""))),
        pl.col("log").fill_null(log),
    )
    if "correct" not in had:
        table = table.with_columns(correct=pl.when(score.is_not_null()).then(score == 1.0))
    if "status" not in had:
        unsaid = score.is_null() & pl.col("reason").is_null()
        table = table.with_columns(
            reason=pl.when(unsaid).then(pl.lit("the table has no score for it")).otherwise(pl.col("reason"))
        )
    check_rows(table)
    return table


def check_rows(table: pl.DataFrame) -> None:
    """Refuse rows without a name, and scores and statuses that contradict each other."""
    for name in ("id", "variant", "repeat", "status"):
        missing = table[name].is_null().arg_true()
        if len(missing):
            raise InputError(f"row {missing[0] + 1} has no {name}")
    scored = pl.col("status") == "scored"
    wrong = {
        "the score {score:g} is outside [0, 1]": ~pl.col("score").is_between(0.0, 1.0),
        "the status '{status}' is none of " + ", ".join(_STATUSES): ~pl.col("status").is_in(_STATUSES),
        "its status is scored and it has no score": scored & pl.col("score").is_null(),
        "its status is {status} and it has a score": ~scored & pl.col("score").is_not_null(),
    }
    for problem, expression in wrong.items():
        for row in table.filter(expression).head(1).iter_rows(named=True):
            raise InputError(problem.format_map(row), item=row["id"])


def wordings_in(frame: pl.DataFrame, outcomes: pl.DataFrame) -> pl.DataFrame:
    """What was asked, if the table has a column `prompt`."""
    if "prompt" not in frame.columns:
        return empty_wordings()
    about = outcomes.select("task", "id", "variant", "kind", pl.col("change").fill_null(""))
    asked = frame.select(
        "prompt", pl.col("target") if "target" in frame.columns else pl.lit("").alias("target")
    )
    asked = pl.concat([about, asked], how="horizontal").filter(pl.col("prompt").is_not_null())
    columns = asked.unique(["task", "id", "variant"], keep="first", maintain_order=True)
    return wordings_frame({**columns.to_dict(as_series=False), "choices": [[]] * columns.height})
