"""`check_table`: an outcome table, thresholds and a baseline in; all that one gate asks, decided together.

A gate passes when all of its thresholds are met. It lets a model through that misses one with a chance of
2.5% at most, however many it asks, since that one has to pass by chance: no adjustment is needed. A miss, and
a fall below a baseline, is said of the worst of many: there the p are adjusted by Holm over all that the gate
asks (thresholds, models and tasks), so that the chance of any false miss or fall is 2.5% at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from otherwords.core.contract import OUTCOMES
from otherwords.core.errors import InputError
from otherwords.core.table import as_outcomes, by_task
from otherwords.core.types import Estimate
from otherwords.metrics.intervals import TOO_FEW_SHARED, Generalize, Side, check_generalize
from otherwords.metrics.measures import Measure, as_share, estimates, p_value
from otherwords.metrics.metric_registry import METRICS, measures_of
from otherwords.metrics.model_comparison import pair
from otherwords.metrics.outcome_rows import outcomes_of
from otherwords.metrics.significance import holm
from otherwords.metrics.thresholds import ALIASES, Decision, Limit, On, check_on, decide

FALLING = ("accuracy", "s_prompt")
"""Metrics that are compared with a baseline."""
_BEYOND_NOISE = {
    "fragility_score": ("excess_flips", 0.0, "the flip rate beyond noise"),
    "consistency_at_k": ("excess_flips", 0.0, "the flip rate beyond noise"),
    "s_prompt": ("s_corrected", 1.0, "S_prompt corrected for noise"),
    "s_norm": ("s_corrected", 1.0, "S_prompt corrected for noise"),
}
"""For metrics that noise moves as wording does: what wording does beyond noise, and the value of nothing."""


_COMPONENTS = ("item", "phrasing", "phrasing_share", "noise")


@dataclass(frozen=True, slots=True)
class Gate:
    """The result of `check_table`."""

    decisions: tuple[Decision, ...]
    notes: tuple[str, ...]
    """What to know about the comparison with the baseline."""


@dataclass(frozen=True)
class _Question:
    """One thing that a gate asks."""

    task: str
    model: str
    limit: Limit
    estimate: Estimate
    p: float | None
    """That the limit is truly met; small where the data say that it is not."""


def check_table(
    outcomes: pl.DataFrame,
    thresholds: Mapping[str, float],
    *,
    benchmark: str | None = None,
    baseline: pl.DataFrame | None = None,
    max_fall: float = 0.0,
    on: On = "bound",
    generalize: Generalize | None = None,
) -> Gate:
    """One decision for each task, model and threshold.

    Args:
        outcomes: Outcome table: a polars or pandas frame with the columns id, variant and score at least.
        thresholds: Limits by name: `min_` or `max_` and a metric.
        benchmark: Only this task.
        baseline: The outcome table of an earlier run, whose accuracy and S_prompt must not have fallen.
        max_fall: How far they may fall.
        on: See `check`.
        generalize: For whom the decisions are to speak: other `items`, other `wordings`, or `both`; by
            default `both` where wordings are shared by items, and else `items`.

    Returns:
        The decisions, and notes on the baseline and on what may be noise.

    Raises:
        InputError: There is no such metric or task, or no model in common with the baseline.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics import check_table
        >>> rows = [(f"q{n}", name, 1.0) for n in range(40) for name in ("orig", "para1")]
        >>> table = pl.DataFrame(rows, schema=["id", "variant", "score"], orient="row")
        >>> gate = check_table(table, {"min_accuracy": 0.8})
        >>> gate.decisions[0].status
        'pass'
    """
    check_on(on)
    check_generalize(generalize)
    table = outcomes_of(outcomes, benchmark).with_columns(pl.col("task", "model").fill_null(""))
    parts = {str(task): part for task, part in by_task(table)}
    asked = [one for task, part in parts.items() for one in _asked(part, task, thresholds, generalize)]
    notes: list[str] = []
    if baseline is not None:
        before = as_outcomes(baseline).with_columns(pl.col("task", "model").fill_null(""))
        for task, part in parts.items():
            falls, said = _falls(part, before, task, max_fall, generalize)
            asked += falls
            notes += said
    decisions = [
        decide(one.limit, one.estimate, on, group=one.model, task=one.task, p=p, questions=len(asked))
        for one, p in zip(asked, holm([one.p for one in asked]), strict=True)
    ]
    notes += dict.fromkeys(note for one in asked for note in _too_few_shared(one.estimate))
    notes += dict.fromkeys(note for one in decisions for note in _noise_notes(one, parts[one.task]))
    return Gate(tuple(decisions), tuple(notes))


def _asked(
    table: pl.DataFrame, task: str, thresholds: Mapping[str, float], generalize: Generalize | None
) -> Iterator[_Question]:
    """Every threshold of every model of one task."""
    groups: dict[str, dict[str, Measure]] = {}
    if thresholds:
        for measure in measures_of(table, metrics=_needed(thresholds)):
            groups.setdefault(measure.group, {})[measure.metric] = measure
    for model, measures in groups.items():
        for name, number in thresholds.items():
            limit = Limit.read(name, number, measures)
            measure = measures[limit.metric]
            (estimate,) = estimates([measure], generalize=generalize)
            estimate = as_share(estimate) if limit.metric == "phrasing_share" else estimate
            yield _Question(task, model, limit, estimate, _p_met(limit, measure, generalize))


def _p_met(limit: Limit, measure: Measure, generalize: Generalize | None) -> float | None:
    side: Side = "below" if limit.at_least else "above"
    return p_value(measure, limit.number, generalize=generalize, side=side)


def _needed(thresholds: Mapping[str, float]) -> list[str] | None:
    """The metrics that have these thresholds' values; None for all, where a name is not that of a metric."""
    needed = []
    for name in thresholds:
        asked = name.partition("_")[2]
        metric = ALIASES.get(asked, asked)
        if metric.removesuffix("_rate") in OUTCOMES:
            metric = "outcome_rates"
        if metric in _COMPONENTS:
            metric = "variance_components"
        if metric not in METRICS.names():
            return None
        needed.append(metric)
    return list(dict.fromkeys(needed))


