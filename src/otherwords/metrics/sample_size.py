"""`plan`: a goal in, the numbers of items, wordings and repeats that reach it out, the fewest calls first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal, TypeAlias, get_args

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.metrics.accuracy_metrics import ACCURACY_TESTED_AT, LOSS_TESTED_AT
from otherwords.metrics.design_spread import Designs, Spread
from otherwords.metrics.intervals import Generalize
from otherwords.metrics.pilot_variances import Components, prior_components

VARIANTS = (2, 3, 4, 5, 6, 8, 10)
REPEATS = (1, 2, 3, 5)
MORE_VARIANTS = (15, 20, 30, 50, 100)
"""Considered as well where the answer is to hold for other wordings."""
Goal: TypeAlias = Literal["accuracy", "loss", "s_prompt", "flips", "phrasing_share", "compare", "gate"]
Gated: TypeAlias = Literal["accuracy", "s_prompt", "flips"]
USUAL = {"accuracy": (2, 1), "flips": (3, 1), "s_prompt": (5, 1), "phrasing_share": (5, 3)}
"""Wordings and repeats that were best for a width over many simulated sets of items."""
HARDLY_MORE = 1.3
_SLACK = 0.64
"""Times 1/√items: how much wider than expected an interval is in one of ten runs."""
_MOST_ITEMS = 10_000_000
_STEPS = 30
_TESTED_AT = {"loss": LOSS_TESTED_AT, "compare": ACCURACY_TESTED_AT}
_NORMAL = NormalDist()
_NAMES = {
    "accuracy": "accuracy",
    "loss": "the loss by rewording",
    "s_prompt": "S_prompt",
    "flips": "the flip rate",
    "phrasing_share": "the phrasing share",
    "compare": "the difference of two runs",
}


@dataclass(frozen=True, slots=True)
class PlanOption:
    """One way to reach the goal."""

    items: int
    variants: int
    """Wordings of each item, the original among them."""
    repeats: int
    calls: int
    """For the goal `compare`, of each of the two runs."""
    half_width: float
    """Of the interval of what the goal is about."""
    detectable: float | None
    """The smallest loss by rewording that is seen with the wanted power; null with one wording."""
    power: float | None
    """Chance to see what was to be seen, or to pass the gate, where the goal is that."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of `plan`."""

    goal: str
    options: tuple[PlanOption, ...]
    """All that reach the goal, the fewest calls first."""
    components: Components
    notes: tuple[str, ...]
    generalize: Generalize = "items"
    """For whom the interval will speak."""
    recommended: PlanOption | None = None
    """The fewest calls, or the usual grid of the goal where that takes hardly more; null without options."""


@dataclass(frozen=True)
class _Aim:
    """One thing that is asked of a run."""

    about: str
    """A key of `_NAMES`."""
    width: float | None = None
    seen: float | None = None
    """The size of an effect that is to be seen."""
    threshold: float | None = None
    truth: float | None = None

    def margin(self, value: float) -> float:
        """How far `value` is on the right side of the threshold."""
        apart = value - (self.threshold or 0.0)
        return -apart if self.about == "flips" else apart


def plan(
    *,
    goal: Goal | None = None,
    half_width: float | None = None,
    drop: float | None = None,
    difference: float | None = None,
    threshold: float | None = None,
    metric: Gated = "accuracy",
    truth: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    components: Components | None = None,
    items: int | None = None,
    variants: Sequence[int] | None = None,
    repeats: Sequence[int] = REPEATS,
) -> Plan:
    """How many items, wordings and repeats it takes to know something well enough.

    Args:
        goal: What is to be known: `accuracy`, `loss` (by rewording), `s_prompt`, `flips`, `phrasing_share`,
            `compare` (the difference of accuracy between two runs on the same wordings) or `gate`. By default
            what the other arguments say: `half_width` alone is accuracy's.
        half_width: Wanted half-width of the interval of the goal.
        drop: A loss by rewording that is to be detected.
        difference: A difference of accuracy between two runs that is to be detected.
        threshold: A threshold of `check` that is to be passed: a minimum, for flips a maximum.
        metric: What that threshold is of: `accuracy`, `s_prompt` or `flips`.
        truth: The value that is expected to be true; by default the careful end of what the components say.
        power: The chance to detect it, or to pass.
        level: The level of the interval and of the test.
        components: Where the variance comes from, by `pilot_components` or `prior_components`, the default.
        items: The items that there are at most.
        variants: Numbers of wordings to consider, the original among them.
        repeats: Numbers of repeats to consider.

    Returns:
        All options that reach the goal, the fewest calls first.

    Raises:
        InputError: There is no goal, or a number is out of its range.

    Example:
        >>> from otherwords.metrics import plan, prior_components
        >>> cheapest = plan(half_width=0.05, components=prior_components(accuracy=0.8)).recommended
        >>> cheapest.items, cheapest.variants, cheapest.repeats, cheapest.calls
        (219, 2, 1, 438)
    """
    parts = components or prior_components()
    generalize = parts.generalize
    if variants is None:
        variants = VARIANTS if generalize == "items" else (*VARIANTS, *MORE_VARIANTS)
    aims = _aims(goal, half_width, drop, difference, threshold, metric, truth)
    _check_numbers(aims, power, level, items, variants, repeats)
    asked = _Asked(Designs(parts, variants, repeats), aims, _NORMAL.inv_cdf(power), level)
    notes, options = [*parts.notes, *_notes(aims, parts)], []
    for v in variants:
        for r in repeats:
            if asked.possible(v, r):
                needed = max(asked.needed(aim, v, r) for aim in aims)
                if needed <= (_MOST_ITEMS if items is None else items):
                    options.append(asked.option(needed, v, r))
    if not options:
        notes.append(asked.why_none(items, max(variants), max(repeats)))
    options.sort(key=lambda option: (option.calls, option.items))
    return Plan(
        _goal(aims, power, level),
        tuple(options),
        parts,
        tuple(notes),
        generalize,
        _recommended(aims, options),
    )


