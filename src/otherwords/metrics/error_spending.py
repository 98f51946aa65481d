"""`plan_looks`: after how many items a run is looked at, and the error that a gate may spend at each look.

All looks together keep the gate's error, by Lan and DeMets' spending function of the O'Brien and Fleming
type, which leaves nearly all of it for the last look. It holds at the planned looks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np

from otherwords.core.errors import InputError
from otherwords.metrics.gate import ERROR
from otherwords.metrics.outcome_rows import FloatArray

EVERY = 20
"""Items between two looks."""
MOST_LOOKS = 20
_GRID = 401
_NORMAL = NormalDist()
_Path: TypeAlias = tuple[FloatArray, FloatArray]
"""Points of the score, and its density there."""


@dataclass(frozen=True, slots=True)
class Looks:
    """After how many items a run is looked at, and with which error a gate decides then."""

    items: tuple[int, ...]
    errors: tuple[float, ...]
    """One-sided, one for each look; so small at first that nothing is decided there."""

    def place(self, n_items: int) -> int:
        """The look that these many items are enough for; −1 before the first."""
        return sum(planned <= n_items for planned in self.items) - 1


def plan_looks(
    n_items: int, every: int = EVERY, error: float = ERROR, *, earlier: Sequence[tuple[int, int]] = ()
) -> Looks:
    """Looks every so many items, at most 20 of them, the last at all of the items.

    Args:
        n_items: The most items that are asked.
        every: Items between two looks, if that makes no more than 20 of them.
        error: One-sided, of all looks together.
        earlier: Maxima that the run had before, each with how many items had been asked when another took its
            place. What was spent at their looks stays spent. Where one of them had been reached, nothing was
            left of the error, and as much is added: see `StoppingRule.error`.

    Example:
        >>> from otherwords.metrics.error_spending import plan_looks
        >>> looks = plan_looks(60)
        >>> looks.items, [round(error, 4) for error in looks.errors]
        ((20, 40, 60), [0.0001, 0.006, 0.0231])
    """
    if n_items < 2:
        raise InputError(f"a run that may stop early takes at least two items, got {n_items}")
    items: list[int] = []
    spent: list[float] = []
    added = 0.0
    before = 0
    for most, until in (*earlier, (n_items, n_items)):
        step = max(every, math.ceil(most / MOST_LOOKS))
        planned = [count for count in (*range(step, most, step), most) if before < count <= until]
        so_far = spent[-1] if spent else 0.0
        spent += [max(so_far, added + _to_be_spent(count / most, error)) for count in planned]
        items += planned
        before = until
        added += error if until >= most else 0.0
    return Looks(tuple(items), spent_errors([count / n_items for count in items], spent))


def _to_be_spent(fraction: float, error: float) -> float:
    """At this fraction of the items: 2 − 2Φ(z / √t)."""
    return 2 * _NORMAL.cdf(-_NORMAL.inv_cdf(1 - error / 2) / math.sqrt(fraction))


def spent_errors(fractions: Sequence[float], spent: Sequence[float]) -> tuple[float, ...]:
    """The error of each look, one-sided, such that up to each look together they keep what may be `spent`.

    The chance to have come to a look without a decision is found by numerical integration over the score's
    path.
    """
    errors: list[float] = []
    path: _Path | None = None
    for place, t in enumerate(fractions):
        to_spend = spent[place] - (spent[place - 1] if place else 0.0)
        before = fractions[place - 1] if place else 0.0
        bound = _bound(path, t - before, to_spend, t)
        errors.append(_NORMAL.cdf(-bound / math.sqrt(t)))
        points = np.linspace(-bound, bound, _GRID)
        path = points, _density(path, points, t - before)
    return tuple(errors)


def _density(path: _Path | None, points: FloatArray, step: float) -> FloatArray:
    """Of the score at the next look, over `points`, if no look before has decided."""
    if path is None:
        return np.asarray(np.exp(-(points**2) / (2 * step)) / math.sqrt(2 * math.pi * step))
    at, density = path
    moves = np.exp(-((points[:, None] - at[None, :]) ** 2) / (2 * step)) / math.sqrt(2 * math.pi * step)
    return np.asarray(moves @ (density * _weights(at)))


def _beyond(path: _Path | None, bound: float, step: float) -> float:
    """The chance to be above `bound` at the next look, and undecided before."""
    spread = math.sqrt(step)
    if path is None:
        return _NORMAL.cdf(-bound / spread)
    at, density = path
    above = np.array([_NORMAL.cdf(one) for one in (at - bound) / spread])
    return float(above @ (density * _weights(at)))


def _weights(at: FloatArray) -> FloatArray:
    """Of the trapezoidal rule."""
    weights = np.full(len(at), at[1] - at[0])
    weights[[0, -1]] /= 2
    return weights


def _bound(path: _Path | None, step: float, to_spend: float, t: float) -> float:
    low, high = 0.0, 10.0 * math.sqrt(t)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _beyond(path, middle, step) > to_spend else (low, middle)
    return high
