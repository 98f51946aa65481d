"""robust_at_k and best_at_k: right in all, or in any, of k wordings, without the bias of a raw minimum."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb
from typing import Any

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.answers import FloatArray
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimate, mean_over_groups

K = 3


def robust_at_k(
    table: Any,
    task: str | None = None,
    *,
    k: int = K,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Chance that k wordings of an item, drawn at random, are all answered rightly: C(c, k) / C(V, k)."""
    return estimate(measure(read_cells(table, task, model), k), resamples, seed)


def best_at_k(
    table: Any,
    task: str | None = None,
    *,
    k: int = K,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Chance that at least one of k wordings drawn at random is right: 1 − C(V − c, k) / C(V, k)."""
    return estimate(measure(read_cells(table, task, model), k, best=True), resamples, seed)


def measure(cells: Cells, k: int = K, *, best: bool = False) -> Measure:
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}")
    enters = cells.variants >= k
    chance = all_of_k(cells, 1 - cells.correct if best else cells.correct, k)
    found = mean_over_groups(
        "best_at_k" if best else "robust_at_k",
        cells,
        1 - chance if best else chance,
        enters,
        nothing=f"no item has {k} wordings with a score",
        left_out=f"fewer than {k} wordings with a score",
    )
    return found if found.statistic is None else found.noting(f"k = {k}")


def all_of_k(cells: Cells, chances: FloatArray, k: int) -> FloatArray:
    """For each group: the mean, over all choices of k wordings, of the product of their chances.

    With chances of 0 and 1 it is C(c, k) / C(V, k). With repeats a wording's chance is its share of runs.
    """
    sums = np.zeros((k + 1, cells.n_groups))
    sums[0] = 1.0
    for groups, places in _layers(cells):
        # each wording either adds itself to a choice of one fewer, or stays out
        sums[1:, groups] += sums[:-1, groups] * chances[places]
    choices = np.array([comb(int(v), k) for v in range(int(cells.variants.max(initial=0)) + 1)], dtype=float)
    chance: FloatArray = sums[k] / np.maximum(choices[cells.variants], 1)
    return np.clip(chance, 0.0, 1.0)


def _layers(cells: Cells) -> Iterator[tuple[Any, Any]]:
    """The first wording of every group, then the second of every group that has one, and so on."""
    starts = np.cumsum(cells.variants) - cells.variants
    for place in range(int(cells.variants.max(initial=0))):
        groups = np.flatnonzero(cells.variants > place)
        yield groups, starts[groups] + place


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)


def _measures_best(cells: Cells) -> Iterator[Measure]:
    yield measure(cells, best=True)


METRICS.add("robust_at_k", Metric(robust_at_k, _measures))
METRICS.add("best_at_k", Metric(best_at_k, _measures_best))
