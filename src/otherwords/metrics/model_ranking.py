"""`rank_stability`: how far rankings of agents agree between wordings and reruns, and who beats whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.intervals import LEVEL, RESAMPLES
from otherwords.metrics.outcome_rows import (
    BoolArray,
    FloatArray,
    IntArray,
    Role,
    Rows,
    read_rows,
    select_outcomes,
)
from otherwords.metrics.score_arrays import ALL

DRAWS = 40
_BLOCK = 1 << 22
_AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class Beats:
    """How often a scores higher than b when each item is asked in a random wording; a tie is half."""

    a: str
    b: str
    chance: Estimate


@dataclass(frozen=True, slots=True)
class RankStability:
    """The result of `rank_stability`."""

    agents: tuple[str, ...]
    """Best first, by accuracy over all wordings that all of them have."""
    tau: Estimate
    """Kendall's τ between rankings under two different wordings of each item: 1 the same, −1 reversed."""
    rerun_tau: Estimate
    """The same between two runs of one wording: run-to-run noise alone does not bring τ below it."""
    beats: tuple[Beats, ...]


@dataclass(frozen=True)
class _Runs:
    """Where the runs of each agent's wordings are: `start[cell, agent]` and `count[cell, agent]`."""

    score: FloatArray
    item: IntArray
    start: IntArray
    count: IntArray
    n_left_out: int

    @property
    def n_items(self) -> int:
        return int(self.item.max()) + 1 if len(self.item) else 0


