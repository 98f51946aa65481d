"""Items → the probability that wording matters for each, and which of them a second run breaks or fixes.

Two accounts of an item's runs are compared. In one, all wordings have the same chance of a right answer; in
the other, each wording has its own. Chances are taken from Jeffreys' prior, Beta(½, ½), in both. How many
items follow the second is estimated from all items of an agent (empirical Bayes, by expectation and
maximisation), from a prior that is worth ten items of which one is sensitive. Without repeats the two
accounts cannot be told apart, and there is no probability. A score between 0 and 1 counts as so much of a
right answer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl

from otherwords.metrics.measures import once
from otherwords.metrics.missing_scores import has_score
from otherwords.metrics.model_comparison import PAIR, same_task, side_of
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.score_arrays import ScoreArrays, read_grid

EVIDENCE_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "model": pl.String,
    "id": pl.String,
    "probability": pl.Float64,  # that wording matters; null where no wording was run twice
}
_PRIOR = 0.5
_PRIOR_ITEMS, _PRIOR_SENSITIVE = 10.0, 1.0
_STEPS = 200
_NEAR = 1e-10
_lgamma = np.frompyfunc(math.lgamma, 1, 1)


def item_evidence(table: Any, task: str | None = None) -> pl.DataFrame:
    """The probability, for each item of each task and model, that its score depends on the wording.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.

    Returns:
        One row for each task, model and item: see `EVIDENCE_COLUMNS`.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import item_evidence
        >>> rows = [("a", "orig", 1.0), ("a", "para1", 0.0), ("b", "orig", 1.0), ("b", "para1", 1.0)]
        >>> table = pl.DataFrame(rows * 5, schema=["id", "variant", "score"], orient="row")
        >>> table = table.with_columns(repeat=pl.Series(n // 4 + 1 for n in range(20)))
        >>> [(row["id"], row["probability"] > 0.5) for row in item_evidence(table).iter_rows(named=True)]
        [('a', True), ('b', False)]
    """
    grid = read_grid(table, task)
    return once(grid, "evidence", lambda: _evidence(grid.select()))


def _evidence(arrays: ScoreArrays) -> pl.DataFrame:
    odds, probability = _log_odds(arrays), np.full(arrays.n_groups, np.nan)
    agents = arrays.names.select(pl.struct("task", "model").rank("dense")).to_series().to_numpy()
    for agent in np.unique(agents):
        mine = (agents == agent) & ~np.isnan(odds)
        probability[mine] = posterior(odds[mine])
    return arrays.names.with_columns(pl.Series("probability", probability).fill_nan(None))


def _log_odds(arrays: ScoreArrays) -> FloatArray:
    """Of each group, how much more likely its runs are if each wording has a chance of its own."""
    if not (arrays.repeats >= 2).any():
        return np.full(arrays.n_groups, np.nan)
    right, runs = arrays.mean * arrays.repeats, arrays.repeats.astype(np.float64)
    together = log_chance(arrays.sum_cells(right), arrays.sum_cells(runs))
    apart = arrays.sum_cells(log_chance(right, runs))
    tells = (arrays.variants >= 2) & (arrays.sum_cells(runs >= 2) > 0)
    return np.where(tells, apart - together, np.nan)


def log_chance(right: FloatArray, runs: FloatArray) -> FloatArray:
    """Of so many right answers in a given order, over all chances of a right answer."""
    # as one complex number each: pairs are sorted much faster than rows of an array
    pairs, place = np.unique(np.round(right, 9) + 1j * runs, return_inverse=True)
    first, second = pairs.real + _PRIOR, np.maximum(pairs.imag - pairs.real, 0.0) + _PRIOR
    found = _lgamma(first) + _lgamma(second) - _lgamma(first + second) - 2 * math.lgamma(_PRIOR)
    return np.asarray(found, dtype=np.float64)[place.reshape(-1)]


def posterior(odds: FloatArray) -> FloatArray:
    """The probability of each item, with the share of sensitive items that fits all of them best."""
    share = _PRIOR_SENSITIVE / _PRIOR_ITEMS
    for _ in range(_STEPS):
        probability = _probability(odds, share)
        fitted = (float(probability.sum()) + _PRIOR_SENSITIVE) / (len(odds) + _PRIOR_ITEMS)
        if abs(fitted - share) < _NEAR:
            break
        share = fitted
    return _probability(odds, share)


def _probability(odds: FloatArray, share: float) -> FloatArray:
    beyond = np.clip(odds + math.log(share / (1 - share)), -500.0, 500.0)
    probability: FloatArray = 1 / (1 + np.exp(-beyond))
    return probability


CHANGED_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "id": pl.String,
    "score_a": pl.Float64,  # mean over the runs of all wordings that both have
    "score_b": pl.Float64,
    "runs_a": pl.Int64,
    "runs_b": pl.Int64,
    "probability": pl.Float64,  # that the chance of a right answer is another in b
    "change": pl.String,  # broken · fixed · unchanged
}
BROKEN, FIXED, UNCHANGED = "broken", "fixed", "unchanged"
_LIKELY = 0.5


def changed_items(
    a: Any, b: Any, task: str | None = None, *, model_a: str | None = None, model_b: str | None = None
) -> pl.DataFrame:
    """The items that both tables have, and how likely it is that the second scores otherwise on each.

    An item is `broken` where the second more likely than not scores worse on it, `fixed` where better, by the
    same account of an item's runs as in `item_evidence`; single runs that differ are noise.

    Args:
        a: Outcome table of the first run: a polars or pandas frame.
        b: Outcome table of the second run.
        task: Only rows of this task; its name with or without the package before the slash.
        model_a: Which model of `a`; needed where it has several.
        model_b: Which model of `b`; needed where it has several.

    Returns:
        One row for each item, the most likely change first: see `CHANGED_COLUMNS`.

    Raises:
        InputError: A side has several models and none was chosen, or no such task or model.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import changed_items
        >>> rows = [(item, f"v{place}", 1.0) for item in "xy" for place in range(6)]
        >>> before = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
        >>> after = before.with_columns(score=(pl.col("id") == "x").cast(pl.Float64))
        >>> changed_items(before, after).select("id", "change").rows()
        [('y', 'broken'), ('x', 'unchanged')]
    """
    first, _ = side_of(a, task, model_a, "first", "model_a")
    second, _ = same_task(first, side_of(b, task, model_b, "second", "model_b")[0])
    sides = [side.filter(has_score()) for side in (first, second)]
    both = sides[0].join(sides[1], on=PAIR, how="semi").select(PAIR).unique()
    counted = [
        side.join(both, on=PAIR, how="semi")
        .group_by("task", "id", maintain_order=True)
        .agg(pl.col("score").sum(), pl.len().cast(pl.Int64).alias("runs"))
        for side in sides
    ]
    items = counted[0].join(counted[1], on=["task", "id"], suffix="_b", maintain_order="left")
    if items.is_empty():
        return pl.DataFrame(schema=CHANGED_COLUMNS)
    right_a, runs_a, right_b, runs_b = (
        items[name].to_numpy().astype(np.float64) for name in ("score", "runs", "score_b", "runs_b")
    )
    apart = log_chance(right_a, runs_a) + log_chance(right_b, runs_b)
    probability = posterior(apart - log_chance(right_a + right_b, runs_a + runs_b))
    likely = probability >= _LIKELY
    worse = right_b / runs_b < right_a / runs_a
    change = np.where(likely & worse, BROKEN, np.where(likely, FIXED, UNCHANGED))
    return pl.DataFrame(
        {
            "task": items["task"],
            "id": items["id"],
            "score_a": right_a / runs_a,
            "score_b": right_b / runs_b,
            "runs_a": items["runs"],
            "runs_b": items["runs_b"],
            "probability": probability,
            "change": change,
        },
        schema=CHANGED_COLUMNS,
    ).sort("probability", "id", descending=[True, False])
