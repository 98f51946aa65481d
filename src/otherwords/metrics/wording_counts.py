"""`enough_variants`: S_prompt from 2, 3, … wordings of each item, to see how many were enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.scores import largest_variance
from otherwords.metrics.intervals import RESAMPLES, Statistic, intervals
from otherwords.metrics.measures import NO_ROWS, one_minus_ratio
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.score_arrays import ScoreArrays, read_score_arrays
from otherwords.metrics.sensitivity_metrics import NONE_HAS_TWO

ORDERS = 20
NEAR_ENOUGH = 1.1
"""Enough wordings: S_task spreads over items at most this many times as much as with all of them."""


@dataclass(frozen=True, slots=True)
class Step:
    """S_prompt from a number of wordings."""

    variants: int
    value: float
    """S_prompt with so many wordings of each item, chosen at random, averaged over choices."""
    low: float | None
    high: float | None
    """The interval, averaged over choices."""
    wobble: float
    """Standard deviation of S_prompt over choices of wordings."""


@dataclass(frozen=True, slots=True)
class EnoughVariants:
    """The result of `enough_variants`."""

    steps: tuple[Step, ...]
    enough: int | None
    """The fewest wordings with which items spread nearly as little as with all; null when all are needed or
    there is no interval."""
    n_items: int
    reason: str


def enough_variants(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    orders: int = ORDERS,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> EnoughVariants:
    """S_prompt from 2, 3, … wordings of each item, to see how many are enough.

    The expected value is the same at every step; what more wordings buy is a narrower interval, down to the
    width that the number of items allows. An item with fewer wordings keeps those that it has.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.
        orders: How many random choices of wordings are averaged.
        resamples: 0 for no intervals.
        seed: Seed of the choices.

    Returns:
        A step for each number of wordings, and the fewest that tell nearly as much as all.

    Raises:
        InputError: `orders` is below 1, the table has no such task or model, or rows cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import enough_variants
        >>> rows = [(f"q{n}", f"v{v}", float(n % 2 < v)) for n in range(20) for v in range(4)]
        >>> table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
        >>> [step.variants for step in enough_variants(table, resamples=100).steps]
        [2, 3, 4]
    """
    if orders < 1:
        raise InputError(f"orders must be at least 1, got {orders}")
    arrays = read_score_arrays(table, task, model)
    enters = arrays.variants >= 2
    if not enters.any():
        reason = NONE_HAS_TWO if arrays.grid.n_groups else NO_ROWS
        return EnoughVariants((), None, 0, reason)
    most = int(arrays.variants.max())
    rng = np.random.default_rng(seed)
    spread = np.stack([_variances(arrays, most, rng) for _ in range(orders)])
    counted = arrays.sum_groups(enters)
    ends = (np.array([largest_variance(most), 1.0]), np.array([0.0, 1.0]))
    statistics = [
        Statistic(
            np.column_stack([arrays.sum_groups(np.where(enters, one, 0.0)), counted]), one_minus_ratio, ends
        )
        for order in spread
        for one in order
    ]
    found = intervals(statistics, resamples, seed)
    steps = []
    for place, variants in enumerate(range(2, most + 1)):
        values = 1 - spread[:, place, enters].mean(axis=1)
        mine = found[place :: most - 1]
        known = [(one.low, one.high) for one in mine if one.low is not None and one.high is not None]
        low, high = np.mean(known, axis=0).tolist() if known else (None, None)
        steps.append(Step(variants, float(values.mean()), low, high, float(values.std())))
    reason = next((one.reason for one in found[::-1] if one.reason), "")
    n_items = len(np.unique(arrays.cluster[enters]))
    spreads = spread[:, :, enters].std(axis=2).mean(axis=0)
    return EnoughVariants(tuple(steps), _enough(steps, spreads), n_items, reason)


def _variances(arrays: ScoreArrays, most: int, rng: np.random.Generator) -> FloatArray:
    """For 2, 3, … `most` wordings in one random order: each group's variance over the first so many."""
    order = np.lexsort((rng.random(len(arrays.group)), arrays.group))
    score = arrays.mean[order]
    ends = np.concatenate([[0.0], np.cumsum(score)])
    squares = np.concatenate([[0.0], np.cumsum(score**2)])
    start = np.cumsum(arrays.variants) - arrays.variants
    rows = []
    for variants in range(2, most + 1):
        n = np.minimum(variants, arrays.variants)
        total, square = ends[start + n] - ends[start], squares[start + n] - squares[start]
        variance = (square - total**2 / np.maximum(n, 1)) / np.maximum(n - 1, 1)
        rows.append(np.round(np.maximum(variance, 0.0), 12))
    return np.stack(rows)


def _enough(steps: list[Step], spreads: FloatArray) -> int | None:
    """By the spread of the items themselves: the interval's pseudo-items do not depend on the wordings."""
    if steps[-1].low is None or spreads[-1] == 0:
        return None
    enough = np.flatnonzero(spreads[:-1] <= NEAR_ENOUGH * spreads[-1])
    return steps[int(enough[0])].variants if len(enough) else None
