"""Outcome table → effects of rewording that survive all tests; confirmed on other data or a split; shrunk.

Everything that is asked (what each kind and change of wording costs, which outcomes it brings, whether the
runs of an item depend on its wording) is one family of tests, over all models and tasks together. What
survives Benjamini and Hochberg is a finding. Items or runs that did not pick it can confirm it.

What passes a test is what noise pushed the right way: a true cost of 10 points at 60 items passes in one of
ten runs and then reads 24. Given that it passed, it is in the tail of a normal distribution beyond the cut,
and the size that makes what was seen the mean of that tail is close to the truth on average. That conditional
maximum-likelihood estimate is the shrunk size. Far beyond the cut nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

import numpy as np
import polars as pl

from otherwords.core.contract import NOT_RUN
from otherwords.core.errors import InputError
from otherwords.core.table import KEY
from otherwords.metrics.change_breakdowns import by_change, by_outcome
from otherwords.metrics.intervals import RESAMPLES, Generalize
from otherwords.metrics.score_arrays import Grid, read_grid
from otherwords.metrics.significance import benjamini_hochberg, holm
from otherwords.metrics.wording_tests import phrasing_test

FINDING = 0.05
"""The largest q that is called a finding."""
CONFIRMED = 0.025
"""The largest p, on the finding's side and by Holm over all findings, that confirms one."""
ACCURACY = "accuracy"
ConfirmedOn: TypeAlias = Literal["items", "repeats"]
_NORMAL = NormalDist()
_SPAN = _NORMAL.inv_cdf(0.975)
_FAR = 8.0
"""Standard errors beyond which an effect would have been picked anyway."""
_STEPS = 60
_ITEM = ["task", "id"]
_PART = ("task", "model", "kind", "change")


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The same effect in data that did not pick it."""

    effect: float | None
    """Null where that data has no such wordings of that model."""
    low: float | None
    high: float | None
    p: float
    """That there is no such effect, on the finding's side, by Holm over all findings."""
    confirmed: bool
    n_items: int
    on: ConfirmedOn
    """`items`: items that did not pick it; `repeats`: other runs of the same items."""


@dataclass(frozen=True, slots=True)
class Finding:
    """An effect of one kind or change of wording on one model that noise does not explain."""

    task: str
    model: str
    kind: str
    change: str
    """Empty: the whole kind."""
    what: str
    """`accuracy`, or the outcome that it brings."""
    effect: float
    """As seen: accuracy lost against the original, or how much more often the outcome comes."""
    low: float | None
    high: float | None
    p: float
    q: float
    """By Benjamini and Hochberg over all that was asked."""
    shrunk: float
    """What it is likely to be, given that it was picked for being large."""
    shrunk_low: float
    shrunk_high: float
    n_items: int
    generalizes: str
    low_if_missing: float | None = None
    """The least that the effect could be if every run had a score; null where all have one."""
    high_if_missing: float | None = None
    confirmation: Confirmation | None = None


@dataclass(frozen=True)
class Found:
    """All that was asked of a table, and what survived."""

    findings: tuple[Finding, ...]
    """The largest effect first."""
    costs: pl.DataFrame
    """What each kind and change costs, survived or not, with q over all that was asked; see `by_change`."""
    items: dict[tuple[str, str, str], tuple[float, float]]
    """p and q of the items (task, model, id) whose own runs show that wording matters."""
    repeated: bool
    """Whether some wording was run twice, without which no single item can show anything."""
    n_tests: int


