"""The goal of a run that asks in rounds of items, and its table so far → whether it may stop.

A gate is decided at each look with an error so small that all looks together keep the gate's 2.5%: Lan and
DeMets' spending function of the O'Brien and Fleming type, which leaves nearly all of it for the last look.
The error holds at the planned looks. A width is reached when the usual 95% interval is narrow enough; how
often such an interval holds the truth is in benchmarks/sim_sequential.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import polars as pl

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.texts import about
from otherwords.core.types import Estimate
from otherwords.core.verdict import FAILS, PASSES, UNDECIDED, Decision, DecisionStatus, Limit
from otherwords.metrics.gate import ERROR, decide, metrics_of_thresholds, p_met
from otherwords.metrics.intervals import LEVEL, Generalize
from otherwords.metrics.measures import Measure, estimates
from otherwords.metrics.metric_registry import measures_of
from otherwords.metrics.model_comparison import pair
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.significance import holm

GATE = "gate"
EVERY = 20
"""Items between two looks."""
MOST_LOOKS = 20
_GRID = 401
_NORMAL = NormalDist()
_Path: TypeAlias = tuple[FloatArray, FloatArray]
"""Points of the score, and its density there."""


@dataclass(frozen=True, slots=True)
class Design:
    """What a round asks of each item."""

    wordings: int
    """With the original."""
    repeats: int
    again: int = 0
    """How often the original is asked beyond that."""

    @property
    def calls(self) -> int:
        """Of one item."""
        return self.wordings * self.repeats + self.again


@dataclass(frozen=True, slots=True)
class _Kind:
    metric: str
    design: Design


_KINDS = {
    "accuracy": _Kind("accuracy", Design(2, 1)),
    "loss": _Kind("delta_accuracy", Design(3, 1)),
    "flips": _Kind("fragility_score", Design(3, 1)),
    "excess-flips": _Kind("excess_flips", Design(3, 1, again=1)),
    "s_prompt": _Kind("s_prompt", Design(5, 1)),
    "phrasing": _Kind("phrasing", Design(5, 3)),
}
WIDTH_GOALS = tuple(_KINDS)
_COMPONENTS = {"phrasing": "variance_components"}
FIXED = Design(5, 3)
"""The grid that a goal is compared with."""


@dataclass(frozen=True, slots=True)
class Goal:
    """When a run may stop."""

    name: str
    """A goal of a width, `gate`, or two models as in `A-B`."""
    width: float | None = None
    """Half of the interval's length, at most; none for a gate."""
    models: tuple[str, str] | None = None

    @classmethod
    def read(cls, text: str, models: Sequence[str] = ()) -> Goal:
        """A goal as `run --until` takes it.

        Args:
            text: `gate`, `METRIC:WIDTH`, or `A-B:WIDTH` with the names of two of the models.
            models: Those of the run.

        Raises:
            InputError: There is no such goal, or the width is no number above 0.

        Example:
            >>> from otherwords.metrics.sequential import Goal
            >>> Goal.read("accuracy:0.05").width
            0.05
        """
        if text == GATE:
            return cls(GATE)
        name, colon, number = text.rpartition(":")
        if not colon:
            raise InputError(
                f"a goal is '{GATE}' or METRIC:WIDTH, got '{text}'", hint="For example: --until accuracy:0.05"
            )
        try:
            width = float(number)
        except ValueError:
            width = math.nan
        if not 0 < width < 1:
            raise InputError(f"the width of a goal is a number between 0 and 1, got '{number}' in '{text}'")
        if name in _KINDS:
            return cls(name, width)
        two = [(a, b) for a in models for b in models if a != b and f"{a}-{b}" == name]
        if not two:
            raise UnknownNameError(
                "goal", name, [*_KINDS, *(f"{a}-{b}" for a in models for b in models if a != b)]
            )
        return cls(name, width, two[0])

    @property
    def design(self) -> Design:
        """What is asked of each item, unless the user says."""
        if self.name in _KINDS:
            return _KINDS[self.name].design
        return _KINDS["s_prompt"].design if self.name == GATE else _KINDS["accuracy"].design

    def __str__(self) -> str:
        return self.name if self.width is None else f"{self.name}:{self.width:g}"


@dataclass(frozen=True, slots=True)
class Looks:
    """After how many items a run is looked at, and with which error a gate decides then."""

    items: tuple[int, ...]
    errors: tuple[float, ...]
    """One-sided, one for each look."""

    def place(self, n_items: int) -> int:
        """The look that these many items are enough for; −1 before the first."""
        return sum(planned <= n_items for planned in self.items) - 1


def plan_looks(n_items: int, every: int = EVERY, error: float = ERROR) -> Looks:
    """Looks every so many items, at most 20 of them, the last at all of the items.

    Example:
        >>> from otherwords.metrics.sequential import plan_looks
        >>> looks = plan_looks(60)
        >>> looks.items, [round(error, 4) for error in looks.errors]
        ((20, 40, 60), [0.0001, 0.006, 0.0231])
    """
    if n_items < 2:
        raise InputError(f"a run that may stop early takes at least two items, got {n_items}")
    every = max(every, math.ceil(n_items / MOST_LOOKS))
    items = (*range(every, n_items, every), n_items)
    return Looks(items, spent_errors([count / n_items for count in items], error))


