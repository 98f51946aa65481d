"""`s_task`, `by_item`: each metric of each item, as a table; `correlations` over items or over models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import largest_variances
from otherwords.core.types import Estimate
from otherwords.metrics.accuracy_metrics import accuracy, r_fault
from otherwords.metrics.intervals import RESAMPLES, Combine, Scale, Statistic
from otherwords.metrics.measures import Measure, check_ddof, estimates
from otherwords.metrics.metric_registry import Metric, metric
from otherwords.metrics.noise_metrics import c_out, repeatability
from otherwords.metrics.outcome_rows import FloatArray, IntArray, Role
from otherwords.metrics.score_arrays import ALL, Grid, ScoreArrays, read_grid, read_score_arrays
from otherwords.metrics.sensitivity_metrics import s_prompt
from otherwords.metrics.significance import nonzero_rows

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


METRICS_OF_ITEMS = {"s_prompt": "s_task", "c_out": "c_out", "r_fault": "r_fault", "accuracy": "accuracy"}
"""What is correlated, and its column in the table of items."""
FEWEST = 3
_SURE = 1 - 1e-15
DOES_NOT_VARY = "one of the two does not vary"


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two metrics."""

    x: str
    y: str
    across: Literal["items", "agents"]
    group: str
    """The model whose items these are, or `all`."""
    estimate: Estimate


