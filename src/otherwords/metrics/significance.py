"""Significance tests: McNemar's with a paired sign-flip test beside it; Benjamini–Hochberg and Holm.

Differences of scores are coarse (multiples of ¼ or ⅕), so many sign flips tie with the observed difference;
counted whole, the original against the mean of its variants is rejected in 4–6% where 5% is meant.
Everything else takes its p from the error of its interval (`measures.p_value`): a sign-flip test asks that
differences be symmetric, and rejected 13% of the time where one model's variance was in 8% of the items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from otherwords.core.errors import InputError
from otherwords.metrics.accuracy_metrics import LACKS_ONE, NO_PAIR
from otherwords.metrics.measures import NO_ROWS
from otherwords.metrics.metric_registry import metric
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.score_arrays import ScoreArrays

FLIPS = 10_000
_EXACT_UP_TO = 13
_MONTE_CARLO_UP_TO = 2_000
_DECIMALS = 12
CAVEAT = (
    "rest conclusions on sign_flip_p: a majority over wordings is an ensemble, which differs from one run "
    "even where wording has no effect, so McNemar's p is too small"
)


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The result of a sign-flip test."""

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
        return SignFlip(_as_far(sums, seen) / 2**n, n, f"exact over {2**n} sign flips")
    if len(sizes) > _MONTE_CARLO_UP_TO:
        z = seen / math.sqrt(float(counts @ sizes**2))
        return SignFlip(math.erfc(z / math.sqrt(2)), n, "normal approximation to sign flips")
    # items of the same size are exchangeable: flipping them is drawing how many stay positive
    kept = np.random.default_rng(seed).binomial(counts, 0.5, size=(flips, len(sizes)))
    sums = (2.0 * kept - counts) @ sizes
    p = (1 + _as_far(sums, seen)) / (1 + flips)
    return SignFlip(p, n, f"{flips} random sign flips")