def find_effects(
    table: pl.DataFrame, *, generalize: Generalize | None = None, resamples: int = RESAMPLES, seed: int = 0
) -> Found:
    """All effects of rewording in an outcome table that survive Benjamini and Hochberg."""
    grid = read_grid(table)
    costs = by_change(grid, generalize=generalize, resamples=resamples)
    rates = by_outcome(grid, generalize=generalize, resamples=resamples)
    rates = rates.filter(pl.col("outcome") != NOT_RUN)
    # the only change of a kind is the kind, and is asked once
    changes = costs.filter(pl.col("change") != "")
    single = (
        changes.group_by("task", "model", "kind")
        .agg(pl.col("change"))
        .filter(pl.col("change").list.len() == 1)
    )
    twice = single.explode("change")
    asked = [
        *_asked(costs.join(twice, on=_PART, how="anti"), what=pl.lit(ACCURACY), effect="delta"),
        *_asked(rates.join(twice, on=_PART, how="anti"), what=pl.col("outcome"), effect="excess"),
    ]
    overall, of_items, repeated = _phrasing(table, grid, seed)
    p_values = [one["p"] for one in asked] + list(overall.values())
    q_values = benjamini_hochberg(p_values)
    picked = [q is not None and q <= FINDING for q in q_values]
    cut = FINDING * sum(picked) / max(sum(p is not None for p in p_values), 1)
    findings = [
        _finding(one, q, cut)
        for one, q, survives in zip(asked, q_values, picked, strict=False)
        if survives and q is not None
    ]
    agents = [agent for agent, survives in zip(overall, picked[len(asked) :], strict=True) if survives]
    q_of = {
        tuple(one[name] for name in _PART): q
        for one, q in zip(asked, q_values, strict=False)
        if one["what"] == ACCURACY
    }
    return Found(
        findings=tuple(sorted(findings, key=lambda one: (-abs(one.shrunk), one.task, one.model, one.kind))),
        costs=_with_q(costs, q_of),
        items=_sensitive(of_items, agents),
        repeated=repeated,
        n_tests=sum(p is not None for p in p_values),
    )


def _asked(rows: pl.DataFrame, what: pl.Expr, effect: str) -> list[dict[str, Any]]:
    """One test a row."""
    ends = ("low", "high", "low_if_missing", "high_if_missing")
    known = {end: f"{effect}_{end}" for end in ends if f"{effect}_{end}" in rows.columns}
    return rows.select(
        *_PART,
        what.alias("what"),
        pl.col(effect).alias("effect"),
        *(pl.col(name).alias(end) for end, name in known.items()),
        "p",
        "n_items",
        "generalizes",
    ).to_dicts()


def _finding(one: dict[str, Any], q: float, cut: float) -> Finding:
    known = one["low"] is not None and one["high"] is not None
    error = (one["high"] - one["low"]) / (2 * _SPAN) if known else None
    small = shrink(one["effect"], one["p"], cut, error=error)
    # a difference of two shares lies between −1 and 1; the normal distribution that shrinks it does not know
    value, low, high = (min(max(size, -1.0), 1.0) for size in (small.value, small.low, small.high))
    return Finding(**one, q=q, shrunk=value, shrunk_low=low, shrunk_high=high)


def _with_q(costs: pl.DataFrame, q_of: dict[tuple[Any, ...], float | None]) -> pl.DataFrame:
    q = []
    for row in costs.iter_rows(named=True):
        part = (row["task"], row["model"], row["kind"], row["change"])
        q.append(q_of.get(part, q_of.get((*part[:3], ""))))
    return costs.with_columns(pl.Series("q", q, dtype=pl.Float64))


def _phrasing(
    table: pl.DataFrame, grid: Grid, seed: int
) -> tuple[dict[tuple[str, str], float | None], pl.DataFrame, bool]:
    """Of each task and model whether its runs depend on the wording at all; and the same of each item."""
    overall: dict[tuple[str, str], float | None] = {}
    items = []
    for task, model in grid.names.select("task", "model").unique(maintain_order=True).iter_rows():
        mine = pl.col("task").fill_null("").eq(task) & pl.col("model").fill_null("").eq(model)
        tested = phrasing_test(table.filter(mine), seed=seed)
        if tested.p is not None:
            overall[task, model] = tested.p
            items.append(tested.items)
    empty = pl.DataFrame(schema={"task": pl.String, "model": pl.String, "id": pl.String, "p": pl.Float64})
    return overall, pl.concat([empty, *(one.select(empty.columns) for one in items)]), bool(items)


