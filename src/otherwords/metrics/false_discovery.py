"""Many tests at once: of what is called a finding, which share may be false?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """The q of each p: call everything with q ≤ 0.05 a finding, and about 5% of the findings are false.

    A test that could not be made (None) is not one of the tests and has no q.
    """
    places = [place for place, p in enumerate(p_values) if p is not None]
    found: list[float | None] = [None] * len(p_values)
    if not places:
        return found
    p = np.array([p_values[place] for place in places], dtype=np.float64)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    # a smaller p never has a larger q
    lowest = np.minimum.accumulate(scaled[::-1])[::-1]
    for rank, place in enumerate(order):
        found[places[place]] = float(min(1.0, lowest[rank]))
    return found
