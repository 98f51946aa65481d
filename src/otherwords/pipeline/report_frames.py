"""An outcome table → the frames that a report shows: one row a run, and one row a wording of an item."""

from __future__ import annotations

import polars as pl

_KEY = ["task", "model", "id", "variant"]


def samples_of(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Every run: its score, what happened, what was answered, and why it has no score."""
    why = pl.when(pl.col("score").is_null()).then(pl.col("reason"))
    return outcomes.select(
        *_KEY, "repeat", "score", "outcome", _said().alias("answer"), why.alias("reason"), "log"
    )


def _said() -> pl.Expr:
    """An option by its own name; else what was said, as the scorer recorded it."""
    return pl.when(pl.col("pred_index").is_null()).then(pl.coalesce("response", "answer")).otherwise("answer")


def cells_of(outcomes: pl.DataFrame) -> pl.DataFrame:
    """One row a model, item and wording: its mean score, its answers and what happened to its repeats."""
    key = _KEY
    rows = outcomes.select(*key, "score", "status", "log", "kind", "change", answer=_said())
    if not rows.select(key).is_duplicated().any():
        return rows.with_columns(n=pl.col("score").is_not_null().cast(pl.Int64))
    counts = (
        rows.group_by([*key, "status"], maintain_order=True)
        .len()
        .group_by(key, maintain_order=True)
        .agg(
            pl.when(pl.len() == 1)
            .then(pl.col("status").first())
            .otherwise(pl.format("{} {}", "status", "len").str.join(", "))
            .alias("status")
        )
    )
    cells = rows.group_by(key, maintain_order=True).agg(
        pl.col("score").mean(),
        pl.col("score").count().alias("n"),
        pl.col("answer").drop_nulls().unique(maintain_order=True).str.join(" | "),
        pl.col("log", "kind", "change").first(),
    )
    return cells.join(counts, on=key, how="left", maintain_order="left")
