"""Two further views of results: Inspect's accuracy of each log, and a table of readable answers only."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import polars as pl

from otherwords.core.contract import ANSWERED, UNSCORED
from otherwords.core.table import as_outcomes
from otherwords.results.load import Paths, read_results

_LOG_SCHEMA: dict[str, Any] = {
    "log": pl.String,
    "task": pl.String,
    "model": pl.String,
    "scorer": pl.String,
    "reducer": pl.String,
    "samples": pl.Int64,
    "scored": pl.Int64,
    "accuracy": pl.Float64,
    "logged": pl.Float64,
}


def inspect_accuracy(logs: Paths, *, scorer: str | None = None) -> pl.DataFrame:
    r"""Inspect's accuracy of each log: over all of its samples, by the log's own reducer.

    It is what Inspect shows for the log. The metric `accuracy` is the same for a log that holds nothing but
    wordings; of a log with negative controls, or with runs under faults, it counts the wordings only.

    Args:
        logs: A file or a folder, or several, as for `read_results`.
        scorer: Which score, where a log has several: `name`, or `name.key`.

    Returns:
        One row for each Inspect log that is in the table: `log`, `task`, `model`, `scorer`, `reducer`,
        `samples` (epochs counted), `scored` (epochs reduced), `accuracy` from the samples, and `logged`, what
        Inspect wrote into the log.

    Raises:
        InputError: A path does not exist, there is no result in any file, or no log has such a score.

    Example:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> from otherwords import inspect_accuracy
        >>> samples = [
        ...     {"id": number, "epoch": 1, "input": "?", "target": "x", "scores": {"match": {"value": value}}}
        ...     for number, value in enumerate("CCI")
        ... ]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = {"eval": {"task": "quiz", "task_id": "t", "model": "m"}, "samples": samples}
        ...     _ = Path(folder, "log.json").write_text(json.dumps({"status": "success", **log}))
        ...     table = inspect_accuracy(folder)
        >>> round(table["accuracy"][0], 3), table["samples"][0]
        (0.667, 3)
    """
    rows = [asdict(one) for one in read_results(logs, scorer=scorer).logs]
    return pl.DataFrame(rows, schema=_LOG_SCHEMA)


def readable_only(table: pl.DataFrame) -> pl.DataFrame:
    """The outcome table as it is among readable answers only: the scores of all other runs are taken away.

    A second view beside the table itself, in which an unreadable answer counts as its scorer counts it. The
    runs stay as rows without a score, so that metrics count them as missing.

    Args:
        table: An outcome table.

    Returns:
        The table, scored only where the outcome is `answered`.

    Raises:
        InputError: The table lacks a column that every outcome table has.

    Example:
        >>> import polars as pl
        >>> from otherwords import accuracy, readable_only
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "b"], "variant": "orig", "score": [1, 0], "outcome": ["answered", "unreadable"]}
        ... )
        >>> accuracy(table).value, accuracy(readable_only(table)).value
        (0.5, 1.0)
    """
    outcomes = as_outcomes(table)
    taken = pl.col("outcome").ne(ANSWERED) & pl.col("score").is_not_null()
    null = pl.when(~taken)
    return outcomes.with_columns(
        pl.when(taken).then(pl.lit(UNSCORED)).otherwise("status").alias("status"),
        pl.when(taken)
        .then(pl.format("{}: readable answers only", "outcome"))
        .otherwise("reason")
        .alias("reason"),
        *(null.then(name).alias(name) for name in ("score", "correct", "answer", "pred_index")),
    )
