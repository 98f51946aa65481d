"""`phrasing_test`: whether scores depend on wording, by permutation; McNemar's of original and variants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.errors import InputError
from otherwords.metrics.accuracy_metrics import LACKS_ONE, NO_PAIR
from otherwords.metrics.measures import NO_ROWS
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import (
    BoolArray,
    FloatArray,
    IntArray,
    Role,
    Rows,
    read_rows,
    select_outcomes,
)
from otherwords.metrics.score_arrays import ALL, ScoreArrays
from otherwords.metrics.significance import FLIPS, benjamini_hochberg, sign_flip_test

PERMUTATIONS = 10_000
_MOST_VALUES = 30_000_000
"""Shuffled scores made in all. Items with the same scores and runs share theirs."""
_FEWEST = 200
_NEAR = 1e-9
CAVEAT = (
    "rest conclusions on sign_flip_p: a majority over wordings is an ensemble, which differs from one run "
    "even where wording has no effect, so McNemar's p is too small"
)


@dataclass(frozen=True)
class PhrasingTest:
    """The result of `phrasing_test`."""

    group: str
    p: float | None
    between: float | None
    """Sum over items of the spread between wordings: Σ n(v) (m[t,v] − m[t])²."""
    expected: float | None
    """The same if wording did nothing: its mean over the shuffles."""
    n_items: int
    """(item, model) pairs with two wordings, of which one was run twice."""
    n_sensitive: int
    """Items whose own q is at most 0.05."""
    items: pl.DataFrame
    """`task`, `model`, `id`, `p` and `q` of each of them."""
    method: str
    reason: str
    n_differ: int = 0
    """Items whose score differs between wordings."""
    differ: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """How many would if wording did nothing: the mean over the shuffles, and what 95% of them lie between."""


@dataclass(frozen=True)
class _Pattern:
    """Items that a shuffle treats alike: the same scores over wordings with the same numbers of runs."""

    counts: tuple[int, ...]
    scores: tuple[float, ...]


def phrasing_test(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> PhrasingTest:
    """Permutation test of whether the wording matters: runs are shuffled over the wordings of their item.

    Needs repeats: with one run a wording, its effect cannot be told from run-to-run noise.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.
        permutations: Shuffles at most; fewer where a table is so large that they would take long.
        seed: Seed of the shuffles.

    Returns:
        One p for all items together, and in `items` one for each item with its q (Benjamini–Hochberg).

    Raises:
        InputError: The table has no such task or model, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import phrasing_test
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a"] * 6 + ["b"] * 6,
        ...         "variant": (["orig"] * 3 + ["para1"] * 3) * 2,
        ...         "repeat": [1, 2, 3] * 4,
        ...         "score": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0] * 2,
        ...     }
        ... )
        >>> test = phrasing_test(table)
        >>> round(test.p, 2), test.n_items
        (0.01, 2)
    """
    if permutations < 1:
        raise InputError(f"permutations must be at least 1, got {permutations}")
    rows = read_rows(select_outcomes(table, task, model))
    groups, patterns, seen = _observed(rows)
    label = model or _only(rows.names["model"].unique().to_list())
    if not len(groups):
        return _nothing(label, rows)
    unique = sorted(set(patterns), key=lambda pattern: (pattern.counts, pattern.scores))
    n_values = sum(len(pattern.scores) for pattern in unique)
    shuffles = int(np.clip(_MOST_VALUES // max(n_values, 1), _FEWEST, permutations))
    rng = np.random.default_rng(seed)
    place = {pattern: number for number, pattern in enumerate(unique)}
    of_item = np.array([place[pattern] for pattern in patterns])
    total = np.zeros(shuffles)
    p_items, differs = np.ones(len(groups)), np.zeros(len(groups))
    for number, pattern in enumerate(unique):
        chance = _shuffled(pattern, shuffles, rng)
        mine = np.flatnonzero(of_item == number)
        reached = np.searchsorted(np.sort(chance), seen[mine] - _NEAR)
        p_items[mine] = (1 + shuffles - reached) / (1 + shuffles)
        differs[mine] = np.mean(chance > _NEAR)
        total += _sum_of(chance, len(mine), shuffles, rng)
    between = float(seen.sum())
    p = (1 + int(np.sum(total >= between - _NEAR))) / (1 + shuffles)
    items = _items(rows, groups, p_items)
    return PhrasingTest(
        group=label,
        p=p,
        between=between,
        expected=float(total.mean()),
        n_items=len(groups),
        n_sensitive=int((items["q"] <= 0.05).sum()),
        items=items,
        method=f"{shuffles} shuffles of runs within items",
        reason=_left_out(rows, len(groups)),
        n_differ=int(np.sum(seen > _NEAR)),
        differ=_sum_of_chances(differs),
    )


def _observed(rows: Rows) -> tuple[IntArray, list[_Pattern], FloatArray]:
    """The groups where wording and noise can be separated, what a shuffle sees of each, and its spread."""
    separable = _separates_wording_from_noise(rows)[rows.group]
    used = np.flatnonzero(rows.usable & (rows.role == Role.WORDING) & separable)
    if not len(used):
        return np.empty(0, np.int64), [], np.empty(0)
    group, cell, score = rows.group[used], rows.cell[used], np.round(rows.score[used], 9)
    group_starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])
    groups, patterns, seen = [], [], []
    for start, stop in zip(group_starts, np.r_[group_starts[1:], len(group)], strict=True):
        cells, scores = cell[start:stop], score[start:stop]
        _, counts = np.unique(cells, return_counts=True)
        groups.append(int(group[start]))
        patterns.append(_Pattern(tuple(sorted(counts.tolist())), tuple(np.sort(scores).tolist())))
        sums = np.add.reduceat(scores, np.cumsum(counts) - counts)
        seen.append(float(np.sum(sums**2 / counts) - scores.sum() ** 2 / len(scores)))
    return np.array(groups, dtype=np.int64), patterns, np.array(seen)


def _separates_wording_from_noise(rows: Rows) -> BoolArray:
    """Groups with two scored wordings, of which one was run twice."""
    n_groups, starts = rows.names.height, rows.cell_starts
    if not len(starts):
        return np.zeros(n_groups, np.bool_)
    runs = np.add.reduceat((rows.usable & (rows.role == Role.WORDING)).astype(np.int64), starts)
    wordings = np.bincount(rows.group[starts], weights=runs > 0, minlength=n_groups)
    repeated = np.bincount(rows.group[starts], weights=runs > 1, minlength=n_groups)
    return (wordings >= 2) & (repeated >= 1)


def _shuffled(pattern: _Pattern, shuffles: int, rng: np.random.Generator) -> FloatArray:
    scores = np.array(pattern.scores)
    if np.ptp(scores) == 0:
        return np.zeros(shuffles)
    counts = np.array(pattern.counts)
    mixed = rng.permuted(np.broadcast_to(scores, (shuffles, len(scores))), axis=1)
    sums = np.add.reduceat(mixed, np.cumsum(counts) - counts, axis=1)
    return np.asarray(np.sum(sums**2 / counts, axis=1) - scores.sum() ** 2 / len(scores))


def _sum_of(chance: FloatArray, n_items: int, shuffles: int, rng: np.random.Generator) -> FloatArray:
    """The sum over `n_items` independent shuffles, many times."""
    if n_items == 1:
        return chance
    values, counts = np.unique(np.round(chance, 9), return_counts=True)
    if len(values) <= n_items:
        return np.asarray(rng.multinomial(n_items, counts / counts.sum(), size=shuffles) @ values)
    total = np.zeros(shuffles)
    for _ in range(n_items):
        total += rng.permutation(chance)
    return total


def _sum_of_chances(chances: FloatArray) -> tuple[float, float, float]:
    """The mean of how many of independent events happen, and what it lies between in 95%."""
    mean = float(chances.sum())
    half = 1.96 * float(np.sqrt(np.sum(chances * (1 - chances))))
    return mean, max(mean - half, 0.0), min(mean + half, float(len(chances)))


def _items(rows: Rows, groups: IntArray, p: FloatArray) -> pl.DataFrame:
    q = benjamini_hochberg(p.tolist())
    return rows.names[groups].with_columns(pl.Series("p", p), pl.Series("q", q, dtype=pl.Float64))


def _left_out(rows: Rows, n_items: int) -> str:
    n_all = rows.names.height
    if n_items == n_all:
        return ""
    return f"{n_all - n_items:,} of {n_all:,} items left out: no two wordings, or none that was run twice"


def _nothing(label: str, rows: Rows) -> PhrasingTest:
    reason = "no item has two wordings of which one was run twice; rerun with --repeats 3"
    items = rows.names.clear().with_columns(
        pl.lit(None, dtype=pl.Float64).alias("p"), pl.lit(None, dtype=pl.Float64).alias("q")
    )
    return PhrasingTest(label, None, None, None, 0, 0, items, "", reason)


def _only(models: list[str]) -> str:
    return models[0] if len(models) == 1 and models[0] else ALL


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of the original against its variants, with a cluster-valid sign-flip test beside it.

    `b`: original right and majority wrong; `c`: the reverse. Rest conclusions on `sign_flip_p`.
    """

    group: str
    n: int
    """(item, model) pairs compared, ties not among them."""
    b: int
    c: int
    ties: int
    """Pairs where exactly half is right, over the wordings or over the original's repeats."""
    p: float | None
    log_p: float | None
    """Natural logarithm; `p` itself becomes 0 on very many items."""
    sign_flip_p: float | None
    sign_flip_method: str
    mean_difference: float | None
    """Of the sign-flip test: mean score of the original minus that of the other wordings."""
    n_items: int
    n_rows: int
    n_missing: int
    reason: str


