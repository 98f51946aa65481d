"""`accuracy_quantiles`: from a sparse grid of items × templates to quantiles of accuracy over templates.

The chance that a cell is right is fitted as a logistic function of an item's easiness and a template's effect
(a Rasch model), both normal with spreads that the cells tell. Spreads are uncertain where few cells were
asked: each value of them counts by its likelihood, and cells that were not asked are drawn many times.
Where no spread of templates at all is likely enough, the interval holds that too.
Quantiles of raw means would mostly be those of noise: with ten cells a template, a mean is off by .15.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import LEVEL
from otherwords.metrics.outcome_rows import FloatArray, IntArray, scored_runs, text_codes

QUANTILES = (0.05, 0.5, 0.95)
FEWEST_TEMPLATES = 3
DRAWS = 400
_REACH, _NODES = 3.2, 15
_NODE: FloatArray = np.linspace(-_REACH, _REACH, _NODES)
_WEIGHT: FloatArray = -0.5 * np.square(_NODE) - math.log(float(np.sum(np.exp(-0.5 * np.square(_NODE)))))
"""Of items' easiness, in standard deviations; the logarithm of their chance."""
_ITEM_SPREADS = (0.3, 0.8, 1.4, 2.2, 3.5)
_TEMPLATE_SPREADS = (0.05, 0.2, 0.4, 0.65, 1.0, 1.5, 2.2)
"""On the logit scale; 0.5 is about 10 points of accuracy."""
_LIKELY_SPREAD = 1.0
"""A priori, spreads of templates are those of a normal distribution with this standard deviation."""
_MEAN_SPREAD = 3.0
"""Of the mean, a priori: where every cell is right, the likelihood alone has no end."""
_LIKELY_ENOUGH = 2.7
"""How far below the highest a logarithm of the likelihood may be: 98% of χ² with one degree of freedom."""
_NEWTON_STEPS = 25
_FREEDOM = 12
"""Of the draws, as of Student's t: the likelihood of few cells has longer tails than a normal one."""


@dataclass(frozen=True)
class _Mode:
    """The most likely mean and effects of templates for given spreads, their precision, and how likely."""

    item_spread: float
    spread: float
    effects: FloatArray
    """The mean of all first."""
    precision: FloatArray
    log_likelihood: float
    log_prior: float


