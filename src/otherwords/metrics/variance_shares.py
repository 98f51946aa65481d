"""`attribution`: from scores of items under crossed factors (wording, format, …) to shares of the variance.

A run's score is a mean, plus what each factor and each of their interactions does to all items alike, plus
what an item is, plus what a factor does to this item only, plus run-to-run noise. Levels are the ones that
were tried: the component of a factor is the variance of its levels' effects. Items are a sample: intervals
speak for other items under these levels. Cells may be missing, and repeats may differ in number.

Effects that all items share are fitted by least squares with one constant an item, items being clusters. What
is left is split by products of pairs of cells of one item (Koch's symmetric sums): pairs that share no level
hold the item alone, pairs that share one level also what this factor does to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import TypeAlias

import numpy as np
import polars as pl

from otherwords.core.contract import FAULT, LEVELS, ORIG, TEMPLATE, WORDING
from otherwords.core.errors import InputError
from otherwords.core.registry import traits_of
from otherwords.core.template_results import Attribution, Share
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import LEVEL, Combine, Statistic, chance, intervals
from otherwords.metrics.outcome_rows import (
    FloatArray,
    IntArray,
    factor_columns,
    has_score,
    scored_runs,
    text_codes,
)
from otherwords.metrics.significance import holm, size_of_effects

ITEM, NOISE, OTHER = "item", "noise", "item × several factors"
CROSS = " × "
HIGHEST_ORDER = 3
"""Of the interactions between factors."""
_TINY = 1e-12
_END, _END_OTHER = 0.3, 0.7
"""How far out pseudo-items are, as a share of the whole variance; chosen in simulation. The second is for
`item × several factors`, what is left of many."""
_BY_EFFECTS = "least squares with items as clusters, the size of the effects inverted"
_BY_PAIRS = "Student's t over items, 2 pseudo-items"
_Term: TypeAlias = tuple[int, ...]
_Ends: TypeAlias = tuple[float | None, float | None]
_Counts: TypeAlias = tuple[int, int, int]


def attribution(
    table: pl.DataFrame, factors: Sequence[str], *, level: float = LEVEL, seed: int = 0
) -> Attribution:
    """Shares of the variance of scores that items, factors, their interactions and noise explain.

    Args:
        table: One row a run, with the columns `id` and `score` and one for each factor; rows of the same item
            and levels are repeats. Rows without a score are left out.
        factors: The columns that were crossed, for example `["wording", "format", "order"]`.
        level: Of the intervals.
        seed: Of the draws that the intervals of factors take.

    Returns:
        A share for each factor, each interaction of factors, `item`, `item × ` each factor and `noise`.

    Raises:
        InputError: A column is not there, a factor has fewer than two levels, or there are too few items.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.variance_shares import attribution
        >>> rows = [(i, w, f, float(i % 2 == 0 or w == "a")) for i in range(20) for w in "ab" for f in "xy"]
        >>> table = pl.DataFrame(rows, schema=["id", "wording", "format", "score"], orient="row")
        >>> found = attribution(table, ["wording", "format"])
        >>> [round(found[term].estimate.value, 2) for term in ("wording", "format", "item × wording")]
        [0.47, 0.0, 0.53]
    """
    if not factors or len(set(factors)) < len(factors):
        raise InputError("attribution takes one factor at least, each named once")
    scored = scored_runs(table, ("id", *factors))
    for name in factors:
        if scored[name].n_unique() < 2:
            raise InputError(f"the factor '{name}' has fewer than two levels with a score")
    if scored["id"].n_unique() < 2:
        raise InputError("attribution takes at least two items with a score")
    levels = np.column_stack([text_codes(scored[name]) for name in factors])
    n_missing = table.height - scored.height
    codes = (text_codes(scored["id"]), levels, scored["score"].to_numpy())
    return attribute(*codes, factors, level=level, seed=seed, n_missing=n_missing)


def crossed_runs(table: pl.DataFrame, original: str = ORIG) -> tuple[pl.DataFrame, dict[str, str]]:
    """An outcome table with `variant` as the user's wording; and the columns of its crossed factors by name.

    The user's wording is `wording`, or the levels of all factors but the template, or else `variant`.
    Without a design or a second template no factor was crossed. Controls and faults are left out.
    """
    given = table if "variant" in table.columns else table.with_columns(variant=pl.lit(original))
    runs, columns = factor_columns(given)
    apart = [kind for kind in runs["kind"].unique() if kind == FAULT or traits_of(kind or "").is_control]
    kept = ~pl.col("kind").fill_null("").is_in(apart)
    runs = runs.filter(kept).with_columns(score=pl.when(has_score()).then("score"))
    named = {column.partition(":")[2]: column for column in columns}
    scored = runs.drop_nulls("score")
    cells = runs.select(LEVELS, TEMPLATE, "variant").unique()
    told_by_levels = cells.select(LEVELS, TEMPLATE).unique().height == cells[LEVELS].n_unique()
    if TEMPLATE not in named and not told_by_levels:
        named = {TEMPLATE: TEMPLATE, **named}
    factors = {name: column for name, column in named.items() if scored[column].drop_nulls().n_unique() > 1}
    said = [WORDING] if runs[WORDING].count() else [named[name] for name in named if name != TEMPLATE]
    said = said or ["variant"] * (cells.height > cells["variant"].n_unique())
    texts = [pl.col(column).fill_null(original) for column in said] or [pl.lit(original)]
    wording = pl.when(pl.all_horizontal(text == original for text in texts)).then(pl.lit(original))
    runs = runs.with_columns(variant=wording.otherwise(pl.concat_str(texts, separator=", ")))
    return runs, factors if runs[LEVELS].count() or TEMPLATE in factors else {}


def attribute(
    item: IntArray,
    levels: IntArray,
    score: FloatArray,
    factors: Sequence[str],
    *,
    level: float = LEVEL,
    seed: int = 0,
    n_missing: int = 0,
) -> Attribution:
    """The same from arrays: the number of the item and of each factor's level, and the score, of each run."""
    grid = _grid(item, levels, score)
    fit = _fit(grid)
    within = _Within(len(factors), bool(np.any(grid.count >= 2)))
    names = [CROSS.join(factors[place] for place in term) for term in fit.terms]
    dropped = [CROSS.join(factors[place] for place in term) for term in fit.dropped]
    notes = [f"{name} cannot be told: too few of its cells were asked" for name in dropped]
    if not within.repeated:
        notes.append("no cell was run twice: what several factors do to single items is counted as noise")
    columns = _columns(grid, fit, within)
    counts = (len(grid.mean), len(score), n_missing)
    with np.errstate(all="ignore"):
        total = float(within.total(columns.sum(axis=0)[None, :])[0])
        parts = within.components(columns.sum(axis=0)[None, :])[0]
    if not total > _TINY:
        why = "all scores are the same" if total <= _TINY else "too few cells share no level, or one"
        nothing = [
            Share(term, Estimate("share", term, None, None, None, *counts, reason=why), None)
            for term in (*names, *within.names(factors))
        ]
        return Attribution(tuple(nothing), None, f"Nothing to attribute: {why}.", tuple(notes))
    shares, p_values = _of_factors(fit, names, total, _pull(columns, within.total), level, seed, counts)
    for place, name in enumerate(within.names(factors)):
        statistic = Statistic(within.with_ends(columns, place, total), partial(within.share, place=place))
        (interval,) = intervals([statistic], level=level)
        ends = (interval.low, interval.high)
        shares.append(_share(name, float(parts[place]), total, ends, counts, _BY_PAIRS))
        p_values.append(None if name in (ITEM, NOISE) else chance(statistic, 0.0, side="above"))
    shares = [replace(share, p=p) for share, p in zip(shares, holm(p_values), strict=True)]
    return Attribution(tuple(shares), total, _sentence(shares, factors), tuple(notes))


