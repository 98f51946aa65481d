"""Do plans keep their promises? A small pilot, a plan from it, the planned run, many times over.

    python benchmarks/sim_plans.py             # 200 plans a goal, on one core
    python benchmarks/sim_plans.py --jobs 2    # the same numbers, on two
    python benchmarks/sim_plans.py 50          # fewer plans, rougher

Sets of items whose truth is known are piloted with 30 items, 3 wordings and 2 repeats. Each goal of
`otherwords plan` is planned from the pilot, the recommended run is made, and the library's own interval or
decision is compared with what was promised. Seeded, so that everyone sees the same numbers.
"""

from __future__ import annotations

import argparse
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.metrics import check_table, compare, pilot_components, plan, summarise

PLANS = 200
KEPT, POWER = 0.9, 0.8
"""The share of plans whose width must be reached, and the chance to see or to pass that was asked for."""
Array = npt.NDArray[np.float64]
Rng = np.random.Generator
Chances = Callable[[Rng, int, int], Array]
"""Of [item, wording], from numbers of items and wordings."""


def mixed(rng: Rng, items: int, wordings: int) -> Array:
    """Items of all difficulties, accuracy .65; each wording moves its item up or down by .15."""
    centre = rng.beta(1.3, 0.7, (items, 1))
    return np.clip(centre + 0.15 * rng.choice([-1.0, 1.0], (items, wordings)), 0.0, 1.0)


def easy(rng: Rng, items: int, wordings: int) -> Array:
    """Accuracy .92; 15% of the items are not near-certain, and wordings move those."""
    hard = rng.random((items, 1)) < 0.15
    centre = np.where(hard, rng.beta(1.2, 1.2, (items, 1)), 0.99)
    moved = np.clip(centre + 0.25 * rng.choice([-1.0, 1.0], (items, wordings)), 0.0, 1.0)
    return np.where(hard, moved, centre)


def no_noise(rng: Rng, items: int, wordings: int) -> Array:
    """No run-to-run noise at all: a wording is always right or always wrong."""
    centre = rng.beta(0.5, 0.3, (items, 1))
    return (rng.random((items, wordings)) < centre).astype(np.float64)


def templates(rng: Rng, items: int, wordings: int) -> Array:
    """Items of all difficulties under wordings that all of them share; logit sd .3 between wordings."""
    p = np.clip(rng.beta(1.3, 0.7, (items, 1)), 1e-6, 1 - 1e-6)
    return np.asarray(1 / (1 + np.exp(-np.log(p / (1 - p)) - 0.3 * rng.standard_normal((1, wordings)))))


def with_loss(chances: Chances, size: float) -> Chances:
    """The same, every wording but the original right less often by `size` on average."""

    def lost(rng: Rng, items: int, wordings: int) -> Array:
        p = chances(rng, items, wordings)
        p[:, 1:] *= 1 - size / p[:, 1:].mean()
        return p

    return lost


def right_or_wrong(rng: Rng, p: Array, repeats: int) -> Array:
    return (rng.random((*p.shape, repeats)) < p[..., None]).astype(np.float64)


def partial_credit(rng: Rng, p: Array, repeats: int) -> Array:
    """Whole with the chance p, else mostly near 0 and seldom near 1."""
    right = right_or_wrong(rng, p, repeats)
    return np.where(right > 0, 1.0, np.round(rng.beta(0.3, 3.0, right.shape), 3))


@dataclass(frozen=True)
class Promise:
    """A goal, planned again and again."""

    what: str
    setting: str
    chances: Chances
    goal: dict[str, Any]
    kept: Callable[[Rng, Chances, tuple[int, int, int]], bool]
    """Whether a run of so many items, wordings and repeats keeps the promise."""
    wanted: float = KEPT
    pilot: tuple[int, int, int] = (30, 3, 2)
    draw: Callable[[Rng, Array, int], Array] = right_or_wrong
    kind: str = "paraphrase"