def accuracy_quantiles(
    table: pl.DataFrame,
    by: str = "template",
    *,
    quantiles: Sequence[float] = QUANTILES,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[Estimate, ...]:
    """Quantiles over templates of their accuracy on all items, though not every item was asked in each.

    Args:
        table: One row a run, with the columns `id`, `score` (0 to 1) and `by`; rows without a score are left
            out. Repeats of a cell count as one cell.
        by: The column that names the template, or any other wording that items share.
        quantiles: Which ones, as shares of the templates.
        level: Of the intervals.
        draws: How often the grid is completed.
        seed: Of the draws.

    Returns:
        An estimate for each quantile: what the whole grid would show if every cell were asked once. Its
        interval holds that, and also the quantile of the accuracies behind it, without noise. It speaks of
        these items and these templates.

    Raises:
        InputError: A column is not there, or a quantile or score is not between 0 and 1.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.template_quantiles import accuracy_quantiles
        >>> cells = [(i, t) for i in range(30) for t in range(i % 2, 10, 2)]
        >>> rows = [(f"q{i}", f"t{t}", float((i + t) % 3 > 0)) for i, t in cells]
        >>> table = pl.DataFrame(rows, schema=["id", "template", "score"], orient="row")
        >>> [round(one.value, 1) for one in accuracy_quantiles(table)]
        [0.6, 0.7, 0.7]
    """
    outside = [one for one in quantiles if not 0 <= one <= 1]
    if outside:
        raise InputError(f"a quantile lies between 0 and 1, got {outside[0]:g}")
    scored = scored_runs(table, ("id", by))
    item, template, score = text_codes(scored["id"]), text_codes(scored[by]), scored["score"].to_numpy()
    counts = (len(np.unique(item)), scored.height, table.height - scored.height)
    names = [f"{name:.0%}" for name in quantiles]
    n_templates = int(template.max(initial=-1)) + 1
    if n_templates < FEWEST_TEMPLATES:
        reason = f"quantiles take at least {FEWEST_TEMPLATES} templates with a score; here: {n_templates}"
        return tuple(
            Estimate("accuracy_quantile", name, None, None, None, *counts, reason=reason) for name in names
        )
    mean, asked = _cells(item, template, score)
    value, low, high = grid_quantiles(mean, asked, quantiles, level=level, draws=draws, seed=seed)
    reason = f"{int(asked.sum()):,} of {asked.size:,} cells were asked" if not asked.all() else ""
    return tuple(
        Estimate(
            *("accuracy_quantile", name, float(v), float(low_end), float(high_end)),
            *counts,
            method="Rasch model with estimated spreads, the grid completed by draws",
            reason=reason,
        )
        for name, v, low_end, high_end in zip(names, value, low, high, strict=True)
    )


def grid_quantiles(
    mean: FloatArray,
    asked: FloatArray,
    quantiles: Sequence[float] = QUANTILES,
    *,
    level: float = LEVEL,
    draws: int = DRAWS,
    seed: int = 0,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Values and ends, from arrays [item, template] of mean scores and of what was asked (1, else 0)."""
    rng = np.random.default_rng(seed)
    modes = _modes(mean, asked)
    evidence = np.array([one.log_likelihood + one.log_prior for one in modes])
    weight = np.exp(evidence - evidence.max())
    times = rng.multinomial(draws, weight / weight.sum())
    drawn = [_completed(mode, n, mean, asked, rng) for mode, n in zip(modes, times, strict=True) if n]
    true, shown = (np.concatenate(one) for one in zip(*drawn, strict=True))
    sets = [np.quantile(one, quantiles, axis=1) for one in (true, shown)]
    value: FloatArray = sets[1].mean(axis=1)
    alike = _alike(modes)
    if alike is not None:
        # all quantiles are then the mean of all templates
        sets.append(np.tile(_completed(alike, draws // 4, mean, asked, rng)[0].mean(axis=1), (len(value), 1)))
    tails = [(1 - level) / 2, (1 + level) / 2]
    ends = np.array([np.quantile(one, tails, axis=1) for one in sets])
    return value, ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)


def _completed(
    mode: _Mode, times: int, mean: FloatArray, asked: FloatArray, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Draws of each template's accuracy: the true one, and as a whole grid would show it."""
    # the inverse of a Cholesky factor of the precision turns noise into draws
    factor = np.linalg.cholesky(mode.precision)
    noise = np.linalg.solve(factor.T, rng.standard_normal((len(mode.effects), times)))
    noise *= np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, times))
    true, shown = np.empty((2, times, mean.shape[1]))
    for place, effects in enumerate((mode.effects[:, None] + noise).T):
        chances = _chances(effects, mode.item_spread)
        fits = _fits(mean, asked, chances)
        node = (np.cumsum(fits, axis=1) < rng.random((len(fits), 1))).sum(axis=1)
        p = chances[np.minimum(node, _NODES - 1)]
        true[place] = p.mean(axis=0)
        shown[place] = np.where(asked > 0, mean, rng.random(p.shape) < p).mean(axis=0)
    return true, shown


def _alike(modes: Sequence[_Mode]) -> _Mode | None:
    """Templates that hardly differ; None where the likelihood excludes that."""
    mode = max(
        (one for one in modes if one.spread == _TEMPLATE_SPREADS[0]), key=lambda one: one.log_likelihood
    )
    highest = max(one.log_likelihood for one in modes)
    return mode if mode.log_likelihood >= highest - _LIKELY_ENOUGH else None


def _modes(mean: FloatArray, asked: FloatArray) -> list[_Mode]:
    """For every pair of spreads, each begun where the one before ended."""
    start = np.zeros(mean.shape[1] + 1)
    start[0] = _logit(float(mean.sum() / asked.sum()))
    modes = []
    for place, item_spread in enumerate(_ITEM_SPREADS):
        # to and fro, so that neighbours are alike
        for spread in _TEMPLATE_SPREADS[:: 1 if place % 2 == 0 else -1]:
            mode = _mode(mean, asked, item_spread, spread, start)
            modes.append(mode)
            start = mode.effects
    return modes


def _logit(share: float) -> float:
    inside = min(max(share, 0.01), 0.99)
    return math.log(inside / (1 - inside))


def _chances(effects: FloatArray, item_spread: float) -> FloatArray:
    """That an item at each node is right under each template."""
    chances: FloatArray = 1 / (1 + np.exp(-(effects[0] + effects[1:] + item_spread * _NODE[:, None])))
    return np.clip(chances, 1e-9, 1 - 1e-9)


