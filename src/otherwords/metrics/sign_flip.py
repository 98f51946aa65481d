"""The paired sign-flip test: were the items' differences as likely to point the other way?

The p is a mid-p: flips that reach exactly what was seen count half. Differences of scores are coarse
(multiples of ¼ or ⅕), so many flips tie, and counting them whole rejects 2–4% of the time where 5% is meant.
Counting half rejects 4–6% at 50 items (benchmarks/sim_statistics.py), less where hardly any item differs.
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


def sign_flip_test(differences: FloatArray, flips: int = FLIPS, seed: int = 0) -> SignFlip:
    """Two-sided p that the mean difference is zero, with one difference for each independent item."""
    if not len(differences):
        return SignFlip(None, 0, "no items")
    rounded = np.abs(np.round(differences, _DECIMALS))
    sizes, counts = np.unique(rounded[rounded > 0], return_counts=True)
    n = int(counts.sum())
    if n == 0:
        return SignFlip(1.0, 0, "all differences are zero")
    seen = abs(float(np.sum(differences)))
    if n <= _EXACT_UP_TO:
        signs = 1 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        sums = signs @ np.repeat(sizes, counts)
        return SignFlip(_as_far(sums, seen) / 2**n, n, f"exact over {2**n} sign flips, mid-p")
    if len(sizes) > _MONTE_CARLO_UP_TO:
        z = seen / math.sqrt(float(counts @ sizes**2))
        return SignFlip(math.erfc(z / math.sqrt(2)), n, "normal approximation to sign flips")
    # items of the same size are exchangeable: flipping them is drawing how many stay positive
    kept = np.random.default_rng(seed).binomial(counts, 0.5, size=(flips, len(sizes)))
    sums = (2.0 * kept - counts) @ sizes
    return SignFlip((0.5 + _as_far(sums, seen)) / (1 + flips), n, f"{flips} random sign flips, mid-p")


def _as_far(sums: FloatArray, seen: float) -> float:
    """How many are farther from zero than what was seen, and half of those as far."""
    apart = np.abs(sums) - seen
    near = 1e-9 * (1 + seen)
    return float(np.sum(apart > near) + 0.5 * np.sum(np.abs(apart) <= near))
