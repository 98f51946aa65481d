"""Tables of many agents on many benchmarks → whether robustness transfers, trends, how far rankings hold.

The sensitivities of two benchmarks have errors, which make their correlation over agents smaller than that of
the true ones. The errors of the agents of a benchmark come from leaving out one item at a time, together, so
that what all agents share is not counted: a hard item moves all of them and none against the others. Their
variance is taken from the variance between agents. The interval comes from draws of the covariance matrix
that the observed one allows for normal agents (Bartlett's decomposition, as Krishnamoorthy and Xia have it),
each with the errors taken out; a draw in which nothing but error is left may have any correlation of its
sign.
benchmarks/sim_study.py has the coverage.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from otherwords.core.errors import UnknownNameError
from otherwords.core.table import by_task
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import LEVEL
from otherwords.metrics.measures import Measure, estimates
from otherwords.metrics.metric_registry import METRICS
from otherwords.metrics.model_ranking import RankStability, draw_items, rank_stability
from otherwords.metrics.outcome_rows import FloatArray, Role
from otherwords.metrics.score_arrays import ALL, Grid, read_grid
from otherwords.metrics.significance import student_t, student_t_above

FEWEST_AGENTS = 4
"""With fewer no correlation over agents could be told from none."""
DRAWS, PERMUTATIONS, RESAMPLES = 4000, 5000, 1000
_MOST_WORDINGS = 40
_SAME = 1e-12


@dataclass(frozen=True)
class Sensitivities:
    """One measure of every agent of a benchmark."""

    task: str
    measure: str
    agents: tuple[str, ...]
    """Those that have a value."""
    estimates: tuple[Estimate, ...]
    errors: FloatArray
    """The covariance of the agents' errors, had other items been drawn."""
    left_out: Mapping[str, str]
    """Why an agent has no value."""

    @property
    def values(self) -> FloatArray:
        return np.array([one.value for one in self.estimates], dtype=np.float64)

    def of(self, agents: Sequence[str]) -> Sensitivities:
        """The same for these agents, in their order."""
        places = [self.agents.index(agent) for agent in agents]
        chosen = tuple(self.estimates[place] for place in places)
        return replace(
            self, agents=tuple(agents), estimates=chosen, errors=self.errors[np.ix_(places, places)]
        )

    @property
    def noise(self) -> float:
        """The part of the variance between agents that is error: what all of them share is none."""
        n = len(self.agents)
        if n < 2:
            return 0.0
        diagonal = float(np.trace(self.errors))
        return max(diagonal / n - (float(self.errors.sum()) - diagonal) / (n * (n - 1)), 0.0)

    @property
    def reliability(self) -> float | None:
        """The share of the variance between agents that is no error; None where they do not differ."""
        if len(self.agents) < 2 or float(np.var(self.values, ddof=1)) < _SAME:
            return None
        return max(1 - self.noise / float(np.var(self.values, ddof=1)), 0.0)


@dataclass(frozen=True)
class Transfer:
    """Two benchmarks: whether agents that are robust on one are so on the other."""

    a: str
    b: str
    agents: tuple[str, ...]
    correlation: Estimate
    """Of the true values; `n_items` counts the agents."""
    observed: float | None
    """Of the values as they were measured."""
    reliability: tuple[float | None, float | None]

    @property
    def said(self) -> str:
        """`transfers`, `reversed`, or `cannot tell`."""
        low, high = self.correlation.low, self.correlation.high
        if low is None or high is None or low <= 0 <= high:
            return "cannot tell"
        return "transfers" if low > 0 else "reversed"


@dataclass(frozen=True)
class Trend:
    """How a measure goes with something that is known of the models."""

    task: str
    """A benchmark, or `all`: the mean over benchmarks, of the models that are on each of them."""
    column: str
    slope: Estimate
    """Of the measure, for one unit of the column; of a column of names, without a value."""
    p: float | None
    """That it does not go with it."""
    means: Mapping[str, tuple[float, int]]
    """Of a column of names: mean and number of models of each."""


@dataclass(frozen=True)
class WordingRank:
    """A ranking by one wording against that by the original, on the same items."""

    variant: str
    best: str
    tau: Estimate