def _log_fits(mean: FloatArray, asked: FloatArray, chances: FloatArray) -> FloatArray:
    wrong = np.log1p(-chances)
    fits: FloatArray = mean @ (np.log(chances) - wrong).T + asked @ wrong.T + _WEIGHT
    return fits


def _fits(mean: FloatArray, asked: FloatArray, chances: FloatArray) -> FloatArray:
    """How likely each item is at each node, given its scores."""
    fits = _log_fits(mean, asked, chances)
    likely = np.exp(fits - fits.max(axis=1, keepdims=True))
    chances_of_nodes: FloatArray = likely / likely.sum(axis=1, keepdims=True)
    return chances_of_nodes


def _mode(mean: FloatArray, asked: FloatArray, item_spread: float, spread: float, start: FloatArray) -> _Mode:
    """By Newton's steps, and Laplace's approximation there."""
    n_templates = mean.shape[1]
    effects = start
    value, gradient, precision = _slopes(mean, asked, item_spread, spread, effects)
    for _ in range(_NEWTON_STEPS):
        step = np.linalg.solve(precision, gradient)
        largest = float(np.abs(step).max())
        tried = effects + step * min(1.0, 1.0 / max(largest, 1e-12))
        new = _slopes(mean, asked, item_spread, spread, tried)
        if new[0] < value - 1e-9:
            tried = effects + 0.25 * (tried - effects)
            new = _slopes(mean, asked, item_spread, spread, tried)
        effects, (value, gradient, precision) = tried, new
        if largest < 1e-3:
            break
    likelihood = value - n_templates * math.log(spread) - 0.5 * float(np.linalg.slogdet(precision)[1])
    # spreads are not evenly spaced: each counts for the stretch that is nearest to it
    stretch = _stretch(_TEMPLATE_SPREADS, spread) * _stretch(_ITEM_SPREADS, item_spread)
    prior = math.log(stretch) - 0.5 * (spread / _LIKELY_SPREAD) ** 2
    return _Mode(item_spread, spread, effects, precision, likelihood, prior)


def _stretch(values: Sequence[float], value: float) -> float:
    return float(np.gradient(np.array(values))[values.index(value)])


def _slopes(
    mean: FloatArray, asked: FloatArray, item_spread: float, spread: float, effects: FloatArray
) -> tuple[float, FloatArray, FloatArray]:
    """The logarithm of the posterior, its gradient, and its curvature with the sign turned."""
    chances = _chances(effects, item_spread)
    fits = _log_fits(mean, asked, chances)
    top = fits.max(axis=1, keepdims=True)
    likely = np.exp(fits - top)
    whole = likely.sum(axis=1, keepdims=True)
    prior = np.concatenate([[_MEAN_SPREAD], np.full(len(effects) - 1, spread)]) ** -2.0
    value = float(np.sum(top + np.log(whole)) - 0.5 * np.sum(prior * np.square(effects)))
    likely = likely / whole
    per_node = asked.T @ likely
    of_template = mean.sum(axis=0) - np.sum(per_node * chances.T, axis=1)
    expected = asked * (likely @ chances)
    by_node = (asked[:, None, :] * (np.sqrt(likely)[:, :, None] * chances)).reshape(-1, chances.shape[1])
    curvature = np.diag(np.sum(per_node * (chances * (1 - chances)).T, axis=1))
    curvature += expected.T @ expected - by_node.T @ by_node
    gradient = np.concatenate([[of_template.sum()], of_template]) - prior * effects
    total = curvature.sum(axis=0)
    precision = np.block([[np.array([[total.sum()]]), total[None, :]], [total[:, None], curvature]])
    return value, gradient, _positive(precision + np.diag(prior))


def _positive(precision: FloatArray) -> FloatArray:
    """As it is; far from the mode, where the curvature may be no peak's, with more on its diagonal."""
    try:
        np.linalg.cholesky(precision)
    except np.linalg.LinAlgError:
        least = float(np.linalg.eigvalsh(precision)[0])
        return precision + (0.01 - least) * np.eye(len(precision))
    return precision


def _cells(item: IntArray, column: IntArray, score: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The mean over repeats of each cell, 0 where it has none, and whether it has any."""
    shape = (int(item.max()) + 1, int(column.max()) + 1)
    place = item * shape[1] + column
    count = np.bincount(place, minlength=shape[0] * shape[1])
    mean = np.bincount(place, weights=score, minlength=len(count)) / np.maximum(count, 1)
    return mean.reshape(shape), (count > 0).astype(np.float64).reshape(shape)
