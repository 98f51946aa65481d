"""`plan` and `enough_variants`: how many items, wordings and repeats a wanted precision takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from otherwords.core.errors import InputError
from otherwords.metrics.bootstrap import RESAMPLES, Statistic, intervals
from otherwords.metrics.measures import NO_ROWS, one_minus_ratio
from otherwords.metrics.noise_metrics import variance_components
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.score_arrays import ScoreArrays, read_score_arrays
from otherwords.metrics.sensitivity_metrics import NONE_HAS_TWO, mean_variance

VARIANTS = (2, 3, 4, 5, 6, 8, 10)
REPEATS = (1, 2, 3, 5)
ORDERS = 20
NEAR_ENOUGH = 1.1
"""Enough wordings: the interval is at most this many times as wide as with all of them."""
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Components:
    """The variance of scores: between items, between wordings of an item, and run-to-run noise."""

    item: float
    phrasing: float
    noise: float
    source: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanOption:
    """One way to reach the goal."""

    items: int
    variants: int
    """Wordings of each item, the original among them."""
    repeats: int
    calls: int
    half_width: float
    """Of the interval of accuracy over all wordings."""
    detectable: float | None
    """The smallest loss by rewording that is seen with the wanted power; null with one wording."""
    power: float | None
    """Chance to see a loss of `drop`, when one was asked for."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of `plan`."""

    goal: str
    options: tuple[PlanOption, ...]
    """All that reach the goal, the fewest calls first."""
    components: Components
    notes: tuple[str, ...]


def prior_components(
    accuracy: float = 0.7, item_share: float = 0.6, phrasing_share: float = 0.15
) -> Components:
    """Variance components that are assumed: of right-or-wrong scores, whose variance is p(1 − p).

    Args:
        accuracy: The expected accuracy p.
        item_share: The part of the variance that is between items.
        phrasing_share: The part that is between wordings of an item; what is left is run-to-run noise.

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
    return Components(whole * item_share, whole * phrasing_share, whole * noise_share, source)


def pilot_components(table: Any, task: str | None = None, *, model: str | None = None) -> Components:
    """Variance components as a pilot run shows them, for `plan`.

    Estimates below zero count as zero; without repeats, run-to-run noise is counted as phrasing.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.

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
    found = variance_components(table, task, model=model, resamples=0)
    item, phrasing, noise = (found[name].value for name in ("item", "phrasing", "noise"))
    if item is None:
        raise InputError(f"the pilot cannot tell how much items differ: {found['item'].reason}")
    notes = []
    if item <= 0 and not phrasing and not noise:
        raise InputError(
            f"all {found['item'].n_items} items of the pilot gave the same score under every wording, so it "
            f"cannot tell how much others would differ",
            hint="Plan from an assumed accuracy instead: --accuracy 0.9.",
        )
    if phrasing is None or noise is None:
        phrasing = mean_variance(table, task, model=model, resamples=0).value or 0.0
        noise = 0.0
        notes.append(
            "the pilot has one repeat: what may be run-to-run noise is counted as phrasing, so repeats look "
            "useless here"
        )
    elif phrasing < 0:
        notes.append(f"phrasing came out at {phrasing:.3g} and counts as 0")
    n_items = found["item"].n_items
    return Components(max(item, 0.0), max(phrasing, 0.0), noise, f"pilot of {n_items} items", tuple(notes))


