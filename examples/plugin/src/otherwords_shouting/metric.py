"""A metric: the score of each item's worst wording, as the mean over items with its interval."""

from __future__ import annotations

import numpy as np

from otherwords import Measure, ScoreArrays, mean_over_groups, metric


@metric()
def worst_wording(arrays: ScoreArrays) -> Measure:
    """Mean over items of the score of the worst wording."""
    lowest = np.ones(arrays.n_groups)
    np.minimum.at(lowest, arrays.group, arrays.mean)
    return mean_over_groups(
        arrays, lowest, arrays.variants >= 1, nothing="no row has a score", left_out="no score"
    )
