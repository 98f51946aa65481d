"""How much a number varies in a grid of wordings and repeats: takes variance components, gives errors.

The width of an interval follows from how much one item's contribution varies. For accuracy and for a loss
that is a sum of variance components. For S_prompt it is at most ȳ(M − ȳ), ȳ the mean variance over wordings
and M the largest, which few wordings nearly reach. How far below that it is, and the error of the phrasing
share, takes fourth moments, which come from a model with the same components: chances of items, of wordings
around their item, and of runs around their wording, each from a beta distribution. The pseudo-items of the
intervals are part of the error, and so is what a pilot does not know: see `pilot_variances`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from otherwords.core.table import largest_variance
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.pilot_variances import CAREFUL, UNKNOWN, Components
from otherwords.metrics.significance import student_t, without_residual, wording_freedom

_SIMULATED_ITEMS = 1000
_SIMULATED_DRAWS = 24
_FEW_VARY = 1.25
"""Where few items vary at all, the phrasing share varies more than the model says."""
_ONE_OF_TEN = 1.2816
_FEWER = 4
"""A ratio that varies little is taken from every fourth of them."""


@dataclass(frozen=True)
class Spread:
    """How much one item's contribution to a number varies, and what does not shrink with more items."""

    mean: float
    per_item: float
    ends: tuple[float, float]
    at_each_end: int
    by_wordings: tuple[float, float, int] | None = None
    """Where it is to hold for other wordings: the variance that they bring, however many items there are; the
    part of `per_item` that is of single wordings; and how many tell of it."""

    def error(self, items: int, level: float) -> tuple[float, float, float]:
        """The centre of the interval with so many items, its standard error, and the quantile of its t."""
        k = self.at_each_end
        n = items + 2 * k
        centre = (items * self.mean + k * sum(self.ends)) / n
        apart = items * (self.mean - centre) ** 2 + k * sum((end - centre) ** 2 for end in self.ends)
        variance = (max(items - 1, 0) * self.per_item + apart) / (n - 1) / n
        parts = variance**2 / (n - 1)
        if self.by_wordings is not None:
            fixed, residual, wordings = self.by_wordings
            freedom = wording_freedom(wordings)
            # what the run will see of them, in nine of ten runs, with their noise
            seen = (fixed + residual / items) * _most_of_ten(freedom)
            taken_off = residual / items * without_residual(wordings)
            parts += seen**2 / freedom + taken_off**2 / (freedom * max(items - 1, 1))
            variance += seen - taken_off
        degrees = max(1.0, variance**2 / parts) if parts > 0 else n - 1
        return centre, math.sqrt(variance), student_t(0.5 + level / 2, min(round(degrees, 1), 1e6))


def _most_of_ten(freedom: float) -> float:
    """How many times its mean a χ² with so many degrees of freedom exceeds in one of ten, about."""
    spread = 2 / (9 * freedom)
    return (1 - spread + _ONE_OF_TEN * math.sqrt(spread)) ** 3


