"""How much shared wordings move a statistic: takes what each cell contributes, gives squared standard errors.

Where items share wordings, the table of items × wordings is split by two-way analysis of variance: what the
means of wordings vary holds what wordings do to all items alike, and the residual of single cells.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray

_OWN = -1


class Cells(NamedTuple):
    """What each wording of each item contributes: the cells of an item sum to its row."""

    item: IntArray
    """The row of each cell."""
    wording: IntArray
    """The number of a wording that items share; −1 for one that its item has to itself."""
    columns: FloatArray
    share: FloatArray | None = None
    """Where wordings are compared with the original: the share of each cell in its item. The original is then
    one more shared wording, which weighs as much as all the others that items share: wordings that an item
    has to itself have the layout of its original."""
    with_original: bool = False
    """Whether the original is one of the shared wordings."""


def column_sums(columns: FloatArray) -> FloatArray:
    """Column by column: over rows of two or three numbers numpy is many times slower."""
    return np.array([column.sum() for column in columns.T])


def nonzero_rows(columns: FloatArray) -> BoolArray:
    """Which rows have a number that is not 0."""
    found: BoolArray = np.logical_or.reduce([column != 0 for column in columns.T])
    return found


class WordingSpread(NamedTuple):
    """Squared standard errors of a statistic that its wordings bring, by analysis of variance."""

    n_shared: int
    n_others: int
    """Without the original."""
    wordings: float
    """Of the means of shared wordings over items; holds `residual` too."""
    residual: float
    """Of the cells of shared wordings, beyond items and wordings."""
    own: float
    """Of the wordings that items have to themselves, within items."""
    own_freedom: float


def spread_of_cells(cells: Cells, gradient: FloatArray) -> WordingSpread:
    """From how a statistic moves with each of its sums."""
    pull = cells.columns @ gradient
    shared = cells.wording != _OWN
    own, own_freedom = _within(cells.item[~shared], pull[~shared])
    seen = np.bincount(cells.wording[shared]) > 0
    n_shared, n_items = int(seen.sum()), int(cells.item.max(initial=-1)) + 1
    n_others = n_shared - cells.with_original if n_shared else 0
    if n_shared < 2:
        return WordingSpread(n_shared, n_others, 0.0, 0.0, own, own_freedom)
    # several models' cells of one item and wording are one cell
    place = cells.item[shared] * n_shared + (np.cumsum(seen) - 1)[cells.wording[shared]]
    there = np.bincount(place, minlength=n_items * n_shared).reshape(n_items, n_shared) > 0
    table = np.bincount(place, weights=pull[shared], minlength=there.size).reshape(there.shape)
    in_wording, in_item = there.sum(axis=0), there.sum(axis=1)
    mean = float(table.sum() / in_wording.sum())
    of_wording = table.sum(axis=0)
    moved = of_wording - in_wording * mean
    left = table - of_wording / in_wording - (table.sum(axis=1) / np.maximum(in_item, 1) - mean)[:, None]
    larger = n_shared / (n_shared - 1) * _with_original(cells)
    n_items = int((in_item > 0).sum())
    residual = larger * n_items / max(n_items - 1, 1) * float(np.sum(np.square(left), where=there))
    return WordingSpread(
        n_shared, n_others, larger * float(np.sum(np.square(moved))), residual, own, own_freedom
    )


def _with_original(cells: Cells) -> float:
    """How many times the variance of the shared wordings' weighted mean the variance of a contrast is."""
    if cells.share is None:
        return 1.0
    shared = cells.wording != _OWN
    weights = np.bincount(cells.wording[shared], weights=cells.share[shared]) / cells.share.sum()
    return 1.0 + float(weights.sum() ** 2 / np.sum(np.square(weights)))


def _within(item: IntArray, pull: FloatArray) -> tuple[float, float]:
    """The squared error of cells within their items, and its degrees of freedom."""
    if not len(item):
        return 0.0, 0.0
    count = np.bincount(item)
    mean = np.bincount(item, weights=pull) / np.maximum(count, 1)
    larger = count / np.maximum(count - 1, 1)
    return float(np.sum(np.square(pull - mean[item]) * larger[item])), float(np.sum(np.maximum(count - 1, 0)))


def wording_freedom(wordings: int) -> float:
    """Degrees of freedom of the spread of shared wordings.

    Fewer than wordings − 1, which is for normal effects: a few wordings that happen to be alike do not show
    how far out others lie. By how much was chosen in simulation.
    """
    return 2 / (2 / (wordings - 1) + 6 / wordings**2) if wordings >= 2 else 0.0


def without_residual(wordings: int) -> float:
    """How much of the residual is taken off what wordings vary: less of it, the fewer there are.

    All of it would be right on average, and too much whenever few wordings happen to be alike; this much is
    right on average for the share of the residual in it.
    """
    return max(wordings - 3, 0) / (wordings - 1)
