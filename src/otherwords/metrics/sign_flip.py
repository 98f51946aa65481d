"""The paired sign-flip test: were the items' differences as likely to point the other way?"""

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
    seen = abs(float(np.sum(differences))) * (1 - 1e-9) - 1e-9
    if n <= _EXACT_UP_TO:
        signs = 1 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        sums = signs @ np.repeat(sizes, counts)
        return SignFlip(float(np.mean(np.abs(sums) >= seen)), n, f"exact over {2**n} sign flips")
    if len(sizes) > _MONTE_CARLO_UP_TO:
        z = abs(float(np.sum(differences))) / math.sqrt(float(counts @ sizes**2))
        return SignFlip(math.erfc(z / math.sqrt(2)), n, "normal approximation to sign flips")
    # items of the same size are exchangeable: flipping them is drawing how many stay positive
    kept = np.random.default_rng(seed).binomial(counts, 0.5, size=(flips, len(sizes)))
    sums = (2.0 * kept - counts) @ sizes
    p = (1 + int(np.sum(np.abs(sums) >= seen))) / (1 + flips)
    return SignFlip(p, n, f"{flips} random sign flips")