@dataclass(frozen=True)
class _Grid:
    """Mean, variance over repeats and number of runs of each item in each combination of levels."""

    n_levels: tuple[int, ...]
    mean: FloatArray
    noise: FloatArray
    count: IntArray


def _grid(item: IntArray, levels: IntArray, score: FloatArray) -> _Grid:
    item = np.unique(item, return_inverse=True)[1].reshape(-1)
    coded = [np.unique(one, return_inverse=True)[1].reshape(-1) for one in levels.T]
    n_levels = tuple(int(one.max()) + 1 for one in coded)
    shape = (int(item.max()) + 1, math.prod(n_levels))
    place = item * shape[1] + np.ravel_multi_index(tuple(coded), n_levels)
    count = np.bincount(place, minlength=math.prod(shape))
    mean = np.bincount(place, weights=score, minlength=len(count)) / np.maximum(count, 1)
    apart = np.bincount(place, weights=np.square(score - mean[place]), minlength=len(count))
    noise = apart / np.maximum(count - 1, 1)
    return _Grid(n_levels, mean.reshape(shape), noise.reshape(shape), count.reshape(shape))


@dataclass(frozen=True)
class _Fit:
    """What factors do to all items alike, as orthonormal contrasts of levels."""

    terms: list[_Term]
    dropped: list[_Term]
    """Terms that this grid cannot tell."""
    of_term: IntArray
    """The term of each contrast."""
    effect: FloatArray
    over_items: FloatArray
    """How each item moves each effect: their products, summed over items, are the effects' covariances."""
    residual: FloatArray
    """Of each item in each cell, from the effects and the mean over items; 0 where it was not asked."""
    noise_left: FloatArray
    """The share of a cell's noise that is in its residual: fitting took off the rest."""

    @property
    def freedom(self) -> FloatArray:
        """Of each term."""
        return np.bincount(self.of_term).astype(np.float64)

    @property
    def variance(self) -> FloatArray:
        """The component of each term, its noise taken off."""
        errors = np.sum(np.square(self.over_items), axis=0)
        squares = np.bincount(self.of_term, weights=np.square(self.effect) - errors)
        return squares.astype(np.float64) / self.freedom


