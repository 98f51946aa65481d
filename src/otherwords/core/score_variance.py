"""Number of wordings → the largest variance that their scores can have, and the lowest possible S_prompt."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl


def largest_variance(wordings: int) -> float:
    """M(V): the sample variance of V ≥ 2 scores in [0, 1] of which half are 0 and half are 1."""
    half = wordings // 2
    return half * (wordings - half) / (wordings * (wordings - 1))


def largest_variances(wordings: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """M(V) for each of many V; 1 where V < 2, to divide by."""
    most = int(wordings.max(initial=0))
    by_number = np.array([1.0, 1.0, *(largest_variance(number) for number in range(2, most + 1))])
    largest: npt.NDArray[np.float64] = by_number[wordings]
    return largest


def lowest_s_prompt(wordings: pl.Series, ddof: int = 1) -> float | None:
    """The mean of 1 − M(V) over items, given each item's number V of scored wordings.

    Items with fewer than two are left out; None when no item has two. With `ddof` 0, of variances that divide
    by V.
    """
    counts = wordings.filter(wordings >= 2).value_counts()
    if counts.is_empty():
        return None
    total = sum(
        largest_variance(number) * (number - 1) / (number - ddof) * items
        for number, items in counts.iter_rows()
    )
    return float(1 - total / counts["count"].sum())