class Designs:
    """The spread of every number in every grid of wordings and repeats, as careful as the pilot allows."""

    def __init__(self, parts: Components, variants: Sequence[int], repeats: Sequence[int]) -> None:
        self.parts, self.generalize = parts, parts.generalize
        self.drawn = parts.drawn()
        self.most = (max(variants), max(repeats))
        self._made: list[_Model] = []
        self._known: dict[tuple[str, int, int], Spread] = {}

    @property
    def models(self) -> list[_Model]:
        """Simulated items, one set for each of some resamples; made when they are first needed."""
        if not self._made:
            rng = np.random.default_rng(0)
            step = max(len(self.drawn) // _SIMULATED_DRAWS, 1)
            few = self.drawn[::step]
            least = (self.parts.phrasing + self.parts.noise) / 10
            self._made = [_Model(row, self.most, max(least, 1e-6), rng) for row in few]
        return self._made

    def spread(self, about: str, v: int, r: int) -> Spread:
        """Of a number (accuracy, loss, s_prompt, …) with so many wordings and repeats."""
        key = (about, v, r)
        if key not in self._known:
            self._known[key] = self._spread(about, v, r)
        return self._known[key]

    def _spread(self, about: str, v: int, r: int) -> Spread:
        item, phrasing, noise, _, shared = self.drawn[:, :5].T
        own = np.maximum(phrasing - shared, 0.0)
        others = self.generalize != "items"
        if self.generalize == "wordings":
            item = np.zeros_like(item)
        if about in ("accuracy", "compare"):
            twice = 2.0 if about == "compare" and not self.parts.of_difference else 1.0
            residual = twice * ((own if others else phrasing) / v + noise / (v * r))
            per_item = twice * item + residual
            by_wordings = self._by_wordings(twice * shared / v, residual, v)
            if about == "compare":
                return Spread(0.0, _careful(per_item), (-1.0, 1.0), 1, by_wordings)
            return Spread(self.parts.accuracy, _careful(per_item), (0.0, 1.0), 2, by_wordings)
        if about == "loss":
            per_item = ((own if others else phrasing) + noise / r) * v / (v - 1)
            # another original would move the loss as well, however many other wordings there are
            by_wordings = self._by_wordings(shared * v / (v - 1), per_item, v - 1)
            return Spread(0.0, _careful(per_item), (-1.0, 1.0), 1, by_wordings)
        if about == "flips":
            rate, pair = self._flips()
            # two that flip together less often than by chance are of different kinds; others need not be
            pair = np.maximum(pair, rate**2)
            per_item = pair - rate**2 + (rate - pair) / (v - 1)
            by_wordings = self._by_wordings(self.drawn[:, 8] * (1 + 1 / v), per_item, v)
            return Spread(float(np.mean(rate)), _careful(per_item), (0.0, 1.0), 2, by_wordings)
        if about == "s_prompt":
            most = largest_variance(v)
            spread = np.minimum(phrasing + noise / r, most)
            # the largest is reached halfway
            careful = np.minimum(spread, most / 2)
            per_item = self._spread_share(v, r) * careful * (most - careful)
            by_wordings = self._by_wordings(self.drawn[:, 7] / v, per_item, v)
            return Spread(float(1 - np.mean(spread)), _careful(per_item), (1 - most, 1.0), 2, by_wordings)
        # the pseudo-items of the share are far out where little varies, so they are counted in its own units
        pulls = np.array([one.phrasing_share(v, r) for one in self.models])
        ends = (float(pulls[:, 1].mean()), float(pulls[:, 2].mean()))
        per_item = _FEW_VARY * pulls[:, 0]
        by_wordings = self._by_wordings(self.drawn[:, 9] / v, per_item, v)
        return Spread(0.0, _careful(per_item), ends, 1, by_wordings)

    def _by_wordings(
        self, fixed: FloatArray, residual: FloatArray, wordings: int
    ) -> tuple[float, float, int] | None:
        """For `Spread`; None where the run is to speak for other items alone."""
        if self.generalize == "items":
            return None
        return _careful(fixed), float(np.mean(residual)), max(wordings, 2)

    def _spread_share(self, v: int, r: int) -> float:
        """How much of the most that they could the variances of items differ: between that and the model.

        Partial credit may be nearly right or wrong, or hardly vary: the most is assumed.
        """
        few = self.models[::_FEWER]
        if not all(one.right_or_wrong for one in few):
            return 1.0
        return (1 + float(np.mean([one.spread_share(v, r) for one in few]))) / 2

    def _flips(self) -> tuple[FloatArray, FloatArray]:
        rate, pair = self.drawn[:, 5], self.drawn[:, 6]
        if np.any(rate == UNKNOWN):
            return tuple(np.array([one.flips() for one in self.models]).T)
        return rate, pair

    def truth(self, about: str, r: int) -> float:
        """The value that is expected, on the side that is nearer to failing where a pilot is not sure."""
        if about == "accuracy":
            return float(np.quantile(self.drawn[:, 3], 1 - CAREFUL))
        if about == "s_prompt":
            return float(np.quantile(1 - self.drawn[:, 1] - self.drawn[:, 2] / r, 1 - CAREFUL))
        return float(np.quantile(self._flips()[0], CAREFUL))


def _careful(values: FloatArray) -> float:
    return float(np.quantile(values, CAREFUL))


class _Model:
    """Items simulated with given variance components; scores between 0 and 1."""

    def __init__(
        self, row: FloatArray, most: tuple[int, int], least: float, rng: np.random.Generator
    ) -> None:
        self.least = least
        item, phrasing, noise, accuracy = (max(float(one), 1e-9) for one in row[:4])
        accuracy = min(max(accuracy, 1e-3), 1 - 1e-3)
        left = accuracy * (1 - accuracy)
        chance = _beta(np.full(_SIMULATED_ITEMS, accuracy), left, item, rng)
        left = max(left - item, 1e-9)
        variants, repeats = most
        wordings = np.repeat(chance[:, None], variants, axis=1)
        wordings = _beta(wordings, left, phrasing, rng)
        left = max(left - phrasing, 1e-9)
        runs = np.repeat(wordings[..., None], repeats, axis=2)
        self.right_or_wrong = noise >= 0.98 * left
        if self.right_or_wrong:
            self.scores = (rng.random(runs.shape) < runs).astype(np.float64)
        else:
            self.scores = _beta(runs, left, noise, rng)

    def spread_share(self, v: int, r: int) -> float:
        """The variance between items of their variance over wordings, as a share of the most it could be."""
        spread = self.scores[:, :v, :r].mean(axis=2).var(axis=1, ddof=1)
        most = float(spread.mean()) * (largest_variance(v) - float(spread.mean()))
        return min(float(spread.var()) / most, 1.0) if most > 0 else 1.0

    def phrasing_share(self, v: int, r: int) -> tuple[float, float, float]:
        """The variance of what one item says of it, and what an item could say at least and at most."""
        scores = self.scores[:, :v, :r]
        noise = scores.var(axis=2, ddof=1).mean(axis=1)
        phrasing = scores.mean(axis=2).var(axis=1, ddof=1) - noise / r
        both = max(float(phrasing.mean() + noise.mean()), self.least)
        share = float(np.clip(phrasing.mean() / both, 0.0, 1.0))
        pull = ((1 - share) * phrasing - share * noise) / both
        most_noise, most = largest_variance(r), largest_variance(v)
        return float(pull.var()), -most_noise * ((1 - share) / r + share) / both, (1 - share) * most / both

    def flips(self) -> tuple[float, float]:
        """As often as right and wrong differ: of one other wording, and of two at once."""
        right = self.scores[:, :, 0] >= 0.5
        apart = right[:, 1:] != right[:, :1]
        first, second = apart[:, 0], apart[:, min(1, apart.shape[1] - 1)]
        return float(apart.mean()), float((first & second).mean())


def _beta(centre: FloatArray, left: float, variance: float, rng: np.random.Generator) -> FloatArray:
    """Chances around each `centre` with that mean `variance`, which could be `left` at most."""
    weight = max(left / variance - 1, 1e-3)
    inside = np.clip(centre, 1e-4, 1 - 1e-4)
    found = rng.beta(inside * weight, (1 - inside) * weight)
    return np.where((centre <= 1e-4) | (centre >= 1 - 1e-4), centre, found)
