"""What samples cost as they end → the mean; `Budget`, read from text, and held back for samples under way.

A budget is kept by holding back what the samples under way may still cost: for each as much as the dearest
sample of its model so far, and more than that while few have ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from otherwords.core.errors import InputError

_SAFETY = 40.0
"""The dearest of n samples is taken (1 + 40 / n) times: the next may be dearer than the few that were seen.
With 64 samples at once whose costs are log-normal (standard deviation 1.5, the dearest of 400 some 80 times
the median), a budget was exceeded by 0.44 of a sample at most in 80 runs; with 4 in place of 40 by 2.4."""
_QUANTILE = 1.96
_NONE = float("inf")
_ROUNDING = 1e-9
_BUDGET_FORM = "Write it as calls=1000, tokens=2000000 or usd=5."


@dataclass(frozen=True, slots=True)
class Cost:
    """What one sample took, all models that it asked counted, graders too."""

    calls: float = 0.0
    tokens: float = 0.0
    usd: float = 0.0
    seconds: float = 0.0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.usd + other.usd,
            self.seconds + other.seconds,
        )

    @property
    def parts(self) -> tuple[float, float, float, float]:
        """Calls, tokens, money and seconds; `dataclasses.astuple` makes deep copies, which is slow."""
        return (self.calls, self.tokens, self.usd, self.seconds)


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
        for whole, square in zip(total.parts, squares.parts, strict=True):
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
        whole = (Cost(*(part * samples for part in one.parts)) for one in (self.mean, self.low, self.high))
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
        self.squares = self.squares.plus(Cost(*(part**2 for part in cost.parts)))
        self.most = Cost(*map(max, self.most.parts, cost.parts))


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
        bounds = {model: self.bound(model) for model, _ in self._under_way.values()}
        calls = tokens = usd = 0.0
        for model, cost in self._under_way.values():
            bound = bounds[model]
            calls += max(bound.calls - cost.calls, 0.0)
            tokens += max(bound.tokens - cost.tokens, 0.0)
            usd += max(bound.usd - cost.usd, 0.0)
        return Cost(calls, tokens, usd)

    def bound(self, model: str) -> Cost:
        """What a sample may cost; a call, and any amount else, where none of the model has ended."""
        sums = self._ended.get(model)
        if sums is None:
            return Cost(1.0, _NONE, _NONE, _NONE)
        return Cost(*(most * (1 + _SAFETY / sums.count) for most in sums.most.parts))

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


class SharedCount(Protocol):
    """Counts what all parts of a run spend, and says when the next sample and the next call may begin."""

    async def begins(self, sample: str, model: str) -> str | None:
        """Hold back what the sample may cost: as `HeldBudget.begins`."""

    async def next_call(self, sample: str) -> str | None:
        """Wait until a call may go out, and count it; or return the part of the budget that is spent."""

    def add(self, sample: str = "", *, calls: int = 0, tokens: int = 0, usd: float = 0.0) -> None:
        """Count what was spent without asking first."""

    def ends(self, sample: str, *, counts: bool) -> None:
        """Nothing is held back for the sample any more."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that one run may spend; what earlier runs of the same command spent does not count."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    whole: Budget | None = field(default=None, repr=False, compare=False)
    """What it is the rest of, if it is one."""
    shared: SharedCount | None = None
    """Who counts for all, where several processes or shards spend one budget."""

    def used_up(self, *, calls: float, tokens: float, usd: float) -> str | None:
        """Which part is spent, such as `calls=100`."""
        for name, most, spent in (
            ("calls", self.calls, calls),
            ("tokens", self.tokens, tokens),
            ("usd", self.usd, usd),
        ):
            if most is not None and spent >= most:
                return self.part(name)
        return None

    def lacks(self, spent: Cost, more: Cost) -> str | None:
        """The part that would be exceeded by `more`."""
        for name in ("calls", "tokens", "usd"):
            most = getattr(self, name)
            # what a sample costs was added up in another order than what the run has spent
            if most is not None and getattr(spent, name) + getattr(more, name) > most * (1 + _ROUNDING):
                return self.part(name)
        return None

    def part(self, name: str) -> str:
        """One part of it, or of what it is the rest of, as it is written: `calls=100`."""
        most = getattr(self.whole or self, name)
        return f"{name}={most:g}" if isinstance(most, float) else f"{name}={most}"

    @property
    def is_limited(self) -> bool:
        """Whether it limits anything; a rate alone has a budget without parts."""
        return (self.calls, self.tokens, self.usd) != (None, None, None)

    def less(self, *, calls: int, tokens: int, usd: float) -> Budget:
        """What is left of it; a part that is overdrawn is 0."""
        return Budget(
            calls=None if self.calls is None else max(self.calls - calls, 0),
            tokens=None if self.tokens is None else max(self.tokens - tokens, 0),
            usd=None if self.usd is None else max(self.usd - usd, 0.0),
            whole=self.whole or self,
            shared=self.shared,
        )


def parse_budget(texts: Iterable[str]) -> Budget | None:
    """`["calls=1000", "usd=5"]`, or both in one text with a comma; None when there are none."""
    found: dict[str, float] = {}
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, equals, amount = (piece.strip() for piece in part.partition("="))
        if not equals or name not in ("calls", "tokens", "usd"):
            raise InputError(f"cannot read the budget '{part}'", hint=_BUDGET_FORM)
        if name in found:
            raise InputError(f"the budget names {name} twice")
        try:
            found[name] = float(amount) if name == "usd" else int(amount)
        except ValueError:
            raise InputError(f"cannot read the budget '{part}'", hint=_BUDGET_FORM) from None
        if not 0 < found[name] < float("inf"):
            raise InputError(f"a budget must be more than 0, got '{part}'")
    if not found:
        return None
    calls, tokens = found.get("calls"), found.get("tokens")
    return Budget(
        calls=None if calls is None else int(calls),
        tokens=None if tokens is None else int(tokens),
        usd=found.get("usd"),
    )


class HeldBudget:
    """A budget, what was spent of it, and what is held back of it for the samples under way."""

    def __init__(self, budget: Budget) -> None:
        self.budget, self.spent, self.costs = budget, Cost(), SampleCosts()

    def used_up(self) -> str | None:
        """The part that is spent, such as `calls=100`."""
        spent = self.spent
        return self.budget.used_up(calls=spent.calls, tokens=spent.tokens, usd=spent.usd)

    def begins(self, sample: str, model: str) -> str | None:
        """Hold back what the sample may cost, and return None; else "" where it must wait for others to end.

        Where none is under way and there is no room, nothing can be waited for: that part is returned.
        """
        if self.costs.is_idle:  # alone, it needs room for no more than the dearest so far
            lacking = self._lacking(self.costs.most(model) or Cost())
        else:
            lacking = None if self._lacking(self.costs.bound(model)) is None else ""
        if lacking is None:
            self.costs.begins(sample, model)
        return lacking

    def spends(self, sample: str, cost: Cost) -> None:
        """Count what a sample has cost; "" for what belongs to none."""
        self.spent = self.spent.plus(cost)
        self.costs.spends(sample, cost)

    def _lacking(self, more: Cost) -> str | None:
        """The part that has no room for `more`."""
        return self.used_up() or self.budget.lacks(self.spent.plus(self.costs.held_back()), more)