@dataclass(frozen=True)
class _Asked:
    """All that is asked of a run, and what each grid of wordings and repeats can give."""

    designs: Designs
    aims: tuple[_Aim, ...]
    z: float
    """How many standard errors the wanted power takes."""
    level: float

    def possible(self, v: int, r: int) -> bool:
        about = {aim.about for aim in self.aims}
        return (v >= 2 or about <= {"accuracy", "compare"}) and (r >= 2 or "phrasing_share" not in about)

    def needed(self, aim: _Aim, v: int, r: int) -> int:
        """The fewest items; more than there can be where no number is enough."""
        spread = self._spread(aim, v, r)
        low, high = 2, _MOST_ITEMS + 1
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._reaches(aim, spread, middle) else (middle + 1, high)
        return low

    def _spread(self, aim: _Aim, v: int, r: int) -> Spread:
        spread = self.designs.spread(aim.about, v, r)
        if aim.seen is not None:
            return _with_effect(spread, aim.seen, _TESTED_AT[aim.about])
        if aim.threshold is None:
            return spread
        return replace(spread, mean=self.designs.truth(aim.about, r) if aim.truth is None else aim.truth)

    def _reaches(self, aim: _Aim, spread: Spread, items: int) -> bool:
        centre, error, t = spread.error(items, self.level)
        if aim.width is not None:
            # the run's own estimate of its error varies as well
            return t * error * (1 + _SLACK / math.sqrt(items)) <= aim.width
        if aim.threshold is None:
            return (t + self.z) * error <= (aim.seen or 0.0)
        return (t + self.z) * error <= aim.margin(centre)

    def option(self, items: int, v: int, r: int) -> PlanOption:
        """What so many items give."""
        _, error, t = self.designs.spread(self.aims[0].about, v, r).error(items, self.level)
        detectable = self._detectable(items, v, r) if v >= 2 else None
        chances = [self._power(aim, items, v, r) for aim in self.aims if aim.width is None]
        return PlanOption(items, v, r, items * v * r, t * error, detectable, min(chances, default=None))

    def _detectable(self, items: int, v: int, r: int) -> float:
        loss = 0.0
        for _ in range(_STEPS):
            spread = _with_effect(self.designs.spread("loss", v, r), loss, LOSS_TESTED_AT)
            _, error, t = spread.error(items, self.level)
            loss = min((t + self.z) * error, 1.0)
        return loss

    def _power(self, aim: _Aim, items: int, v: int, r: int) -> float:
        centre, error, t = self._spread(aim, v, r).error(items, self.level)
        if aim.threshold is not None:
            return _NORMAL.cdf(aim.margin(centre) / error - t) if error else 1.0
        seen = aim.seen or 0.0
        return _NORMAL.cdf(seen / error - t) + _NORMAL.cdf(-seen / error - t) if error else 1.0

    def why_none(self, items: int | None, v: int, r: int) -> str:
        for aim in self.aims:
            if aim.threshold is not None:
                truth = self._spread(aim, v, r).mean
                if aim.margin(truth) <= 0:
                    side = "at most" if aim.about == "flips" else "at least"
                    known = "" if aim.truth is not None else ", as far as is known"
                    return (
                        f"{_NAMES[aim.about]} is {truth:.3f}{known}, and no number of items passes a gate "
                        f"that wants {side} {aim.threshold:g}; say what you expect with --truth"
                    )
        most = self.option(items or _MOST_ITEMS, v, r)
        loss = "" if most.detectable is None else f", or see a loss of {most.detectable:.3f}"
        grid = f"{v} wordings with {r} repeats give ± {most.half_width:.3f}{loss}"
        if items is not None:
            return f"{items:,} items cannot reach it: {grid}"
        return f"no number of items can reach it: {grid}, and other wordings would move it as far"