@dataclass(frozen=True)
class RankedBenchmark:
    """How far the ranking of a benchmark's agents depends on the wording."""

    task: str
    stability: RankStability
    wordings: tuple[WordingRank, ...]


def sensitivities(table: Any, measure: str) -> list[Sensitivities]:
    """One measure of every agent, benchmark by benchmark, with the covariance of the errors.

    Raises:
        UnknownNameError: There is no such measure.
    """
    if METRICS.find(measure) is None or METRICS.get(measure).measures is None:
        known = [name for name, one in METRICS if one.measures is not None]
        raise UnknownNameError("measure", measure, known)
    return [_of_task(str(task), read_grid(part), measure) for task, part in by_task(table)]


def _of_task(task: str, grid: Grid, name: str) -> Sensitivities:
    make = METRICS.get(name).measures
    assert make is not None
    agents, found, moves, left_out = [], [], [], {}
    n_items = int(grid.cluster.max(initial=-1)) + 1
    for model in grid.models:
        arrays = grid.select(model=model)
        measure = make(arrays)[0]
        (estimate,) = estimates([measure])
        if estimate.value is None or measure.statistic is None:
            left_out[model] = estimate.reason or "no value"
            continue
        moved = np.zeros(n_items)
        moved[arrays.cluster_ids] = _left_out(measure) - estimate.value
        agents.append(model)
        found.append(estimate)
        moves.append(moved)
    matrix = np.array(moves).reshape(len(moves), n_items)
    matrix = matrix - matrix.mean(axis=1, keepdims=True)
    errors = (n_items - 1) / max(n_items, 1) * (matrix @ matrix.T)
    return Sensitivities(task, name, tuple(agents), tuple(found), errors, left_out)


def _left_out(measure: Measure) -> FloatArray:
    """The value without each item; the whole one where that is not defined."""
    statistic = measure.statistic
    assert statistic is not None
    with np.errstate(all="ignore"):
        values = np.asarray(statistic.combine(statistic.columns.sum(axis=0) - statistic.columns))
    if statistic.scale is not None:
        values = np.array([statistic.scale.there(one) if math.isfinite(one) else one for one in values])
    assert statistic.value is not None
    return np.where(np.isfinite(values), values, statistic.value)


def transfers(found: Sequence[Sensitivities], *, seed: int = 0) -> list[Transfer]:
    """For each pair of benchmarks the correlation over the agents that both have."""
    pairs = []
    for a, b in combinations(found, 2):
        agents = tuple(agent for agent in a.agents if agent in b.agents)
        pairs.append(_transfer(a.of(agents), b.of(agents), seed))
    return pairs


def _transfer(a: Sensitivities, b: Sensitivities, seed: int) -> Transfer:
    n = len(a.agents)
    reliability = (a.reliability, b.reliability)
    if n < FEWEST_AGENTS:
        reason = f"{n} agents are on both; a correlation over agents takes {FEWEST_AGENTS}"
        return Transfer(a.task, b.task, a.agents, _estimate(None, n, reason), None, reliability)
    if None in reliability:
        reason = "all agents have the same value on one of them"
        return Transfer(a.task, b.task, a.agents, _estimate(None, n, reason), None, reliability)
    value, low, high, observed = disattenuated(a.values, b.values, a.noise, b.noise, seed=seed)
    reason = "" if value is not None else "the agents differ no more than by the errors of the estimates"
    estimate = replace(_estimate(value, n, reason), low=low, high=high, method=_METHOD)
    return Transfer(a.task, b.task, a.agents, estimate, observed, reliability)


_METHOD = f"errors of estimates taken out; {DRAWS} draws of the covariance that the observed one allows"