def _sensitive(
    items: pl.DataFrame, agents: Sequence[tuple[str, str]]
) -> dict[tuple[str, str, str], tuple[float, float]]:
    """The items that survive, among those of the tasks and models that do."""
    rows = [row for row in items.iter_rows() if (row[0], row[1]) in agents]
    q_values = benjamini_hochberg([row[3] for row in rows])
    found = {}
    for (task, model, item, p), q in zip(rows, q_values, strict=True):
        if q is not None and q <= FINDING:
            found[task, model, item] = (p, q)
    return found


def confirm(
    findings: Sequence[Finding], table: pl.DataFrame, on: ConfirmedOn, generalize: Generalize | None = None
) -> tuple[Finding, ...]:
    """Each finding with what `table`, which did not pick it, says of it."""
    grid = read_grid(table)
    seen: dict[tuple[str, ...], tuple[Any, ...]] = {}
    for rows, effect in (
        (by_change(grid, generalize=generalize).with_columns(outcome=pl.lit(ACCURACY)), "delta"),
        (by_outcome(grid, generalize=generalize), "excess"),
    ):
        columns = [effect, f"{effect}_low", f"{effect}_high", "p", "n_items"]
        for row in rows.select(*_PART, "outcome", *columns).iter_rows():
            seen[row[:5]] = row[5:]
    again = [_again(one, seen) for one in findings]
    if findings and not any(n_items for *_, n_items in again):
        asked = ", ".join(dict.fromkeys(f"{one.model or 'the model'} in {one.kind}" for one in findings))
        raise InputError(
            "what --confirm names has none of the wordings that the findings are about",
            hint=f"They are about: {asked}. Give logs of the same model, task and kinds of wording.",
        )
    sided = [
        _one_sided(one.effect, effect, p) for one, (effect, _, _, p, _) in zip(findings, again, strict=True)
    ]
    told = []
    for one, (effect, low, high, _, n_items), p in zip(findings, again, holm(sided), strict=True):
        sure = 1.0 if p is None else p
        confirmation = Confirmation(effect, low, high, sure, sure <= CONFIRMED, n_items, on)
        told.append(replace(one, confirmation=confirmation))
    return tuple(told)


