"""Does `otherwords study` hold what it says? Made-up agents on two benchmarks, many studies of each setting.

    python benchmarks/sim_study.py          # 1,000 studies a setting by sums, 200 by tables
    python benchmarks/sim_study.py 300 50   # fewer

By sums: true sensitivities of normal agents with a known correlation, and errors of a known variance: a share
of the variance between agents, the reliability, is true. By tables: scores of agents whose chance to be right
moves up or down with the wording, by an amount of their own on each benchmark; errors come from the tables.
Of agents that are all the same no correlation is defined: there only the share that says something counts.
Printed: in how many studies the 95% interval holds the true correlation, and in how many it leaves out 0
("said"): where the correlation is 0 or none, each of these is wrong, and 5% is what is promised. Then how
often a slope over model sizes, and a difference between families, is found where there is none, at p ≤ .05.
Seeded.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np
import polars as pl

from otherwords.metrics.study import Sensitivities, disattenuated, sensitivities, transfers, trends

SUMS, TABLES = 1000, 200
WORDINGS, REPEATS = 6, 3
Rng = np.random.Generator


@dataclass(frozen=True)
class Setting:
    """How many agents and items, how the two benchmarks go together, and how far agents differ."""

    name: str
    agents: int
    items: int
    correlation: float
    spread: float = 0.04
    """Standard deviation between agents of the variance that wording makes; 0: all are the same."""
    mean: float = 0.10


TABLE_SETTINGS = (
    Setting("6 agents, 60 items, none", 6, 60, 0.0),
    Setting("12 agents, 60 items, none", 12, 60, 0.0),
    Setting("12 agents, 60 items, .8", 12, 60, 0.8),
    Setting("12 agents, 200 items, .8", 12, 200, 0.8),
    Setting("12 agents, 60 items, 1", 12, 60, 1.0),
    Setting("12 agents, all the same", 12, 60, 0.0, spread=0.0),
    Setting("12 agents, wording does nothing", 12, 60, 0.0, spread=0.0, mean=0.0),
)


def true_variances(rng: Rng, one: Setting, agents: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """What wording makes of each agent's scores on both benchmarks: [agent, benchmark]."""
    root = np.linalg.cholesky([[1.0, one.correlation], [one.correlation, 1.0 + 1e-12]])
    drawn = one.mean + one.spread * rng.standard_normal((agents, 2)) @ root.T
    return np.clip(drawn, 0.0, 0.2)


def study_table(rng: Rng, one: Setting) -> pl.DataFrame:
    """The outcome table of both benchmarks."""
    effect = np.sqrt(true_variances(rng, one, one.agents))
    parts = []
    for benchmark in range(2):
        base = rng.choice([0.45, 0.5, 0.55], (one.items, 1, 1))
        ups = rng.choice([-1.0, 1.0], (one.items, WORDINGS, 1))
        for agent in range(one.agents):
            chance = np.clip(base + ups * effect[agent, benchmark], 0, 1)
            score = rng.random((one.items, WORDINGS, REPEATS)) < chance
            item, wording, repeat = np.indices(score.shape).reshape(3, -1)
            parts.append(
                pl.DataFrame(
                    {
                        "task": f"bench{benchmark}",
                        "model": f"agent{agent:02}",
                        "id": item,
                        "wording": wording,
                        "repeat": repeat + 1,
                        "score": score.reshape(-1).astype(np.float64),
                    }
                )
            )
    name = pl.when(pl.col("wording") == 0).then(pl.lit("orig")).otherwise(pl.format("para{}", "wording"))
    return pl.concat(parts).with_columns(variant=name, id=pl.format("q{}", "id")).drop("wording")


def by_sums(agents: int, reliability: float, correlation: float, studies: int) -> tuple[float, float, float]:
    """Coverage, how often 0 is left out, and the mean width."""
    rng = np.random.default_rng([agents, round(100 * reliability), round(100 * correlation)])
    noise = (1 - reliability) / reliability
    held, said, width = [], [], []
    for seed in range(studies):
        true = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], agents)
        x, y = (true + rng.normal(0, noise**0.5, true.shape)).T
        _, low, high, _ = disattenuated(x, y, noise, noise, seed=seed)
        held.append(low <= correlation <= high)
        said.append(low > 0 or high < 0)
        width.append(high - low)
    return float(np.mean(held)), float(np.mean(said)), float(np.mean(width))


def by_tables(one: Setting, studies: int) -> tuple[float | None, float, float, float]:
    """Coverage of the correlation, how often 0 is left out, how often size and family seem to matter."""
    rng = np.random.default_rng(7)
    true = None
    if one.spread:
        true = float(np.corrcoef(true_variances(np.random.default_rng(1), one, 200_000).T)[0, 1])
    held, said, size, family = [], [], [], []
    for seed in range(studies):
        found = sensitivities(study_table(rng, one), "s_corrected")
        (pair,) = transfers(found, seed=seed)
        low, high = pair.correlation.low, pair.correlation.high
        assert low is not None
        assert high is not None
        held.append(true is None or low <= true <= high)
        said.append(pair.said != "cannot tell")
        told = unrelated(rng, found, seed)
        size.append(told["size"] <= 0.05)
        family.append(told["family"] <= 0.05)
    coverage = None if true is None else float(np.mean(held))
    return coverage, float(np.mean(said)), float(np.mean(size)), float(np.mean(family))


def unrelated(rng: Rng, found: list[Sensitivities], seed: int) -> dict[str, float]:
    """p of a size and of a family that were given by lot."""
    agents = found[0].agents
    columns = {
        "size": {agent: float(size) for agent, size in zip(agents, rng.normal(1, 0.5, 99), strict=False)},
        "family": {
            agent: f"f{number}" for agent, number in zip(agents, rng.permutation(99) % 3, strict=False)
        },
    }
    told = {one.column: one for one in trends(found, columns, seed=seed) if one.task == "all"}
    return {name: 1.0 if one.p is None else one.p for name, one in told.items()}


def main() -> None:
    sums = int(sys.argv[1]) if len(sys.argv) > 1 else SUMS
    tables = int(sys.argv[2]) if len(sys.argv) > 2 else TABLES
    print(f"{sums:,} studies a row\nagents  reliability  correlation  coverage    said   width")
    for agents in (4, 6, 10, 20):
        for reliability in (0.3, 0.6, 0.9):
            for correlation in (0.0, 0.5, 0.9, 1.0):
                held, said, width = by_sums(agents, reliability, correlation, sums)
                row = f"{agents:6}  {reliability:11.1f}  {correlation:11.1f}"
                print(f"{row}  {held:8.1%}  {said:6.1%}  {width:6.2f}", flush=True)
    print(f"\n{tables:,} studies of tables a row\n{'':32}  coverage    said    size  family")
    for one in TABLE_SETTINGS:
        coverage, said, size, family = by_tables(one, tables)
        held_text = "       —" if coverage is None else f"{coverage:8.1%}"
        print(f"{one.name:32}  {held_text}  {said:6.1%}  {size:6.1%}  {family:6.1%}", flush=True)


if __name__ == "__main__":
    main()
