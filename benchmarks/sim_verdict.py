"""Do verdicts keep their promises? Tables whose truth is known, 2,000 of each sort, seeded.

    python benchmarks/sim_verdict.py             # 2,000 tables of each sort, on one core
    python benchmarks/sim_verdict.py --jobs 2    # the same numbers, on two
    python benchmarks/sim_verdict.py 100         # fewer tables, rougher

Prints the table of docs/metrics.md and ends with "all as wanted" or with what is not. Wanted: where wording
does nothing, `none found` or `cannot tell` in at least 93.5%, no item listed, nothing called robust whose
interval of a loss excludes 0, and FAIL of `check --max-excess-flips 0.1` in at most 6%; a loss of 31 points
under one kind of ten named in the headline in at least 95%; the smallest detectable loss found in 75 to 90%.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.verdict import CANNOT_TELL, LARGE, NONE_FOUND, SMALL
from otherwords.metrics import check_table, verdicts

TABLES = 2000
PERMUTATIONS = 2000
KINDS = ("paraphrase", "naturalistic", "llm", *(f"kind{place}" for place in range(4, 11)))
"""None of them is shared by items, so that intervals speak for other items."""
FALSE, FALSE_FAILS, NAMED, POWER = 0.065, 0.06, 0.95, (0.75, 0.9)

Array = npt.NDArray[np.float64]
Chances = Callable[[np.random.Generator, int], Array]


def coins(rng: np.random.Generator, items: int) -> Array:
    """Every answer a coin with the item's own chance, from 0 to 1."""
    return rng.uniform(0.0, 1.0, items)


def good(rng: np.random.Generator, items: int) -> Array:
    """Accuracy about .67, many items nearly certain."""
    return rng.beta(1.0, 0.5, items)


def easy(rng: np.random.Generator, items: int) -> Array:
    """Accuracy .92: 15% of the items are not near-certain."""
    return np.where(rng.random(items) < 0.15, rng.uniform(0.2, 0.8, items), 0.995)


@dataclass(frozen=True)
class Sort:
    """Tables of one sort."""

    name: str
    chances: Chances
    items: int
    wordings: int
    repeats: int
    loss: float = 0.0
    """Points lost under the first kind, or under all of them."""
    under_all: bool = False
    missing: float = 0.0


NULLS = (
    Sort("coins", coins, 200, 6, 3),
    Sort("coins", coins, 50, 6, 3),
    Sort("coins", coins, 12, 6, 3),
    Sort("coins, one repeat", coins, 200, 6, 1),
    Sort("good", good, 100, 11, 2),
    Sort("easy", easy, 200, 6, 3),
    Sort("easy", easy, 50, 6, 3),
    Sort("8% without a score", good, 100, 6, 3, missing=0.08),
)
PLANTED = Sort("31 points under one of ten kinds", good, 50, 11, 3, loss=0.31)
AT_SMALLEST = Sort("the smallest detectable loss", coins, 200, 6, 3, loss=1.0, under_all=True)


def draw(sort: Sort, seed: int) -> pl.DataFrame:
    """One outcome table."""
    rng = np.random.default_rng([seed, sort.items, sort.wordings, sort.repeats])
    chance = np.repeat(sort.chances(rng, sort.items)[:, None], sort.wordings, axis=1)
    if sort.loss:
        # so many points on average: those who can lose do, in proportion
        lose = chance[:, 1] * min(sort.loss / float(chance[:, 1].mean()), 1.0)
        chance[:, slice(1, None) if sort.under_all else 1] -= lose[:, None] if sort.under_all else lose
    score = rng.random((sort.items, sort.wordings, sort.repeats)) < chance[:, :, None]
    lost = rng.random(score.shape) < sort.missing
    item, wording, repeat = (one.reshape(-1) for one in np.indices(score.shape))
    names = np.array(["orig", *(f"v{place}" for place in range(1, sort.wordings))])
    kinds = np.array(["orig", *KINDS[: sort.wordings - 1]])
    return pl.DataFrame(
        {
            "task": "t",
            "model": "m",
            "id": item.astype(str),
            "variant": names[wording],
            "kind": kinds[wording],
            "repeat": repeat + 1,
            "score": pl.Series(score.reshape(-1).astype(float)).set(pl.Series(lost.reshape(-1)), None),
        }
    )


@dataclass(frozen=True)
class Said:
    """What one verdict said, as far as it is counted."""

    effect: str
    listed: int
    robust: bool
    excluded: bool
    worst: str
    smallest: float | None
    fails: bool


