"""Where the variance of scores comes from, assumed or seen in a pilot run, and how sure the pilot is of it.

A pilot of thirty items does not know its variances well: planned as if it did, half of the runs end with a
wider interval than was promised. So a pilot is resampled, and plans are made for a variance that is exceeded
in one of ten resamples. Two made-up items are added before (one that is always wrong, one whose wordings
differ as much as they can), since a pilot of a set in which few items differ may show none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from otherwords.core.errors import InputError
from otherwords.core.table import largest_variance
from otherwords.metrics.answer_metrics import fragility_score
from otherwords.metrics.intervals import Generalize, check_generalize, wording_spread
from otherwords.metrics.noise_metrics import variance_components
from otherwords.metrics.outcome_rows import FloatArray, IntArray
from otherwords.metrics.score_arrays import ScoreArrays, read_grid
from otherwords.metrics.sensitivity_metrics import NONE_HAS_TWO, s_prompt

DRAWS = 200
"""Resamples of a pilot."""
CAREFUL = 0.92
"""Plans are for a variance that so many of them do not exceed."""
SHARED_PART = 1 / 3
"""Of the phrasing variance, assumed: what a wording does to all items alike."""
_NO_SPREAD = "the spread of items takes at least two items"
UNKNOWN = -1.0
"""A rate of flips that no answer tells."""


@dataclass(frozen=True, slots=True)
class Components:
    """The variance of scores: between items, between wordings of an item, and run-to-run noise."""

    item: float
    phrasing: float
    noise: float
    source: str
    notes: tuple[str, ...] = ()
    accuracy: float = 0.7
    """Of a difference of two models: the difference."""
    shared: float = 0.0
    """The part of `phrasing` that a wording does to all items alike; 0 where each item has its own."""
    flips: float | None = None
    """How often an answer differs from the original's; null: as often as right and wrong do."""
    flips_together: float | None = None
    """How often two other wordings of an item both do."""
    of_difference: bool = False
    """They are those of the difference of two models."""
    generalize: Generalize = "items"
    """For whom a run that is planned with them is to speak."""
    draws: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    """The numbers of `drawn` in resamples of the pilot; empty where nothing is in doubt."""

    def drawn(self) -> FloatArray:
        """One row a resample: item, phrasing, noise, accuracy, shared, flips, flips_together, and three more.

        Those are the variances that one shared wording brings to S_prompt, flips and the phrasing share.
        """
        if self.draws:
            return np.array(self.draws, dtype=np.float64)
        flips = [UNKNOWN if one is None else one for one in (self.flips, self.flips_together)]
        known = [self.item, self.phrasing, self.noise, self.accuracy, self.shared, *flips]
        return np.array([[*known, 0.0, 0.0, 0.0]])


def prior_components(
    accuracy: float = 0.7,
    item_share: float = 0.6,
    phrasing_share: float = 0.15,
    *,
    generalize: Generalize = "items",
) -> Components:
    """Variance components that are assumed: of right-or-wrong scores, whose variance is p(1 − p).

    Args:
        accuracy: The expected accuracy p.
        item_share: The part of the variance that is between items.
        phrasing_share: The part that is between wordings of an item; what is left is run-to-run noise.
        generalize: For whom a run is to speak. For other `wordings`, or `both`, items are taken to share
            wordings, and a third of the phrasing part to be what a wording does to all of them alike.

    Returns:
        Components for `plan`.

    Raises:
        InputError: The accuracy is not between 0 and 1, or the shares are more than the whole.

    Example:
        >>> from otherwords.metrics import prior_components
        >>> round(prior_components(accuracy=0.5).item, 4)
        0.15
    """
    if not 0 < accuracy < 1:
        raise InputError(f"accuracy must be between 0 and 1, got {accuracy:g}")
    if item_share < 0 or phrasing_share < 0 or item_share + phrasing_share > 1:
        raise InputError(
            f"item_share and phrasing_share must be shares of one whole, got {item_share:g} and "
            f"{phrasing_share:g}"
        )
    whole = accuracy * (1 - accuracy)
    noise_share = 1 - item_share - phrasing_share
    source = (
        f"assumed: accuracy {accuracy:g}, its variance {item_share:.0%} items, "
        f"{phrasing_share:.0%} phrasing, {noise_share:.0%} run-to-run noise"
    )
    shared = generalize != "items"
    if shared:
        source += f", {SHARED_PART:.0%} of phrasing the same for all items"
    return Components(
        whole * item_share,
        whole * phrasing_share,
        whole * noise_share,
        source,
        accuracy=accuracy,
        shared=whole * phrasing_share * SHARED_PART if shared else 0.0,
        generalize=generalize,
    )


