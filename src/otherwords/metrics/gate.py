"""`check`, `check_table`: estimates or a table, thresholds, a baseline → whether each is met, and why.

A threshold is met when the worse end of the interval meets it, and missed when the better end misses it. What
runs without a score could change moves the whole interval: only what holds with all of them at their worst
and with all of them at their best is told.

A gate passes when all of its thresholds are met. It lets a model through that misses one with a chance of
2.5% at most, however many it asks, since that one has to pass by chance: no adjustment is needed. A miss, and
a fall below a baseline, is said of the worst of many: there the p are adjusted by Holm over all that the gate
asks (thresholds, models and tasks), so that the chance of any false miss or fall is 2.5% at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import polars as pl

from otherwords.core.contract import OUTCOMES, SAME_RUNS
from otherwords.core.errors import InputError
from otherwords.core.table import as_outcomes, by_task
from otherwords.core.texts import about, could_change, why_decided, why_fall
from otherwords.core.types import Estimate
from otherwords.core.verdict import ALIASES, FAILS, PASSES, UNDECIDED, Decision, DecisionStatus, Limit
from otherwords.metrics.intervals import TOO_FEW_SHARED, Generalize, Side, check_generalize
from otherwords.metrics.measures import Measure, as_share, estimates, p_value
from otherwords.metrics.metric_registry import METRICS, measures_of
from otherwords.metrics.model_comparison import pair
from otherwords.metrics.outcome_rows import select_outcomes
from otherwords.metrics.significance import holm
from otherwords.metrics.template_ranking import SPREAD, template_spread

On: TypeAlias = Literal["bound", "value"]
"""What is compared with a threshold: the worse end of the interval, or the estimate."""
_HOPELESS = 30.0
"""Half-widths from the limit: where the value is so near that, a thousand times the calls would not tell."""
ERROR = 0.025
"""The chance of a false pass of a gate, and of any false miss or fall: one side of a 95% interval."""


def check(
    estimates: Mapping[str, Estimate],
    thresholds: Mapping[str, float],
    *,
    on: On = "bound",
) -> list[Decision]:
    """Decide for each threshold whether the estimates meet it.

    A metric without a value fails: what was not measured was not shown. `check_table` asks many models and
    tasks at once.

    Args:
        estimates: Estimates by metric, as `summarise` gives them for one model, or `Comparison.changes()`.
        thresholds: Limits by name: `min_` or `max_` and a metric, such as `{"min_s_prompt": 0.9}`.
        on: `bound`: a minimum passes when the whole interval is above it, fails when the whole interval is
            below it, and cannot be told in between; `value`: the estimate decides.

    Returns:
        One decision for each threshold.

    Raises:
        InputError: A threshold is for no metric among the estimates, or is not named so.

    Example:
        >>> from otherwords import Estimate
        >>> from otherwords.metrics import check
        >>> estimates = {"s_prompt": Estimate("s_prompt", "m", 0.88, 0.84, 0.91, 50, 250, 0)}
        >>> [decision.status for decision in check(estimates, {"min_s_prompt": 0.85})]
        ['cannot tell']
        >>> [decision.status for decision in check(estimates, {"min_s_prompt": 0.85}, on="value")]
        ['pass']
    """
    check_on(on)
    limits = [Limit.read(name, threshold, estimates) for name, threshold in thresholds.items()]
    return [decide(limit, estimates[limit.metric], on) for limit in limits]


def check_on(on: str) -> None:
    """Refuse what is neither `bound` nor `value`."""
    if on not in ("bound", "value"):
        raise InputError(f"on must be 'bound' or 'value', got '{on}'")


def decide(
    limit: Limit,
    estimate: Estimate,
    on: On,
    *,
    group: str | None = None,
    task: str = "",
    p: float | None = None,
    questions: int = 1,
    error: float = ERROR,
) -> Decision:
    """Whether an estimate meets a limit; a miss takes a `p`, by Holm over all `questions`, below `error`."""
    worse = estimate.low if limit.at_least != limit.is_fall else estimate.high
    alone = _told(limit, estimate, on)
    told = {_told(limit, estimate, on, shift) for shift in _shifts(estimate)}
    status = UNDECIDED if len(told) > 1 else told.pop()
    by_missing = status != alone
    by_chance = status == FAILS and on == "bound" and p is not None and p > error
    if by_chance:
        status = limit.in_doubt
    more = _more_calls(limit, estimate) if status == UNDECIDED and not by_missing else None
    if limit.is_fall:
        why = why_fall(limit, estimate, status)
    else:
        why = why_decided(limit, estimate, worse, plain=on == "value" or by_missing)
    if more is not None:
        why += f"; needs about {about(more)} more calls"
    if by_missing:
        why += f"; {could_change(limit, estimate, _shifts(estimate), worse if on == 'bound' else None)}"
    elif by_chance:
        why += f"; of {questions} questions one looks like that by chance (p = {p:.2g} by Holm)"
    return Decision(
        name=limit.name,
        metric=limit.metric,
        group=estimate.group if group is None else group,
        threshold=abs(limit.number) if limit.is_fall else limit.number,
        value=estimate.value,
        bound=worse if on == "bound" or not limit.is_fall else estimate.value,
        status=status,
        why=why,
        task=task,
        p=p,
        generalizes=estimate.generalizes,
        low_if_missing=estimate.low_if_missing,
        high_if_missing=estimate.high_if_missing,
        more_calls=more,
    )


def _more_calls(limit: Limit, estimate: Estimate) -> int | None:
    """How many calls would make the interval so narrow that it does not hold the limit."""
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return None
    apart = abs(value - limit.number)
    half = value - low if limit.number < value else high - value
    if apart <= 0 or half / apart > _HOPELESS:
        return None
    return max(math.ceil((estimate.n_rows + estimate.n_missing) * ((half / apart) ** 2 - 1)), 1)


def _shifts(estimate: Estimate) -> list[float]:
    """How far runs without a score could move the value."""
    ends = (estimate.low_if_missing, estimate.high_if_missing)
    return [end - (estimate.value or 0.0) for end in ends if end is not None] or [0.0]


def _told(limit: Limit, estimate: Estimate, on: On, shift: float = 0.0) -> DecisionStatus:
    """What an estimate that is moved by `shift` says of a limit."""
    low, high = (estimate.low, estimate.high) if on == "bound" else (estimate.value, estimate.value)
    if estimate.value is None:
        return FAILS
    if low is None or high is None:
        return UNDECIDED
    met = {limit.meets(end + shift) for end in (low, high)}
    if len(met) > 1:
        return limit.in_doubt
    return PASSES if met.pop() else FAILS


FALLING = ("accuracy", "s_prompt")
"""Metrics that are compared with a baseline."""
BEYOND_NOISE = {
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
    errors: Mapping[str, float] | None = None,
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
        errors: For models whose run was looked at more than once, the error of the look that ended it, in
            place of `ERROR`; see `otherwords.metrics.sequential`.

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
    table = select_outcomes(outcomes, benchmark).with_columns(pl.col("task", "model").fill_null(""))
    parts = {str(task): part for task, part in by_task(table)}
    known = errors or {}
    asked = [one for task, part in parts.items() for one in _asked(part, task, thresholds, generalize, known)]
    notes: list[str] = []
    if baseline is not None:
        before = as_outcomes(baseline).with_columns(pl.col("task", "model").fill_null(""))
        for task, part in parts.items():
            falls, said = _falls(part, before, task, max_fall, generalize)
            asked += falls
            notes += said
    decisions = [
        decide(
            one.limit,
            one.estimate,
            on,
            group=one.model,
            task=one.task,
            p=p,
            questions=len(asked),
            error=known.get(one.model, ERROR),
        )
        for one, p in zip(asked, holm([one.p for one in asked]), strict=True)
    ]
    notes += dict.fromkeys(note for one in asked for note in _too_few_shared(one.estimate))
    notes += dict.fromkeys(note for one in decisions for note in _noise_notes(one, parts[one.task]))
    return Gate(tuple(decisions), tuple(notes))


def _asked(
    table: pl.DataFrame,
    task: str,
    thresholds: Mapping[str, float],
    generalize: Generalize | None,
    errors: Mapping[str, float],
) -> Iterator[_Question]:
    """Every threshold of every model of one task."""

    def level(model: str) -> float:
        return 1 - 2 * errors.get(model, ERROR)

    number = thresholds.get(f"max_{SPREAD}")
    if number is not None:
        limit = Limit(f"max_{SPREAD}", SPREAD, at_least=False, number=number)
        for (model,), runs in table.group_by("model", maintain_order=True):
            found = template_spread(runs, at_most=number, level=level(str(model)))
            yield _Question(task, str(model), limit, *found)
    thresholds = {name: one for name, one in thresholds.items() if name != f"max_{SPREAD}"}
    groups: dict[str, dict[str, Measure]] = {}
    if thresholds:
        for measure in measures_of(table, metrics=_needed(thresholds)):
            groups.setdefault(measure.group, {})[measure.metric] = measure
    for model, measures in groups.items():
        for name, number in thresholds.items():
            limit = Limit.read(name, number, measures)
            measure = measures[limit.metric]
            (estimate,) = estimates([measure], generalize=generalize, level=level(model))
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
            if estimate.reason == SAME_RUNS:  # known, not estimated
                known = replace(estimate, low=0.0, high=0.0, reason="")
                estimate = replace(known, low_if_missing=None, high_if_missing=None)
            asked.append(_Question(task, model, limit, estimate, _p_met(limit, change, generalize)))
    return asked, notes


def _baseline_of(before: pl.DataFrame, task: str) -> pl.DataFrame:
    """The baseline's rows of the task, under its name or the last part of it."""
    last_part = pl.col("task").str.split("/").list.last() == task.rpartition("/")[2]
    return exact if (exact := before.filter(task=task)).height else before.filter(last_part)


def _too_few_shared(estimate: Estimate) -> list[str]:
    """Why an interval does not speak for other wordings, although items share some."""
    return [part for part in estimate.reason.split("; ") if part.endswith(TOO_FEW_SHARED)]


def _noise_notes(decision: Decision, table: pl.DataFrame) -> Iterator[str]:
    """What a threshold of the difference between wordings that is not met may be: only run-to-run noise."""
    beyond = BEYOND_NOISE.get(decision.metric)
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
