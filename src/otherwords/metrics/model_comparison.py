"""`compare`: the change of each metric between two runs or models, on items and wordings that both have.

The change of a metric is a statistic of the items that both sides have, with an interval as any other. Its p
asks whether it may be noise; the interval also allows for items that were not seen and change wholly, and may
hold 0 where p is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.contract import SAME_RUNS
from otherwords.core.errors import InputError
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import RESAMPLES, Generalize, Statistic
from otherwords.metrics.measures import Measure, estimates, p_value
from otherwords.metrics.metric_registry import METRICS
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, has_score, outcomes_of, unknown_name
from otherwords.metrics.score_arrays import read_grid
from otherwords.metrics.significance import Cells, nonzero_rows

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
    "outcome_rates",
)
_OF_REPLIES = ("format_failure_rate", "outcome_rates")
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
    """That the change is none."""
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
    generalize: Generalize | None = None,
    resamples: int = RESAMPLES,
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
        generalize: For whom the change is to speak: other `items`, other `wordings`, or `both`; by default
            `both` where wordings are shared by items, and else `items`.
        resamples: 0 for no intervals.
        seed: Not used: nothing is drawn at random.

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
        >>> round(accuracy.change.value, 3), round(accuracy.p, 2)
        (0.5, 0.21)
    """
    found = pair(a, b, task, model_a=model_a, model_b=model_b, metrics=metrics)
    measures = [one for three in found.measures for one in three]
    estimated = iter(estimates(measures, resamples, seed, generalize=generalize))
    differences = []
    for _, _, change in found.measures:
        before, after, changed = next(estimated), next(estimated), next(estimated)
        p = p_value(change, generalize=generalize)
        differences.append(Difference(change.metric, before, after, changed, p, changed.method))
    return Comparison(found.a, found.b, tuple(differences), found.n_items, found.n_wordings, found.notes)


@dataclass(frozen=True)
class Paired:
    """Two runs on the items and wordings that both have, before any interval."""

    a: str
    b: str
    measures: tuple[tuple[Measure, Measure, Measure], ...]
    """Of each metric the first side's, the second side's, and the change."""
    n_items: int
    n_wordings: int
    notes: tuple[str, ...]


def pair(
    a: Any,
    b: Any,
    task: str | None = None,
    *,
    model_a: str | None = None,
    model_b: str | None = None,
    metrics: Sequence[str] = HEADLINE,
) -> Paired:
    """The measures that `compare` makes its estimates of; see there for the arguments."""
    first, name_a = side_of(a, task, model_a, "first", "model_a")
    second, name_b = side_of(b, task, model_b, "second", "model_b")
    if name_a == name_b:
        name_a, name_b = f"{name_a} (a)", f"{name_b} (b)"
    second, notes = same_task(first, second)
    same = _are_same(first, second)
    notes += [f"{SAME_RUNS}: every change is 0"] if same else []
    here, there = _wordings(first), _wordings(second)
    pairs = here.join(there, on=PAIR, suffix="_b", maintain_order="left")
    scored = pairs.filter(pl.col("scored") & pl.col("scored_b"))
    notes += _what_differs(here, there, pairs, scored)
    unscored = [side.join(pairs, on=PAIR, how="semi").filter(~_SCORED).height for side in (first, second)]
    missing = _if_missing(first, second, pairs, metrics) if any(unscored) else {}
    measures: list[tuple[Measure, Measure, Measure]] = []
    for replies in (False, True):
        kept = pairs if replies else scored
        names = [name for name in metrics if (name in _OF_REPLIES) == replies]
        if not names:
            continue
        measured_a = _measures(first.join(kept, on=PAIR, how="semi"), names, name_a)
        measured_b = _measures(second.join(kept, on=PAIR, how="semi"), names, name_b)
        for before, after in zip(measured_a, measured_b, strict=True):
            *sides, change = difference(before, after)
            if same and change.statistic is not None:
                change = replace(change, statistic=None, value=0.0, notes=(SAME_RUNS,))
            if change.metric in missing:
                change = replace(change, if_missing=missing[change.metric], n_missing=sum(unscored))
            measures.append((sides[0], sides[1], change))
    return Paired(
        a=name_a,
        b=name_b,
        measures=tuple(measures),
        n_items=scored.select(pl.struct("task", "id").n_unique()).item() if scored.height else 0,
        n_wordings=scored.height,
        notes=tuple(notes),
    )