def pilot_components(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    model_b: str | None = None,
    generalize: Generalize | None = None,
    seed: int = 0,
) -> Components:
    """Variance components as a pilot run shows them, for `plan`, and how far other pilots would differ.

    Estimates below zero count as zero; without repeats, run-to-run noise is counted as phrasing.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.
        model_b: Another model of the pilot. The components are then those of the difference between the two,
            for the goal `compare`.
        generalize: For whom a run is to speak: other `items`, other `wordings`, or `both`; by default `both`
            where the items of the pilot share wordings, and else `items`.
        seed: Seed of the resampling.

    Returns:
        Components for `plan`.

    Raises:
        InputError: The pilot has too few items, or all of them have the same score.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import pilot_components
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b", "b"], "variant": ["orig", "para1"] * 2, "score": [1.0, 1.0, 0.0, 0.0]}
        ... )
        >>> pilot_components(table).source
        'pilot of 2 items'
    """
    check_generalize(generalize)
    grid = read_grid(table, task)
    for name in (model, model_b):
        if name is not None:
            grid.require_model(name)
    arrays = grid.select(model=model)
    cells = _cells(arrays)
    if model_b is not None:
        cells = _differences(cells, _cells(grid.select(model=model_b)))
    items = _items(cells)
    n_items = len(items.mean)
    if n_items < 2:
        raise InputError(
            f"the pilot cannot tell how much items differ: {_NO_SPREAD if n_items else NONE_HAS_TWO}"
        )
    item, phrasing, noise, accuracy = (float(one[0]) for one in _moments(items, np.ones((1, n_items))))
    if item <= 0 and abs(phrasing) <= 0 and noise <= 0:
        raise InputError(
            f"all {n_items:,} items of the pilot gave the same score under every wording, so it cannot tell "
            f"how much others would differ",
            hint="Plan from an assumed accuracy instead: --accuracy 0.9.",
        )
    rng = np.random.default_rng(seed)
    drawn = np.zeros((DRAWS, 10))
    drawn[:, :4] = _resampled(items, model_b is not None, rng)
    drawn[:, 5:7], shared = UNKNOWN, 0.0
    target = generalize or ("both" if arrays.shared_wordings else "items")
    if target != "items":
        shared, drawn[:, 4] = _shared(cells, phrasing, rng)
    flips = together = None
    if model_b is None:
        flips, together, drawn[:, 5:7] = _flips(arrays, rng)
        if target == "both":
            drawn[:, 7:] = _of_wordings(arrays, rng)
    return Components(
        max(item, 0.0),
        max(phrasing, 0.0),
        noise,
        f"pilot of {n_items:,} items" + (f", the difference {model_b} − {model}" if model_b else ""),
        _notes(items, phrasing),
        accuracy=accuracy,
        shared=shared,
        flips=flips,
        flips_together=together,
        of_difference=model_b is not None,
        generalize=target,
        draws=tuple(map(tuple, drawn.tolist())),
    )


def _notes(items: _Items, phrasing: float) -> tuple[str, ...]:
    if not items.n_noise.any():
        return (
            "the pilot has one repeat: what may be run-to-run noise is counted as phrasing, so repeats look "
            "useless here",
        )
    return (f"phrasing came out at {phrasing:.3g} and counts as 0",) if phrasing < 0 else ()