def plan(
    *,
    half_width: float | None = None,
    drop: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    components: Components | None = None,
    items: int | None = None,
    variants: Sequence[int] = VARIANTS,
    repeats: Sequence[int] = REPEATS,
) -> Plan:
    """How many items, wordings and repeats it takes to know accuracy, or a loss by rewording, well enough.

    Args:
        half_width: Wanted half-width of the interval of accuracy.
        drop: A loss by rewording that is to be detected.
        power: The chance to detect it.
        level: The level of the interval and of the test.
        components: Where the variance comes from, by `pilot_components` or `prior_components`, the default.
        items: The items that there are at most.
        variants: Numbers of wordings to consider, the original among them.
        repeats: Numbers of repeats to consider.

    Returns:
        All options that reach the goal, the fewest calls first.

    Raises:
        InputError: There is no goal, or a number is out of its range.

    Example:
        >>> from otherwords.metrics import plan, prior_components
        >>> cheapest = plan(half_width=0.05, components=prior_components(accuracy=0.8)).options[0]
        >>> cheapest.items, cheapest.variants, cheapest.repeats, cheapest.calls
        (197, 2, 1, 394)
    """
    _check_goal(half_width, drop, power, level, items, variants, repeats)
    parts = components or prior_components()
    z = _NORMAL.inv_cdf(0.5 + level / 2)
    reach = z + _NORMAL.inv_cdf(power)
    options, notes = [], list(parts.notes)
    for v in variants:
        for r in repeats:
            needed = 2
            if half_width is not None:
                needed = max(needed, math.ceil(z**2 * _variance_of_mean(parts, v, r) / half_width**2))
            if drop is not None:
                if v < 2:
                    continue
                needed = max(needed, math.ceil(reach**2 * _variance_of_loss(parts, v, r) / drop**2))
            if items is None or needed <= items:
                options.append(_option(parts, needed, v, r, z, reach, drop))
    if not options and items is not None:
        most = _option(parts, items, max(variants), max(repeats), z, reach, drop)
        loss = "" if most.detectable is None else f", or see a loss of {most.detectable:.3f}"
        notes.append(
            f"{items} items cannot reach it: {most.variants} wordings with {most.repeats} repeats give "
            f"± {most.half_width:.3f}{loss}"
        )
    options.sort(key=lambda option: (option.calls, option.items))
    return Plan(_goal(half_width, drop, power, level), tuple(options), parts, tuple(notes))


def _option(
    parts: Components, items: int, v: int, r: int, z: float, reach: float, drop: float | None
) -> PlanOption:
    loss_error = math.sqrt(_variance_of_loss(parts, v, r) / items) if v >= 2 else None
    seen = None
    if drop is not None and loss_error is not None:
        seen = (
            1.0
            if loss_error == 0
            else _NORMAL.cdf(drop / loss_error - z) + _NORMAL.cdf(-drop / loss_error - z)
        )
    return PlanOption(
        items=items,
        variants=v,
        repeats=r,
        calls=items * v * r,
        half_width=z * math.sqrt(_variance_of_mean(parts, v, r) / items),
        detectable=None if loss_error is None else reach * loss_error,
        power=seen,
    )


def _variance_of_mean(parts: Components, v: int, r: int) -> float:
    """T times the variance of the mean score over T items."""
    return parts.item + parts.phrasing / v + parts.noise / (v * r)


def _variance_of_loss(parts: Components, v: int, r: int) -> float:
    """T times the variance of original − mean of the v − 1 others, in which the items themselves cancel."""
    return (parts.phrasing + parts.noise / r) * v / (v - 1)


def _goal(half_width: float | None, drop: float | None, power: float, level: float) -> str:
    goals = []
    if half_width is not None:
        goals.append(f"accuracy to ± {half_width:g} with a {level:.0%} interval")
    if drop is not None:
        goals.append(f"to see a loss of {drop:g} by rewording with a chance of {power:.0%}")
    return " and ".join(goals)


def _check_goal(
    half_width: float | None,
    drop: float | None,
    power: float,
    level: float,
    items: int | None,
    variants: Sequence[int],
    repeats: Sequence[int],
) -> None:
    if half_width is None and drop is None:
        raise InputError("a plan needs a goal", hint="Give half_width, drop, or both.")
    for name, value in (("half_width", half_width), ("drop", drop), ("power", power), ("level", level)):
        if value is not None and not 0 < value < 1:
            raise InputError(f"{name} must be between 0 and 1, got {value:g}")
    for name, counts in (("variants", variants), ("repeats", repeats), ("items", [items or 1])):
        if not counts or min(counts) < 1:
            raise InputError(f"{name} must be at least 1, got {min(counts, default=0)}")
    if drop is not None and max(variants) < 2:
        raise InputError("to see a loss by rewording takes at least 2 wordings, the original among them")


