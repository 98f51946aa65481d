"""Number of wordings → the largest variance that their scores can have, and the lowest possible S_prompt."""

from __future__ import annotations

import polars as pl


def largest_variance(wordings: int) -> float:
    """M(V): the sample variance of V ≥ 2 scores in [0, 1] of which half are 0 and half are 1."""
    half = wordings // 2
    return half * (wordings - half) / (wordings * (wordings - 1))


def lowest_s_prompt(wordings: pl.Series) -> float | None:
    """The mean of 1 − M(V) over items, given each item's number V of scored wordings.

    Items with fewer than two are left out; None when no item has two.
    """
    counts = wordings.filter(wordings >= 2).value_counts()
    if counts.is_empty():
        return None
    total = sum(largest_variance(number) * items for number, items in counts.iter_rows())
    return float(1 - total / counts["count"].sum())