def as_table(scores: Array, kind: str = "paraphrase") -> pl.DataFrame:
    """Scores [item, wording, repeat] as an outcome table."""
    wordings = scores.shape[1]
    item, wording, repeat = (axis.reshape(-1) for axis in np.indices(scores.shape))
    names = ["orig", *(f"{kind}{place:03}" for place in range(1, wordings))]
    return pl.DataFrame(
        {
            "id": pl.Series(item).cast(pl.String),
            "model": "m",
            "variant": pl.Series(names)[wording],
            "kind": pl.Series(["orig"] + [kind] * (wordings - 1))[wording],
            "repeat": repeat + 1,
            "score": scores.reshape(-1),
        }
    )


WIDTHS = {
    "accuracy": ("accuracy", 0.05),
    "loss": ("delta_accuracy", 0.05),
    "s_prompt": ("s_prompt", 0.02),
    "flips": ("fragility_score", 0.05),
    "phrasing_share": ("phrasing_share", 0.1),
}


def width(goal: str, setting: str, chances: Chances, wanted: float | None = None, **more: Any) -> Promise:
    """Whether the interval of the planned run is at most as wide as was promised."""
    metric, usual = WIDTHS[goal]
    wanted = wanted or usual
    made = Promise("", "", chances, {}, lambda *_: True, **more)

    def kept(rng: Rng, chances: Chances, size: tuple[int, int, int]) -> bool:
        items, wordings, repeats = size
        table = as_table(made.draw(rng, chances(rng, items, wordings), repeats), made.kind)
        family = "variance_components" if metric == "phrasing_share" else metric
        found = summarise(table, metrics=[family])["m"][metric]
        return found.low is not None and found.high is not None and (found.high - found.low) / 2 <= wanted

    return Promise(
        f"{goal} to ± {wanted:g}", setting, chances, {"goal": goal, "half_width": wanted}, kept, **more
    )


def compared(setting: str, chances: Chances, *, by: float | None) -> Promise:
    """Whether a difference of that size is seen; without one, whether the difference is known to ± 0.05."""

    def kept(rng: Rng, chances: Chances, size: tuple[int, int, int]) -> bool:
        items, wordings, repeats = size
        p = chances(rng, items, wordings)
        worse = p * (1 - (by or 0.0) / p.mean())
        a, b = (as_table(right_or_wrong(rng, side, repeats)) for side in (p, worse))
        (found,) = compare(a, b, metrics=["accuracy"]).differences
        if by is not None:
            return found.p is not None and found.p < 0.05
        low, high = found.change.low, found.change.high
        return low is not None and high is not None and (high - low) / 2 <= 0.05

    if by is None:
        return Promise("compare to ± 0.05", setting, chances, {"goal": "compare", "half_width": 0.05}, kept)
    return Promise(f"compare sees {by:g}", setting, chances, {"difference": by, "power": POWER}, kept, POWER)


def seen_loss(setting: str, chances: Chances) -> Promise:
    """Whether a loss of 8 points by rewording is seen."""

    def kept(rng: Rng, chances: Chances, size: tuple[int, int, int]) -> bool:
        items, wordings, repeats = size
        p = with_loss(chances, 0.08)(rng, items, wordings)
        found = summarise(as_table(right_or_wrong(rng, p, repeats)), metrics=["delta_accuracy"])["m"]
        low = found["delta_accuracy"].low
        return low is not None and low > 0

    return Promise("loss sees 0.08", setting, chances, {"drop": 0.08, "power": POWER}, kept, POWER)


