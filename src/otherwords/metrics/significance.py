"""Sign-flip test, Student's t, Benjamini and Hochberg, Holm; the variance that shared wordings bring.

Differences of scores are coarse (multiples of ¼ or ⅕), so many sign flips tie with the observed difference;
counted whole, the original against the mean of its variants is rejected in 4–6% where 5% is meant.
Every other metric takes its p from the error of its interval (`measures.p_value`): a sign-flip test asks that
differences be symmetric, and rejected 13% of the time where one model's variance was in 8% of the items.

Where items share wordings, the table of items × wordings is split by two-way analysis of variance: what the
means of wordings vary holds what wordings do to all items alike, and the residual of single cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from otherwords.core.errors import InputError
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray

FLIPS = 10_000
_EXACT_UP_TO = 13
_MONTE_CARLO_UP_TO = 2_000
_DECIMALS = 12
_DRAWS = 2000
_HALVINGS = 24


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The result of a sign-flip test."""

    p: float | None
    n: int
    """Items whose difference is not zero; the others cannot tell either way."""
    method: str


def sign_flip_test(differences: FloatArray, flips: int = FLIPS, seed: int = 0) -> SignFlip:
    """Two-sided p that the mean difference is zero, with one difference for each independent item."""
    if not len(differences):
        return SignFlip(None, 0, "no items")
    rounded = np.abs(np.round(differences, _DECIMALS))
    sizes, counts = np.unique(rounded[rounded > 0], return_counts=True)
    n = int(counts.sum())
    if n == 0:
        return SignFlip(1.0, 0, "all differences are zero")
    seen = abs(float(np.sum(differences)))
    if n <= _EXACT_UP_TO:
        signs = 1 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        sums = signs @ np.repeat(sizes, counts)
        return SignFlip(_as_far(sums, seen) / 2**n, n, f"exact over {2**n} sign flips")
    if len(sizes) > _MONTE_CARLO_UP_TO:
        z = seen / math.sqrt(float(counts @ sizes**2))
        return SignFlip(math.erfc(z / math.sqrt(2)), n, "normal approximation to sign flips")
    # items of the same size are exchangeable: flipping them is drawing how many stay positive
    kept = np.random.default_rng(seed).binomial(counts, 0.5, size=(flips, len(sizes)))
    sums = (2.0 * kept - counts) @ sizes
    p = (1 + _as_far(sums, seen)) / (1 + flips)
    return SignFlip(p, n, f"{flips} random sign flips")


def _as_far(sums: FloatArray, seen: float) -> int:
    """How many are at least as far from zero as what was seen."""
    return int(np.sum(np.abs(sums) - seen >= -1e-9 * (1 + seen)))


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """The q of each p: call everything with q ≤ 0.05 a finding, and about 5% of the findings are false.

    Args:
        p_values: The p of each test; None for a test that could not be made, which is not counted.

    Returns:
        The q of each test, in the same order; None where there is no p.

    Raises:
        InputError: If a p is not between 0 and 1.

    Example:
        >>> from otherwords.metrics import benjamini_hochberg
        >>> benjamini_hochberg([0.01, None, 0.04])
        [0.02, None, 0.04]
    """
    # a smaller p never has a larger q
    return _adjusted(
        p_values, lambda p: np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    )


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Each p adjusted by Holm: those at most 0.05 are all true findings with a chance of 95% at least.

    Args:
        p_values: The p of each test; None for a test that could not be made, which is not counted.

    Returns:
        The adjusted p of each test, in the same order; None where there is no p.

    Raises:
        InputError: If a p is not between 0 and 1.

    Example:
        >>> from otherwords.metrics.significance import holm
        >>> holm([0.01, None, 0.04])
        [0.02, None, 0.04]
    """
    # a larger p never has a smaller one
    return _adjusted(p_values, lambda p: np.maximum.accumulate(p * np.arange(len(p), 0, -1)))


def _adjusted(
    p_values: Sequence[float | None], adjust: Callable[[FloatArray], FloatArray]
) -> list[float | None]:
    """What `adjust` makes of the sorted p, at most 1, each at the place of its p."""
    places = [place for place, p in enumerate(p_values) if p is not None]
    p = np.array([p_values[place] for place in places], dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise InputError(f"a p value lies between 0 and 1, got {p[~((p >= 0) & (p <= 1))][0]}")
    order = np.argsort(p, kind="stable")
    found: list[float | None] = [None] * len(p_values)
    for place, value in zip(order, np.minimum(adjust(p[order]), 1.0), strict=True):
        found[places[place]] = float(value)
    return found


def student_t_above(t: float, freedom: float) -> float:
    """The chance that Student's t with these degrees of freedom, which need not be whole, is above `t`."""
    tail = 0.5 * _incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
    return tail if t >= 0 else 1 - tail