@dataclass(frozen=True)
class _Cells:
    """Each wording of each item: its mean score, and the variance of a run of it where it was run twice."""

    item: IntArray
    """(task, model, item), or (task, item) of a difference."""
    cluster: IntArray
    variant: IntArray
    shared: IntArray
    """The number of a wording that items share; −1 where each item has its own."""
    mean: FloatArray
    noise: FloatArray
    """Of one run; NaN where there is one."""
    of_mean: FloatArray
    """Of the mean over runs; NaN as well."""


def _cells(arrays: ScoreArrays) -> _Cells:
    return _Cells(
        item=arrays.group,
        cluster=arrays.cluster_ids[arrays.cluster[arrays.group]] if len(arrays.group) else arrays.group,
        variant=arrays.grid.variant[arrays.chosen],
        shared=arrays.wording,
        mean=arrays.mean,
        noise=arrays.noise,
        of_mean=arrays.noise / np.maximum(arrays.repeats, 1),
    )


def _differences(a: _Cells, b: _Cells) -> _Cells:
    """What `b` scores more than `a`, on the wordings that both have."""
    width = int(max(a.variant.max(initial=0), b.variant.max(initial=0))) + 1
    _, here, there = np.intersect1d(
        a.cluster * width + a.variant, b.cluster * width + b.variant, return_indices=True
    )
    if not len(here):
        raise InputError("the two models of the pilot have no wording of an item in common")
    item = np.unique(a.cluster[here], return_inverse=True)[1].reshape(-1)
    return _Cells(
        item=item,
        cluster=a.cluster[here],
        variant=a.variant[here],
        shared=a.shared[here],
        mean=b.mean[there] - a.mean[here],
        noise=b.noise[there] + a.noise[here],
        of_mean=b.of_mean[there] + a.of_mean[here],
    )


@dataclass(frozen=True)
class _Items:
    """What each item with two wordings adds to the sums that the components are made of."""

    mean: FloatArray
    spread: FloatArray
    """Variance over wordings."""
    n_wordings: FloatArray
    own: FloatArray
    """The part of `spread` that is known to be noise."""
    borrowed: FloatArray
    """The share of wordings that were run once; their noise is taken to be that of the others."""
    noise: FloatArray
    n_noise: FloatArray
    cluster: IntArray


def _items(cells: _Cells) -> _Items:
    n_items = int(cells.item.max(initial=-1)) + 1

    def total(values: FloatArray) -> FloatArray:
        return np.bincount(cells.item, weights=values, minlength=n_items).astype(np.float64)

    n = np.maximum(total(np.ones(len(cells.item))), 1)
    mean = total(cells.mean) / n
    spread = total((cells.mean - mean[cells.item]) ** 2) / np.maximum(n - 1, 1)
    once = np.isnan(cells.noise)
    cluster = np.zeros(n_items, np.int64)
    cluster[cells.item] = cells.cluster
    kept = n >= 2
    return _Items(
        mean=mean[kept],
        spread=spread[kept],
        n_wordings=n[kept],
        own=(total(np.where(once, 0.0, cells.of_mean)) / n)[kept],
        borrowed=(total(once) / n)[kept],
        noise=total(np.where(once, 0.0, cells.noise))[kept],
        n_noise=total(~once)[kept],
        cluster=cluster[kept],
    )


