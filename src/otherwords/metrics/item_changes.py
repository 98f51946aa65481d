"""`changed_items`: two outcome tables in; the items that the second breaks or fixes out, by evidence."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from otherwords.metrics.evidence_by_item import log_chance, posterior
from otherwords.metrics.model_comparison import PAIR, same_task, side_of
from otherwords.metrics.unscored_reasons import has_score

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
