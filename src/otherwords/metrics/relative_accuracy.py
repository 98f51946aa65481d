"""Accuracy here as a share of accuracy there, on the same items: what R_prompt, R_fault and PDR share."""

from __future__ import annotations

import numpy as np

from otherwords.metrics.answers import BoolArray, FloatArray
from otherwords.metrics.bootstrap import Combine
from otherwords.metrics.cells import Cells
from otherwords.metrics.measure import Measure, sums_over_groups


def measure_relative(
    metric: str,
    cells: Cells,
    baseline: BoolArray,
    combine: Combine,
    *,
    nothing: str,
    left_out: str,
    undefined: str,
) -> Measure:
    """`combine` gets the sums over items of the mean score elsewhere and of the mean score at baseline."""
    there, here, both = cells.split(cells.mean, baseline)
    return sums_over_groups(
        metric,
        cells,
        [np.where(both, here, 0.0), np.where(both, there, 0.0), both],
        combine,
        both,
        nothing=nothing,
        left_out=left_out,
        undefined=undefined,
    )


def share(sums: FloatArray) -> FloatArray:
    baseline = sums[..., 1]
    quotient: FloatArray = sums[..., 0] / np.where(baseline > 1e-12, baseline, np.nan)
    return quotient


def share_up_to_one(sums: FloatArray) -> FloatArray:
    return np.minimum(share(sums), 1.0)


def lost_share(sums: FloatArray) -> FloatArray:
    return 1.0 - share(sums)
