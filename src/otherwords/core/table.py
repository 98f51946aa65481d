"""The outcome table, one row for each run of each wording: its columns, and frames brought into its form."""

from __future__ import annotations

from typing import Any

import polars as pl

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    ANSWERED,
    ERROR,
    FORMAT_FAILURE,
    INVALID_FORMAT,
    LIMIT,
    LIMITED,
    MISSING,
    NO_MODEL_CALL,
    NO_RESPONSE,
    NOT_RUN,
    ORIG,
    PROVIDER_ERROR,
    SCORED,
    SWALLOWED_ERRORS,
    UNREADABLE,
    UNSCORED,
    WORDING_NOT_SEEN,
)
from otherwords.core.errors import InputError

OUTCOME_COLUMNS: dict[str, Any] = {
    "task": pl.String,  # the benchmark
    "model": pl.String,  # the model, or the agent's name
    "id": pl.String,  # the item
    "variant": pl.String,
    "kind": pl.String,
    "change": pl.String,
    "paraphrase_id": pl.String,
    "perturbation_kind": pl.String,
    "distance": pl.Float64,  # of the wording from the original, in words: 0 to 1; null where not measured
    "repeat": pl.Int64,  # 1, 2, …: independent runs of the same wording
    "status": pl.String,  # scored · unscored · error · limit · missing
    "outcome": pl.String,  # answered · unreadable · refused · …: what happened, whatever the score
    "score": pl.Float64,  # in [0, 1]; null unless status is scored
    "correct": pl.Boolean,
    "answer": pl.String,  # canonical: comparable over variants
    "response": pl.String,  # what was said, as the scorer recorded it
    "pred_index": pl.Int64,  # in the original option order, as is target_index
    "target_index": pl.Int64,
    "confidence": pl.Float64,
    "seed": pl.Int64,
    "tokens": pl.Int64,
    "seconds": pl.Float64,
    "reason": pl.String,  # why a row has no score: `format`, an error's text, a limit's name
    "scorer": pl.String,  # by whom the score is, `name` or `name.key`; null where it is not known
    "reducer": pl.String,  # how the log makes one score of repeats; null: their mean
    "log": pl.String,  # the file that the row was read from
}
LOG_COLUMNS = ("task", "model", "scorer", "reducer", "log")
"""Columns that are the same for all rows of one log."""
SAMPLE_COLUMNS = tuple(name for name in OUTCOME_COLUMNS if name not in LOG_COLUMNS)
"""Columns that differ from row to row of one log."""
WORDING_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "kind": pl.String,
    "change": pl.String,
    "prompt": pl.String,
    "choices": pl.List(pl.String),
    "target": pl.String,
}
"""What was asked, kept apart from the outcomes so that they can be published without it."""
NEEDED = ("id", "variant", "score")
KEY = ("task", "model", "id", "variant", "repeat")


def as_outcomes(table: Any) -> pl.DataFrame:
    """`table` (polars, or pandas) with every column of the outcome table, in order and with its type."""
    frame = _to_polars(table)
    absent = [name for name in NEEDED if name not in frame.columns]
    if absent:
        raise InputError(
            f"the table lacks the column{'s' if len(absent) > 1 else ''} {', '.join(absent)}",
            hint=f"It has: {', '.join(frame.columns) or 'none'}.",
        )
    frame = _with_scores(frame)
    columns = []
    for name, kind in OUTCOME_COLUMNS.items():
        if name in frame.columns:
            cast = pl.col(name).cast(kind, strict=False)
            columns.append(cast.fill_nan(None) if kind == pl.Float64 else cast)
        else:
            columns.append(_DEFAULTS.get(name, pl.lit(None)).cast(kind).alias(name))
    return with_outcomes(frame.select(columns))


def by_task(outcomes: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each task, in the table's order; the table itself, not a copy, where it has but one."""
    if outcomes["task"].n_unique() == 1:
        return [(str(outcomes["task"][0]), outcomes)]
    return [(str(task), part) for (task,), part in outcomes.group_by("task", maintain_order=True)]


def with_outcomes(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame that has all columns of the outcome table, with an outcome in every row."""
    told = outcome_of(pl.col("status").fill_null(_DEFAULTS["status"]), pl.col("reason"))
    return frame.with_columns(outcome=pl.coalesce("outcome", told))


_DEFAULTS: dict[str, pl.Expr] = {
    "task": pl.lit(""),
    "model": pl.lit(""),
    "kind": pl.when(pl.col("variant") == ORIG).then(pl.lit(ORIG)).otherwise(pl.lit("")),
    "repeat": pl.lit(1),
    "status": pl.when(pl.col("score").is_null()).then(pl.lit(UNSCORED)).otherwise(pl.lit(SCORED)),
}
_UNREADABLE_REASONS = (FORMAT_FAILURE, INVALID_FORMAT, NO_RESPONSE)
_PROVIDER_REASONS = (NO_MODEL_CALL, SWALLOWED_ERRORS)


def outcome_of(status: pl.Expr, reason: pl.Expr) -> pl.Expr:
    """The outcome of rows that do not tell it, from their status and the reason why they have no score."""
    why = reason.fill_null("")
    unreadable = why.is_in(_UNREADABLE_REASONS) | why.str.starts_with(f"{FORMAT_FAILURE}:")
    return (
        pl.when(why.str.starts_with(AGENT_FAILED) & status.is_in([UNSCORED, ERROR]))
        .then(pl.lit(AGENT_ERROR))
        .when(status.eq(ERROR) | (status.eq(UNSCORED) & why.is_in(_PROVIDER_REASONS)))
        .then(pl.lit(PROVIDER_ERROR))
        .when(status.eq(MISSING) | (status.eq(UNSCORED) & why.eq(WORDING_NOT_SEEN)))
        .then(pl.lit(NOT_RUN))
        .when(status.eq(LIMIT))
        .then(pl.lit(LIMITED))
        .when(status.eq(UNSCORED) & unreadable)
        .then(pl.lit(UNREADABLE))
        .otherwise(pl.lit(ANSWERED))
    )


def _with_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Scores as numbers or null. One in words (`C`, `yes`) is refused: as null it would be not scored."""
    score = frame["score"]
    if score.dtype.is_nested() or score.dtype.is_temporal():
        raise InputError(f"the column score holds {score.dtype}, not numbers")
    read = score.cast(pl.Float64, strict=False)
    lost = (score.is_not_null() & read.is_null()).arg_true()
    if not len(lost):
        return frame.with_columns(read.fill_nan(None))
    row = int(lost[0])
    raise InputError(
        f"row {row + 1} of the table has the score '{score[row]}' (variant '{frame['variant'][row]}'), "
        f"which is not a number",
        item=str(frame["id"][row]),
        hint=f"{_rows(len(lost))} such a score. Scores are numbers from 0 to 1; a row without one is null.",
    )


def _rows(count: int) -> str:
    return "1 row has" if count == 1 else f"{count} rows have"


def empty_outcomes() -> pl.DataFrame:
    return pl.DataFrame(schema=OUTCOME_COLUMNS)


def _to_polars(table: Any) -> pl.DataFrame:
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if type(table).__module__.split(".")[0] == "pandas":
        columns = {str(name): _pandas_values(table[name]) for name in table.columns}
        return pl.DataFrame(columns, strict=False)
    raise InputError(f"expected a polars or pandas frame, got {type(table).__name__}")


def _pandas_values(column: Any) -> list[Any]:
    """Python values, with None for every kind of missing that pandas has."""
    missing = column.isna().tolist()
    return [None if absent else value for value, absent in zip(column.tolist(), missing, strict=True)]
