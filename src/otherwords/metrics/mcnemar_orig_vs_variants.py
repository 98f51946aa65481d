"""mcnemar_orig_vs_variants: the seed's test, with the one to believe beside it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.delta_accuracy import LACKS_ONE, NO_PAIR
from otherwords.metrics.measure import METRICS, Metric
from otherwords.metrics.sign_flip import FLIPS, sign_flip_test

CAVEAT = (
    "rest conclusions on sign_flip_p: a majority over wordings is an ensemble, which differs from one run "
    "even where wording has no effect, so McNemar's p is too small"
)


@dataclass(frozen=True, slots=True)
class McNemar:
    """`b`: original right and majority wrong; `c`: the reverse. `sign_flip_p` is the test to believe."""

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


def mcnemar_orig_vs_variants(
    table: Any, task: str | None = None, *, model: str | None = None, flips: int = FLIPS, seed: int = 0
) -> McNemar:
    """Exact McNemar of the original against the majority over its variants, and a paired sign-flip test.

    McNemar's p is here because it is often asked for. It is not valid: comparing one run with a majority
    rejects half the time at a nominal 5% when accuracy is 0.3 and five wordings differ in nothing but luck.
    The sign-flip test on the items' differences holds its level; rest conclusions on `sign_flip_p`.
    """
    return _compare(read_cells(table, task, model), flips, seed)


def _compare(cells: Cells, flips: int, seed: int) -> McNemar:
    orig, majority, both = cells.orig_and_rest(cells.correct)
    near_half = (np.abs(orig - 0.5) < 1e-9) | (np.abs(majority - 0.5) < 1e-9)
    untied = both & ~near_half
    b = int(np.sum(untied & (orig > 0.5) & (majority < 0.5)))
    c = int(np.sum(untied & (orig < 0.5) & (majority > 0.5)))
    n, n_pairs = int(untied.sum()), int(both.sum())
    log_p = log_exact_binomial(b, c) if n else None

    orig_score, rest_score, _ = cells.orig_and_rest(cells.mean)
    difference = np.where(both, orig_score - rest_score, 0.0)
    per_item = cells.sum_groups(difference)[cells.sum_groups(both) > 0]
    test = sign_flip_test(per_item, flips, seed)
    return McNemar(
        group=cells.label,
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
        n_rows=int(cells.scored[both].sum()),
        n_missing=int((cells.rows - cells.scored).sum()),
        reason=_reason(cells, n_pairs, n),
    )


def _reason(cells: Cells, n_pairs: int, n: int) -> str:
    if not n_pairs:
        return NO_PAIR if cells.grid.n_groups else "the table has no rows to measure"
    notes = [CAVEAT]
    if not n:
        notes.insert(0, "McNemar is null: every pair is a tie")
    if n_pairs < cells.n_groups:
        notes.append(f"{cells.n_groups - n_pairs} of {cells.n_groups} pairs left out: {LACKS_ONE}")
    return "; ".join(notes)


def log_exact_binomial(b: int, c: int) -> float:
    """log of min(1, 2 P(X ≤ min(b, c))) for X of Binomial(b + c, ½), without underflow."""
    n, k = b + c, min(b, c)
    largest = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)
    # each term below the largest is smaller by j / (n − j + 1); the tail is their running product
    j = np.arange(k, 0, -1, dtype=np.float64)
    tail = 1.0 + float(np.sum(np.exp(np.cumsum(np.log(j / (n - j + 1))))))
    return min(0.0, math.log(2) + largest + math.log(tail))


METRICS.add("mcnemar_orig_vs_variants", Metric(mcnemar_orig_vs_variants))
