"""Do the statistics of templates keep their promises? Made-up models whose truth is known, many times.

    python benchmarks/sim_templates.py            # 2,000 simulations of what is promised, 500 of the rest
    python benchmarks/sim_templates.py --quick    # a tenth of them; bars are lower by three standard errors
    python benchmarks/sim_templates.py repair     # one of attribution quantiles ranking spread repair worst

Prints the table of docs/metrics.md, with the usual way beside it, and ends with "all as wanted" or with what
is not. Usual ways: quantiles of raw means; the template with the highest mean; a gain that is tested on the
items that picked it; the accuracy of the worst wording where it was picked. Seeded: everyone sees the same.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np
import polars as pl

from otherwords.metrics.gate import check_table
from otherwords.metrics.template_quantiles import QUANTILES, grid_quantiles
from otherwords.metrics.template_ranking import SPREAD, chance_of_mean, rank_templates
from otherwords.metrics.template_search import Ask, RepairSearch, Told, WorstSearch
from otherwords.metrics.variance_shares import CROSS, attribute
from sim_decisions import Row
from simulated_tables import Array, Rng, item_chances, logistic, raised, sparse_grid, template_chances

SIMULATIONS, QUICK = 2000, 200
COVERED, RIGHT, FOUND, ALARMS, HALF = 0.93, 0.935, 0.8, 0.06, 0.5
Simulated = tuple[Row, int]
"""A promise, and in how many simulations it was looked at."""
FACTORS = ("wording", "format", "order")
LEVELS, REPEATS = (3, 3, 3), 2


def _rng(name: str) -> Rng:
    return np.random.default_rng(zlib.crc32(name.encode()))


def _fewer(simulations: int) -> int:
    """Of what is beside the promise, or takes long."""
    return max(simulations // 4, 50)


# ---- where variance comes from

EFFECTS = {
    # standard deviations on the logit scale: items; wording, format, order; item × factor; two factors; cells
    "some effects": (1.5, 0.3, 0.3, 0.15, 0.4, 0.1, 0.3),
    "large effects": (1.2, 1.0, 0.5, 0.0, 0.8, 0.3, 0.5),
    "no effects": (1.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}


def crossed_chances(rng: Rng, effects: str, n_items: int = 100) -> Array:
    """The chance of each item under each wording × format × order."""
    item, *factors, on_item, pair, cell = EFFECTS[effects]
    logit = 0.8 + rng.normal(0, item, (n_items, 1, 1, 1))
    for axis, spread in enumerate(factors, start=1):
        shape = [1, 1, 1, 1]
        shape[axis] = LEVELS[axis - 1]
        logit = logit + rng.normal(0, spread, shape)
        logit = logit + rng.normal(0, on_item, [n_items, *shape[1:]])
    for one, other in combinations((1, 2, 3), 2):
        shape = [1, 1, 1, 1]
        shape[one], shape[other] = LEVELS[one - 1], LEVELS[other - 1]
        logit = logit + rng.normal(0, pair, shape)
    return logistic(logit + rng.normal(0, cell, (n_items, *LEVELS)))


def true_shares(chances: Array, noise: float) -> dict[str, float]:
    """Of the effects that were drawn, by plain definitions: no estimate is involved."""
    found: dict[str, float] = {}
    means = chances.mean(axis=0)
    for order in range(1, len(FACTORS) + 1):
        for term in combinations(range(len(FACTORS)), order):
            effect = np.zeros(())
            for size in range(order + 1):
                for kept in combinations(term, size):
                    others = tuple(axis for axis in range(len(FACTORS)) if axis not in kept)
                    effect = effect + (-1) ** (order - size) * means.mean(axis=others, keepdims=True)
            freedom = math.prod(LEVELS[axis] - 1 for axis in term)
            found[CROSS.join(FACTORS[axis] for axis in term)] = float(np.sum(effect**2)) / freedom
    apart = chances - means

    def covariance(*shared: int) -> float:
        """Between two cells of an item that share the levels of these factors and no other level."""
        pairs = [
            np.eye(n) / n if axis in shared else (1 - np.eye(n)) / (n * (n - 1))
            for axis, n in enumerate(LEVELS)
        ]
        both = np.einsum("iabc,aA,bB,cC,iABC->", apart, *pairs, apart, optimize=True)
        return float(both) / (len(apart) - 1)

    item = found["item"] = covariance()
    alone = [covariance(axis) - item for axis in range(len(FACTORS))]
    found |= {f"item{CROSS}{name}": value for name, value in zip(FACTORS, alone, strict=True)}
    found["item × several factors"] = covariance(0, 1, 2) - item - sum(alone)
    found["noise"] = noise
    # what is nothing but for rounding is nothing
    found = {term: value if value > 1e-12 else 0.0 for term, value in found.items()}
    total = sum(found.values())
    return {term: value / total for term, value in found.items()}


def attribution_once(rng: Rng, effects: str, half: bool, partial_credit: bool = False) -> dict[str, bool]:
    """Whether the interval of each term holds its share; and whether an effect was found."""
    chances = crossed_chances(rng, effects)
    cells = np.indices(chances.shape).reshape(4, -1).T
    if half:
        cells = cells[rng.permutation(len(cells))[: len(cells) // 2]]
    cells = np.repeat(cells, REPEATS, axis=0)
    p = chances[tuple(cells.T)]
    score = rng.beta(4 * p, 4 * (1 - p)) if partial_credit else (rng.random(len(p)) < p).astype(np.float64)
    noise = float(np.mean(chances * (1 - chances))) / (5 if partial_credit else 1)
    truth = true_shares(chances, noise)
    found = attribute(cells[:, 0], cells[:, 1:], score, FACTORS)
    held = {}
    for share in found.shares:
        low, high = share.estimate.low, share.estimate.high
        held[share.term] = low is not None and high is not None and low <= truth[share.term] <= high
    return {**held, "(found)": any(share.found for share in found.shares)}


def attribution(simulations: int) -> Iterator[Simulated]:
    settings: list[tuple[str, bool, bool]] = [
        ("some effects", False, False),
        ("some effects", True, False),
        ("large effects", False, False),
        ("large effects", True, False),
        ("no effects", False, False),
        ("no effects", True, False),
        ("some effects", True, True),
    ]
    for effects, half, partial_credit in settings:
        name = f"{effects}, {'half of the' if half else 'whole'} grid" + ", partial credit" * partial_credit
        rng, counts = _rng(name), Counter[str]()
        n = simulations if effects == "some effects" and not partial_credit else _fewer(simulations)
        for _ in range(n):
            counts.update(
                {k: int(v) for k, v in attribution_once(rng, effects, half, partial_credit).items()}
            )
        alarms = counts.pop("(found)") / n
        held = {term: count / n for term, count in counts.items()}
        lowest = min(held, key=lambda term: held[term])
        beside = f"lowest: {lowest}; mean {np.mean(list(held.values())):.3f}"
        yield Row("intervals of shares hold", name, held[lowest], COVERED, 1.0, beside), n
        if effects == "no effects":
            yield Row("an effect is found", name, alarms, 0.0, ALARMS), n


# ---- quantiles over templates


def quantiles(simulations: int) -> Iterator[Simulated]:
    settings: dict[str, Callable[[Rng], Array]] = {
        "no difference": lambda rng: template_chances(rng, 0.0),
        "logit sd 0.3 between templates": lambda rng: template_chances(rng, 0.3),
        "logit sd 0.6": lambda rng: template_chances(rng, 0.6),
        "logit sd 0.5, and 0.7 for each cell": lambda rng: template_chances(rng, 0.5, each=0.7),
        "logit sd 0.4, many items easy or hard": lambda rng: template_chances(rng, 0.4, items="beta"),
    }
    for name, make in settings.items():
        rng, n = _rng(name), _fewer(simulations)
        held, held_true, error, naive_error = [], [], [], []
        for _ in range(n):
            chances = make(rng)
            score = (rng.random(chances.shape) < chances).astype(np.float64)
            asked = sparse_grid(rng, *chances.shape, 0.1)
            value, low, high = grid_quantiles(score * asked, asked)
            whole, true = (np.quantile(one.mean(axis=0), QUANTILES) for one in (score, chances))
            naive = np.quantile((score * asked).sum(axis=0) / asked.sum(axis=0), QUANTILES)
            held.append((low <= whole) & (whole <= high))
            held_true.append((low <= true) & (true <= high))
            error.append(np.abs(value - whole))
            naive_error.append(np.abs(naive - whole))
        for what, one in (("the whole grid's", held), ("the true", held_true)):
            shares = np.mean(one, axis=0)
            each = ", ".join(f"{q:.0%}: {share:.3f}" for q, share in zip(QUANTILES, shares, strict=True))
            yield Row(f"intervals hold {what} quantiles", name, float(shares.min()), COVERED, 1.0, each), n
        ratio = float(np.mean(error) / np.mean(naive_error))
        beside = f"mean error {np.mean(error):.3f}, of raw means' quantiles {np.mean(naive_error):.3f}"
        yield Row("error as a share of raw means'", name, ratio, 0.0, HALF, beside), n


# ---- ranking


def ranking(simulations: int) -> Iterator[Simulated]:
    for n_items, items in ((50, "mixed"), (50, "alike"), (20, "mixed")):
        name = f"10 equal templates, {n_items} items, {items}"
        rng, none, best, n = _rng(name), 0, [], _fewer(simulations)
        for _ in range(n):
            p = item_chances(rng, n_items, items)
            score = (rng.random((10, n_items)) < p).astype(np.float64)
            ids = np.tile(np.arange(n_items), 10)
            table = pl.DataFrame(
                {"template": np.repeat(np.arange(10), n_items), "id": ids, "score": score.ravel()}
            )
            none += not rank_templates(table).real
            best.append(score.mean(axis=1).max() - p.mean())
        beside = f"the highest mean is {100 * np.mean(best):.1f} points above the truth"
        yield Row("no template is better than another", name, none / n, RIGHT, 1.0, beside), n


# ---- the spread of templates


def spread(simulations: int) -> Iterator[Simulated]:
    """`check --max-template-spread`: templates that are equal, and templates that are apart."""
    settings = {
        "6 equal templates, 50 items × 2": (50, (0.0,) * 6),
        "6 equal templates, 200 items × 2": (200, (0.0,) * 6),
        "20 equal templates, 24 items × 2": (24, (0.0,) * 20),
        "5 equal templates and one 10 points worse, 200 items × 2": (200, (0.0,) * 5 + (-0.1,)),
        "6 templates, 0 to 15 points apart, 200 items × 2": (200, (0.0, -0.03, -0.06, -0.09, -0.12, -0.15)),
    }
    for name, (n_items, gains) in settings.items():
        rng, n, found = _rng(name), _fewer(simulations), defaultdict[str, list[float]](list)
        for _ in range(n):
            p = item_chances(rng, n_items)
            chances = np.array([p if gain == 0 else raised(p, gain) for gain in gains])
            true = float(np.ptp(chances.mean(axis=1)))
            score = rng.binomial(2, chances) / 2
            names = np.repeat([f"t{k}" for k in range(len(gains))], n_items)
            ids = np.tile([f"q{k}" for k in range(n_items)], len(gains))
            table = pl.DataFrame(
                {"template": names, "variant": "orig", "id": ids, "score": score.ravel(), "kind": "orig"}
            ).with_columns(variant=pl.col("template"))
            for limit in {0.0, 0.05, true}:
                (told,) = check_table(table, {f"max_{SPREAD}": limit}).decisions
                found[f"{told.status} at {'the truth' if limit == true and true else limit}"].append(1.0)
            found["value"].append(told.value or 0.0)
            found["raw"].append(float(np.ptp(score.mean(axis=1))))
            found["true"].append(true)
        share = {one: len(times) / n for one, times in found.items()}
        beside = (
            f"spread {np.mean(found['value']):.3f}, of raw means {np.mean(found['raw']):.3f}, "
            f"truth {np.mean(found['true']):.3f}; FAIL at 0.05: {share.get('fail at 0.05', 0.0):.1%}"
        )
        at = "the truth" if any(gains) else "0.0"
        fails, passes = (share.get(f"{one} at {at}", 0.0) for one in ("fail", "pass"))
        yield Row(f"check says FAIL at a spread of {at}", name, fails, 0.0, ALARMS, beside), n
        if any(gains):
            yield Row("check says PASS just below the truth", name, passes, 0.0, ALARMS), n


# ---- repair and the worst wording


def drive(search: RepairSearch | WorstSearch, scores: Callable[[Ask, str], list[float]]) -> Told:
    """Asks until nothing is left to ask."""
    told: dict[object, list[float]] = {}
    while asks := search.asks(told):  # type: ignore[arg-type]
        for ask in asks:
            told |= {cell: scores(ask, cell.item) for cell in ask.cells}
    return told  # type: ignore[return-value]


def repair_once(
    rng: Rng, gain: float, items: str, n_items: int = 200, candidates: int = 10
) -> dict[str, bool | float]:
    """One search; `candidates` templates that are equal to the current one, or one of them better."""
    chances = np.repeat(item_chances(rng, n_items, items)[:, None], candidates + 1, axis=1)
    better = int(rng.integers(candidates)) + 1
    if gain:
        chances[:, better] = raised(chances[:, 0], gain)
    score = (rng.random((*chances.shape, 3)) < chances[:, :, None]).astype(np.float64)
    names = [str(place) for place in range(candidates + 1)]
    ids = tuple(str(place) for place in range(n_items))
    search = RepairSearch("0", tuple(names[1:]), ids, repeats=3, seed=int(rng.integers(1 << 30)))
    told = drive(search, lambda ask, item: score[int(item), int(ask.wording)].tolist())
    found = search.result(told)
    # the usual ways, with all items and all runs
    means = score.mean(axis=2)
    best = int(np.argmax(means[:, 1:].mean(axis=0))) + 1
    p = chance_of_mean(means[:, best] - means[:, 0], "above")
    return {
        "none": found.adopted is None,
        "found": found.adopted == str(better),
        "highest": bool(means[:, best].mean() > means[:, 0].mean()),
        "tested where picked": p is not None and p <= 0.05,
        "calls": found.calls,
    }


def _means(name: str, once: Callable[[Rng], dict[str, bool | float]], simulations: int) -> dict[str, float]:
    rng, sums = _rng(name), defaultdict(float)
    for _ in range(simulations):
        for what, value in once(rng).items():
            sums[what] += float(value)
    return {what: total / simulations for what, total in sums.items()}


def repair(simulations: int) -> Iterator[Simulated]:
    for n_items, items in ((200, "mixed"), (200, "alike"), (24, "mixed")):
        name = f"10 equal templates, {n_items} items × 3, {items}"
        n = simulations if (n_items, items) == (200, "mixed") else _fewer(simulations)
        found = _means(name, partial(repair_once, gain=0.0, items=items, n_items=n_items), n)
        beside = (
            f"the highest mean is adopted in {found['highest']:.1%}, tested on the items that picked it "
            f"{found['tested where picked']:.1%}; {found['calls']:,.0f} calls of {33 * n_items:,}"
        )
        yield Row('repair: "no wording is better"', name, found["none"], RIGHT, 1.0, beside), n
    for items in ("mixed", "alike"):
        name = f"one of 10 is 10 points better, 200 items × 3, {items}"
        n = simulations if items == "mixed" else _fewer(simulations)
        found = _means(name, partial(repair_once, gain=0.1, items=items), n)
        yield (
            Row("repair finds it", name, found["found"], FOUND, 1.0, f"{found['calls']:,.0f} calls of 6,600"),
            n,
        )


def worst_once(rng: Rng, loss: float) -> dict[str, bool | float]:
    """Sixteen wordings within 800 calls; all equal to the original, or one of them worse."""
    p = item_chances(rng, 300)
    worse = raised(p, -loss) if loss else p
    search = WorstSearch(
        "orig",
        tuple(f"w{k}" for k in range(16)),
        tuple(map(str, range(300))),
        800,
        seed=int(rng.integers(1 << 30)),
    )
    told = drive(
        search, lambda ask, item: [float(rng.random() < (worse if ask.wording == "w3" else p)[int(item)])]
    )
    found = search.result(told)
    true = float(np.mean(p - worse)) if found.wording == "w3" else 0.0
    low, high, value = found.loss.low, found.loss.high, found.loss.value
    assert low is not None
    assert high is not None
    assert value is not None
    assert found.selected is not None
    return {
        "held": low <= true <= high,
        "fresh": value - true,
        "picked": float(p.mean()) - found.selected - true,
        "found": found.wording == "w3",
        "calls": found.calls,
    }


def worst(simulations: int) -> Iterator[Simulated]:
    for loss in (0.0, 0.15):
        name = f"16 wordings, 800 calls, {'one costs 15 points' if loss else 'all equal'}"
        n = _fewer(simulations)
        found = _means(name, partial(worst_once, loss=loss), n)
        beside = (
            f"off by {100 * found['fresh']:+.1f} points, where it was picked {100 * found['picked']:+.1f}; "
            f"{found['calls']:,.0f} calls" + (f"; found in {found['found']:.1%}" if loss else "")
        )
        yield Row("worst: the fresh interval holds the loss", name, found["held"], COVERED, 1.0, beside), n


PARTS = {
    "attribution": attribution,
    "quantiles": quantiles,
    "ranking": ranking,
    "spread": spread,
    "repair": repair,
    "worst": worst,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulations of the statistics of templates.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=[], help="all if not given")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} simulations a setting")
    parser.add_argument("--simulations", type=int, default=None)
    options = parser.parse_args()
    simulations = options.simulations or (QUICK if options.quick else SIMULATIONS)
    started = time.perf_counter()
    print("| what | where | share | wanted | beside |\n|---|---|---|---|---|", flush=True)
    missed = []
    for part in options.parts or PARTS:
        for row, n in PARTS[part](simulations):
            spare = 3 * math.sqrt(row.low * (1 - row.low) / n) if options.quick else 0.0
            told = replace(row, low=round(row.low - spare, 3), setting=f"{row.setting}, n = {n:,}")
            print(told, flush=True)
            missed += [] if told.ok else [f"{row.what} ({row.setting}): {row.value:.3f}"]
    print(f"\n{simulations:,} simulations, {time.perf_counter() - started:,.0f} s")
    print("all as wanted" if not missed else "not as wanted: " + "; ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