def _falls(
    now: pl.DataFrame, before: pl.DataFrame, task: str, max_fall: float, generalize: Generalize | None
) -> tuple[list[_Question], list[str]]:
    """What became of accuracy and S_prompt of each model that the baseline has too."""
    then = _baseline_of(before, task)
    models = [model for model in now["model"].unique(maintain_order=True) if model in set(then["model"])]
    if not models:
        raise InputError(f"the baseline has no model of task '{task}' in common with the logs")
    asked = []
    absent = [model for model in now["model"].unique(maintain_order=True) if model not in models]
    notes = [f"{model}: not in the baseline, so that nothing is compared" for model in absent]
    for model in models:
        found = pair(then, now, model_a=model, model_b=model, metrics=FALLING)
        notes += [f"{model}: {note}" for note in found.notes]
        for _, _, change in found.measures:
            limit = Limit(f"max_fall_of_{change.metric}", change.metric, True, -max_fall, is_fall=True)
            (estimate,) = estimates([change], generalize=generalize, tested=True)
            asked.append(_Question(task, model, limit, estimate, _p_met(limit, change, generalize)))
    return asked, notes


def _baseline_of(before: pl.DataFrame, task: str) -> pl.DataFrame:
    """The baseline's rows of the task, under its name or the last part of it."""
    exact = before.filter(task=task)
    if exact.height:
        return exact
    return before.filter(pl.col("task").str.split("/").list.last() == task.rpartition("/")[2])


def _too_few_shared(estimate: Estimate) -> list[str]:
    """Why an interval does not speak for other wordings, although items share some."""
    return [part for part in estimate.reason.split("; ") if part.endswith(TOO_FEW_SHARED)]


def _noise_notes(decision: Decision, table: pl.DataFrame) -> Iterator[str]:
    """What a threshold of the difference between wordings that is not met may be: only run-to-run noise."""
    beyond = _BEYOND_NOISE.get(decision.metric)
    if beyond is None or decision.passed or decision.value is None or decision.name.startswith("max_fall"):
        return
    metric, none, name = beyond
    measures = measures_of(table, metrics=[metric])
    (estimate,) = estimates([one for one in measures if one.group == decision.group])
    asked = f"{decision.group}, {decision.name.replace('_', '-')}"
    if estimate.value is None:
        yield f"{asked}: how much of it is run-to-run noise cannot be told from one repeat (--repeats 3)"
    elif estimate.low is not None and estimate.high is not None and estimate.low <= none <= estimate.high:
        between = f"({estimate.low:.3f} to {estimate.high:.3f})"
        yield f"{asked}: run-to-run noise alone may explain it; {name} is {estimate.value:.3f} {between}"
