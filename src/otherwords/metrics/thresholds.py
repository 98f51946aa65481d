"""`check`: estimates and thresholds in; for each threshold whether it is met, missed or cannot be told.

A threshold is met when the worse end of the interval meets it, and missed when the better end misses it. What
runs without a score could change moves the whole interval: only what holds with all of them at their worst
and with all of them at their best is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.texts import MINUS, about
from otherwords.core.types import Estimate

ALIASES = {
    "flip_rate": "fragility_score",
    "accuracy_drop": "delta_accuracy",
    "consistency": "consistency_at_k",
}
On: TypeAlias = Literal["bound", "value"]
"""What is compared with a threshold: the worse end of the interval, or the estimate."""
DecisionStatus: TypeAlias = Literal["pass", "fail", "cannot tell"]
PASSES: DecisionStatus = "pass"
FAILS: DecisionStatus = "fail"
CANNOT_TELL: DecisionStatus = "cannot tell"
_HOPELESS = 30.0
"""Half-widths from the limit: where the value is so near that, a thousand times the calls would not tell."""
ERROR = 0.025
"""The chance of a false pass of a gate, and of any false miss or fall: one side of a 95% interval."""


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
    status: DecisionStatus
    """`cannot tell` where the interval or the runs without a score leave it open."""
    why: str
    task: str = ""
    p: float | None = None
    """That the threshold is truly met, or that nothing truly fell; by Holm over all that the gate asks. A
    miss or a fall is said where it is at most 0.025. Null where a single table of estimates was checked."""
    generalizes: str = ""
    """For whom the interval speaks: other `items`, other `wordings`, or `both`."""
    low_if_missing: float | None = None
    """The value if every run without a score had the worst score; null where it cannot matter."""
    high_if_missing: float | None = None
    """The same with the best score."""
    more_calls: int | None = None
    """Where it cannot be told: about how many more calls would tell, if the value stays what it is; null
    where more calls would not."""

    @property
    def passed(self) -> bool:
        """Whether the threshold is met for sure."""
        return self.status == PASSES


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


@dataclass(frozen=True)
class Limit:
    """One threshold: a metric, a side and a number."""

    name: str
    metric: str
    at_least: bool
    number: float
    is_fall: bool = False
    """About a change since a baseline, where only a fall beyond doubt counts."""

    @classmethod
    def read(cls, name: str, number: float, known: Iterable[str]) -> Limit:
        side, _, asked = name.partition("_")
        if side not in ("min", "max") or not asked:
            raise InputError(f"a threshold is named min_ or max_ and a metric, got '{name}'")
        metric, names = ALIASES.get(asked, asked), list(known)
        if metric not in names:
            raise UnknownNameError(
                "metric", asked, [*names, *(one for one in ALIASES if ALIASES[one] in names)]
            )
        return cls(name, metric, side == "min", number)

    @property
    def text(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.number:g}"

    @property
    def in_doubt(self) -> DecisionStatus:
        """What is said where an interval holds the number."""
        return PASSES if self.is_fall else CANNOT_TELL

    def meets(self, value: float) -> bool:
        return value >= self.number if self.at_least else value <= self.number


def decide(
    limit: Limit,
    estimate: Estimate,
    on: On,
    *,
    group: str | None = None,
    task: str = "",
    p: float | None = None,
    questions: int = 1,
) -> Decision:
    """Whether an estimate meets a limit; a miss takes a `p`, by Holm over all `questions`, below `ERROR`."""
    worse = estimate.low if limit.at_least != limit.is_fall else estimate.high
    alone = _told(limit, estimate, on)
    told = {_told(limit, estimate, on, shift) for shift in _shifts(estimate)}
    status = CANNOT_TELL if len(told) > 1 else told.pop()
    by_missing = status != alone
    by_chance = status == FAILS and on == "bound" and p is not None and p > ERROR
    if by_chance:
        status = limit.in_doubt
    more = _more_calls(limit, estimate) if status == CANNOT_TELL and not by_missing else None
    why = (
        _why_fall(limit, estimate, status) if limit.is_fall else _why(limit, estimate, worse, on, by_missing)
    )
    if more is not None:
        why += f"; needs about {about(more)} more calls"
    if by_missing:
        why += f"; {_could_change(limit, estimate, worse if on == 'bound' else None)}"
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
        return CANNOT_TELL
    met = {limit.meets(end + shift) for end in (low, high)}
    if len(met) > 1:
        return limit.in_doubt
    return PASSES if met.pop() else FAILS


def _why(limit: Limit, estimate: Estimate, worse: float | None, on: On, by_missing: bool) -> str:
    value = estimate.value
    if value is None:
        return f"wanted {limit.text}, and there is no value: {estimate.reason}"
    if on == "value" or by_missing:
        return f"wanted {limit.text}, the estimate is {_number(value)}"
    if worse is None:
        return f"wanted {limit.text}, the estimate is {_number(value)}, and {estimate.reason}"
    end = "low" if limit.at_least else "high"
    text = f"wanted {limit.text}, the {end} end is {_number(worse)} (estimate {_number(value)})"
    if estimate.low_if_missing is not None and estimate.high_if_missing is not None:
        low, high = _number(estimate.low_if_missing), _number(estimate.high_if_missing)
        text += f"; {low} to {high} if every run had a score"
    return text


def _why_fall(limit: Limit, change: Estimate, status: DecisionStatus) -> str:
    value, low, high = change.value, change.low, change.high
    if value is None:
        return f"there is nothing to compare with the baseline: {change.reason}"
    between = "" if low is None or high is None else f" ({_signed(low)} to {_signed(high)})"
    said = f"may fall by {abs(limit.number):g}, the change is {_signed(value)}{between}"
    if status == FAILS:
        return f"{said}; it fell"
    if low is None and status == CANNOT_TELL:
        return f"{said}, and {change.reason}"
    return f"{said}; not a fall beyond doubt" if status == PASSES and not limit.meets(value) else said


def _could_change(limit: Limit, estimate: Estimate, worse: float | None) -> str:
    """Why runs without a score leave it open; `worse` is the end of the interval that decides."""
    runs = "1 run" if estimate.n_missing == 1 else f"{estimate.n_missing:,} runs"
    low, high = _number(estimate.low_if_missing or 0.0), _number(estimate.high_if_missing or 0.0)
    ends = f"{low} to {high}"
    if estimate.metric.startswith("accuracy") and not limit.is_fall:
        ends = f"all wrong {low}, all right {high}"
    shifts = _shifts(estimate)
    at_worst = [limit.meets((estimate.value or 0.0) + one) for one in shifts]
    if worse is not None and not limit.is_fall and len(set(at_worst)) == 1:
        end = worse + (min(shifts) if limit.at_least else max(shifts))
        ends += f"; the {'low' if limit.at_least else 'high'} end {_number(end)} at worst"
    return f"cannot tell: {runs} without a score could change this ({ends})"


def _number(value: float) -> str:
    return f"{value:.4f}".rstrip("0").rstrip(".").replace("-", MINUS)


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", MINUS)