@lru_cache(maxsize=4096)
def student_t(level: float, freedom: float) -> float:
    """The quantile of Student's t; `freedom` need not be whole."""
    if level < 0.5:
        return -student_t(1 - level, freedom)
    low, high = 0.0, 2.0
    while student_t_above(high, freedom) > 1 - level and high < 1e9:
        low, high = high, 2 * high
    t = (low + high) / 2
    half = (freedom + 1) / 2
    top = math.exp(math.lgamma(half) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    for _ in range(100):
        above = student_t_above(t, freedom) - (1 - level)
        low, high = (t, high) if above > 0 else (low, t)
        # Newton's step, or halving where it leaves what is left
        step = t + above / (top * math.exp(-half * math.log1p(t * t / freedom)))
        step = step if low < step < high else (low + high) / 2
        if abs(step - t) < 1e-10 * (1 + t):
            return step
        t = step
    return t


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by its continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    fraction = d
    for m in range(1, 400):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d, tiny)
            c = _away_from_zero(1 + term / c, tiny)
            fraction *= d * c
        if abs(d * c - 1) < 1e-14:
            break
    return front * fraction / a


def _away_from_zero(value: float, tiny: float) -> float:
    return value if abs(value) > tiny else tiny


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


def size_of_effects(
    effect: FloatArray, over_items: FloatArray, level: float, rng: np.random.Generator
) -> tuple[float, float, float]:
    """The ends of the mean square of a vector of true effects, and the p that they are all zero.

    `over_items` has how each item moves each effect: their products sum to the effects' covariances. An
    estimate of a square near zero is far from normal. So the ends are the sizes with which noise, in the
    direction that was seen, would give as large a vector as was seen in 2.5% and in 97.5% of draws.
    """
    n, k = over_items.shape
    spread, axes = np.linalg.eigh(over_items.T @ over_items)
    heavy = np.sqrt((n - 1) / rng.chisquare(n - 1, _DRAWS))
    noise = (rng.standard_normal((_DRAWS, k)) * np.sqrt(np.maximum(spread, 0.0)) * heavy[:, None]) @ axes.T
    seen = float(effect @ effect)
    along = noise @ (effect / math.sqrt(seen) if seen > 0 else np.eye(k)[0])
    alone = np.sum(np.square(noise), axis=1)

    def end(tail: float, least: float) -> float:
        low, high = 0.0, 2 * math.sqrt(least) + 8 * math.sqrt(float(spread.sum()))
        if np.mean(alone <= least) <= tail:
            return 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            below = np.mean(middle**2 + 2 * middle * along + alone <= least) > tail
            low, high = (middle, high) if below else (low, middle)
        return float(high**2 / k)

    tail = (1 - level) / 2
    # what is less than noise alone gives is as if noise had given its median
    high = end(tail, max(seen, float(np.median(alone))))
    p = float((1 + np.sum(alone >= seen * (1 - 1e-9))) / (1 + _DRAWS)) if seen > 0 else 1.0
    return end(1 - tail, seen), high, p
