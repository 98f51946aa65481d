"""gate: thresholds against estimates, decided on what the interval can vouch for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.types import Estimate
from otherwords.metrics.bootstrap import ALL_THE_SAME, unseen_share

ALIASES = {
    "flip_rate": "fragility_score",
    "accuracy_drop": "delta_accuracy",
    "consistency": "consistency_at_k",
}
SIGNED = ("delta_accuracy", "excess_flips", "pdr", "fleiss_kappa")
"""The same risk that each end of a 95% interval carries."""


@dataclass(frozen=True, slots=True)
class Decision:
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


def gate(
    estimates: Mapping[str, Estimate],
    thresholds: Mapping[str, float],
    *,
    on: Literal["bound", "value"] = "bound",
) -> list[Decision]:
    """One decision for each threshold, `min_…` or `max_…` and a metric's name.

    `on="bound"`: a minimum passes when the whole interval is at or above it. `on="value"`: when the estimate
    is. A metric without a value fails: what was not measured was not shown.
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
    if (
        end is None and 0 <= estimate.value <= 1
    ):  # of no mean; a correlation such as kappa can be as bad as −1
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