def gate(setting: str, chances: Chances, metric: str, threshold: float) -> Promise:
    """Whether a gate is passed, planned from a pilot that says itself how good the model is."""
    name = {"accuracy": "min_accuracy", "s_prompt": "min_s_prompt", "flips": "max_flip_rate"}[metric]

    def kept(rng: Rng, chances: Chances, size: tuple[int, int, int]) -> bool:
        items, wordings, repeats = size
        table = as_table(right_or_wrong(rng, chances(rng, items, wordings), repeats))
        (decision,) = check_table(table, {name: threshold}).decisions
        return decision.passed

    goal = {"threshold": threshold, "metric": metric, "power": POWER}
    return Promise(f"gate, {name.replace('_', '-')} {threshold:g}", setting, chances, goal, kept, POWER)


def _promises() -> Iterator[Promise]:
    settings = {"mixed": mixed, "easy": easy, "no noise": no_noise}
    for setting, chances in settings.items():
        for goal in WIDTHS:
            if (goal, setting) != ("phrasing_share", "no noise"):  # the share is 1 and known at once
                yield width(goal, setting, chances)
        yield compared(setting, chances, by=None)
        yield compared(setting, chances, by=0.08)
        yield seen_loss(setting, chances)
    for goal in WIDTHS:
        yield width(goal, "partial credit", mixed, draw=partial_credit)
    # what other templates do to a loss does not shrink with more of them, since there is one original
    for goal, wanted in {
        "accuracy": 0.1,
        "loss": 0.3,
        "s_prompt": 0.04,
        "flips": 0.2,
        "phrasing_share": 0.2,
    }.items():
        pilot = (30, 6, 2 if goal == "phrasing_share" else 1)
        yield width(goal, "templates", templates, wanted, kind="format", pilot=pilot)
    yield gate("mixed", mixed, "accuracy", 0.45)
    yield gate("easy", easy, "accuracy", 0.75)
    yield gate("easy", easy, "s_prompt", 0.85)
    yield gate("easy", easy, "flips", 0.25)


PROMISES = list(_promises())


def tried(place: int, plans: int) -> tuple[float, float, str]:
    """The share of plans of one of `PROMISES` that were kept, the median of calls, and what else to say."""
    promise = PROMISES[place]
    rng = np.random.default_rng(zlib.crc32(f"{promise.what}, {promise.setting}".encode()))
    kept, calls, grids, without = [], [], [], 0
    while len(kept) < plans:
        scores = promise.draw(rng, promise.chances(rng, *promise.pilot[:2]), promise.pilot[2])
        if np.ptp(scores) == 0:
            continue  # such a pilot is refused
        chosen = plan(components=pilot_components(as_table(scores, promise.kind)), **promise.goal).recommended
        if chosen is None:
            without += 1
            if without > plans:
                break
            continue
        kept.append(promise.kept(rng, promise.chances, (chosen.items, chosen.variants, chosen.repeats)))
        calls.append(chosen.calls)
        grids.append(f"{chosen.variants} x {chosen.repeats}")
    beside = f"mostly {max(set(grids), key=grids.count)}" if grids else ""
    beside += f", {without} pilots without a plan" if without else ""
    return float(np.mean(kept or [0])), float(np.median(calls or [0])), beside


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plans", nargs="?", type=int, default=PLANS)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    print(f"{asked.plans} plans a goal, each from a pilot of its own\n")
    print("| goal | set | kept, % | wanted | calls | |\n|---|---|---|---|---|---|")
    began, missed = time.time(), 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        results = pool.map(tried, range(len(PROMISES)), [asked.plans] * len(PROMISES))
        for promise, (kept, calls, beside) in zip(PROMISES, results, strict=True):
            missed += kept < promise.wanted
            mark = " !" if kept < promise.wanted else ""
            row = [promise.what, promise.setting, f"{100 * kept:.0f}{mark}", f"{100 * promise.wanted:.0f}"]
            print("| " + " | ".join([*row, f"{calls:,.0f}", beside]) + " |", flush=True)
    print(f"\n{len(PROMISES)} promises in {(time.time() - began) / 60:.0f} minutes")
    print(f"{missed} not as wanted: marked above" if missed else "all as wanted")


if __name__ == "__main__":
    main()
