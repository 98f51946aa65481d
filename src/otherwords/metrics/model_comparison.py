"""`compare`: the change of each metric between two runs or models, on items and wordings that both have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import SCORED
from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES, Combine, Statistic
from otherwords.metrics.measures import Measure, estimates
from otherwords.metrics.metric_registry import METRICS
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, outcomes_of, unknown_name
from otherwords.metrics.score_arrays import read_grid
from otherwords.metrics.significance import FLIPS, SignFlip, sign_flip_test

HEADLINE = (
    "accuracy",
    "accuracy_orig",
    "s_prompt",
    "s_norm",
    "s_corrected",
    "min_max_gap",
    "consistency_at_k",
    "fragility_score",
    "excess_flips",
    "delta_accuracy",
    "robust_at_k",
    "c_out",
    "variance_components",
    "responsiveness",
    "format_failure_rate",
)
_OF_REPLIES = ("format_failure_rate",)
"""Metrics of rows that need no score; for the others a wording counts when both sides have one."""
_NOT_COMPARED = ("item", "phrasing_share", "c_out_unbiased", "min_max_gap_max")
PAIR = ["task", "id", "variant"]
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric on both sides, and how it changes."""

    metric: str
    a: Estimate
    b: Estimate
    change: Estimate
    """b − a, with an interval that moves both sides of an item together."""
    p: float | None
    """Sign-flip test on the items' differences, ties counted half."""
    test: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`."""

    a: str
    b: str
    differences: tuple[Difference, ...]
    n_items: int
    n_wordings: int
    """Pairs of item and wording with a score on both sides."""
    notes: tuple[str, ...]
    """What one side has and the other has not; empty when both ran the same."""

    def changes(self) -> dict[str, Estimate]:
        """Each change under its metric's name and `_change`, as `check` takes them."""
        return {f"{one.metric}_change": one.change for one in self.differences}


def compare(
    a: Any,
    b: Any,
    task: str | None = None,
    *,
    model_a: str | None = None,
    model_b: str | None = None,
    metrics: Sequence[str] = HEADLINE,
    resamples: int = RESAMPLES,
    flips: int = FLIPS,
    seed: int = 0,
) -> Comparison:
    """What changes from `a` to `b`: each headline metric's difference with its interval and test.

    Only items and wordings with a score on both sides are used. The same table twice compares two models.

    Args:
        a: Outcome table of the first run: a polars or pandas frame.
        b: Outcome table of the second run.
        task: Only rows of this task; its name with or without the package before the slash.
        model_a: Which model of `a`; needed where it has several.
        model_b: Which model of `b`; needed where it has several.
        metrics: Names in `METRICS`.
        resamples: Bootstrap resamples for the intervals; 0 for none.
        flips: Random sign flips for each test, where there are too many items to try all.
        seed: Seed of the resampling and of the sign flips.

    Returns:
        A difference for each metric, and notes of what only one side has.

    Raises:
        InputError: A side has several models and none was chosen, or no such task or model.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import compare
        >>> names = {"id": ["a", "a", "b", "b", "c", "c"], "variant": ["orig", "para1"] * 3}
        >>> before = pl.DataFrame({**names, "score": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]})
        >>> after = pl.DataFrame({**names, "score": [1.0, 1.0, 1.0, 0.0, 1.0, 1.0]})
        >>> (accuracy,) = compare(before, after, metrics=["accuracy"]).differences
        >>> round(accuracy.change.value, 3), accuracy.p
        (0.5, 0.125)
    """
    first, name_a = _side(a, task, model_a, "first", "model_a")
    second, name_b = _side(b, task, model_b, "second", "model_b")
    if name_a == name_b:
        name_a, name_b = f"{name_a} (a)", f"{name_b} (b)"
    second, notes = _same_task(first, second)
    here, there = _wordings(first), _wordings(second)
    pairs = here.join(there, on=PAIR, suffix="_b", maintain_order="left")
    scored = pairs.filter(pl.col("scored") & pl.col("scored_b"))
    notes += _what_differs(here, there, pairs, scored)
    differences: list[Difference] = []
    for replies in (False, True):
        kept = pairs if replies else scored
        names = [name for name in metrics if (name in _OF_REPLIES) == replies]
        measured_a = _measures(first.join(kept, on=PAIR, how="semi"), names, name_a)
        measured_b = _measures(second.join(kept, on=PAIR, how="semi"), names, name_b)
        differences += _differences(list(measured_a), list(measured_b), resamples, flips, seed)
    return Comparison(
        a=name_a,
        b=name_b,
        differences=tuple(differences),
        n_items=scored.select(pl.struct("task", "id").n_unique()).item() if scored.height else 0,
        n_wordings=scored.height,
        notes=tuple(notes),
    )


def _side(
    table: Any, task: str | None, model: str | None, which: str, argument: str
) -> tuple[pl.DataFrame, str]:
    frame = outcomes_of(table, task).with_columns(pl.col("task", "model").fill_null(""))
    models = sorted(frame["model"].unique().to_list())
    if model is not None:
        if model not in models:
            raise unknown_name("model", model, set(models))
        return frame.filter(pl.col("model") == model), model or which
    if len(models) > 1:
        raise InputError(
            f"the {which} table has {len(models)} models: {', '.join(models)}",
            hint=f"Choose one: {argument}.",
        )
    return frame, (models[0] if models else "") or which


def _same_task(first: pl.DataFrame, second: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """One task on each side under two names is taken to be the same task."""
    here, there = first["task"].unique().to_list(), second["task"].unique().to_list()
    if len(here) == len(there) == 1 and here != there:
        note = f"the task is called '{here[0]}' on one side and '{there[0]}' on the other; paired by item"
        return second.with_columns(pl.lit(here[0]).alias("task")), [note]
    return second, []


def _wordings(frame: pl.DataFrame) -> pl.DataFrame:
    scored = pl.col("score").is_not_null() & pl.col("status").fill_null(SCORED).eq(SCORED)
    return (
        frame.group_by(PAIR)
        .agg(scored.any().alias("scored"), scored.sum().alias("runs"))
        .sort(PAIR, maintain_order=True)
    )


def _what_differs(
    here: pl.DataFrame, there: pl.DataFrame, pairs: pl.DataFrame, scored: pl.DataFrame
) -> list[str]:
    notes = []
    for mine, other, name in ((here, there, "first"), (there, here, "second")):
        items = mine.join(other, on=["task", "id"], how="anti")
        if items.height:
            ids = items["id"].unique(maintain_order=True).to_list()
            notes.append(f"{_count(len(ids), 'item')} only in the {name}: {_some(ids)}")
        apart = mine.join(other, on=PAIR, how="anti").join(other, on=["task", "id"], how="semi")
        if apart.height:
            names = apart["variant"].unique().sort().to_list()
            notes.append(f"{_count(apart.height, 'wording')} only in the {name}: {_some(names)}")
    if pairs.height > scored.height:
        lost = pairs.height - scored.height
        notes.append(f"{_count(lost, 'wording')} left out: no score on one side or on both")
    if scored.height and not scored.filter(pl.col("runs") != pl.col("runs_b")).is_empty():
        mean_a, mean_b = (float(np.mean(scored[name].to_numpy())) for name in ("runs", "runs_b"))
        notes.append(
            f"the numbers of repeats differ ({mean_a:.3g} and {mean_b:.3g} a wording): the side with fewer "
            f"has more run-to-run noise in its variance"
        )
    if not scored.height:
        notes.append("nothing to compare: no item and wording has a score on both sides")
    return notes


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _some(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def _measures(frame: pl.DataFrame, names: Sequence[str], label: str) -> Iterator[Measure]:
    arrays = replace(read_grid(frame).select(), label=label)
    for name in names:
        metric = METRICS.get(name)
        if metric.measures is None:
            raise InputError(f"'{name}' is not a metric with one value that could be compared")
        yield from (one for one in metric.measures(arrays) if one.metric not in _NOT_COMPARED)


def _differences(
    measures_a: list[Measure], measures_b: list[Measure], resamples: int, flips: int, seed: int
) -> Iterator[Difference]:
    paired = [_paired(a, b) for a, b in zip(measures_a, measures_b, strict=True)]
    found = iter(estimates([measure for three in paired for measure in three], resamples, seed))
    for _, _, change in paired:
        a, b, difference = next(found), next(found), next(found)
        test = _test(change.statistic, flips, seed)
        yield Difference(change.metric, a, b, difference, test.p, test.method)


def _paired(a: Measure, b: Measure) -> tuple[Measure, Measure, Measure]:
    """Both measures on the items where both have a value, and their difference."""
    group = f"{b.group} − {a.group}"
    if a.statistic is None or b.statistic is None:
        side = a if a.statistic is None else b
        reason = f"{side.group}: {'; '.join(side.notes)}"
        return a, b, replace(a, group=group, statistic=None, n_items=0, n_rows=0, notes=(reason,))
    enters = _enters(a.statistic) & _enters(b.statistic)
    sides = [
        replace(
            side, statistic=replace(statistic, columns=statistic.columns[enters]), n_items=int(enters.sum())
        )
        for side, statistic in ((a, a.statistic), (b, b.statistic))
    ]
    alone = int((_enters(a.statistic) | _enters(b.statistic)).sum()) - int(enters.sum())
    notes = (f"{_count(alone, 'item')} left out: a value on one side only",) if alone else ()
    n_first = a.statistic.columns.shape[1]
    columns = np.hstack([a.statistic.columns[enters], b.statistic.columns[enters]])
    change = Measure(
        metric=a.metric,
        group=group,
        statistic=_change(columns, a.statistic, b.statistic, n_first) if enters.any() else None,
        n_items=int(enters.sum()),
        n_rows=a.n_rows + b.n_rows,
        n_missing=a.n_missing + b.n_missing,
        notes=notes if enters.any() else ("no item has a value on both sides",),
        undefined=f"{a.undefined}, on one side or on both",
    )
    return sides[0], sides[1], change


def _change(columns: FloatArray, a: Statistic, b: Statistic, n_first: int) -> Statistic:
    """It goes no farther than from the least to the most that the metric can be."""
    farthest, reach = 2.0, None
    if a.reach is not None and b.reach is not None:
        farthest = max(a.reach[1], b.reach[1]) - min(a.reach[0], b.reach[0])
        reach = (-farthest, farthest)
    return Statistic(columns, _minus(a.combine, b.combine, n_first), True, farthest, reach)


def _enters(statistic: Statistic) -> BoolArray:
    entering: BoolArray = np.any(statistic.columns != 0, axis=1)
    return entering


def _minus(first: Combine, second: Combine, n_first: int) -> Combine:
    def difference(sums: FloatArray) -> FloatArray:
        return second(sums[..., n_first:]) - first(sums[..., :n_first])

    return difference


def _test(statistic: Statistic | None, flips: int, seed: int) -> SignFlip:
    """On what each item by itself says of the difference (its jackknife pseudo-value)."""
    if statistic is None or len(statistic.columns) < 2:
        return SignFlip(None, 0, "takes at least two items")
    totals, n_items = statistic.columns.sum(axis=0), len(statistic.columns)
    with np.errstate(all="ignore"):
        value = statistic.combine(totals[None, :])[0]
        own = n_items * value - (n_items - 1) * statistic.combine(totals - statistic.columns)
    if not np.isfinite(own).all():
        return SignFlip(None, 0, "not defined without some of the items")
    return sign_flip_test(np.asarray(own), flips, seed, ties=0.5)
