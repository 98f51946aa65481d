"""`item_changes`: two outcome tables in; items that broke or were fixed from one to the other out.

An item's runs under all wordings that both tables have are compared by Fisher's exact test. Wordings may be
differently hard; that makes the test careful, not loose. Over the items of an agent q is Benjamini and
Hochberg's: with q ≤ 0.05 and nothing changed, any item is named in at most 5% of comparisons.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import polars as pl

from otherwords.core.families import is_wording
from otherwords.metrics.outcome_rows import outcomes_of
from otherwords.metrics.significance import benjamini_hochberg

MOVED = 0.05
"""An item has moved where q is at most this."""
RIGHT = 0.5
"""A score above this counts as right."""
ITEM_CHANGE_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "id": pl.String,
    "before": pl.Float64,  # share of right runs
    "after": pl.Float64,
    "n_before": pl.Int64,
    "n_after": pl.Int64,
    "p": pl.Float64,
    "q": pl.Float64,
    "moved": pl.Int64,  # −1 newly broken, 1 newly fixed, else 0
}
_CELL = ["task", "id", "variant"]


def item_changes(before: Any, after: Any, task: str | None = None) -> pl.DataFrame:
    """Which items broke, and which were fixed, between two runs of one agent.

    Args:
        before: Outcome table of one model: a polars or pandas frame with id, variant and score at least.
        after: Outcome table of the later run, of one model too, whatever it is called.
        task: Only rows of this task; its name with or without the package before the slash.

    Returns:
        One row for each item with a score on both sides, the surest changes first; see
        `ITEM_CHANGE_COLUMNS`. Only wordings that both sides have scored are counted.

    Raises:
        InputError: A table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import item_changes
        >>> names = {"id": ["a"] * 6 + ["b"] * 6, "variant": ["orig", "para1"] * 6}
        >>> names["repeat"] = [1, 1, 2, 2, 3, 3] * 2
        >>> before = pl.DataFrame({**names, "score": [1.0] * 12})
        >>> after = pl.DataFrame({**names, "score": [0.0] * 6 + [1.0] * 6})
        >>> item_changes(before, after).select("id", "before", "after", "moved").rows()
        [('a', 1.0, 0.0, -1), ('b', 1.0, 1.0, 0)]
    """
    first, second = (_scored(outcomes_of(table, task)) for table in (before, after))
    shared = first.select(_CELL).unique().join(second.select(_CELL).unique(), on=_CELL)
    sides = [
        table.join(shared, on=_CELL, how="semi")
        .group_by("task", "id", maintain_order=True)
        .agg(pl.col("right").sum().alias(f"right_{side}"), pl.len().cast(pl.Int64).alias(f"n_{side}"))
        for side, table in (("before", first), ("after", second))
    ]
    rows = sides[1].join(sides[0], on=["task", "id"], maintain_order="left")
    counts = rows.select("right_before", "n_before", "right_after", "n_after").iter_rows()
    p = [fisher_p(*map(int, one)) for one in counts]
    found = rows.with_columns(
        pl.Series("p", p, dtype=pl.Float64),
        pl.Series("q", benjamini_hochberg(p), dtype=pl.Float64),
        before=pl.col("right_before") / pl.col("n_before"),
        after=pl.col("right_after") / pl.col("n_after"),
    )
    moved = pl.when(pl.col("q") <= MOVED).then((pl.col("after") - pl.col("before")).sign()).otherwise(0)
    return (
        found.with_columns(moved=moved.cast(pl.Int64))
        .select(*ITEM_CHANGE_COLUMNS)
        .sort("p", "task", "id", maintain_order=True)
    )


def _scored(outcomes: pl.DataFrame) -> pl.DataFrame:
    kinds = [kind for kind in outcomes["kind"].unique() if kind is None or is_wording(kind)]
    rows = outcomes.filter(pl.col("score").is_not_null(), pl.col("kind").is_in(kinds, nulls_equal=True))
    return rows.with_columns(pl.col("task").fill_null(""), right=(pl.col("score") > RIGHT).cast(pl.Int64))


@cache
def fisher_p(right_a: int, n_a: int, right_b: int, n_b: int) -> float:
    """Two-sided p of Fisher's exact test: the chance of a table no likelier than this one.

    Example:
        >>> from otherwords.metrics.item_changes import fisher_p
        >>> round(fisher_p(3, 3, 0, 3), 3)
        0.1
    """
    right, total = right_a + right_b, n_a + n_b
    whole = _log_choose(total, right)

    def chance(k: int) -> float:
        return math.exp(_log_choose(n_a, k) + _log_choose(n_b, right - k) - whole)

    seen = chance(right_a)
    ways = range(max(0, right - n_b), min(n_a, right) + 1)
    return min(1.0, sum(one for k in ways if (one := chance(k)) <= seen * (1 + 1e-9)))


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