def disattenuated(
    x: FloatArray, y: FloatArray, noise_x: float, noise_y: float, *, draws: int = DRAWS, seed: int = 0
) -> tuple[float | None, float, float, float]:
    """The correlation without the errors, its interval, and the correlation as observed.

    Args:
        x: One value an agent.
        y: The other.
        noise_x: The variance of the errors of `x`, and
        noise_y: of those of `y`, which are independent of them.
        draws: Of the covariance matrix.
        seed: Of the draws.

    Returns:
        The value, None where nothing but error is left; both ends; the observed correlation.
    """
    n = len(x)
    spread = np.cov(x, y)
    observed = float(spread[0, 1] / math.sqrt(spread[0, 0] * spread[1, 1]))
    left = max(spread[0, 0] - noise_x, 0.0) * max(spread[1, 1] - noise_y, 0.0)
    value = float(np.clip(spread[0, 1] / math.sqrt(left), -1, 1)) if left > 0 else None
    rng = np.random.default_rng(seed)
    lows, highs = [], []
    for turned in (False, True):  # the decomposition begins with one of the two; neither comes first
        noise = (noise_y, noise_x) if turned else (noise_x, noise_y)
        drawn = _covariances(spread[::-1, ::-1] if turned else spread, n, draws // 2, rng)
        left = np.maximum(drawn[:, 0] - noise[0], 0.0) * np.maximum(drawn[:, 1] - noise[1], 0.0)
        with np.errstate(all="ignore"):
            true = np.clip(drawn[:, 2] / np.sqrt(left), -1.0, 1.0)
        together = drawn[:, 2] > 0
        lows.append(np.where(left > 0, true, np.where(together, _SAME, -1.0)))
        highs.append(np.where(left > 0, true, np.where(together, 1.0, -_SAME)))
    tail = (1 - LEVEL) / 2
    low = float(np.quantile(np.concatenate(lows), tail))
    high = float(np.quantile(np.concatenate(highs), 1 - tail))
    if value is not None:
        low, high = min(low, value), max(high, value)
    return value, low, high, observed


def _covariances(spread: FloatArray, n: int, draws: int, rng: np.random.Generator) -> FloatArray:
    """Both variances and the covariance of each draw, as the observed ones of `n` agents allow them."""
    scatter = spread * (n - 1)
    first = math.sqrt(scatter[0, 0])
    across = scatter[0, 1] / first
    second = math.sqrt(max(scatter[1, 1] - across**2, _SAME * scatter[1, 1]))
    top, bottom = np.sqrt(rng.chisquare(n - 1, draws)), np.sqrt(rng.chisquare(n - 2, draws))
    below = rng.standard_normal(draws)
    a = first / top
    c = second / bottom
    b = across / top - second * below / (top * bottom)
    return np.column_stack([a**2, b**2 + c**2, a * b])


def _estimate(value: float | None, n: int, reason: str = "", metric: str = "correlation") -> Estimate:
    return Estimate(metric, ALL, value, None, None, n, n, 0, reason=reason)


Column = Mapping[str, "float | str"]
"""What is known of each agent, by its name: a number, or a name."""


def trends(found: Sequence[Sensitivities], columns: Mapping[str, Column], *, seed: int = 0) -> list[Trend]:
    """How the measure goes with each column, on each benchmark and on all of them."""
    told: list[Trend] = []
    values = {one.task: dict(zip(one.agents, one.values.tolist(), strict=True)) for one in found}
    if len(values) > 1:
        everywhere = set.intersection(*(set(one) for one in values.values()))
        means = {agent: float(np.mean([one[agent] for one in values.values()])) for agent in everywhere}
        values[ALL] = dict(sorted(means.items()))
    for name, column in columns.items():
        for task, of_task in values.items():
            known = {agent: value for agent, value in of_task.items() if agent in column}
            given = [column[agent] for agent in known]
            y = np.array(list(known.values()))
            if any(isinstance(one, str) for one in given):
                told.append(_by_name(task, name, [str(one) for one in given], y, seed))
            else:
                told.append(_by_number(task, name, np.array([float(one) for one in given]), y))
    return told


def _by_number(task: str, name: str, x: FloatArray, y: FloatArray) -> Trend:
    n = len(x)
    if n < FEWEST_AGENTS or len(np.unique(x)) < 3:
        reason = f"{n} models have it, of {len(np.unique(x))} different values; it takes {FEWEST_AGENTS} of 3"
        return Trend(task, name, _estimate(None, n, reason, "slope"), None, {})
    centred = x - x.mean()
    slope = float(centred @ y / (centred @ centred))
    rest = y - y.mean() - slope * centred
    error = math.sqrt(float(rest @ rest) / (n - 2) / float(centred @ centred))
    reach = student_t(0.5 + LEVEL / 2, n - 2) * error
    p = 2 * student_t_above(abs(slope) / error, n - 2) if error > _SAME else (0.0 if slope else 1.0)
    estimate = replace(
        _estimate(slope, n, "", "slope"),
        low=slope - reach,
        high=slope + reach,
        method=f"least squares over models, Student's t with {n - 2} degrees of freedom",
    )
    return Trend(task, name, estimate, p, {})


def _by_name(task: str, name: str, given: Sequence[str], y: FloatArray, seed: int) -> Trend:
    names, place = np.unique(np.array(given), return_inverse=True)
    counts = np.bincount(place, minlength=len(names))
    n = len(y)
    means = {
        str(one): (float(y[place == number].mean()), int(counts[number])) for number, one in enumerate(names)
    }
    if len(names) < 2 or n - len(names) < 2 or n < FEWEST_AGENTS:
        reason = f"{n} models of {len(names)} kinds; it takes two kinds, and two models more than kinds"
        return Trend(task, name, _estimate(None, n, reason, "slope"), None, means)

    def between(order: FloatArray) -> FloatArray:
        """Σ n·mean² over the kinds, of each row."""
        sums = np.stack([order[:, place == one].sum(axis=1) for one in range(len(names))], axis=1)
        return np.asarray((sums**2 / counts).sum(axis=1))

    rng = np.random.default_rng(seed)
    orders = rng.permuted(np.tile(y - y.mean(), (PERMUTATIONS, 1)), axis=1)
    seen = between((y - y.mean())[None, :])[0]
    p = float((1 + np.sum(between(orders) >= seen - _SAME)) / (1 + PERMUTATIONS))
    return Trend(task, name, _estimate(None, n, "", "slope"), p, means)


def rankings(table: Any, *, seed: int = 0) -> list[RankedBenchmark]:
    """How far the ranking of the agents by accuracy holds over wordings, benchmark by benchmark."""
    return [
        RankedBenchmark(
            str(task), rank_stability(part, seed=seed), tuple(_wording_ranks(read_grid(part), seed))
        )
        for task, part in by_task(table)
    ]


def _wording_ranks(grid: Grid, seed: int) -> list[WordingRank]:
    """Each wording by which every agent has been asked, in the order of the table."""
    agents = grid.models
    if len(agents) < 2:
        return []
    score = np.full((len(grid.variants), int(grid.cluster.max()) + 1, len(agents)), np.nan)
    used = (grid.role == Role.WORDING) & (grid.scored > 0)
    group = grid.group[used]
    score[grid.variant[used], grid.cluster[group], grid.model[group]] = grid.mean[used]
    first = np.unique(grid.variant[used & grid.original])
    if not len(first):
        return []
    found = []
    for place in np.unique(grid.variant[used & ~grid.original])[:_MOST_WORDINGS]:
        both = ~np.isnan(score[place]).any(axis=1) & ~np.isnan(score[first[0]]).any(axis=1)
        if both.sum() < 2:
            continue
        under, before = score[place][both], score[first[0]][both]
        value = float(_tau(under.sum(axis=0)[None, :], before.sum(axis=0)[None, :])[0])
        drawn = np.concatenate(
            [
                _tau(weights @ under, weights @ before)
                for weights in draw_items(int(both.sum()), RESAMPLES, seed)
            ]
        )
        low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        estimate = Estimate(
            "tau",
            grid.variants[place],
            value,
            min(float(low), value),
            max(float(high), value),
            int(both.sum()),
            int(both.sum()) * len(agents) * 2,
            0,
            method=f"item-clustered bootstrap, percentile, {RESAMPLES} resamples",
        )
        best = agents[int(np.argmax(under.sum(axis=0)))]
        found.append(WordingRank(grid.variants[place], best, estimate))
    return found


def _tau(one: FloatArray, other: FloatArray) -> FloatArray:
    """Kendall's τ of each row; a tie agrees with nobody."""
    i, j = np.triu_indices(one.shape[1], 1)
    one, other = np.round(one, 9), np.round(other, 9)
    return np.asarray((np.sign(one[:, i] - one[:, j]) * np.sign(other[:, i] - other[:, j])).mean(axis=1))
