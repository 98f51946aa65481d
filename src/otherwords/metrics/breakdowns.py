"""Tables with a row for each item: `s_task` and `by_item`."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from otherwords.core.scores import largest_variances
from otherwords.metrics.measures import check_ddof
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.noise_metrics import repeatability
from otherwords.metrics.outcome_rows import FloatArray, Role
from otherwords.metrics.score_arrays import ScoreArrays, read_score_arrays

KEY = ["task", "model", "id"]


@metric(summarised=False)
def s_task(arrays: ScoreArrays, *, ddof: int = 1) -> pl.DataFrame:
    """S_task = 1 − variance over wordings, of each item by itself.

    Args:
        arrays: The scores.
        ddof: 1 for the sample variance, 0 for the population variance.

    Returns:
        One row for each task, model and item. What needs two wordings is null where there are fewer.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import s_task
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> s_task(table).select("id", "variance", "s_task", "min_max_gap").rows()
        [('a', 0.5, 0.5, 1.0)]
    """
    check_ddof(ddof)
    variance = arrays.variance(ddof)
    scored, enough = pl.Series(arrays.variants >= 1), pl.Series(arrays.variants >= 2)
    columns = {
        "n_variants": arrays.variants.astype(np.int64),
        "mean_score": arrays.group_mean,
        "variance": variance,
        "s_task": 1.0 - variance,
        "min_max_gap": arrays.gap,
        "n_rows": arrays.scored,
        "n_missing": arrays.rows - arrays.scored,
    }
    table_of_items = arrays.names.with_columns(pl.Series(name, values) for name, values in columns.items())
    return table_of_items.with_columns(
        pl.when(scored).then(pl.col("mean_score")),
        pl.when(enough).then(pl.col("variance", "s_task", "min_max_gap")),
    )


def by_item(table: Any, task: str | None = None, *, model: str | None = None) -> pl.DataFrame:
    """Every metric of each item by itself, to find the items worth reading.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.

    Returns:
        One row for each task, model and item; null where an item has too little for a column.

    Raises:
        InputError: The table has no such task or model, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import by_item
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> by_item(table).select("id", "accuracy", "s_norm", "flip_rate").rows()
        [('a', 0.5, 0.0, 1.0)]
    """
    return item_values(read_score_arrays(table, task, model))


def item_values(arrays: ScoreArrays) -> pl.DataFrame:
    """What `by_item` gives, from arrays."""
    agreement, several = arrays.agreement, arrays.variants >= 2
    orig, rest, both = arrays.orig_and_rest(arrays.mean)
    c_out, repeated = repeatability(arrays)
    noise, n_noise = _mean_noise(arrays)
    columns: dict[str, FloatArray] = {
        "accuracy": np.where(arrays.variants >= 1, arrays.group_mean, np.nan),
        "variance": np.where(several, arrays.variance(), np.nan),
        "s_task": np.where(several, 1 - arrays.variance(), np.nan),
        "s_norm": np.where(several, 1 - arrays.variance() / largest_variances(arrays.variants), np.nan),
        "min_max_gap": np.where(several, arrays.gap, np.nan),
        "delta_accuracy": np.where(both, orig - rest, np.nan),
        "consistent": agreement.consistent,
        "flip_rate": agreement.flipped,
        "excess_flips": agreement.flipped - agreement.rerun_flipped,
        "agreement": agreement.pairwise,
        "c_out": np.where(repeated, c_out, np.nan),
        "noise": np.where(n_noise > 0, noise, np.nan),
    }
    found = arrays.names.with_columns(
        pl.Series("n_variants", arrays.variants.astype(np.int64)),
        *(pl.Series(name, values, nan_to_null=True) for name, values in columns.items()),
    )
    for column in (_r_fault(arrays), _responsiveness(arrays)):
        found = found.join(column, on=KEY, how="left", maintain_order="left")
    return found.with_columns(
        pl.Series("n_rows", arrays.scored), pl.Series("n_missing", arrays.rows - arrays.scored)
    )


def _mean_noise(arrays: ScoreArrays) -> tuple[FloatArray, FloatArray]:
    repeated = arrays.repeats >= 2
    count = arrays.sum_cells(repeated)
    return arrays.sum_cells(np.where(repeated, arrays.noise, 0.0)) / np.maximum(count, 1), count


def _r_fault(arrays: ScoreArrays) -> pl.DataFrame:
    view = arrays.with_faults
    without, under, both = view.split(view.mean, view.role != Role.FAULT)
    share = np.where(both & (without > 0), under / np.where(without > 0, without, 1.0), np.nan)
    return view.names.with_columns(pl.Series("r_fault", share, nan_to_null=True))


def _responsiveness(arrays: ScoreArrays) -> pl.DataFrame:
    view = arrays.with_controls
    changed = view.agreement.flipped
    return view.names.with_columns(pl.Series("responsiveness", changed, nan_to_null=True))
