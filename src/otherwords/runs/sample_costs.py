"""What the samples of a run cost, as they end → how much to hold back for those under way, and the mean.

A budget is kept by holding back what the samples under way may still cost: for each as much as the dearest
sample of its model so far, and more than that while few have ended.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, field
from typing import Protocol

_SAFETY = 40.0
"""The dearest of n samples is taken (1 + 40 / n) times: the next may be dearer than the few that were seen.
With 64 samples at once whose costs are log-normal (standard deviation 1.5, the dearest of 400 some 80 times
the median), a budget was exceeded by 0.44 of a sample at most in 80 runs; with 4 in place of 40 by 2.4."""
_QUANTILE = 1.96
_NONE = float("inf")


class SharedCount(Protocol):
    """Counts what all parts of a run spend, and says when the next call may go out."""

    async def next_call(self) -> str | None:
        """Wait until a call may go out, and count it; or return the part of the budget that is spent."""

    def add(self, *, calls: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        """Count what was spent without asking first."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one sample took, all models that it asked counted, graders too."""

    calls: float = 0.0
    tokens: float = 0.0
    usd: float = 0.0
    seconds: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True, slots=True)
class CostPerSample:
    """The mean over samples that ended, with its 95% interval where two or more did."""

    count: int
    mean: Cost
    low: Cost
    high: Cost

    @classmethod
    def of(cls, count: int, total: Cost, squares: Cost) -> CostPerSample:
        """From sums over the samples, and of their squares."""
        mean, low, high = [], [], []
        for whole, square in zip(astuple(total), astuple(squares), strict=True):
            middle, half = whole / count, _NONE
            if count > 1:
                variance = max(square - count * middle**2, 0.0) / (count - 1)
                # samples of one item are alike: as if there were half as many
                half = _QUANTILE * math.sqrt(2 * variance / count)
            mean.append(middle)
            low.append(max(middle - half, 0.0))
            high.append(middle + half)
        return cls(count, Cost(*mean), Cost(*low), Cost(*high))

    def times(self, samples: int) -> CostPerSample:
        """What so many samples cost."""
        whole = (Cost(*(part * samples for part in astuple(one))) for one in (self.mean, self.low, self.high))
        return CostPerSample(self.count, *whole)


@dataclass
class _Sums:
    """Of the samples of one model."""

    count: int = 0
    total: Cost = field(default_factory=Cost)
    squares: Cost = field(default_factory=Cost)
    most: Cost = field(default_factory=Cost)

    def add(self, cost: Cost) -> None:
        self.count += 1
        self.total = self.total.plus(cost)
        self.squares = self.squares.plus(Cost(*(part**2 for part in astuple(cost))))
        self.most = Cost(*map(max, astuple(self.most), astuple(cost)))


class SampleCosts:
    """Counts what each sample under way has cost, and what those cost that have ended."""

    def __init__(self) -> None:
        self._under_way: dict[str, tuple[str, Cost]] = {}
        self._ended: dict[str, _Sums] = {}

    @property
    def is_idle(self) -> bool:
        """Whether no sample is under way."""
        return not self._under_way

    def begins(self, sample: str, model: str) -> None:
        """From now on something is held back for the sample."""
        self._under_way[sample] = (model, Cost())

    def spends(self, sample: str, cost: Cost) -> None:
        """A sample under way has asked a model."""
        if sample in self._under_way:
            model, before = self._under_way[sample]
            self._under_way[sample] = (model, before.plus(cost))

    def ends(self, sample: str, seconds: float, *, counts: bool = True) -> None:
        """Nothing is held back any more; one that did not come to its end does not count for the mean."""
        model, cost = self._under_way.pop(sample, ("", Cost()))
        if counts and model:
            self._ended.setdefault(model, _Sums()).add(cost.plus(Cost(seconds=seconds)))

    def held_back(self) -> Cost:
        """What the samples under way may still cost."""
        whole = Cost()
        for model, cost in self._under_way.values():
            bound = astuple(self.bound(model))
            whole = whole.plus(
                Cost(*(max(most - part, 0.0) for most, part in zip(bound, astuple(cost), strict=True)))
            )
        return whole

    def bound(self, model: str) -> Cost:
        """What a sample may cost; a call, and any amount else, where none of the model has ended."""
        sums = self._ended.get(model)
        if sums is None:
            return Cost(1.0, _NONE, _NONE, _NONE)
        return Cost(*(most * (1 + _SAFETY / sums.count) for most in astuple(sums.most)))

    def most(self, model: str) -> Cost | None:
        """Of the dearest sample of the model; None where none has ended."""
        sums = self._ended.get(model)
        return None if sums is None else sums.most

    def per_sample(self) -> CostPerSample | None:
        """The mean over all samples that ended; None where none has."""
        count, total, squares = 0, Cost(), Cost()
        for sums in self._ended.values():
            count, total, squares = count + sums.count, total.plus(sums.total), squares.plus(sums.squares)
        return CostPerSample.of(count, total, squares) if count else None
