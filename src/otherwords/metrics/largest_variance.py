"""M(V): how far the scores of an item can differ between V wordings at most."""

from __future__ import annotations

import numpy as np

from otherwords.metrics.answers import FloatArray, IntArray


def largest_variance(variants: IntArray) -> FloatArray:
    """The largest variance (ddof=1) that V scores in [0, 1] can have; 1 where V < 2, to divide by."""
    v = variants.astype(np.float64)
    largest: FloatArray = np.floor(v / 2) * np.ceil(v / 2) / np.maximum(v * (v - 1), 1)
    return np.where(variants >= 2, largest, 1.0)


def largest_of_any(variants: IntArray, ddof: int) -> float:
    """The largest variance that any of the items with two wordings or more could have had."""
    several = variants[variants >= 2]
    if not len(several):
        return 1.0
    largest = largest_variance(several)
    return float(np.max(largest if ddof else largest * (several - 1) / several))