def _with_effect(spread: Spread, size: float, tested_at: float) -> Spread:
    """For a test, with an effect of that size, which may be whole in few items and nothing in the others."""
    low, high = spread.ends
    ends = (tested_at * low, tested_at * high)
    return replace(spread, per_item=spread.per_item + size * (1 - size), ends=ends)


def _recommended(aims: tuple[_Aim, ...], options: list[PlanOption]) -> PlanOption | None:
    """Fewest calls; among nearly as few, the usual grid, which hangs less on the variances."""
    usual = USUAL.get(aims[0].about) if len(aims) == 1 else None
    for one in options:
        if (one.variants, one.repeats) == usual and one.calls <= HARDLY_MORE * options[0].calls:
            return one
    return options[0] if options else None


def _aims(
    goal: str | None,
    half_width: float | None,
    drop: float | None,
    difference: float | None,
    threshold: float | None,
    metric: str,
    truth: float | None,
) -> tuple[_Aim, ...]:
    if goal is not None and goal not in get_args(Goal):
        raise UnknownNameError("goal", goal, get_args(Goal))
    if metric not in get_args(Gated):
        raise UnknownNameError("metric of a gate", metric, get_args(Gated))
    aims = []
    if half_width is not None:
        if goal == "gate":
            raise InputError("the goal gate has a threshold, no half-width", hint="Give threshold.")
        aims.append(_Aim(goal or "accuracy", width=half_width))
    if drop is not None:
        aims.append(_Aim("loss", seen=drop))
    if difference is not None:
        aims.append(_Aim("compare", seen=difference))
    if threshold is not None:
        aims.append(_Aim(metric, threshold=threshold, truth=truth))
    elif truth is not None:
        raise InputError("truth is for a threshold, and there is none", hint="Give threshold.")
    wanted = {"loss": "half_width or drop", "compare": "half_width or difference", "gate": "threshold"}
    if goal is not None and not any(aim.about == goal or (goal == "gate" and aim.threshold) for aim in aims):
        raise InputError(f"the goal {goal} lacks its number", hint=f"Give {wanted.get(goal, 'half_width')}.")
    if not aims:
        raise InputError("a plan needs a goal", hint="Give half_width, drop, difference or threshold.")
    return tuple(aims)


def _notes(aims: tuple[_Aim, ...], parts: Components) -> list[str]:
    notes = []
    about = {aim.about for aim in aims}
    if "compare" in about:
        notes.append("items and calls are those of each of the two runs, on the same items and wordings")
    if "compare" in about and not parts.of_difference:
        notes.append(
            "the two runs are taken to be alike and unrelated, which is the most careful guess; a pilot with "
            "both models (--model, --model-b) would tell"
        )
    only_items = sorted(about & {"s_prompt", "flips", "phrasing_share"})
    not_known = parts.generalize == "wordings" or (parts.generalize == "both" and not parts.draws)
    if not_known and only_items:
        names = " and ".join(_NAMES[one] for one in only_items)
        notes.append(f"planned for other items alone: what other wordings would do to {names} is not known")
    return notes


def _goal(aims: tuple[_Aim, ...], power: float, level: float) -> str:
    goals = []
    for aim in aims:
        name = _NAMES[aim.about]
        if aim.width is not None:
            goals.append(f"{name} to ± {aim.width:g} with a {level:.0%} interval")
        elif aim.threshold is not None:
            side = "at most" if aim.about == "flips" else "at least"
            truly = "" if aim.truth is None else f" if it is truly {aim.truth:g}"
            goals.append(f"to pass {name} {side} {aim.threshold:g} with a chance of {power:.0%}{truly}")
        else:
            what = f"a loss of {aim.seen:g} by rewording"
            if aim.about == "compare":
                what = f"a difference of {aim.seen:g} between two runs"
            goals.append(f"to see {what} with a chance of {power:.0%}")
    return " and ".join(goals)


def _check_numbers(
    aims: tuple[_Aim, ...],
    power: float,
    level: float,
    items: int | None,
    variants: Sequence[int],
    repeats: Sequence[int],
) -> None:
    given: list[tuple[str, float | None]] = [("power", power), ("level", level)]
    for aim in aims:
        seen = "drop" if aim.about == "loss" else "difference"
        given += [("half_width", aim.width), (seen, aim.seen)]
        given += [("threshold", aim.threshold), ("truth", aim.truth)]
    for name, value in given:
        if value is not None and not 0 < value < 1:
            raise InputError(f"{name} must be between 0 and 1, got {value:g}")
    for name, counts in (("variants", variants), ("repeats", repeats), ("items", [items or 1])):
        if not counts or min(counts) < 1:
            raise InputError(f"{name} must be at least 1, got {min(counts, default=0)}")
    if max(variants) < 2 and any(aim.about not in ("accuracy", "compare") for aim in aims):
        raise InputError("to see a loss by rewording takes at least 2 wordings, the original among them")
    if max(repeats) < 2 and any(aim.about == "phrasing_share" for aim in aims):
        raise InputError("the phrasing share takes at least 2 repeats")