def _fit(grid: _Grid) -> _Fit:
    factors = range(len(grid.n_levels))
    every = [term for order in factors for term in combinations(factors, order + 1)]
    terms = [term for term in every if len(term) <= HIGHEST_ORDER]
    asked = (grid.count > 0).astype(np.float64)
    per_item = asked.sum(axis=1)
    while True:
        blocks = [_crossed(grid.n_levels, term, _contrasts) for term in terms]
        design = np.hstack(blocks)
        of_item = (asked @ design) / per_item[:, None]
        normal = design.T @ (asked.sum(axis=0)[:, None] * design) - of_item.T @ (per_item[:, None] * of_item)
        sizes = np.linalg.eigvalsh(normal)
        if sizes[0] > 1e-6 * max(sizes[-1], _TINY):
            break
        if len(terms) == len(factors):
            raise InputError("the factors were not crossed: too few cells were asked to tell them apart")
        terms = terms[:-1]
    own = (asked * grid.mean).sum(axis=1) / per_item
    target = design.T @ (asked * (grid.mean - own[:, None])).sum(axis=0)
    effect = np.linalg.solve(normal, target)
    apart = asked * (grid.mean - own[:, None] - design @ effect + (of_item @ effect)[:, None])
    n = len(grid.mean)
    over_items = np.linalg.solve(normal, (apart @ design).T).T * math.sqrt(n / (n - 1))
    level = own - of_item @ effect
    residual = apart + asked * (level - level.mean())[:, None]
    fitted = np.sum(design * np.linalg.solve(normal, design.T).T, axis=1) + 1 / per_item.sum()
    of_term = np.repeat(np.arange(len(terms)), [block.shape[1] for block in blocks])
    return _Fit(terms, every[len(terms) :], of_term, effect, over_items, residual, 1 - fitted)