@dataclass(frozen=True, slots=True)
class Step:
    """S_prompt from a number of wordings."""

    variants: int
    value: float
    """S_prompt with so many wordings of each item, chosen at random, averaged over choices."""
    low: float | None
    high: float | None
    """The interval, averaged over choices."""
    wobble: float
    """Standard deviation of S_prompt over choices of wordings."""


@dataclass(frozen=True, slots=True)
class EnoughVariants:
    """The result of `enough_variants`."""

    steps: tuple[Step, ...]
    enough: int | None
    """The fewest wordings whose interval is nearly as narrow as with all; null when all are needed or
    there is no interval."""
    n_items: int
    reason: str


def enough_variants(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    orders: int = ORDERS,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> EnoughVariants:
    """S_prompt from 2, 3, … wordings of each item, to see how many are enough.

    The expected value is the same at every step; what more wordings buy is a narrower interval, down to the
    width that the number of items allows. An item with fewer wordings keeps those that it has.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        model: Only rows of this model.
        orders: How many random choices of wordings are averaged.
        resamples: Bootstrap resamples for the intervals; 0 for none.
        seed: Seed of the choices and of the resampling.

    Returns:
        A step for each number of wordings, and the fewest whose interval is nearly as narrow as with all.

    Raises:
        InputError: `orders` is below 1, the table has no such task or model, or rows cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import enough_variants
        >>> rows = [(f"q{n}", f"v{v}", float(n % 2 < v)) for n in range(20) for v in range(4)]
        >>> table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
        >>> [step.variants for step in enough_variants(table, resamples=100).steps]
        [2, 3, 4]
    """
    if orders < 1:
        raise InputError(f"orders must be at least 1, got {orders}")
    arrays = read_score_arrays(table, task, model)
    enters = arrays.variants >= 2
    if not enters.any():
        reason = NONE_HAS_TWO if arrays.grid.n_groups else NO_ROWS
        return EnoughVariants((), None, 0, reason)
    most = int(arrays.variants.max())
    rng = np.random.default_rng(seed)
    spread = np.stack([_variances(arrays, most, rng) for _ in range(orders)])
    counted = arrays.sum_groups(enters)
    columns = [
        np.column_stack([arrays.sum_groups(np.where(enters, one, 0.0)), counted])
        for order in spread
        for one in order
    ]
    found = intervals([Statistic(one, one_minus_ratio) for one in columns], resamples, seed)
    steps = []
    for place, variants in enumerate(range(2, most + 1)):
        values = 1 - spread[:, place, enters].mean(axis=1)
        mine = found[place :: most - 1]
        ends = [(one.low, one.high) for one in mine if one.low is not None and one.high is not None]
        low, high = np.mean(ends, axis=0).tolist() if ends else (None, None)
        steps.append(Step(variants, float(values.mean()), low, high, float(values.std())))
    reason = next((one.reason for one in found[::-1] if one.reason), "")
    n_items = len(np.unique(arrays.cluster[enters]))
    return EnoughVariants(tuple(steps), _enough(steps), n_items, reason)


def _variances(arrays: ScoreArrays, most: int, rng: np.random.Generator) -> FloatArray:
    """For 2, 3, … `most` wordings in one random order: each group's variance over the first so many."""
    order = np.lexsort((rng.random(len(arrays.group)), arrays.group))
    score = arrays.mean[order]
    ends = np.concatenate([[0.0], np.cumsum(score)])
    squares = np.concatenate([[0.0], np.cumsum(score**2)])
    start = np.cumsum(arrays.variants) - arrays.variants
    rows = []
    for variants in range(2, most + 1):
        n = np.minimum(variants, arrays.variants)
        total, square = ends[start + n] - ends[start], squares[start + n] - squares[start]
        variance = (square - total**2 / np.maximum(n, 1)) / np.maximum(n - 1, 1)
        rows.append(np.round(np.maximum(variance, 0.0), 12))
    return np.stack(rows)


def _enough(steps: list[Step]) -> int | None:
    widths = [None if step.low is None or step.high is None else step.high - step.low for step in steps]
    last = widths[-1]
    if last is None:
        return None
    for step, width in zip(steps[:-1], widths[:-1], strict=True):
        if width is not None and width <= NEAR_ENOUGH * last:
            return step.variants
    return None
