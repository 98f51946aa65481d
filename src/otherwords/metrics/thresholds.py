"""`check`: whether estimates meet thresholds or fell below a baseline, by the interval's end or the value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import polars as pl

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import ALL_THE_SAME, unseen_share
from otherwords.metrics.metric_registry import summarise
from otherwords.metrics.model_comparison import Difference, compare

ALIASES = {
    "flip_rate": "fragility_score",
    "accuracy_drop": "delta_accuracy",
    "consistency": "consistency_at_k",
}
SIGNED = ("delta_accuracy", "excess_flips", "pdr", "fleiss_kappa")
"""Metrics that can be below zero."""
FALLING = ("accuracy", "s_prompt")
"""Metrics that are compared with a baseline."""
On: TypeAlias = Literal["bound", "value"]
"""What is compared with a threshold: the worse end of the interval, or the estimate."""


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether one threshold is met."""

    name: str
    """As it was asked: `min_s_prompt`."""
    metric: str
    group: str
    threshold: float
    value: float | None
    bound: float | None
    """The end of the interval that is nearer to failing; what was decided on, unless the value was."""
    passed: bool
    why: str


def check(
    estimates: Mapping[str, Estimate],
    thresholds: Mapping[str, float],
    *,
    on: On = "bound",
) -> list[Decision]:
    """Decide for each threshold whether the estimates meet it.

    A metric without a value fails: what was not measured was not shown.

    Args:
        estimates: Estimates by metric, as `summarise` gives them for one model, or `Comparison.changes()`.
        thresholds: Limits by name: `min_` or `max_` and a metric, such as `{"min_s_prompt": 0.9}`.
        on: `bound`: a minimum passes when the whole interval is above it; `value`: when the estimate is.

    Returns:
        One decision for each threshold.

    Raises:
        InputError: A threshold is for no metric among the estimates, or is not named so.

    Example:
        >>> from otherwords import Estimate
        >>> from otherwords.metrics import check
        >>> estimates = {"s_prompt": Estimate("s_prompt", "m", 0.88, 0.84, 0.91, 50, 250, 0)}
        >>> [decision.passed for decision in check(estimates, {"min_s_prompt": 0.85})]
        [False]
        >>> [decision.passed for decision in check(estimates, {"min_s_prompt": 0.85}, on="value")]
        [True]
    """
    if on not in ("bound", "value"):
        raise InputError(f"on must be 'bound' or 'value', got '{on}'")
    return [_decide(name, threshold, estimates, on) for name, threshold in thresholds.items()]


def _decide(name: str, threshold: float, estimates: Mapping[str, Estimate], on: str) -> Decision:
    side, _, asked = name.partition("_")
    if side not in ("min", "max") or not asked:
        raise InputError(f"a threshold is named min_ or max_ and a metric, got '{name}'")
    metric = ALIASES.get(asked, asked)
    if metric not in estimates:
        raise UnknownNameError(
            "metric", asked, [*estimates, *(one for one in ALIASES if ALIASES[one] in estimates)]
        )
    estimate = estimates[metric]
    at_least = side == "min"
    bound, how = _bound(estimate, at_least, metric in SIGNED)
    decided = bound if on == "bound" else estimate.value
    passed = decided is not None and (decided >= threshold if at_least else decided <= threshold)
    return Decision(
        name=name,
        metric=metric,
        group=estimate.group,
        threshold=threshold,
        value=estimate.value,
        bound=bound,
        passed=passed,
        why=_why(estimate, threshold, at_least, passed, on, bound, how),
    )


def _bound(estimate: Estimate, at_least: bool, signed: bool) -> tuple[float | None, str]:
    """The end of the interval, and what it rests on."""
    end = estimate.low if at_least else estimate.high
    if estimate.value is None or ALL_THE_SAME not in estimate.reason or estimate.n_items < 2:
        return end, "the interval"
    unseen = unseen_share(estimate.n_items)
    # what is no mean over items has no end yet; a correlation such as kappa can be as bad as −1
    if end is None and 0 <= estimate.value <= 1:
        worst = (-1.0 if signed else 0.0) if at_least else 1.0
        end = estimate.value + unseen * (worst - estimate.value)
    return end, f"all {estimate.n_items} items agree, but up to {unseen:.1%} of all such items may not"


def _why(
    estimate: Estimate, threshold: float, at_least: bool, passed: bool, on: str, bound: float | None, how: str
) -> str:
    limit = f"{'at least' if at_least else 'at most'} {threshold:g}"
    if estimate.value is None:
        return f"wanted {limit}, and there is no value: {estimate.reason}"
    if on == "value":
        return f"wanted {limit}, the estimate is {_number(estimate.value)}"
    if bound is None:
        return f"wanted {limit}, the estimate is {_number(estimate.value)}, and {estimate.reason}"
    end = "low" if at_least else "high"
    text = f"wanted {limit}, the {end} end is {_number(bound)} (estimate {_number(estimate.value)}"
    text += ")" if how == "the interval" else f"; {how})"
    near = estimate.value >= threshold if at_least else estimate.value <= threshold
    if not passed and near:
        text += "; the estimate itself would pass: more items would tell"
    return text


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".")


def check_table(
    outcomes: pl.DataFrame,
    thresholds: Mapping[str, float],
    *,
    benchmark: str | None = None,
    baseline: pl.DataFrame | None = None,
    max_fall: float = 0.0,
    on: On = "bound",
) -> tuple[list[Decision], list[str]]:
    """One decision for each task, model and threshold; and what to know about the comparison."""
    tasks = [benchmark] if benchmark is not None else outcomes["task"].unique(maintain_order=True).to_list()
    decisions: list[Decision] = []
    notes: list[str] = []
    for task in tasks:
        for estimates in summarise(outcomes, task).values():
            decisions += check(estimates, thresholds, on=on)
    if baseline is None:
        return decisions, notes
    for task in tasks:
        now = outcomes.filter(task=task) if benchmark is None else outcomes
        before = baseline.filter(task=task) if benchmark is None else baseline
        models = [
            model for model in now["model"].unique(maintain_order=True) if model in set(before["model"])
        ]
        if not models:
            raise InputError(f"the baseline has no model of task '{task}' in common with the logs")
        for model in models:
            found = compare(before, now, benchmark, model_a=model, model_b=model, metrics=FALLING)
            notes += [f"{model}: {note}" for note in found.notes]
            decisions += [_decide_fall(one, model, max_fall, on) for one in found.differences]
    return decisions, notes


def _decide_fall(one: Difference, model: str, max_fall: float, on: On) -> Decision:
    """A fall counts when the whole interval of the change is below the allowance."""
    change = one.change
    bound = change.high if on == "bound" else change.value
    passed = change.value is not None and (bound is None or bound >= -max_fall or change.value >= -max_fall)
    return Decision(
        name=f"max_fall_of_{one.metric}",
        metric=one.metric,
        group=model,
        threshold=max_fall,
        value=change.value,
        bound=bound,
        passed=passed,
        why=_why_fall(change, max_fall, passed),
    )


def _why_fall(change: Estimate, max_fall: float, passed: bool) -> str:
    value, low, high = change.value, change.low, change.high
    if value is None:
        return "there is nothing to compare with the baseline"
    between = "" if low is None or high is None else f" ({low:+.3f} to {high:+.3f})"
    verdict = "not a fall beyond doubt" if passed and value < -max_fall else "" if passed else "it fell"
    allowed = f"may fall by {max_fall:g}, the change is {value:+.3f}{between}"
    return f"{allowed}; {verdict}" if verdict else allowed
