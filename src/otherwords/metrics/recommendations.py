"""`fix`: the items that depend on their wording, the changes that cost accuracy, and advice in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from otherwords.core.families import traits_of
from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.breakdowns import by_change
from otherwords.metrics.metric_registry import summarise
from otherwords.metrics.outcome_rows import IntArray
from otherwords.metrics.phrasing_permutation import phrasing_test
from otherwords.metrics.score_arrays import ScoreArrays, read_grid

FINDING = 0.05
"""The largest q that is called a finding."""
MANY_UNREADABLE = 0.05
INSENSITIVE = 0.5


@dataclass(frozen=True, slots=True)
class SensitiveItem:
    """A wording that fails beside one that passes; the wordings themselves are looked up by these names."""

    task: str
    model: str
    id: str
    failing: str
    failing_kind: str
    failing_change: str
    failing_score: float
    passing: str
    passing_score: float
    n_failing: int
    """Wordings that score below the best one."""
    n_variants: int
    p: float | None
    """That shuffled runs would differ as much between wordings; null without repeats."""
    q: float | None

    @property
    def gap(self) -> float:
        return self.passing_score - self.failing_score


@dataclass(frozen=True)
class Recommendations:
    """The result of `fix`."""

    items: tuple[SensitiveItem, ...]
    """Widest gap first; among equals those where most wordings fail."""
    costs: pl.DataFrame
    """What each kind and each change costs, the largest loss first, with intervals and q: see `by_change`."""
    suggestions: tuple[str, ...]


def fix(
    table: Any,
    task: str | None = None,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Recommendations:
    """What to fix: the items that depend on their wording, the changes that cost accuracy, and advice.

    Args:
        table: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        task: Only rows of this task; its name with or without the package before the slash.
        resamples: Bootstrap resamples for the intervals; 0 for none.
        seed: Seed of the resampling and of the tests.

    Returns:
        Each sensitive item with a wording that fails and one that passes, what each kind and change costs,
        and suggestions in sentences.

    Raises:
        InputError: The table has no such task, or rows that cannot be measured.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import fix
        >>> table = pl.DataFrame({"id": "a", "variant": ["orig", "para1"], "score": [1.0, 0.0]})
        >>> [(one.id, one.failing, one.passing) for one in fix(table).items]
        [('a', 'para1', 'orig')]
    """
    grid = read_grid(table, task)
    tested = phrasing_test(table, task, seed=seed).items
    chances = {row[:3]: row[3:] for row in tested.iter_rows()}
    items = sorted(
        _sensitive(grid.select(), chances),
        key=lambda one: (-one.gap, -one.n_failing / one.n_variants, one.task, one.model, one.id),
    )
    costs = by_change(table, task, resamples=resamples, seed=seed)
    summary = summarise(table, task, metrics=_SUMMARISED, resamples=resamples, seed=seed)
    suggestions = [
        sentence
        for model in grid.models
        for sentence in _suggestions(model, items, costs.filter(pl.col("model") == model), summary)
    ]
    several = len(grid.models) > 1
    by_loss = costs.sort("delta", descending=True, nulls_last=True, maintain_order=True)
    return Recommendations(
        tuple(items), by_loss, tuple(f"{model}: {text}" if several else text for model, text in suggestions)
    )


_SUMMARISED = ["variance_components", "format_failure_rate", "responsiveness", "delta_accuracy", "accuracy"]


def _sensitive(
    arrays: ScoreArrays, chances: dict[tuple[Any, ...], tuple[Any, ...]]
) -> Iterator[SensitiveItem]:
    grid = arrays.grid
    if not len(arrays.group):
        return
    names = [grid.variants[place] for place in grid.variant[arrays.chosen]]
    best, worst = _best_and_worst(arrays)
    below = arrays.sum_cells(arrays.mean < arrays.mean[best][arrays.group] - 1e-9)
    for group in np.flatnonzero((arrays.variants >= 2) & (arrays.gap > 1e-9)):
        low, high = int(worst[group]), int(best[group])
        task, model, item = key = arrays.names.row(int(group))
        p, q = chances.get(key, (None, None))
        yield SensitiveItem(
            task=task,
            model=model,
            id=item,
            failing=names[low],
            failing_kind=grid.kinds[grid.kind[arrays.chosen[low]]],
            failing_change=grid.changes[grid.change[arrays.chosen[low]]],
            failing_score=float(arrays.mean[low]),
            passing=names[high],
            passing_score=float(arrays.mean[high]),
            n_failing=int(below[group]),
            n_variants=int(arrays.variants[group]),
            p=p,
            q=q,
        )


def _best_and_worst(arrays: ScoreArrays) -> tuple[IntArray, IntArray]:
    """Of each group the cell with the highest score (the original among equals) and with the lowest."""
    ends = np.maximum(np.cumsum(arrays.variants) - 1, 0)
    starts = np.minimum(np.cumsum(arrays.variants) - arrays.variants, len(arrays.group) - 1)
    rounded = np.round(arrays.mean, 9)
    upward = np.lexsort((arrays.original, rounded, arrays.group))
    return upward[ends], upward[starts]


def _suggestions(
    model: str,
    items: list[SensitiveItem],
    costs: pl.DataFrame,
    summary: dict[str, dict[str, Estimate]],
) -> Iterator[tuple[str, str]]:
    found = summary.get(model) or next(iter(summary.values()))
    findings = costs.filter(pl.col("q") <= FINDING, pl.col("delta") > 0)
    for row in findings.filter(pl.col("change") == "").sort("delta", descending=True).iter_rows(named=True):
        advice = traits_of(row["kind"]).advice
        yield model, f"Wordings of kind '{row['kind']}' cost {_points(row)}; {advice}."
    for row in findings.filter(pl.col("change") != "").sort("delta", descending=True).iter_rows(named=True):
        yield model, f"The change '{row['change']}' ({row['kind']}) costs {_points(row)}."
    helps = costs.filter(pl.col("q") <= FINDING, pl.col("delta") < 0, pl.col("change") == "")
    for row in helps.iter_rows(named=True):
        yield model, f"Wordings of kind '{row['kind']}' score better than the original: adopt one of them."
    if findings.is_empty() and costs.height:
        yield model, _nothing_found(found["delta_accuracy"])
    for sentence in (_noise(found), _unreadable(found), _insensitive(found), _items(model, items)):
        if sentence:
            yield model, sentence


def _points(row: dict[str, Any]) -> str:
    between = ""
    if row["delta_low"] is not None:
        between = f" ({100 * row['delta_low']:.0f} to {100 * row['delta_high']:.0f})"
    where = f"{row['n_items']} items of {row['task']}" if row["task"] else f"{row['n_items']} items"
    return f"{100 * row['delta']:.0f} points of accuracy{between} on {where}, q = {row['q']:.3g}"


def _nothing_found(delta: Estimate) -> str:
    text = "No kind of rewording is known to cost accuracy"
    if delta.value is None or delta.low is None or delta.high is None:
        return f"{text}, which with so few items says little."
    return (
        f"{text}; over all of them the loss is {100 * delta.value:.1f} points ({100 * delta.low:.1f} to "
        f"{100 * delta.high:.1f}), and more items would narrow that."
    )


def _noise(found: dict[str, Estimate]) -> str:
    phrasing, noise = found["phrasing"].value, found["noise"].value
    if phrasing is None or noise is None or noise <= max(phrasing, 0.0):
        return ""
    return (
        "Run-to-run noise (the same prompt asked again) moves the outcome more than wording does: lower the "
        "temperature, or take the majority of several runs, before rewording anything."
    )


def _unreadable(found: dict[str, Estimate]) -> str:
    rate = found["format_failure_rate"].value
    if rate is None or rate < MANY_UNREADABLE:
        return ""
    return (
        f"{rate:.0%} of the replies could not be read: ask for the answer's format more plainly, or read it "
        f"more leniently."
    )


def _insensitive(found: dict[str, Estimate]) -> str:
    changed = found["responsiveness"].value
    if changed is None or changed >= INSENSITIVE:
        return ""
    return (
        f"Only {changed:.0%} of the answers change where the question's meaning does: stability here may be "
        f"insensitivity to the question."
    )


def _items(model: str, items: list[SensitiveItem]) -> str:
    mine = [one for one in items if one.model == model]
    sure = sum(one.q is not None and one.q <= FINDING for one in mine)
    if not mine:
        return ""
    noun = "item scores" if len(mine) == 1 else "items score"
    text = f"{len(mine)} {noun} differently from one wording to another"
    if any(one.q is not None for one in mine):
        return f"{text}; for {sure} of them that is more than run-to-run noise (q ≤ {FINDING})."
    return f"{text}; with one repeat, this cannot be told from run-to-run noise (--repeats 3)."