def side_of(
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


def same_task(first: pl.DataFrame, second: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """One task on each side under two names is taken to be the same task."""
    here, there = first["task"].unique().to_list(), second["task"].unique().to_list()
    if len(here) == len(there) == 1 and here != there:
        note = f"the task is called '{here[0]}' on one side and '{there[0]}' on the other; paired by item"
        return second.with_columns(pl.lit(here[0]).alias("task")), [note]
    return second, []


def _are_same(first: pl.DataFrame, second: pl.DataFrame) -> bool:
    """Whether both are the very same runs, by their logs: two runs that agree in all are not."""
    return first["log"].null_count() == 0 and first.equals(second)


_SCORED = has_score()


def _wordings(frame: pl.DataFrame) -> pl.DataFrame:
    return (
        frame.group_by(PAIR)
        .agg(_SCORED.any().alias("scored"), _SCORED.sum().alias("runs"))
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
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _some(names: list[str]) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN:,} more"


def _measures(frame: pl.DataFrame, names: Sequence[str], label: str) -> Iterator[Measure]:
    arrays = replace(read_grid(frame).select(), label=label)
    for name in names:
        metric = METRICS.get(name)
        if metric.measures is None:
            raise InputError(f"'{name}' is not a metric with one value that could be compared")
        yield from (one for one in metric.measures(arrays) if one.metric not in _NOT_COMPARED)


def _if_missing(
    first: pl.DataFrame, second: pl.DataFrame, pairs: pl.DataFrame, metrics: Sequence[str]
) -> dict[str, tuple[float, float]]:
    """The least and the most that a change could be, had every run of a wording that both have a score."""
    of_scores = [name for name in metrics if name not in _OF_REPLIES]
    sides = [
        {one.metric: _bounds(one) for one in _measures(side.join(pairs, on=PAIR, how="semi"), of_scores, "")}
        for side in (first, second)
    ]
    found = {}
    for name, a in sides[0].items():
        b = sides[1].get(name)
        if a is not None and b is not None and (a[0] < a[1] or b[0] < b[1]):
            found[name] = (b[0] - a[1], b[1] - a[0])
    return found


def _bounds(measure: Measure) -> tuple[float, float] | None:
    if measure.if_missing is not None:
        return measure.if_missing
    value = None if measure.statistic is None else measure.statistic.value
    return None if value is None else (value, value)


def difference(a: Measure, b: Measure) -> tuple[Measure, Measure, Measure]:
    """Both measures on the items where both have a value, and `b` − `a`, paired by item and wording.

    Row n of both statistics must be about the same item.
    """
    group = f"{b.group} − {a.group}"
    if a.statistic is None or b.statistic is None:
        side = a if a.statistic is None else b
        reason = f"{side.group}: {'; '.join(side.notes)}"
        none = replace(
            a, group=group, statistic=None, n_items=0, n_rows=0, notes=(reason,), value=None, if_missing=None
        )
        return a, b, none
    enters = nonzero_rows(a.statistic.columns) & nonzero_rows(b.statistic.columns)
    n_items = int(enters.sum())
    first, second = (_on_rows(side.statistic, enters) for side in (a, b) if side.statistic is not None)
    alone = int((nonzero_rows(a.statistic.columns) | nonzero_rows(b.statistic.columns)).sum()) - n_items
    items = "1 item" if alone == 1 else f"{alone} items"
    notes = (f"{items} left out: a value on one side only",) if alone else ()
    change = Measure(
        metric=a.metric,
        group=group,
        statistic=_minus(first, second) if n_items else None,
        n_items=n_items,
        n_rows=a.n_rows + b.n_rows,
        n_missing=a.n_missing + b.n_missing,
        notes=notes if n_items else ("no item has a value on both sides",),
        undefined=f"{a.undefined}, on one side or on both",
        shared_wordings=a.shared_wordings or b.shared_wordings,
    )
    return (
        replace(a, statistic=first, n_items=n_items),
        replace(b, statistic=second, n_items=n_items),
        change,
    )


def _on_rows(statistic: Statistic, kept: BoolArray) -> Statistic:
    made, place = statistic.cells, np.cumsum(kept) - 1

    def cells() -> Cells:
        assert made is not None
        all_cells = made()
        inside = kept[all_cells.item]
        share = None if all_cells.share is None else all_cells.share[inside]
        item = place[all_cells.item[inside]]
        columns, wording = all_cells.columns[inside], all_cells.wording[inside]
        return Cells(item, wording, columns, share, all_cells.with_original)

    return replace(statistic, columns=statistic.columns[kept], cells=None if made is None else cells)


def _minus(a: Statistic, b: Statistic) -> Statistic:
    """B − a, with one pseudo-item at each end: the most on one side and the least on the other."""
    width = a.columns.shape[1]

    def combine(sums: FloatArray) -> FloatArray:
        return _scaled(b, sums[..., width:]) - _scaled(a, sums[..., :width])

    def cells() -> Cells:
        assert a.cells is not None
        assert b.cells is not None
        of_a, of_b = a.cells(), b.cells()
        empty_a, empty_b = np.zeros((len(of_b.item), width)), np.zeros((len(of_a.item), b.columns.shape[1]))
        columns = np.vstack([np.hstack([of_a.columns, empty_b]), np.hstack([empty_a, of_b.columns])])
        item, wording = (np.concatenate([one, other]) for one, other in zip(of_a[:2], of_b[:2], strict=True))
        share = None
        if of_a.share is not None and of_b.share is not None:
            share = np.concatenate([of_a.share, of_b.share])
        return Cells(item, wording, columns, share, of_a.with_original)

    ends = None
    if a.ends is not None and b.ends is not None:
        ends = (np.concatenate([a.ends[1], b.ends[0]]), np.concatenate([a.ends[0], b.ends[1]]))
    return Statistic(
        np.hstack([a.columns, b.columns]),
        combine,
        ends,
        at_each_end=1,
        signed=True,
        tested_at=min(a.tested_at, b.tested_at),
        cells=cells if a.cells is not None and b.cells is not None else None,
    )


def _scaled(statistic: Statistic, sums: FloatArray) -> FloatArray:
    values = statistic.combine(sums)
    return values if statistic.scale is None else np.vectorize(statistic.scale.there)(values)