def judge(sort: Sort, with_gate: bool, seed: int) -> Said:
    table = draw(sort, seed)
    (verdict,) = verdicts(table, permutations=PERMUTATIONS)
    fails = False
    if with_gate:
        (decision,) = check_table(table, {"max_excess_flips": 0.1}).decisions
        fails = decision.status == "fail"
    losses = [verdict.loss, *(one.loss for one in verdict.changes)]
    excluded = any((one.low or 0.0) > 0 or (one.high or 0.0) < 0 for one in losses)
    worst = verdict.worst.kind if verdict.worst and verdict.worst.name in verdict.sentence else ""
    return Said(
        verdict.effect,
        len(verdict.items) if verdict.effect in (NONE_FOUND, CANNOT_TELL) else 0,
        verdict.robust,
        excluded,
        worst,
        verdict.power.smallest_loss,
        fails,
    )


def many(sort: Sort, tables: int, jobs: int, *, with_gate: bool = False) -> list[Said]:
    work = partial(judge, sort, with_gate)
    if jobs == 1:
        return [work(seed) for seed in range(tables)]
    with ProcessPoolExecutor(jobs) as pool:
        return list(pool.map(work, range(tables), chunksize=20))


def nulls(tables: int, jobs: int) -> Iterator[str]:
    """Prints a row for each sort of table without an effect; gives what is not as wanted."""
    print("| wording does nothing | items × wordings × repeats | none found | cannot tell | small | large |")
    print("|---|---|---|---|---|---|")
    for sort in NULLS:
        gate = sort is NULLS[0]
        said = many(sort, tables, jobs, with_gate=gate)
        counts = Counter(one.effect for one in said)
        shares = [counts[name] / tables for name in (NONE_FOUND, CANNOT_TELL, SMALL, LARGE)]
        size = f"{sort.items} × {sort.wordings} × {sort.repeats}"
        print(f"| {sort.name} | {size} | {' | '.join(f'{share:.1%}' for share in shares)} |", flush=True)
        if shares[2] + shares[3] > FALSE:
            yield f"{sort.name}, {size}: an effect in {shares[2] + shares[3]:.1%} of tables without one"
        if any(one.listed for one in said):
            yield f"{sort.name}, {size}: items are listed where no effect was found"
        if any(one.robust and one.excluded for one in said):
            yield f"{sort.name}, {size}: called robust where an interval of a loss excludes 0"
        if gate:
            fails = sum(one.fails for one in said) / tables
            print(f"<!-- check --max-excess-flips 0.1 says FAIL in {fails:.1%} of these -->")
            if fails > FALSE_FAILS:
                yield f"check --max-excess-flips 0.1 fails {fails:.1%} of tables without an effect"


def planted(tables: int, jobs: int) -> Iterator[str]:
    said = many(PLANTED, tables, jobs)
    named = sum(one.worst == KINDS[0] for one in said) / tables
    wrong = sum(one.worst not in ("", KINDS[0]) for one in said) / tables
    large = sum(one.effect == LARGE for one in said) / tables
    print(f"{PLANTED.name}: in the headline {named:.1%}, another kind {wrong:.1%}, large {large:.1%}")
    if named < NAMED:
        yield f"a loss of 31 points under one kind is the headline in {named:.1%} only"
    if any(one.robust for one in said):
        yield "called robust with a loss of 31 points under one kind"


def at_smallest(tables: int, jobs: int) -> Iterator[str]:
    """Whether a loss of the size that is said to be detectable is found in about 80%."""
    before = many(NULLS[0], min(tables, 50), jobs)
    smallest = float(np.mean([one.smallest for one in before if one.smallest is not None]))
    sort = Sort("", AT_SMALLEST.chances, 200, 6, 3, loss=smallest, under_all=True)
    said = many(sort, tables, jobs)
    found = sum(one.effect in (SMALL, LARGE) for one in said) / tables
    print(f"a true loss of {100 * smallest:.1f} points, the smallest detectable one: found in {found:.1%}")
    if not POWER[0] <= found <= POWER[1]:
        yield f"the smallest detectable loss is found in {found:.1%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=TABLES)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    start = time.time()
    wrong = [line for part in (nulls, planted, at_smallest) for line in part(given.tables, given.jobs)]
    print(f"{given.tables:,} tables of each sort in {time.time() - start:.0f} s")
    if wrong:
        raise SystemExit("\n".join(["not as wanted:", *wrong]))
    print("all as wanted")


if __name__ == "__main__":
    main()