def _moments(items: _Items, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Item, phrasing, noise and accuracy, as `variance_components` has them, for each row of weights."""
    n = weights.sum(axis=1)
    total = weights @ items.mean
    item = (weights @ items.mean**2 - total**2 / n) / (n - 1) - weights @ (
        items.spread / items.n_wordings
    ) / n
    noise = weights @ items.noise / np.maximum(weights @ items.n_noise, 1)
    # without any repeat `noise` is 0 and all of the spread is phrasing
    phrasing = (weights @ (items.spread - items.own) - noise * (weights @ items.borrowed)) / n
    return item, phrasing, noise, total / n


def _resampled(items: _Items, signed: bool, rng: np.random.Generator) -> FloatArray:
    """The components in resamples of the items and of two that are made up."""
    n_wordings = np.array([np.median(items.n_wordings)] * 2)
    largest = largest_variance(int(n_wordings[0])) * (4 if signed else 1)
    nothing = np.zeros(2)
    whole = _Items(
        mean=np.r_[items.mean, -1.0 if signed else 0.0, 1.0],
        spread=np.r_[items.spread, 0.0, largest],
        n_wordings=np.r_[items.n_wordings, n_wordings],
        own=np.r_[items.own, nothing],
        borrowed=np.r_[items.borrowed, nothing],
        noise=np.r_[items.noise, nothing],
        n_noise=np.r_[items.n_noise, n_wordings if items.n_noise.any() else nothing],
        cluster=np.r_[items.cluster, items.cluster.max() + 1, items.cluster.max() + 2],
    )
    # the models of an item move together
    cluster = np.unique(whole.cluster, return_inverse=True)[1].reshape(-1)
    n_clusters = int(cluster.max()) + 1
    counts = rng.multinomial(n_clusters, np.full(n_clusters, 1 / n_clusters), size=DRAWS)
    weights = counts[:, cluster].astype(np.float64)
    weights[weights.sum(axis=1) < 2] = 1.0
    item, phrasing, noise, accuracy = _moments(whole, weights)
    return np.column_stack([np.maximum(item, 0.0), np.maximum(phrasing, 0.0), noise, accuracy])


def _shared(cells: _Cells, phrasing: float, rng: np.random.Generator) -> tuple[float, FloatArray]:
    """What a wording does to all items alike, by a two-way analysis of the wordings that items share."""
    used = cells.shared >= 0
    wording = np.unique(cells.shared[used], return_inverse=True)[1].reshape(-1)
    freedom = int(wording.max(initial=0))
    if freedom < 1:
        return 0.0, np.zeros(DRAWS)
    item = np.unique(cells.item[used], return_inverse=True)[1].reshape(-1)
    apart = cells.mean[used] - (np.bincount(item, weights=cells.mean[used]) / np.bincount(item))[item]
    n_of = np.bincount(wording)
    effect = np.bincount(wording, weights=apart) / n_of
    between = float(n_of @ effect**2) / freedom
    within = float(np.sum((apart - effect[wording]) ** 2)) / max(freedom * int(item.max()), 1)
    n = float(n_of.mean())
    drawn = (between * freedom / rng.chisquare(freedom, DRAWS) - within) / n
    return float(np.clip((between - within) / n, 0.0, max(phrasing, 0.0))), np.maximum(drawn, 0.0)


def _of_wordings(arrays: ScoreArrays, rng: np.random.Generator) -> FloatArray:
    """The variance that one shared wording brings to S_prompt, to flips and to the phrasing share."""
    found = np.zeros((DRAWS, 3))
    metrics = (s_prompt, fragility_score, variance_components)
    measures = {one.metric: one for metric in metrics if metric.measures for one in metric.measures(arrays)}
    for place, name in enumerate(("s_prompt", "fragility_score", "phrasing_share")):
        statistic = measures[name].statistic
        spread = wording_spread(statistic) if statistic is not None else None
        if spread is not None and spread.n_shared >= 2:
            freedom = spread.n_shared - 1
            between = spread.wordings * freedom / rng.chisquare(freedom, DRAWS)
            # a flip is of two wordings, the original one of them
            pairs = spread.n_shared + 1 if name == "fragility_score" else 1
            found[:, place] = np.maximum(between - spread.residual, 0.0) * spread.n_shared / pairs
    return found


def _flips(arrays: ScoreArrays, rng: np.random.Generator) -> tuple[float | None, float | None, FloatArray]:
    """How often one other wording, and how often two, answer differently from one run of the original."""
    one, both = arrays.agreement.flipped, arrays.agreement.both_flipped
    kept = ~np.isnan(one)
    if not kept.any():
        return None, None, np.full((DRAWS, 2), UNKNOWN)
    pairs = np.where(np.isnan(both), one, both)[kept]  # with one other wording, it is its own second
    values = np.column_stack([np.r_[one[kept], 0.0, 1.0], np.r_[pairs, 0.0, 1.0]])
    n = len(values)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=DRAWS) / n
    return float(one[kept].mean()), float(pairs.mean()), weights @ values