def rank_stability(
    table: Any,
    task: str | None = None,
    *,
    draws: int = DRAWS,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> RankStability:
    """Whether other wordings would have ranked the agents differently: Kendall's τ between wordings.

    For each draw every item gets two of its wordings at random, the same for all agents, and one run of
    each; the agents are ranked by each half. Only items and wordings that every agent has a score for enter.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        draws: How often wordings are drawn.
        resamples: Bootstrap resamples for the intervals; 0 for none.
        seed: Seed of the draws and of the resampling.

    Returns:
        τ between wordings, τ between reruns, and each pair's chance that one agent scores higher.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import rank_stability
        >>> wordings = [(item, variant) for item in "abcdefgh" for variant in ("orig", "para1")]
        >>> rows = [("sure", *wording, 1.0) for wording in wordings]
        >>> rows += [("unsure", *wording, 0.0) for wording in wordings]
        >>> table = pl.DataFrame(rows, schema=["model", "id", "variant", "score"], orient="row")
        >>> ranks = rank_stability(table, resamples=100)
        >>> ranks.agents, ranks.tau.value
        (('sure', 'unsure'), 1.0)
    """
    rows = read_rows(select_outcomes(table, task))
    agents = sorted(rows.names["model"].unique().to_list())
    if len(agents) < 2:
        tau, rerun = (_null(name, "a ranking takes two agents") for name in ("tau", "rerun_tau"))
        return RankStability(tuple(agents), tau, rerun, ())
    runs = _common(rows, agents)
    several = np.bincount(runs.item, minlength=runs.n_items) >= 2 if runs.n_items else np.zeros(0, np.bool_)
    repeated: BoolArray = np.all(runs.count >= 2, axis=1)
    rng = np.random.default_rng(seed)
    tau, chances = _over_wordings(runs, several, draws, resamples, seed, rng)
    rerun = _over_reruns(runs, repeated, draws, resamples, seed, rng)
    score = np.array([_mean(runs, agent) for agent in range(len(agents))])
    order = np.argsort(-score, kind="stable")
    places = {place: rank for rank, place in enumerate(order)}
    beats = []
    for (i, j), chance in zip(combinations(range(len(agents)), 2), chances, strict=True):
        first, second = (i, j) if places[i] < places[j] else (j, i)
        beats.append(Beats(agents[first], agents[second], chance if first == i else _other_way(chance)))
    return RankStability(tuple(agents[place] for place in order), tau, rerun, tuple(beats))


def _common(rows: Rows, agents: list[str]) -> _Runs:
    """The wordings that every agent has a score for."""
    used = np.flatnonzero(rows.usable & (rows.role == Role.WORDING))
    number = {agent: place for place, agent in enumerate(agents)}
    agent_of_group = np.array([number[name] for name in rows.names["model"].to_list()], dtype=np.int64)
    group, cell = rows.group[used], rows.cell[used]
    first = np.flatnonzero(np.r_[True, cell[1:] != cell[:-1]]) if len(used) else np.empty(0, np.int64)
    count = np.diff(np.r_[first, len(used)])
    wording = rows.cluster[group[first]] * max(len(rows.variants), 1) + rows.variant[used[first]]
    keys, place = np.unique(wording, return_inverse=True)
    starts = np.zeros((len(keys), len(agents)), np.int64)
    counts = np.zeros((len(keys), len(agents)), np.int64)
    agent = agent_of_group[group[first]]
    starts[place.reshape(-1), agent], counts[place.reshape(-1), agent] = first, count
    shared = (counts > 0).all(axis=1)
    item = np.unique(keys[shared] // max(len(rows.variants), 1), return_inverse=True)[1].reshape(-1)
    return _Runs(rows.score[used], item, starts[shared], counts[shared], int((~shared).sum()))


def _mean(runs: _Runs, agent: int) -> float:
    if not runs.n_items:
        return 0.0
    ends = np.concatenate([[0.0], np.cumsum(runs.score)])
    start, count = runs.start[:, agent], runs.count[:, agent]
    means = (ends[start + count] - ends[start]) / count
    per_item = np.bincount(runs.item, weights=means) / np.bincount(runs.item)
    return float(per_item.mean())


def _over_wordings(
    runs: _Runs, several: BoolArray, draws: int, resamples: int, seed: int, rng: np.random.Generator
) -> tuple[Estimate, list[Estimate]]:
    n_agents = runs.start.shape[1]
    pairs = list(combinations(range(n_agents), 2))
    if not several.any():
        reason = "no item has two wordings that every agent has a score for"
        tau, beats = (_null(name, reason, runs.n_left_out) for name in ("tau", "beats"))
        return tau, [beats] * len(pairs)
    halves = []
    for _ in range(draws):
        # a random order of the wordings of each item; its first two are the draw
        order = np.lexsort((rng.random(len(runs.item)), runs.item))
        starts = np.flatnonzero(np.r_[True, runs.item[order][1:] != runs.item[order][:-1]])[several]
        halves.append((_pick(runs, order[starts], rng), _pick(runs, order[starts + 1], rng)))
    first, second = (np.stack(half, axis=1) for half in zip(*halves, strict=True))
    signs = [_signs(sums, draws, pairs) for sums in _resampled(first, second, resamples, seed)]
    point, drawn = signs[0], signs[1:]
    tau = _estimate("tau", _tau(point)[0], [_tau(one) for one in drawn], int(several.sum()), runs)
    chances = []
    for place in range(len(pairs)):
        values = [_ahead(one)[:, place] for one in drawn]
        chances.append(_estimate("beats", _ahead(point)[0, place], values, int(several.sum()), runs))
    return tau, chances


def _over_reruns(
    runs: _Runs, repeated: BoolArray, draws: int, resamples: int, seed: int, rng: np.random.Generator
) -> Estimate:
    if not repeated.any():
        reason = "no wording was run twice by every agent; rerun with --repeats 3"
        return _null("rerun_tau", reason, runs.n_left_out)
    n_agents = runs.start.shape[1]
    pairs = list(combinations(range(n_agents), 2))
    wordings = np.flatnonzero(repeated)
    halves = []
    for _ in range(draws):
        order = wordings[np.lexsort((rng.random(len(wordings)), runs.item[wordings]))]
        items = runs.item[order]
        chosen = order[np.flatnonzero(np.r_[True, items[1:] != items[:-1]])]
        run = rng.integers(0, runs.count[chosen])
        other = (run + 1 + rng.integers(0, runs.count[chosen] - 1)) % runs.count[chosen]
        halves.append((runs.score[runs.start[chosen] + run], runs.score[runs.start[chosen] + other]))
    first, second = (np.stack(half, axis=1) for half in zip(*halves, strict=True))
    taus = [_tau(_signs(sums, draws, pairs)) for sums in _resampled(first, second, resamples, seed)]
    n_items = len(np.unique(runs.item[wordings]))
    return _estimate("rerun_tau", taus[0][0], taus[1:], n_items, runs)


def _pick(runs: _Runs, wordings: IntArray, rng: np.random.Generator) -> FloatArray:
    """One run of each wording for each agent."""
    run = rng.integers(0, runs.count[wordings])
    return np.asarray(runs.score[runs.start[wordings] + run])


def _resampled(first: FloatArray, second: FloatArray, resamples: int, seed: int) -> Iterator[FloatArray]:
    """Sums of the scores over items, of both halves, of every draw and agent: all items, then resamples."""
    n_items = len(first)
    columns = np.concatenate([first.reshape(n_items, -1), second.reshape(n_items, -1)], axis=1)
    yield columns.sum(axis=0, keepdims=True)
    if n_items > 1:
        for weights in draw_items(n_items, resamples, seed):
            yield weights @ columns


def draw_items(n_items: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each item is drawn: in blocks that stay small in memory, made in pieces that fit a cache."""
    rng = np.random.default_rng(seed)
    in_block, at_once = max(1, _BLOCK // n_items), max(1, _AT_ONCE // n_items)
    for block in range(0, resamples, in_block):
        size = min(in_block, resamples - block)
        weights = np.empty((size, n_items))
        for start in range(0, size, at_once):
            rows = min(at_once, size - start)
            drawn = rng.integers(0, n_items, size=(rows, n_items))
            drawn += np.arange(rows)[:, None] * n_items
            counts = np.bincount(drawn.reshape(-1), minlength=rows * n_items)
            weights[start : start + rows] = counts.reshape(rows, n_items)
        yield weights


_Signs = tuple[FloatArray, FloatArray]


def _signs(sums: FloatArray, draws: int, pairs: list[tuple[int, int]]) -> _Signs:
    """For both halves: who is ahead in each pair of agents, of each resample and draw."""
    halves = np.round(sums, 9).reshape(len(sums), 2, draws, -1)
    ahead = np.stack([np.sign(halves[..., i] - halves[..., j]) for i, j in pairs], axis=-1)
    return ahead[:, 0], ahead[:, 1]


def _tau(signs: _Signs) -> FloatArray:
    """Mean over draws and pairs of agents; a tie agrees with nobody."""
    return np.asarray((signs[0] * signs[1]).mean(axis=(1, 2)))


def _ahead(signs: _Signs) -> FloatArray:
    """Share of halves in which the first of each pair is ahead."""
    return np.asarray(((signs[0] + signs[1]) / 4 + 0.5).mean(axis=1))


def _estimate(metric: str, value: float, drawn: list[FloatArray], n_items: int, runs: _Runs) -> Estimate:
    low = high = None
    reasons = [f"{runs.n_left_out} wordings left out: not scored for every agent"] if runs.n_left_out else []
    method = ""
    if drawn:
        values = np.concatenate(drawn)
        tail = (1 - LEVEL) / 2
        low, high = (float(end) for end in np.quantile(values, [tail, 1 - tail]))
        low, high = min(low, float(value)), max(high, float(value))
        method = f"item-clustered bootstrap, percentile, {len(values)} resamples"
    else:
        reasons.append("no interval: it takes at least two items and resamples")
    return Estimate(
        metric=metric,
        group=ALL,
        value=float(value),
        low=low,
        high=high,
        n_items=n_items,
        n_rows=int(runs.count.sum()),
        n_missing=0,
        method=method,
        reason="; ".join(reasons),
    )


def _null(metric: str, reason: str, left_out: int = 0) -> Estimate:
    note = f"{reason}; {left_out} wordings are not scored for every agent" if left_out else reason
    return Estimate(metric, ALL, None, None, None, 0, 0, 0, reason=note)


def _other_way(chance: Estimate) -> Estimate:
    if chance.value is None:
        return chance
    low = None if chance.high is None else 1 - chance.high
    high = None if chance.low is None else 1 - chance.low
    return replace(chance, value=1 - chance.value, low=low, high=high)
