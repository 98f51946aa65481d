"""`by_distance`: costs of wordings near and far; `enough_variants`: S_prompt from 2, 3, … wordings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import DISTANCE, ORIG, PARAPHRASE
from otherwords.core.errors import InputError
from otherwords.core.registry import is_wording, traits_of
from otherwords.core.table import largest_variance
from otherwords.core.verdict import WordingDistance
from otherwords.english.words import word_distance
from otherwords.metrics.change_breakdowns import by_change
from otherwords.metrics.intervals import RESAMPLES, Generalize, Statistic, intervals
from otherwords.metrics.measures import NO_ROWS, one_minus_ratio
from otherwords.metrics.outcome_rows import FloatArray, select_outcomes
from otherwords.metrics.score_arrays import ScoreArrays, read_score_arrays
from otherwords.metrics.sensitivity_metrics import NONE_HAS_TWO

BANDS: tuple[tuple[str, float, float], ...] = (
    ("near", 0.0, 0.2),
    ("middle", 0.2, 0.5),
    ("far", 0.5, 1.0),
)
"""The bands of word distance, each from its lower bound to below its upper one; the last holds 1 too. People
who reword the same prompts are at .64 on average."""
ROBUST = 0.05
"""Near wordings are called robust where at most this much accuracy may be lost."""
DISTANCE_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "band": pl.String,  # near · middle · far
    "distance": pl.Float64,  # the mean word distance of its wordings
    "accuracy": pl.Float64,
    "delta": pl.Float64,  # original − this, on the same items: positive is a loss
    "delta_low": pl.Float64,
    "delta_high": pl.Float64,
    "p": pl.Float64,
    "q": pl.Float64,
    "n_items": pl.Int64,
    "n_rows": pl.Int64,
    "n_missing": pl.Int64,
}


def by_distance(
    table: Any,
    task: str | None = None,
    *,
    generalize: Generalize | None = None,
    resamples: int = RESAMPLES,
) -> pl.DataFrame:
    """What wordings cost against the original, by how far they are from it.

    Args:
        table: Outcome table with the column distance: the share of a wording's words that differ.
        task: Only rows of this task; its name with or without the package before the slash.
        generalize: For whom the intervals speak; see `by_change`.
        resamples: 0 for no intervals.

    Returns:
        One row for each task, model and band of distance that has wordings, near first; see
        `DISTANCE_COLUMNS`. Layout, the order of options, slips of typing and controls are left out, since
        they do not reword. Empty where no distance is known.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import by_distance
        >>> table = pl.DataFrame(
        ...     {
        ...         "id": ["a", "a", "a", "b", "b", "b"],
        ...         "variant": ["orig", "para1", "para2"] * 2,
        ...         "kind": ["orig", "paraphrase", "paraphrase"] * 2,
        ...         "distance": [None, 0.1, 0.7] * 2,
        ...         "score": [1.0, 1.0, 0.0, 1.0, 1.0, 1.0],
        ...     }
        ... )
        >>> by_distance(table).select("band", "delta").rows()
        [('near', 0.0), ('far', 0.5)]
    """
    outcomes = select_outcomes(table, task)
    kinds = [
        kind for kind in outcomes["kind"].unique().drop_nulls() if kind != ORIG and traits_of(kind).rewords
    ]
    original = pl.col("variant") == ORIG
    wording = pl.col("kind").is_in(kinds) & pl.col(DISTANCE).is_not_null() & ~original
    band = pl.lit(BANDS[0][0])
    for name, low, _ in BANDS[1:]:
        band = pl.when(pl.col(DISTANCE) >= low).then(pl.lit(name)).otherwise(band)
    told = outcomes.filter(original | wording).with_columns(
        # One kind whose wordings each item has for itself, and the bands as its changes.
        kind=pl.when(original).then(pl.lit(ORIG)).otherwise(pl.lit(PARAPHRASE)),
        change=pl.when(original).then(pl.lit("")).otherwise(band),
    )
    if told.filter(~original).is_empty():
        return pl.DataFrame(schema=DISTANCE_COLUMNS)
    keys = ["task", "model", "change"]
    means = told.filter(~original).group_by(keys).agg(pl.col(DISTANCE).mean().round(4))
    order = {name: place for place, (name, _, _) in enumerate(BANDS)}
    return (
        by_change(told, generalize=generalize, resamples=resamples)
        .filter(pl.col("change") != "")
        .join(means, on=keys, how="left")
        .rename({"change": "band"})
        .sort("task", "model", pl.col("band").replace_strict(order, return_dtype=pl.Int64))
        .select(list(DISTANCE_COLUMNS))
    )


def distance_sentence(costs: pl.DataFrame) -> str:
    """What the breakdown of one model says, in a sentence; empty where it has fewer than two bands."""
    rows = {row["band"]: row for row in costs.iter_rows(named=True) if row["delta"] is not None}
    if len(rows) < 2:
        return ""
    bounds = {name: (low, high) for name, low, high in BANDS}
    said = [
        f"{name} ones ({bounds[name][0]:.1f} to {bounds[name][1]:.1f}) {100 * row['delta']:.1f} points"
        + (
            ""
            if row["delta_low"] is None
            else f" ({100 * row['delta_low']:.1f} to {100 * row['delta_high']:.1f})"
        )
        for name, row in rows.items()
    ]
    near, far = next(iter(rows.values())), list(rows.values())[-1]
    verdict = ""
    if far["delta_low"] is not None and near["delta_low"] is not None:
        if far["delta_low"] > 0 and near["delta_high"] <= ROBUST:
            verdict = ": robust near, fragile far"
        elif far["delta_low"] > 0 and near["delta_low"] <= 0:
            verdict = ": fragile far, and near it is not settled"
        elif far["delta_low"] > 0 and near["delta_low"] > 0:
            verdict = ": fragile near and far"
    return f"By how far wordings are from the original, {', '.join(said)} are lost{verdict}."


_MOST_PAIRS = 200
_MOST_CHARACTERS = 2_000


def wording_distance(rows: pl.DataFrame, wordings: pl.DataFrame | None, task: str) -> WordingDistance | None:
    """The word edit distance of the rewordings of one task.

    Args:
        rows: Rows of an outcome table; its column `distance` is taken if it is there.
        wordings: What was asked: columns task, id, variant, kind, prompt. Its own column of distances is
            taken, and where there is none they are computed from at most 200 pairs of prompts.
        task: The task.

    Returns:
        The median and the tenths at both ends; None where neither distances nor prompts are known.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.wording_breakdowns import wording_distance
        >>> wordings = pl.DataFrame(
        ...     {
        ...         "task": "t",
        ...         "id": "a",
        ...         "variant": ["orig", "para1"],
        ...         "kind": ["orig", "paraphrase"],
        ...         "prompt": ["What is the capital of France?", "Name the capital of France."],
        ...     }
        ... )
        >>> wording_distance(pl.DataFrame(), wordings, "t").median
        0.5
    """
    for frame in (rows, None if wordings is None else wordings.filter(task=task)):
        if frame is not None and DISTANCE in frame.columns:
            known = frame.filter(pl.col("variant") != ORIG)[DISTANCE].drop_nulls().drop_nans()
            if len(known):
                return _summary(known.to_numpy().astype(np.float64))
    if wordings is None or wordings.is_empty():
        return None
    mine = wordings.filter(task=task).select("id", "variant", "kind", "prompt").drop_nulls("prompt")
    originals = mine.filter(pl.col("variant") == ORIG).select("id", original="prompt").unique("id")
    kinds = [kind for kind in mine["kind"].unique() if kind is None or is_wording(kind)]
    reworded = mine.filter(pl.col("variant") != ORIG, pl.col("kind").is_in(kinds, nulls_equal=True))
    pairs = reworded.join(originals, on="id").sort("id", "variant")
    if pairs.is_empty():
        return None
    if pairs.height > _MOST_PAIRS:
        pairs = pairs[np.linspace(0, pairs.height - 1, _MOST_PAIRS).astype(int).tolist()]
    texts = pairs.select("original", "prompt").iter_rows()
    return _summary(np.array([word_distance(*(text[:_MOST_CHARACTERS] for text in two)) for two in texts]))


def _summary(distances: FloatArray) -> WordingDistance:
    low, median, high = np.quantile(distances, (0.1, 0.5, 0.9))
    return WordingDistance(float(median), float(low), float(high), len(distances))


ORDERS = 20
NEAR_ENOUGH = 1.1
"""Enough wordings: S_task spreads over items at most this many times as much as with all of them."""


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
    """The fewest wordings with which items spread nearly as little as with all; null when all are needed or
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
        resamples: 0 for no intervals.
        seed: Seed of the choices.

    Returns:
        A step for each number of wordings, and the fewest that tell nearly as much as all.

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
    ends = (np.array([largest_variance(most), 1.0]), np.array([0.0, 1.0]))
    statistics = [
        Statistic(
            np.column_stack([arrays.sum_groups(np.where(enters, one, 0.0)), counted]), one_minus_ratio, ends
        )
        for order in spread
        for one in order
    ]
    found = intervals(statistics, resamples, seed)
    steps = []
    for place, variants in enumerate(range(2, most + 1)):
        values = 1 - spread[:, place, enters].mean(axis=1)
        mine = found[place :: most - 1]
        known = [(one.low, one.high) for one in mine if one.low is not None and one.high is not None]
        low, high = np.mean(known, axis=0).tolist() if known else (None, None)
        steps.append(Step(variants, float(values.mean()), low, high, float(values.std())))
    reason = next((one.reason for one in found[::-1] if one.reason), "")
    n_items = len(np.unique(arrays.cluster[enters]))
    spreads = spread[:, :, enters].std(axis=2).mean(axis=0)
    return EnoughVariants(tuple(steps), _enough(steps, spreads), n_items, reason)


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


def _enough(steps: list[Step], spreads: FloatArray) -> int | None:
    """By the spread of the items themselves: the interval's pseudo-items do not depend on the wordings."""
    if steps[-1].low is None or spreads[-1] == 0:
        return None
    enough = np.flatnonzero(spreads[:-1] <= NEAR_ENOUGH * spreads[-1])
    return steps[int(enough[0])].variants if len(enough) else None
