"""enough_variants: how S_prompt and its interval settle as wordings are added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from otherwords.core.errors import InputError
from otherwords.metrics.answers import FloatArray
from otherwords.metrics.bootstrap import RESAMPLES, Statistic, intervals
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import one_minus_ratio
from otherwords.metrics.s_prompt import NONE_HAS_TWO

ORDERS = 20
NEAR_ENOUGH = 1.1
"""Enough wordings: the interval is at most this many times as wide as with all of them."""


@dataclass(frozen=True, slots=True)
class Step:
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
    steps: tuple[Step, ...]
    enough: int | None
    """The fewest wordings whose interval is nearly as narrow as with all; null when all are needed or
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
    """S_prompt from 2, 3, … wordings of each item. An item with fewer keeps those that it has.

    The expected value is the same at every step; what more wordings buy is a narrower interval, down to the
    width that the number of items allows.
    """
    if orders < 1:
        raise InputError(f"orders must be at least 1, got {orders}")
    cells = read_cells(table, task, model)
    enters = cells.variants >= 2
    if not enters.any():
        reason = NONE_HAS_TWO if cells.grid.n_groups else "the table has no rows to measure"
        return EnoughVariants((), None, 0, reason)
    most = int(cells.variants.max())
    rng = np.random.default_rng(seed)
    spread = np.stack([_variances(cells, most, rng) for _ in range(orders)])
    counted = cells.sum_groups(enters)
    columns = [
        np.column_stack([cells.sum_groups(np.where(enters, one, 0.0)), counted])
        for order in spread
        for one in order
    ]
    found = intervals([Statistic(one, one_minus_ratio) for one in columns], resamples, seed)
    steps = []
    for place, variants in enumerate(range(2, most + 1)):
        values = 1 - spread[:, place, enters].mean(axis=1)
        mine = found[place :: most - 1]
        ends = [(one.low, one.high) for one in mine if one.low is not None and one.high is not None]
        low, high = np.mean(ends, axis=0).tolist() if ends else (None, None)
        steps.append(Step(variants, float(values.mean()), low, high, float(values.std())))
    reason = next((one.reason for one in found[::-1] if one.reason), "")
    n_items = len(np.unique(cells.cluster[enters]))
    return EnoughVariants(tuple(steps), _enough(steps), n_items, reason)


def _variances(cells: Cells, most: int, rng: np.random.Generator) -> FloatArray:
    """For 2, 3, … `most` wordings in one random order: each group's variance over the first so many."""
    order = np.lexsort((rng.random(len(cells.group)), cells.group))
    score = cells.mean[order]
    ends = np.concatenate([[0.0], np.cumsum(score)])
    squares = np.concatenate([[0.0], np.cumsum(score**2)])
    start = np.cumsum(cells.variants) - cells.variants
    rows = []
    for variants in range(2, most + 1):
        n = np.minimum(variants, cells.variants)
        total, square = ends[start + n] - ends[start], squares[start + n] - squares[start]
        variance = (square - total**2 / np.maximum(n, 1)) / np.maximum(n - 1, 1)
        rows.append(np.round(np.maximum(variance, 0.0), 12))
    return np.stack(rows)


def _enough(steps: list[Step]) -> int | None:
    widths = [None if step.low is None or step.high is None else step.high - step.low for step in steps]
    last = widths[-1]
    if last is None:
        return None
    for step, width in zip(steps[:-1], widths[:-1], strict=True):
        if width is not None and width <= NEAR_ENOUGH * last:
            return step.variants
    return None