def _contrasts(n: int) -> FloatArray:
    """Helmert's, orthonormal: each level against the mean of those before it."""
    columns = np.tril(-np.ones((n, n)), -1).T[:, 1:] + np.diag(np.arange(n, dtype=np.float64))[:, 1:]
    contrasts: FloatArray = columns / np.sqrt(np.sum(np.square(columns), axis=0))
    return contrasts


def _crossed(n_levels: tuple[int, ...], term: _Term, of_levels: Callable[[int], FloatArray]) -> FloatArray:
    """Columns that cross those of the term's factors: one row a cell of the grid."""
    columns: FloatArray = np.ones((1, 1))
    for place, n in enumerate(n_levels):
        columns = np.kron(columns, of_levels(n) if place in term else np.ones((n, 1))).astype(np.float64)
    return columns


class _Within:
    """The components that differ between items, from sums over items of products of cells.

    The columns of an item: sum and number of products of pairs of cells that share no level, and of pairs
    that share one factor's; the cells' sum of squares, number and sum of 1/repeats; variances over repeats
    and of how many cells; what the item adds to the factors' own components; and 1.
    """

    def __init__(self, n_factors: int, repeated: bool) -> None:
        self.repeated = repeated
        self.shared: list[_Term] = [(), *((one,) for one in range(n_factors))] if n_factors > 1 else [()]

    def names(self, factors: Sequence[str]) -> list[str]:
        """Of the components."""
        alone = [f"{ITEM}{CROSS}{factors[term[0]]}" for term in self.shared[1:]]
        rest = OTHER if len(factors) > 1 else f"{ITEM}{CROSS}{factors[0]}"
        return [ITEM, *alone, *([rest] if self.repeated else []), NOISE]

    def components(self, sums: FloatArray) -> FloatArray:
        """In the last axis; not finite where a kind of pair is lacking."""
        pairs = 2 * len(self.shared)
        products = sums[..., 0:pairs:2] / sums[..., 1:pairs:2]
        squares, cells, once, noises, n_noises, _, items = (sums[..., pairs + k] for k in range(7))
        noise = noises / n_noises if self.repeated else np.zeros_like(squares)
        # the effects that were taken off hold a part of each item
        larger = items / (items - 1)
        alone = products[..., 1:] - products[..., :1]
        rest = squares / cells - noise * once / cells - products[..., 0] - alone.sum(axis=-1)
        own = [products[..., 0] * larger, *np.moveaxis(alone * larger[..., None], -1, 0), rest * larger]
        return np.stack([*own, noise] if self.repeated else own, axis=-1)

    def total(self, sums: FloatArray) -> FloatArray:
        """With the factors' own components."""
        total: FloatArray = self.components(sums).sum(axis=-1) + sums[..., -2] / sums[..., -1]
        return total

    def with_ends(self, columns: FloatArray, place: int, total: float) -> FloatArray:
        """With two pseudo-items, one that has less and one that has more of the component at this place."""
        mean, pairs = columns.mean(axis=0), 2 * len(self.shared)
        more = np.zeros(len(mean))
        noise = self.repeated and place == len(self.shared) + 1
        if place < len(self.shared):
            numbers = np.arange(1, pairs, 2) if place == 0 else np.array([2 * place + 1])
            more[numbers - 1] = mean[numbers]
        more[pairs] = mean[pairs + 2] if noise else mean[pairs + 1]
        more[pairs + 3] = mean[pairs + 4] if noise else 0.0
        more *= total * (_END_OTHER if place == len(self.shared) else _END)
        return np.vstack([columns, mean - more, mean + more])

    def share(self, sums: FloatArray, place: int) -> FloatArray:
        """Of the component at this place."""
        share: FloatArray = self.components(sums)[..., place] / self.total(sums)
        return share


