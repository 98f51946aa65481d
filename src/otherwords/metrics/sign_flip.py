"""The paired sign-flip test: were the items' differences as likely to point the other way?

Differences of scores are coarse (multiples of ¼ or ⅕), so many flips tie with what was seen, and how ties
count decides the level. For two agents the differences are symmetric where there is nothing to find, and
counting ties whole rejects 3–4% of the time where 5% is meant; counting them half (a mid-p) rejects 4–6%. The
original against the mean of its variants is skewed when nearly all is right: there half rejects up to 6.5%
and whole 4–6%. So `compare` counts half and the rest whole (benchmarks/sim_statistics.py has the table).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from otherwords.metrics.bootstrap import FloatArray

FLIPS = 10_000
_EXACT_UP_TO = 13
_MONTE_CARLO_UP_TO = 2_000
_DECIMALS = 12


@dataclass(frozen=True, slots=True)
class SignFlip:
    p: float | None
    n: int
    """Items whose difference is not zero; the others cannot tell either way."""
    method: str


def sign_flip_test(
    differences: FloatArray, flips: int = FLIPS, seed: int = 0, *, ties: float = 1.0
) -> SignFlip:
    """Two-sided p that the mean difference is zero, with one difference for each independent item.

    `ties` is what a flip counts that comes out exactly as far as what was seen: 1, or ½ for a mid-p.
    """
    if not len(differences):
        return SignFlip(None, 0, "no items")
    rounded = np.abs(np.round(differences, _DECIMALS))
    sizes, counts = np.unique(rounded[rounded > 0], return_counts=True)
    n = int(counts.sum())
    if n == 0:
        return SignFlip(1.0, 0, "all differences are zero")
    seen = abs(float(np.sum(differences)))
    how = "" if ties == 1 else ", ties counted in part"
    if n <= _EXACT_UP_TO:
        signs = 1 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        sums = signs @ np.repeat(sizes, counts)
        return SignFlip(_as_far(sums, seen, ties) / 2**n, n, f"exact over {2**n} sign flips{how}")
    if len(sizes) > _MONTE_CARLO_UP_TO:
        z = seen / math.sqrt(float(counts @ sizes**2))
        return SignFlip(math.erfc(z / math.sqrt(2)), n, "normal approximation to sign flips")
    # items of the same size are exchangeable: flipping them is drawing how many stay positive
    kept = np.random.default_rng(seed).binomial(counts, 0.5, size=(flips, len(sizes)))
    sums = (2.0 * kept - counts) @ sizes
    p = (ties + _as_far(sums, seen, ties)) / (1 + flips)
    return SignFlip(p, n, f"{flips} random sign flips{how}")


def _as_far(sums: FloatArray, seen: float, ties: float) -> float:
    """How many are farther from zero than what was seen, those as far counted as `ties`."""
    apart = np.abs(sums) - seen
    near = 1e-9 * (1 + seen)
    return float(np.sum(apart > near) + ties * np.sum(np.abs(apart) <= near))