def _again(one: Finding, seen: Mapping[tuple[str, ...], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The effect of a finding in other data, its ends, its p and the number of its items."""
    part = (one.task, one.model, one.kind, one.change)
    here = (*part, one.what)
    if here in seen:
        return seen[here]
    n_items = seen.get((*part, ACCURACY), (0,))[-1]
    # an outcome that never came up there is listed nowhere
    return (0.0 if n_items else None, None, None, None, n_items)


def _one_sided(picked: float, effect: float | None, p: float | None) -> float:
    if effect is None or p is None:
        return 1.0
    return p / 2 if effect * picked > 0 else 1 - p / 2


def fresh_rows(picked: pl.DataFrame, other: pl.DataFrame) -> tuple[pl.DataFrame, ConfirmedOn]:
    """Of `other` what did not pick: items that `picked` has not, or else other runs of the same items."""
    new_items = other.join(picked, on=_ITEM, how="anti", nulls_equal=True)
    if new_items.height:
        return new_items, "items"
    # a table has no logs by which runs could be told apart
    by_log = other.join(picked, on=[*KEY, "log"], how="anti", nulls_equal=True)
    runs = by_log if by_log.height else other
    both = runs.join(picked, on=list(KEY), nulls_equal=True, suffix="_picked")
    same = [pl.col(name).eq_missing(pl.col(f"{name}_picked")) for name in ("score", "answer", "response")]
    if both.height and both.select(pl.all_horizontal(same).all()).item():
        raise InputError(
            "what --confirm names says the same in every run as what the findings come from",
            hint="Give logs of other items, or of other runs of the same items; or split the items: --split.",
        )
    return runs, "repeats"


def split_items(table: pl.DataFrame, seed: int = 0) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of one half of the items, drawn at random, and those of the other half."""
    items = table.select(_ITEM).unique().sort(_ITEM)
    if items.height < 4:
        raise InputError(f"to split takes at least 4 items, and there are {items.height}")
    chosen = np.random.default_rng(seed).permutation(items.height)[: items.height // 2]
    first = items[np.sort(chosen).tolist()]
    here = table.join(first, on=_ITEM, how="semi", nulls_equal=True)
    return here, table.join(first, on=_ITEM, how="anti", nulls_equal=True)


@dataclass(frozen=True, slots=True)
class Shrunk:
    """An effect given that it was selected."""

    value: float
    low: float
    high: float


def shrink(effect: float, p: float, cut: float, *, error: float | None = None, level: float = 0.95) -> Shrunk:
    """What an effect is likely to be, given that it was picked because its p was at most `cut`.

    Args:
        effect: As it was seen.
        p: Its two-sided p.
        cut: The largest p that would have been picked.
        error: Its standard error; by default as p has it.
        level: Of the interval.

    Returns:
        The effect, nearer to zero, with an interval that holds the truth as often as `level` says among the
        effects that are picked.

    Example:
        >>> from otherwords.metrics.findings import shrink
        >>> near, far = shrink(0.24, p=0.004, cut=0.01), shrink(0.24, p=1e-9, cut=0.01)
        >>> round(near.value, 2), round(far.value, 2)
        (0.06, 0.24)
    """
    by_p = _size(p)
    if error is None:
        error = abs(effect) / by_p if by_p > 0 else 0.0
    seen = abs(effect) / error if error > 0 else 0.0
    # p may be Student's: the cut in the same units
    least = min(_size(cut) * seen / by_p, seen) if by_p > 0 else seen
    if seen > _FAR or seen == 0:
        half = _NORMAL.inv_cdf(0.5 + level / 2) * error
        return Shrunk(effect, effect - half, effect + half)
    value = _solve(lambda mean: _mean_beyond(mean, least) - seen, 0.0, seen)
    tail = (1 - level) / 2
    low = _solve(lambda mean: tail - _at_least(seen, mean, least), -_FAR, seen)
    high = _solve(lambda mean: 1 - tail - _at_least(seen, mean, least), 0.0, seen + _FAR)
    ends = [end * error for end in (low, high)]
    if effect < 0:
        return Shrunk(-value * error, -ends[1], -ends[0])
    return Shrunk(value * error, ends[0], ends[1])


def _size(p: float) -> float:
    """How many standard errors from zero an effect with this p is."""
    return -_NORMAL.inv_cdf(max(p, 1e-300) / 2)


def _solve(above: Callable[[float], float], low: float, high: float) -> float:
    """Where a function that rises and falls once from below zero to above it, or the other way, is zero."""
    rising = above(high) >= above(low)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if (above(middle) > 0) == rising else (middle, high)
    return (low + high) / 2


def _tail(z: float) -> float:
    """The chance of a normal number above `z`, also far out."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def _density(z: float) -> float:
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi)


def _mean_beyond(mean: float, cut: float) -> float:
    """The mean of a normal number around `mean`, given that it is farther than `cut` from zero."""
    chance = _tail(cut - mean) + _tail(cut + mean)
    return mean + (_density(cut - mean) - _density(cut + mean)) / chance


def _at_least(seen: float, mean: float, cut: float) -> float:
    """The chance that such a number is at least as large as what was seen."""
    chance = _tail(cut - mean) + _tail(cut + mean)
    return _tail(seen - mean) / chance if chance > 0 else float(mean > seen)