def _columns(grid: _Grid, fit: _Fit, within: _Within) -> FloatArray:
    asked = (grid.count > 0).astype(np.float64)
    factors = range(len(grid.n_levels))
    columns = []
    for shared in within.shared:
        others = [one for one in factors if one not in shared]
        sums = [np.zeros(len(grid.mean)), np.zeros(len(grid.mean))]
        # pairs that share these levels and no others, by inclusion and exclusion of those that share more
        for order in range(len(others) + 1):
            for more in combinations(others, order):
                same = _crossed(grid.n_levels, (*shared, *more), np.eye)
                for place, values in enumerate((fit.residual, asked)):
                    sums[place] += (-1) ** order * np.sum(np.square(values @ same), axis=1)
        columns += sums
    repeated = grid.count >= 2
    over_items = fit.over_items * fit.effect / fit.freedom[fit.of_term]
    columns += [
        np.sum(np.square(fit.residual), axis=1),
        asked.sum(axis=1),
        np.sum(asked / np.maximum(grid.count, 1) * fit.noise_left, axis=1),
        np.sum(np.where(repeated, grid.noise, 0.0), axis=1),
        repeated.sum(axis=1).astype(np.float64),
        2 * len(grid.mean) * over_items.sum(axis=1) + float(fit.variance.sum()),
        np.ones(len(grid.mean)),
    ]
    return np.column_stack(columns)


def _pull(columns: FloatArray, combine: Combine) -> FloatArray:
    """How much each item moves a function of the sums: their squares sum to its variance."""
    totals, n = columns.sum(axis=0), len(columns)
    with np.errstate(all="ignore"):
        without = combine(totals - columns)
    moved: FloatArray = np.nan_to_num(without.mean() - without) * math.sqrt((n - 1) / n)
    return moved


def _of_factors(
    fit: _Fit, names: Sequence[str], total: float, pull: FloatArray, level: float, seed: int, counts: _Counts
) -> tuple[list[Share], list[float | None]]:
    """The shares of what factors do to all items alike, and the p that it is nothing."""
    effect = fit.effect / math.sqrt(total)
    over_items = fit.over_items / math.sqrt(total) - np.outer(pull, effect) / (2 * total)
    rng = np.random.default_rng(seed)
    shares: list[Share] = []
    p_values: list[float | None] = []
    for place, name in enumerate(names):
        mine = fit.of_term == place
        low, high, p = size_of_effects(effect[mine], over_items[:, mine], level, rng)
        shares.append(_share(name, float(fit.variance[place]), total, (low, high), counts, _BY_EFFECTS))
        p_values.append(p)
    return shares, p_values


def _share(name: str, variance: float, total: float, ends: _Ends, counts: _Counts, method: str) -> Share:
    """With an interval that holds the value, and else lies between 0 and 1."""
    value, (low, high) = variance / total, ends
    if low is not None and high is not None:
        low, high = min(max(low, 0.0), value), max(min(max(high, 0.0), 1.0), value)
    told = Estimate("share", name, value, low, high, *counts, method=method, generalizes="items")
    return Share(name, told, variance)


def _sentence(shares: Sequence[Share], factors: Sequence[str]) -> str:
    known = {share.term: share for share in shares}
    parts = [_percent(known[ITEM], "the items"), _percent(known[NOISE], "run-to-run noise")]
    others = sorted((share for share in shares if share.found), key=lambda share: -(share.variance or 0.0))
    found = [_percent(share, share.term) for share in others]
    none = [name for name in factors if not known[name].found]
    said = "Of the variance of a score, " + "; ".join([*parts, *found])
    if none:
        said += f"; no effect on all items alike found of {' or '.join(none)}"
    return said + f"; n = {known[ITEM].estimate.n_items:,} items."


def _percent(share: Share, name: str) -> str:
    """Between 0 and 100."""
    one = share.estimate
    value = min(max(one.value or 0.0, 0.0), 1.0)
    ends = (
        "" if one.low is None or one.high is None else f" ({max(one.low, 0):.0%} to {min(one.high, 1):.0%})"
    )
    return f"{value:.0%}{ends} comes from {name}"