@metric(summarised=False)
def mcnemar_orig_vs_variants(arrays: ScoreArrays, *, flips: int = FLIPS, seed: int = 0) -> McNemar:
    """McNemar's test of the original against its variants' majority, beside a cluster-valid sign-flip test.

    McNemar's p is here because it is often asked for. It is not valid: comparing one run with a majority
    rejects half the time at a nominal 5% when accuracy is 0.3 and five wordings differ only by run-to-run
    noise. The sign-flip test on the items' differences holds its level; rest conclusions on `sign_flip_p`.

    Args:
        arrays: The scores.
        flips: Random sign flips, where there are too many items to try all.
        seed: Seed of the sign flips.

    Returns:
        Both tests, with the counts that they rest on.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import mcnemar_orig_vs_variants
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b", "b"], "variant": ["orig", "para1"] * 2, "score": [1.0, 0.0, 1.0, 1.0]}
        ... )
        >>> test = mcnemar_orig_vs_variants(table)
        >>> test.b, test.c, test.p, test.sign_flip_p
        (1, 0, 1.0, 1.0)
    """
    orig, majority, both = arrays.orig_and_rest(arrays.correct)
    near_half = (np.abs(orig - 0.5) < 1e-9) | (np.abs(majority - 0.5) < 1e-9)
    untied = both & ~near_half
    b = int(np.sum(untied & (orig > 0.5) & (majority < 0.5)))
    c = int(np.sum(untied & (orig < 0.5) & (majority > 0.5)))
    n, n_pairs = int(untied.sum()), int(both.sum())
    log_p = log_exact_binomial(b, c) if n else None

    orig_score, rest_score, _ = arrays.orig_and_rest(arrays.mean)
    difference = np.where(both, orig_score - rest_score, 0.0)
    per_item = arrays.sum_groups(difference)[arrays.sum_groups(both) > 0]
    test = sign_flip_test(per_item, flips, seed)
    return McNemar(
        group=arrays.label,
        n=n,
        b=b,
        c=c,
        ties=n_pairs - n,
        p=None if log_p is None else math.exp(log_p),
        log_p=log_p,
        sign_flip_p=test.p,
        sign_flip_method=test.method,
        mean_difference=float(difference.sum()) / n_pairs if n_pairs else None,
        n_items=len(per_item),
        n_rows=int(arrays.scored[both].sum()),
        n_missing=int((arrays.rows - arrays.scored).sum()),
        reason=_reason(arrays, n_pairs, n),
    )


def _reason(arrays: ScoreArrays, n_pairs: int, n: int) -> str:
    if not n_pairs:
        return NO_PAIR if arrays.grid.n_groups else NO_ROWS
    notes = [CAVEAT]
    if not n:
        notes.insert(0, "McNemar is null: every pair is a tie")
    if n_pairs < arrays.n_groups:
        notes.append(f"{arrays.n_groups - n_pairs} of {arrays.n_groups} pairs left out: {LACKS_ONE}")
    return "; ".join(notes)


def log_exact_binomial(b: int, c: int) -> float:
    """Logarithm of min(1, 2 P(X ≤ min(b, c))) for X of Binomial(b + c, ½), without underflow."""
    n, k = b + c, min(b, c)
    largest = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    # each term below the largest is smaller by j / (n − j + 1); the tail is their running product
    j = np.arange(k, 0, -1, dtype=np.float64)
    tail = 1.0 + float(np.sum(np.exp(np.cumsum(np.log(j / (n - j + 1))))))
    return min(0.0, math.log(2) + largest + math.log(tail))