def spent_errors(fractions: Sequence[float], error: float = ERROR) -> tuple[float, ...]:
    """The error of each look, one-sided, of which all together keep `error` on either side.

    What has been spent at a fraction t of the items is 2 − 2Φ(z / √t). The chance to have come to a look
    without a decision is found by numerical integration over the score's path.
    """
    z = _NORMAL.inv_cdf(1 - error / 2)
    spent = [2 - 2 * _NORMAL.cdf(z / math.sqrt(t)) for t in fractions]
    errors: list[float] = []
    path: _Path | None = None
    for place, t in enumerate(fractions):
        to_spend = spent[place] - (spent[place - 1] if place else 0.0)
        before = fractions[place - 1] if place else 0.0
        bound = _bound(path, t - before, to_spend, t)
        errors.append(1 - _NORMAL.cdf(bound / math.sqrt(t)))
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
        return 1 - _NORMAL.cdf(bound / spread)
    at, density = path
    above = np.array([1 - _NORMAL.cdf((bound - one) / spread) for one in at])
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


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a run says."""

    status: DecisionStatus
    """`pass` or `fail` of a gate; `pass` where a width is reached; else `cannot tell`."""
    n_items: int
    planned: int
    level: float
    """Of the intervals that hold for a run that stops here."""
    estimate: Estimate | None = None
    """Of a goal with a width."""
    decisions: tuple[Decision, ...] = ()
    """Of a gate."""

    @property
    def decided(self) -> bool:
        """Whether the run may stop."""
        return self.status != UNDECIDED

    def sentence(self) -> str:
        """As the report of the run says it."""
        if self.decided and self.n_items < self.planned:
            return f"stopped after {self.n_items:,} of {self.planned:,} items: decided"
        if self.decided:
            return f"decided with all {self.planned:,} items"
        return f"not decided after {self.n_items:,} of {self.planned:,} items"


def look(
    table: pl.DataFrame,
    goal: Goal,
    looks: Looks,
    place: int,
    *,
    thresholds: Mapping[str, float] | None = None,
    generalize: Generalize | None = None,
) -> Look:
    """Whether a run may stop at a planned look.

    Args:
        table: The outcome table so far, of one task; of one model unless the goal names two.
        goal: When it may stop.
        looks: The plan.
        place: Of the look among them.
        thresholds: Of a gate, as `check` takes them.
        generalize: For whom it is to speak.

    Returns:
        The look. A gate passes when all thresholds pass, and fails when one does.

    Raises:
        InputError: A gate has no thresholds, or a threshold is for no metric.
    """
    n_items, planned = looks.items[place], looks.items[-1]
    if goal.name != GATE:
        estimate = _estimate(table, goal, generalize)
        near = estimate.low is not None and estimate.high is not None
        reached = near and (estimate.high - estimate.low) / 2 <= goal.width  # type: ignore[operator]
        return Look(PASSES if reached else UNDECIDED, n_items, planned, LEVEL, estimate)
    if not thresholds:
        raise InputError("a gate needs a threshold", hint="For example: --min-s-prompt 0.85")
    error = looks.errors[place]
    decisions = tuple(_decisions(table, thresholds, error, generalize))
    statuses = {one.status for one in decisions}
    status = FAILS if FAILS in statuses else PASSES if statuses == {PASSES} else UNDECIDED
    return Look(status, n_items, planned, 1 - 2 * error, decisions=decisions)


def _estimate(table: pl.DataFrame, goal: Goal, generalize: Generalize | None) -> Estimate:
    if goal.models is None:
        metric = _KINDS[goal.name].metric
        found = measures_of(table, metrics=[_COMPONENTS.get(metric, metric)])
        measure = next(one for one in found if one.metric == metric)
    else:
        both = pair(table, table, model_a=goal.models[1], model_b=goal.models[0], metrics=("accuracy",))
        ((_, _, measure),) = both.measures
    return estimates([measure], generalize=generalize)[0]


def _decisions(
    table: pl.DataFrame, thresholds: Mapping[str, float], error: float, generalize: Generalize | None
) -> Iterable[Decision]:
    measures: dict[str, Measure] = {
        one.metric: one for one in measures_of(table, metrics=metrics_of_thresholds(thresholds))
    }
    limits = [Limit.read(name, number, measures) for name, number in thresholds.items()]
    chances = holm([p_met(limit, measures[limit.metric], generalize) for limit in limits])
    for limit, p in zip(limits, chances, strict=True):
        (estimate,) = estimates([measures[limit.metric]], generalize=generalize, level=1 - 2 * error)
        yield decide(limit, estimate, "bound", p=p, questions=len(limits), error=error)


def reachable(look_now: Look, goal: Goal) -> str:
    """What a goal that was not reached would take, as far as the table tells."""
    estimate = look_now.estimate
    if goal.width is None or estimate is None or estimate.low is None or estimate.high is None:
        return ""
    half = (estimate.high - estimate.low) / 2
    needed = math.ceil(look_now.n_items * (half / goal.width) ** 2)
    return f"{look_now.n_items:,} items give ± {half:.3f}; ± {goal.width:g} takes about {about(needed)} items"