def _as_far(sums: FloatArray, seen: float) -> int:
    """How many are at least as far from zero as what was seen."""
    return int(np.sum(np.abs(sums) - seen >= -1e-9 * (1 + seen)))


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """The q of each p: call everything with q ≤ 0.05 a finding, and about 5% of the findings are false.

    Args:
        p_values: The p of each test; None for a test that could not be made, which is not counted.

    Returns:
        The q of each test, in the same order; None where there is no p.

    Raises:
        InputError: If a p is not between 0 and 1.

    Example:
        >>> from otherwords.metrics import benjamini_hochberg
        >>> benjamini_hochberg([0.01, None, 0.04])
        [0.02, None, 0.04]
    """
    places = [place for place, p in enumerate(p_values) if p is not None]
    found: list[float | None] = [None] * len(p_values)
    if not places:
        return found
    p = np.array([p_values[place] for place in places], dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise InputError(f"a p value lies between 0 and 1, got {p[~((p >= 0) & (p <= 1))][0]}")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    # a smaller p never has a larger q
    lowest = np.minimum.accumulate(scaled[::-1])[::-1]
    for rank, place in enumerate(order):
        found[places[place]] = float(min(1.0, lowest[rank]))
    return found


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Each p adjusted by Holm: those at most 0.05 are all true findings with a chance of 95% at least.

    Args:
        p_values: The p of each test; None for a test that could not be made, which is not counted.

    Returns:
        The adjusted p of each test, in the same order; None where there is no p.

    Raises:
        InputError: If a p is not between 0 and 1.

    Example:
        >>> from otherwords.metrics.significance import holm
        >>> holm([0.01, None, 0.04])
        [0.02, None, 0.04]
    """
    places = [place for place, p in enumerate(p_values) if p is not None]
    found: list[float | None] = [None] * len(p_values)
    p = np.array([p_values[place] for place in places], dtype=np.float64)
    if not np.all((p >= 0) & (p <= 1)):
        raise InputError(f"a p value lies between 0 and 1, got {p[~((p >= 0) & (p <= 1))][0]}")
    order = np.argsort(p, kind="stable")
    # a larger p never has a smaller one
    adjusted = np.maximum.accumulate(np.minimum(p[order] * np.arange(len(p), 0, -1), 1.0))
    for rank, place in enumerate(order):
        found[places[place]] = float(adjusted[rank])
    return found


@dataclass(frozen=True, slots=True)
class McNemar:
    """McNemar's test of the original against its variants, with a cluster-valid sign-flip test beside it.

    `b`: original right and majority wrong; `c`: the reverse. Rest conclusions on `sign_flip_p`.
    """

    group: str
    n: int
    """(item, model) pairs compared, ties not among them."""
    b: int
    c: int
    ties: int
    """Pairs where exactly half is right, over the wordings or over the original's repeats."""
    p: float | None
    log_p: float | None
    """Natural logarithm; `p` itself becomes 0 on very many items."""
    sign_flip_p: float | None
    sign_flip_method: str
    mean_difference: float | None
    """Of the sign-flip test: mean score of the original minus that of the other wordings."""
    n_items: int
    n_rows: int
    n_missing: int
    reason: str


@metric(summarised=False)
def mcnemar_orig_vs_variants(arrays: ScoreArrays, *, flips: int = FLIPS, seed: int = 0) -> McNemar:
    """McNemar's test of the original against its variants' majority, beside a cluster-valid sign-flip test.

    McNemar's p is here because it is often asked for. It is not valid: comparing one run with a majority
    rejects half the time at a nominal 5% when accuracy is 0.3 and five wordings differ only by run-to-run
    noise. The sign-flip test on the items' differences holds its level; rest conclusions on `sign_flip_p`.

    Args:
        arrays: The scores.
        flips: Random sign flips, where there are too many items to try all.
        seed: Seed of the sign flips.

    Returns:
        Both tests, with the counts that they rest on.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import mcnemar_orig_vs_variants
        >>> table = pl.DataFrame(
        ...     {"id": ["a", "a", "b", "b"], "variant": ["orig", "para1"] * 2, "score": [1.0, 0.0, 1.0, 1.0]}
        ... )
        >>> test = mcnemar_orig_vs_variants(table)
        >>> test.b, test.c, test.p, test.sign_flip_p
        (1, 0, 1.0, 1.0)
    """
    orig, majority, both = arrays.orig_and_rest(arrays.correct)
    near_half = (np.abs(orig - 0.5) < 1e-9) | (np.abs(majority - 0.5) < 1e-9)
    untied = both & ~near_half
    b = int(np.sum(untied & (orig > 0.5) & (majority < 0.5)))
    c = int(np.sum(untied & (orig < 0.5) & (majority > 0.5)))
    n, n_pairs = int(untied.sum()), int(both.sum())
    log_p = log_exact_binomial(b, c) if n else None

    orig_score, rest_score, _ = arrays.orig_and_rest(arrays.mean)
    difference = np.where(both, orig_score - rest_score, 0.0)
    per_item = arrays.sum_groups(difference)[arrays.sum_groups(both) > 0]
    test = sign_flip_test(per_item, flips, seed)
    return McNemar(
        group=arrays.label,
        n=n,
        b=b,
        c=c,
        ties=n_pairs - n,
        p=None if log_p is None else math.exp(log_p),
        log_p=log_p,
        sign_flip_p=test.p,
        sign_flip_method=test.method,
        mean_difference=float(difference.sum()) / n_pairs if n_pairs else None,
        n_items=len(per_item),
        n_rows=int(arrays.scored[both].sum()),
        n_missing=int((arrays.rows - arrays.scored).sum()),
        reason=_reason(arrays, n_pairs, n),
    )


def _reason(arrays: ScoreArrays, n_pairs: int, n: int) -> str:
    if not n_pairs:
        return NO_PAIR if arrays.grid.n_groups else NO_ROWS
    notes = [CAVEAT]
    if not n:
        notes.insert(0, "McNemar is null: every pair is a tie")
    if n_pairs < arrays.n_groups:
        notes.append(f"{arrays.n_groups - n_pairs} of {arrays.n_groups} pairs left out: {LACKS_ONE}")
    return "; ".join(notes)


def log_exact_binomial(b: int, c: int) -> float:
    """Logarithm of min(1, 2 P(X ≤ min(b, c))) for X of Binomial(b + c, ½), without underflow."""
    n, k = b + c, min(b, c)
    largest = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    # each term below the largest is smaller by j / (n − j + 1); the tail is their running product
    j = np.arange(k, 0, -1, dtype=np.float64)
    tail = 1.0 + float(np.sum(np.exp(np.cumsum(np.log(j / (n - j + 1))))))
    return min(0.0, math.log(2) + largest + math.log(tail))