def correlations(
    table: Any,
    task: str | None = None,
    *,
    method: Literal["pearson", "spearman"] = "pearson",
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[Correlation]:
    """Correlations of each pair of S_prompt, C_out, R_fault and accuracy: over items, and over models.

    The intervals speak for other items, by Student's t on Fisher's scale; over models the models themselves
    stay, so it says what other items would have shown of these models.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        method: `pearson`, or `spearman` for ranks.
        resamples: 0 for no intervals; any other number is the same, since nothing is resampled.
        seed: Without effect, since nothing is drawn at random.

    Returns:
        For each model each pair over its items, then each pair over models, which takes three of them.

    Raises:
        InputError: There is no such method or task, or rows cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import correlations
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a", "a", "b", "b", "c", "c"],
        ...         "variant": ["orig", "para1"] * 3,
        ...         "score": [1.0, 0.0, 1.0, 0.5, 1.0, 1.0],
        ...     }
        ... )
        >>> found = {(one.x, one.y, one.across): one.estimate for one in correlations(table, resamples=0)}
        >>> round(found["s_prompt", "accuracy", "items"].value, 3)
        0.961
        >>> print(found["s_prompt", "accuracy", "agents"].reason)
        1 agent has both; a correlation over agents takes 3
    """
    if method not in ("pearson", "spearman"):
        raise InputError(f"method must be 'pearson' or 'spearman', got '{method}'")
    grid = read_grid(table, task)
    measures = [*_over_items(grid, method), *_over_agents(grid, method)]
    found = estimates([measure for _, _, _, measure in measures], resamples, seed)
    return [
        Correlation(x, y, across, one.group, one)
        for (x, y, across, _), one in zip(measures, found, strict=True)
    ]


_Named = tuple[str, str, Literal["items", "agents"], Measure]


def _over_items(grid: Grid, method: str) -> Iterator[_Named]:
    for model in grid.models:
        arrays = grid.select(model=model)
        values = item_values(arrays)
        for x, y in combinations(METRICS_OF_ITEMS, 2):
            both = values.select(
                pl.col(METRICS_OF_ITEMS[x]).alias("x"), pl.col(METRICS_OF_ITEMS[y]).alias("y"), "n_rows"
            ).drop_nulls()
            yield x, y, "items", _of_items(f"{x} and {y} over items", arrays, both, method)


def _of_items(name: str, arrays: ScoreArrays, both: pl.DataFrame, method: str) -> Measure:
    n_items = both.height
    empty = Measure(name, arrays.label, None, n_items, int(both["n_rows"].sum()), 0)
    if n_items < FEWEST:
        return replace(empty, notes=(f"{n_items} items have both; it takes {FEWEST}",))
    x, y = both["x"].to_numpy(), both["y"].to_numpy()
    if method == "spearman":
        x, y = both["x"].rank().to_numpy(), both["y"].rank().to_numpy()
    x, y = _standard(x), _standard(y)
    columns = np.column_stack([x, y, x**2, y**2, x * y, np.ones(n_items)])
    statistic = Statistic(columns, _pearson_of_sums, scale=_FISHER)
    return replace(empty, statistic=statistic, undefined=DOES_NOT_VARY)


def _standard(values: FloatArray) -> FloatArray:
    """Around zero and of size one, so that sums of squares lose nothing to rounding."""
    centred = values - values.mean()
    size = float(np.abs(centred).max())
    return centred / size if size > 1e-12 else np.zeros(len(values))


def _pearson_of_sums(sums: FloatArray) -> FloatArray:
    x, y, xx, yy, xy, n = (sums[..., place] for place in range(6))
    spread = np.maximum(xx - x**2 / n, 0.0) * np.maximum(yy - y**2 / n, 0.0)
    together: FloatArray = (xy - x * y / n) / np.sqrt(np.where(spread > 1e-18, spread, np.nan))
    return _fisher(together)


def _fisher(correlation: FloatArray) -> FloatArray:
    """Fisher's z, on which the error of a correlation does not depend on it; ±1 is not quite reached."""
    return np.arctanh(np.clip(correlation, -_SURE, _SURE))


_FISHER = Scale(math.tanh, math.atanh)


def _over_agents(grid: Grid, method: str) -> Iterator[_Named]:
    agents = {model: _agent_measures(grid.select(model=model)) for model in grid.models}
    for x, y in combinations(METRICS_OF_ITEMS, 2):
        name = f"{x} and {y} over agents"
        usable = [model for model, found in agents.items() if found[x][0].statistic and found[y][0].statistic]
        empty = Measure(name, ALL, None, 0, 0, 0)
        if len(usable) < FEWEST:
            n = len(usable)
            agent = "1 agent has" if n == 1 else f"{n} agents have"
            note = f"{agent} both; a correlation over agents takes {FEWEST}"
            yield x, y, "agents", replace(empty, notes=(note,))
            continue
        yield (
            x,
            y,
            "agents",
            _of_agents(empty, grid, [(agents[one][x], agents[one][y]) for one in usable], method),
        )


_Side = tuple[Measure, IntArray]


def _agent_measures(arrays: ScoreArrays) -> dict[str, _Side]:
    """Each metric of one agent with the grid's names of the items in its rows."""
    return {
        "s_prompt": (_first(s_prompt, arrays), arrays.cluster_ids),
        "c_out": (_first(c_out, arrays), arrays.cluster_ids),
        "r_fault": (_first(r_fault, arrays), arrays.with_faults.cluster_ids),
        "accuracy": (_first(accuracy, arrays), arrays.cluster_ids),
    }


def _first(metric: Metric[Estimate], arrays: ScoreArrays) -> Measure:
    """The metric with its options as they are by default."""
    assert metric.measures is not None
    return metric.measures(arrays)[0]


def _of_agents(empty: Measure, grid: Grid, pairs: list[tuple[_Side, _Side]], method: str) -> Measure:
    n_clusters = int(grid.cluster.max()) + 1
    blocks, parts, edge = [], [], 0
    for pair in pairs:
        for measure, ids in pair:
            assert measure.statistic is not None
            columns = np.zeros((n_clusters, measure.statistic.columns.shape[1]))
            columns[ids] = measure.statistic.columns
            blocks.append(columns)
            parts.append((measure.statistic.combine, edge, edge + columns.shape[1]))
            edge += columns.shape[1]
    columns = np.hstack(blocks)
    return replace(
        empty,
        statistic=Statistic(columns, _over_parts(parts, method), scale=_FISHER),
        n_items=int(nonzero_rows(columns).sum()),
        n_rows=sum(measure.n_rows for pair in pairs for measure, _ in pair) // 2,
        n_missing=sum(measure.n_missing for pair in pairs for measure, _ in pair) // 2,
        notes=(f"{len(pairs)} agents",),
        undefined=DOES_NOT_VARY,
    )


def _over_parts(parts: list[tuple[Combine, int, int]], method: str) -> Combine:
    def correlation(sums: FloatArray) -> FloatArray:
        values = [combine(sums[..., start:stop]) for combine, start, stop in parts]
        x, y = np.stack(values[0::2], axis=-1), np.stack(values[1::2], axis=-1)
        if method == "spearman":
            x, y = _ranks(x), _ranks(y)
        x, y = x - x.mean(axis=-1, keepdims=True), y - y.mean(axis=-1, keepdims=True)
        spread = np.sum(x**2, axis=-1) * np.sum(y**2, axis=-1)
        together = np.sum(x * y, axis=-1) / np.sqrt(np.where(spread > 1e-18, spread, np.nan))
        return _fisher(together)

    return correlation


def _ranks(values: FloatArray) -> FloatArray:
    """Along the last axis, ties sharing their mean rank."""
    below = np.sum(values[..., :, None] > values[..., None, :], axis=-1)
    equal = np.sum(values[..., :, None] == values[..., None, :], axis=-1)
    ranks: FloatArray = below + (equal + 1) / 2
    return np.where(np.isnan(values), np.nan, ranks)
