"""Confidence intervals over items, or over items and wordings: takes sums over items, gives the interval.

A statistic is a smooth function of sums over items; an item enters whole, with its wordings, repeats and
models. To its rows a few made-up items are added, at both ends of what an item can say: two at each end of a
level such as accuracy (Agresti and Coull's four), one at each end of a signed difference (Bonett and Price)
or of a variance component. The interval is Student's t around the value of all of them, with the jackknife's
standard error; that of a signed difference is corrected for skewness by Hall's transformation. So it has a
width where all items agree, allows for items of a sort that was not seen, and stays within the range of the
metric. Nothing is drawn at random.

Where wordings are shared by items (formats, positions of options), other wordings would have moved all items
together. The two-way error adds what the means of the wordings vary beyond what single cells explain, by
analysis of variance, with Satterthwaite's degrees of freedom. benchmarks/sim_statistics.py has the coverage
of both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from otherwords.core.errors import InputError
from otherwords.metrics.outcome_rows import FloatArray
from otherwords.metrics.significance import (
    Cells,
    WordingSpread,
    column_sums,
    nonzero_rows,
    spread_of_cells,
    student_t,
    student_t_above,
    without_residual,
    wording_freedom,
)

Combine: TypeAlias = Callable[[FloatArray], FloatArray]
"""Sums in the last axis to values; NaN where the metric is not defined."""
Generalize: TypeAlias = Literal["items", "wordings", "both"]
"""For whom an interval speaks: other items, other wordings of these items, or both."""
Side: TypeAlias = Literal["two", "above", "below"]

RESAMPLES = 2000
"""Kept for callers of 0.1: with 0 there is no interval, every other number is the same."""
LEVEL = 0.95
FEWEST_WORDINGS = 3
"""Shared wordings beside the original below which an interval speaks for others only if that was asked for:
with fewer, nearly any value is possible."""
TOO_FEW_SHARED = "too few to speak for others"
"""How the reason ends where there are fewer."""
FEW_ITEMS = 10
"""Below this many the made-up items decide as much as the real ones."""
_FAR = 3.0
"""Standard errors."""
_NEAR = 1e-12


class Scale(NamedTuple):
    """A rising function from what `combine` gives to what is reported, and the way back."""

    there: Callable[[float], float]
    back: Callable[[float], float]


@dataclass(frozen=True)
class Statistic:
    """A function of sums over items."""

    columns: FloatArray
    """One row an item, one column a sum. An item that does not enter has zeros only."""
    combine: Combine
    ends: tuple[FloatArray, FloatArray] | None = None
    """Rows of made-up items that say the least and the most that one item can; None: none are added."""
    at_each_end: int = 2
    signed: bool = False
    """Whether it is a signed difference. Its ends pull it towards zero, which is too far where the few items
    that differ all do so in one direction: the interval is corrected for that skewness."""
    tested_at: float = 1.0
    """Where the ends of a signed difference are when it is tested, as a share of where they are. An interval
    allows for items that were not seen and lose all; a test asks whether what was seen is noise, and noise in
    a mean over wordings does not reach that far."""
    scale: Scale | None = None
    cells: Callable[[], Cells] | None = None
    """None for a statistic that is no mean over wordings: its interval speaks for other items only."""
    second_order: float = 0.0
    """Variance that the jackknife does not see, of a statistic that is no smooth function of sums where it
    matters: a variance between items hardly moves with any one of them where half are right and half wrong.
    Where there is some, the ends are as far from the value as from the centre that pseudo-items give."""

    _errors: dict[tuple[Generalize, int, bool], Error | str] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """What was worked out: intervals at several levels share it."""

    @cached_property
    def spread(self) -> WordingSpread:
        """How far wordings differ, of a statistic that has cells."""
        return wording_spread(self)

    @cached_property
    def value(self) -> float | None:
        """The statistic of the rows as they are; None where it is not defined."""
        with np.errstate(all="ignore"):
            value = float(self.combine(column_sums(self.columns)[None, :])[0])
        if not math.isfinite(value):
            return None
        return self.scale.there(value) if self.scale else value


@dataclass(frozen=True)
class Interval:
    """The two ends, or why there are none."""

    low: float | None
    high: float | None
    method: str = ""
    reason: str = ""
    generalizes: str = ""


@dataclass(frozen=True)
class Error:
    """The centre of an interval, its standard error with its degrees of freedom, and whom it speaks for."""

    centre: float
    variance: float
    freedom: float
    skew: float
    """Skewness of the estimate itself, over items."""
    generalizes: Generalize
    method: str
    reason: str = ""

    def end(self, t: float) -> float:
        """The end of the interval `t` standard errors below the centre, or above it where `t` is negative."""
        return self.centre - _inverse_hall(t, self.skew) * math.sqrt(self.variance)

    def standard(self, at: float) -> float:
        """How far the centre is above `at`, in standard errors, corrected for skewness."""
        return _hall((self.centre - at) / math.sqrt(self.variance), self.skew)


def check_generalize(generalize: str | None) -> None:
    """Refuse what is no `Generalize`."""
    if generalize is not None and generalize not in get_args(Generalize):
        raise InputError(f"generalize must be 'items', 'wordings' or 'both', got '{generalize}'")


def intervals(
    statistics: Sequence[Statistic],
    resamples: int = RESAMPLES,
    seed: int = 0,
    level: float = LEVEL,
    generalize: Generalize = "items",
    fewest: int = 2,
    *,
    tested: bool = False,
) -> list[Interval]:
    """An interval for each statistic; with `resamples` 0 none. The seed is not used: nothing is drawn.

    With fewer than `fewest` shared wordings, `both` becomes `items`. With `tested` they are those of a test,
    which exclude what `chance` does.
    """
    if resamples < 0:
        raise InputError(f"resamples must not be negative, got {resamples}")
    if seed < 0:
        raise InputError(f"seed must not be negative, got {seed}")
    check_generalize(generalize)
    if resamples == 0:
        return [Interval(None, None, reason="no interval: none was asked for")] * len(statistics)
    return [_interval(one, level, generalize, fewest, tested) for one in statistics]


def _interval(
    statistic: Statistic, level: float, generalize: Generalize, fewest: int, tested: bool
) -> Interval:
    return interval_of(statistic, _error(statistic, generalize, fewest, tested), level)


def interval_of(statistic: Statistic, error: Error | str, level: float) -> Interval:
    """The interval that an error gives; none where that is a reason why there is no error."""
    value = statistic.value
    if isinstance(error, str) or value is None:
        reason = error if isinstance(error, str) else "no interval: the value itself is not defined"
        return Interval(None, None, reason=reason)
    t = student_t(0.5 + level / 2, error.freedom)
    lowest, highest = _range(statistic)
    low, high = error.end(t), error.end(-t)
    if statistic.second_order:
        away = value - error.centre
        low, high = low + min(away, 0.0), high + max(away, 0.0)
    low, high = max(lowest, low), min(highest, high)
    if statistic.scale:
        low, high = statistic.scale.there(max(low, lowest)), statistic.scale.there(high)
    return Interval(min(low, value), max(high, value), error.method, error.reason, error.generalizes)


def chance(
    statistic: Statistic, at: float, generalize: Generalize = "items", side: Side = "two", fewest: int = 2
) -> float | None:
    """P of the hypothesis that the true value is `at`, by the error of its test; None without one.

    `side` is `two`, or the side of `at` on which the truth is suspected: `above` or `below`.
    """
    error = _error(statistic, generalize, fewest, tested=True)
    if isinstance(error, str):
        return None
    there = statistic.scale.back(at) if statistic.scale else at
    if error.variance < _NEAR**2:
        below = 0.5 if abs(error.centre - there) < _NEAR else float(error.centre < there)
    else:
        below = student_t_above(error.standard(there), error.freedom)
    if side == "two":
        return min(1.0, 2 * min(below, 1 - below))
    return below if side == "above" else 1 - below


def _hall(z: float, skew: float) -> float:
    """Hall's transformation: about normal where `z` is a standardised mean of skewed values.

    It is for values near the mean. Farther out than `_FAR` it would flatten, and only its shift is kept.
    """
    near = min(max(z, -_FAR), _FAR)
    return z + skew * near**2 / 3 + skew**2 * near**3 / 27 + skew / 6


def _inverse_hall(x: float, skew: float) -> float:
    """The z whose transformed value is `x`."""
    if abs(skew) < _NEAR:
        return x
    for end in (-_FAR, _FAR):
        beyond = x - _hall(end, skew)
        if beyond * end > 0:
            return end + beyond
    inside = 1 + skew * (x - skew / 6)
    return 3 / skew * (math.copysign(abs(inside) ** (1 / 3), inside) - 1)


def _range(statistic: Statistic) -> tuple[float, float]:
    """What the metric is between, by its ends; infinite where an end by itself has no value."""
    if statistic.ends is None:
        return -math.inf, math.inf
    with np.errstate(all="ignore"):
        least, most = statistic.combine(np.vstack(statistic.ends)).tolist()
    if least > most:
        least, most = most, least
    return least if math.isfinite(least) else -math.inf, most if math.isfinite(most) else math.inf


def _error(statistic: Statistic, generalize: Generalize, fewest: int, tested: bool) -> Error | str:
    """The error of a statistic, or why it has none; worked out once."""
    asked = (generalize, fewest, tested and statistic.signed)
    if asked not in statistic._errors:
        statistic._errors[asked] = _worked_out(statistic, *asked)
    return statistic._errors[asked]


def _worked_out(statistic: Statistic, generalize: Generalize, fewest: int, tested: bool) -> Error | str:
    enters = nonzero_rows(statistic.columns)
    columns = statistic.columns if enters.all() else statistic.columns[enters]
    n_items = len(columns)
    if not n_items:
        return "no interval: no item enters"
    if generalize == "wordings":
        return _over_wordings(replace(statistic, columns=columns))
    if n_items == 1:
        return "no interval: it takes at least two items, and there is one"
    ends = np.vstack(statistic.ends) if statistic.ends else np.empty((0, columns.shape[1]))
    if tested and statistic.signed and len(ends):
        middle = ends.mean(axis=0)
        ends = middle + statistic.tested_at * (ends - middle)
    added = np.repeat(ends, statistic.at_each_end, axis=0)
    rows = np.vstack([columns, added])
    totals, n_rows = column_sums(rows), len(rows)
    with np.errstate(all="ignore"):
        centre = float(statistic.combine(totals[None, :])[0])
        without_one = statistic.combine(totals - rows)
    if not math.isfinite(centre) or not np.isfinite(without_one).all():
        return "no interval: not defined without some of the items"
    apart = without_one.mean() - without_one
    variance = (n_rows - 1) / n_rows * float(np.sum(np.square(apart))) + statistic.second_order
    skew = 0.0
    if statistic.signed and variance > _NEAR**2:
        # of the real items: seen from a mean that is not zero, the made-up ones are no longer alike
        real = apart[:n_items] - apart[:n_items].mean()
        skew = ((n_rows - 1) / n_rows) ** 3 * float(np.sum(real**3)) / variance**1.5
    if variance < _NEAR**2 and not len(added):
        return f"no interval: all {n_items:,} items gave the same value"
    made_up = f", {len(added)} pseudo-items" if len(added) else ""
    made_up += ", corrected for skewness" if statistic.signed else ""
    few = f"only {n_items} items: the interval is rough" if n_items < FEW_ITEMS else ""
    found = Error(centre, variance, n_rows - 1, skew, "items", f"Student's t over items{made_up}", few)
    return _with_wordings(statistic, found, n_items, fewest) if generalize == "both" else found


def _with_wordings(statistic: Statistic, items: Error, n_items: int, fewest: int) -> Error:
    """The error over items, with what shared wordings add to it."""
    if statistic.cells is None:
        return items
    spread = statistic.spread
    if spread.n_others == 0:
        return replace(items, generalizes="both")
    if spread.n_others < max(fewest, 2):
        few = "1 shared wording is" if spread.n_others == 1 else f"{spread.n_others} shared wordings are"
        reason = f"{few} {TOO_FEW_SHARED}"
        return replace(items, reason="; ".join(one for one in (items.reason, reason) if one))
    if spread.wordings + spread.residual < _NEAR**2:
        # nothing tells how far other wordings would differ
        return items
    method = items.method.replace("over items", "over items and wordings")
    both = replace(items, generalizes="both", method=method)
    residual = spread.residual * without_residual(spread.n_shared)
    between = spread.wordings - residual
    # equal but for rounding is equal, whatever the order of the rows
    if between <= 1e-9 * (residual + items.variance):
        return both
    variance = items.variance + between
    freedom = wording_freedom(spread.n_shared)
    parts = (
        items.variance**2 / items.freedom
        + spread.wordings**2 / freedom
        + residual**2 / (freedom * max(n_items - 1, 1))
    )
    skew = items.skew * (items.variance / variance) ** 1.5
    return replace(both, variance=variance, freedom=variance**2 / parts, skew=skew)


def _over_wordings(statistic: Statistic) -> Error | str:
    """The error over other wordings of the same items."""
    if statistic.cells is None:
        return "no interval: this metric has none for other wordings of the same items"
    value = statistic.value
    if value is None:
        return "no interval: the value itself is not defined"
    spread = statistic.spread
    parts = [(spread.own, spread.own_freedom), (spread.wordings, wording_freedom(spread.n_shared))]
    usable = [(variance, freedom) for variance, freedom in parts if freedom > 0]
    variance = sum(one for one, _ in usable)
    if not usable or variance < _NEAR**2:
        return "no interval: it takes at least two wordings that differ"
    freedom = variance**2 / sum(one**2 / of for one, of in usable)
    centre = statistic.scale.back(value) if statistic.scale else value
    return Error(centre, variance, freedom, 0.0, "wordings", "Student's t over wordings")


def wording_spread(statistic: Statistic) -> WordingSpread:
    """Of a statistic that has cells."""
    assert statistic.cells is not None
    return spread_of_cells(statistic.cells(), _gradient(statistic))


def _gradient(statistic: Statistic) -> FloatArray:
    """How the value moves with each of the sums."""
    totals = column_sums(statistic.columns)
    step = 1e-6 * np.maximum(np.abs(totals), 1.0)
    with np.errstate(all="ignore"):
        up, down = (statistic.combine(totals + sign * np.diag(step)) for sign in (1, -1))
    found: FloatArray = np.nan_to_num((up - down) / (2 * step))
    return found
