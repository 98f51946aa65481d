"""`correlations` between S_prompt, C_out, R_fault and accuracy, over the items of a model and over models."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.accuracy_metrics import accuracy, r_fault
from otherwords.metrics.breakdowns import item_values
from otherwords.metrics.intervals import RESAMPLES, Combine, Scale, Statistic
from otherwords.metrics.measures import Measure, estimates
from otherwords.metrics.metric_registry import Metric
from otherwords.metrics.noise_metrics import c_out
from otherwords.metrics.outcome_rows import FloatArray, IntArray
from otherwords.metrics.score_arrays import ALL, Grid, ScoreArrays, read_grid
from otherwords.metrics.sensitivity_metrics import s_prompt
from otherwords.metrics.wording_spread import nonzero_rows

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
