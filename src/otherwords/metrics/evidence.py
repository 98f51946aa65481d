"""Losses with corrected intervals and power; each item's odds that wording matters, or that two runs differ.

For an item, two accounts of its runs are compared. In one, all wordings have the same chance of a right
answer; in the other, each wording has its own. Chances are taken from Jeffreys' prior, Beta(½, ½), in both.
How many items follow the second is estimated from all items of an agent (empirical Bayes, by expectation and
maximisation), from a prior that is worth ten items of which one is sensitive. Without repeats the two
accounts cannot be told apart, and there is no probability. A score between 0 and 1 counts as so much of a
right answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.types import Estimate
from otherwords.core.verdict import (
    DETECTABLE,
    DifferingItems,
    Evidence,
    ItemEvidence,
    Power,
)
from otherwords.metrics.intervals import FEW_ITEMS, LEVEL, Generalize
from otherwords.metrics.measures import Measure, as_share, estimates, once, p_value
from otherwords.metrics.model_comparison import PAIR, same_task, side_of
from otherwords.metrics.outcome_rows import FloatArray, has_score
from otherwords.metrics.score_arrays import ScoreArrays, read_grid
from otherwords.metrics.significance import student_t
from otherwords.metrics.wording_tests import PhrasingTest

_PRIOR = 0.5
_PRIOR_ITEMS, _PRIOR_SENSITIVE = 10.0, 1.0
_STEPS = 200
_NEAR = 1e-10
_LIKELY = 0.5
_POWER = 0.8416
"""Standard errors above a threshold at which 80% are above it."""
_lgamma = np.frompyfunc(math.lgamma, 1, 1)


def item_evidence(table: Any, task: str | None = None) -> pl.DataFrame:
    """The probability, for each item of each task and model, that its score depends on the wording.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.

    Returns:
        One row for each task, model and item, with the column probability: that wording matters; null where
        no wording was run twice.

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


def asked_losses(parts: Sequence[tuple[dict[str, str], Measure]]) -> list[tuple[dict[str, str], Measure]]:
    """Kinds, and the changes of a kind of which two or more are of enough items to be asked by themselves.

    A kind with one change is asked once, by the change's name.
    """
    found = [
        (names, one)
        for names, one in parts
        if one.statistic and (not names["change"] or one.n_items >= FEW_ITEMS)
    ]
    whole = {names["kind"]: one for names, one in found if not names["change"]}
    changes: dict[str, list[Measure]] = {}
    for names, one in found:
        changes.setdefault(names["kind"], []).extend([one] if names["change"] else [])
    alone = {kind for kind, ones in changes.items() if len(ones) == 1 and _is_same(ones[0], whole.get(kind))}
    return [
        (names, one)
        for names, one in found
        if (
            len(changes[names["kind"]]) > 1 or names["kind"] in alone
            if names["change"]
            else names["kind"] not in alone
        )
    ]


def _is_same(one: Measure, other: Measure | None) -> bool:
    return other is not None and one.n_items == other.n_items and _value(one) == _value(other)


def is_one_kind(asked: Sequence[tuple[dict[str, str], Measure]], loss: Measure) -> bool:
    """Whether the loss over all rewordings is that of the only kind, and is asked once."""
    return len({names["kind"] for names, _ in asked}) == 1 and any(_is_same(one, loss) for _, one in asked)


def _value(measure: Measure) -> float | None:
    value = measure.statistic.value if measure.statistic else None
    return None if value is None else round(value, 12)


def loss_evidence(
    measure: Measure, questions: int, generalize: Generalize | None, level: float = LEVEL
) -> Evidence:
    """The estimate with its interval, that corrected for all questions, and its p."""
    (plain,) = estimates([measure], generalize=generalize, level=level)
    (corrected,) = estimates([measure], generalize=generalize, level=corrected_level(questions, level))
    return Evidence(
        value=plain.value,
        low=plain.low,
        high=plain.high,
        corrected_low=corrected.low,
        corrected_high=corrected.high,
        p=p_value(measure, generalize=generalize),
        n_items=plain.n_items,
        reason=plain.reason,
        low_if_missing=plain.low_if_missing,
        high_if_missing=plain.high_if_missing,
        generalizes=plain.generalizes,
    )


def corrected_level(questions: int, level: float = LEVEL) -> float:
    """The level of an interval where so many questions are asked (Bonferroni)."""
    return 1 - (1 - level) / questions


def power_to_find(
    loss: Evidence, original: Estimate, questions: int, n_runs: int, level: float = LEVEL
) -> Power:
    """The smallest loss that would be found with a chance of 80%, and what missing scores could hide."""
    hidden = 0.0
    if loss.high_if_missing is not None and loss.value is not None:
        hidden = max(loss.high_if_missing - loss.value, 0.0)
    if not original.value:
        reason = (
            "the original wording is never right, so that no loss can be seen"
            if original.value == 0
            else "the original wording has no score"
        )
        return Power(None, None, hidden, reason)
    if loss.corrected_low is None or loss.corrected_high is None:
        return Power(None, None, hidden, loss.reason)
    quantile = student_t(0.5 + corrected_level(questions, level) / 2, loss.n_items + 1)
    half = (loss.corrected_high - loss.corrected_low) / 2
    smallest = half * (1 + _POWER / quantile)
    more = math.ceil(n_runs * ((smallest / DETECTABLE) ** 2 - 1)) if smallest > DETECTABLE else 0
    return Power(smallest, more, hidden)


def share_evidence(measure: Measure, generalize: Generalize | None, level: float = LEVEL) -> Evidence:
    """The phrasing share, cut to what a share can be."""
    (found,) = estimates([measure], generalize=generalize, level=level)
    one = as_share(found)
    return Evidence(
        one.value, one.low, one.high, None, None, None, one.n_items, one.reason, generalizes=one.generalizes
    )


def differing_items(tested: PhrasingTest) -> DifferingItems | None:
    """How many items differ between wordings, beside how many would by chance."""
    if tested.p is None:
        return None
    return DifferingItems(tested.n_differ, *tested.differ, tested.n_items)


def sensitive_items(model: str, tested: PhrasingTest, evidence: pl.DataFrame) -> list[ItemEvidence]:
    """Items for which wording matters more likely than not, the most likely first."""
    likely = evidence.filter(pl.col("model") == model, pl.col("probability") >= _LIKELY)
    by_test = tested.items.select("id", "p")
    rows = likely.join(by_test, on="id").sort("probability", "id", descending=[True, False])
    return [ItemEvidence(*row) for row in rows.select("id", "probability", "p").iter_rows()]
