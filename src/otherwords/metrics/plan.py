"""plan: how many items, wordings and repeats it takes to know something this well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from otherwords.core.errors import InputError
from otherwords.metrics.variance_components import variance_components

VARIANTS = (2, 3, 4, 5, 6, 8, 10)
REPEATS = (1, 2, 3, 5)
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Components:
    """Where the scatter of scores comes from: between items, between wordings of an item, plain luck."""

    item: float
    phrasing: float
    noise: float
    source: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanOption:
    items: int
    variants: int
    """Wordings of each item, the original among them."""
    repeats: int
    calls: int
    half_width: float
    """Of the interval of accuracy over all wordings."""
    detectable: float | None
    """The smallest loss by rewording that is seen with the wanted power; null with one wording."""
    power: float | None
    """Chance to see a loss of `drop`, when one was asked for."""


@dataclass(frozen=True, slots=True)
class Plan:
    goal: str
    options: tuple[PlanOption, ...]
    """All that reach the goal, the fewest calls first."""
    components: Components
    notes: tuple[str, ...]


def prior_components(
    accuracy: float = 0.7, item_share: float = 0.6, phrasing_share: float = 0.15
) -> Components:
    """Of right-or-wrong scores with this accuracy: how the variance p(1 − p) is split."""
    if not 0 < accuracy < 1:
        raise InputError(f"accuracy must be between 0 and 1, got {accuracy:g}")
    if item_share < 0 or phrasing_share < 0 or item_share + phrasing_share > 1:
        raise InputError(
            f"item_share and phrasing_share must be shares of one whole, got {item_share:g} and "
            f"{phrasing_share:g}"
        )
    whole = accuracy * (1 - accuracy)
    luck = 1 - item_share - phrasing_share
    source = (
        f"assumed: accuracy {accuracy:g}, its variance {item_share:.0%} items, "
        f"{phrasing_share:.0%} phrasing, {luck:.0%} luck"
    )
    return Components(whole * item_share, whole * phrasing_share, whole * luck, source)


def pilot_components(table: Any, task: str | None = None, *, model: str | None = None) -> Components:
    """As measured. Estimates below zero count as zero; without repeats luck is counted as phrasing."""
    found = variance_components(table, task, model=model, resamples=0)
    item, phrasing, noise = (found[name].value for name in ("item", "phrasing", "noise"))
    if item is None:
        raise InputError(f"the pilot cannot tell how much items differ: {found['item'].reason}")
    notes = []
    if item <= 0 and not phrasing and not noise:
        raise InputError(
            f"all {found['item'].n_items} items of the pilot gave the same score under every wording, so it "
            f"cannot tell how much others would differ",
            hint="Plan from an assumed accuracy instead: --accuracy 0.9.",
        )
    if phrasing is None or noise is None:
        phrasing, noise = _within_items(table, task, model), 0.0
        notes.append(
            "the pilot has one repeat: what may be luck is counted as phrasing, so repeats look useless here"
        )
    elif phrasing < 0:
        notes.append(f"phrasing came out at {phrasing:.3g} and counts as 0")
    n_items = found["item"].n_items
    return Components(max(item, 0.0), max(phrasing, 0.0), noise, f"pilot of {n_items} items", tuple(notes))


def _within_items(table: Any, task: str | None, model: str | None) -> float:
    from otherwords.metrics.mean_variance import mean_variance

    return mean_variance(table, task, model=model, resamples=0).value or 0.0


def plan(
    *,
    half_width: float | None = None,
    drop: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    components: Components | None = None,
    items: int | None = None,
    variants: Sequence[int] = VARIANTS,
    repeats: Sequence[int] = REPEATS,
) -> Plan:
    """The ways to reach an interval of accuracy of ± `half_width`, or to see a loss of `drop` by rewording
    with chance `power`, or both; with at most `items` items, if given."""
    _check(half_width, drop, power, level, items, variants, repeats)
    parts = components or prior_components()
    z = _NORMAL.inv_cdf(0.5 + level / 2)
    reach = z + _NORMAL.inv_cdf(power)
    options, notes = [], list(parts.notes)
    for v in variants:
        for r in repeats:
            needed = 2
            if half_width is not None:
                needed = max(needed, math.ceil(z**2 * _mean_variance(parts, v, r) / half_width**2))
            if drop is not None:
                if v < 2:
                    continue
                needed = max(needed, math.ceil(reach**2 * _loss_variance(parts, v, r) / drop**2))
            if items is None or needed <= items:
                options.append(_option(parts, needed, v, r, z, reach, drop))
    if not options and items is not None:
        most = _option(parts, items, max(variants), max(repeats), z, reach, drop)
        loss = "" if most.detectable is None else f", or see a loss of {most.detectable:.3f}"
        notes.append(
            f"{items} items cannot reach it: {most.variants} wordings with {most.repeats} repeats give "
            f"± {most.half_width:.3f}{loss}"
        )
    options.sort(key=lambda option: (option.calls, option.items))
    return Plan(_goal(half_width, drop, power, level), tuple(options), parts, tuple(notes))


def _option(
    parts: Components, items: int, v: int, r: int, z: float, reach: float, drop: float | None
) -> PlanOption:
    loss_error = math.sqrt(_loss_variance(parts, v, r) / items) if v >= 2 else None
    seen = None
    if drop is not None and loss_error is not None:
        seen = (
            1.0
            if loss_error == 0
            else _NORMAL.cdf(drop / loss_error - z) + _NORMAL.cdf(-drop / loss_error - z)
        )
    return PlanOption(
        items=items,
        variants=v,
        repeats=r,
        calls=items * v * r,
        half_width=z * math.sqrt(_mean_variance(parts, v, r) / items),
        detectable=None if loss_error is None else reach * loss_error,
        power=seen,
    )


def _mean_variance(parts: Components, v: int, r: int) -> float:
    """T times the variance of the mean score over T items."""
    return parts.item + parts.phrasing / v + parts.noise / (v * r)


def _loss_variance(parts: Components, v: int, r: int) -> float:
    """T times the variance of original − mean of the v − 1 others, in which the items themselves cancel."""
    return (parts.phrasing + parts.noise / r) * v / (v - 1)


def _goal(half_width: float | None, drop: float | None, power: float, level: float) -> str:
    goals = []
    if half_width is not None:
        goals.append(f"accuracy to ± {half_width:g} with a {level:.0%} interval")
    if drop is not None:
        goals.append(f"to see a loss of {drop:g} by rewording with a chance of {power:.0%}")
    return " and ".join(goals)


def _check(
    half_width: float | None,
    drop: float | None,
    power: float,
    level: float,
    items: int | None,
    variants: Sequence[int],
    repeats: Sequence[int],
) -> None:
    if half_width is None and drop is None:
        raise InputError("a plan needs a goal", hint="Give half_width, drop, or both.")
    for name, value in (("half_width", half_width), ("drop", drop), ("power", power), ("level", level)):
        if value is not None and not 0 < value < 1:
            raise InputError(f"{name} must be between 0 and 1, got {value:g}")
    for name, counts in (("variants", variants), ("repeats", repeats), ("items", [items or 1])):
        if not counts or min(counts) < 1:
            raise InputError(f"{name} must be at least 1, got {min(counts, default=0)}")
    if drop is not None and max(variants) < 2:
        raise InputError("to see a loss by rewording takes at least 2 wordings, the original among them")
