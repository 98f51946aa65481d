"""What simpler methods do on the processes of sim_statistics.py: why intervals and tests are as they are.

    python benchmarks/sim_plain_methods.py         # 2,000 tables a setting, in a minute
    python benchmarks/sim_plain_methods.py 200     # fewer tables, rougher

Prints the numbers that docs/metrics.md gives for methods that the library does not use: Student's t over
items without made-up ones, and intervals and tests over items alone where wordings are shared by items.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from otherwords.metrics.measures import Measure, estimates, p_value
from otherwords.metrics.model_comparison import difference
from simulated_tables import (
    TOGETHER,
    VARIANTS,
    Rng,
    Table,
    draw,
    easy,
    measures,
    measures_of_all,
    moved,
    shared,
    values_of,
)

MANY = 60_000


def measured(tables: Sequence[Table], names: Sequence[str]) -> list[dict[str, Measure]]:
    """The measures of each table."""
    parts = [tables[first : first + TOGETHER] for first in range(0, len(tables), TOGETHER)]
    return [one for part in parts for one in measures_of_all(part, names)]


def held(found: Sequence[Measure], truth: float) -> float:
    """The share of intervals over items that hold the truth; where all items agree, that is the value."""
    ends = [(one.low, one.high, one.value) for one in estimates(found, generalize="items")]
    known = [(low, high) if low is not None and high is not None else (v, v) for low, high, v in ends]
    return float(np.mean([(low or 0) - 1e-9 <= truth <= (high or 0) + 1e-9 for low, high in known]))


def plain_t(rng: Rng, tables: int) -> None:
    """Easy sets of 12 items, without made-up items."""
    names = ("accuracy", "s_prompt", "s_corrected")
    truth = values_of(measures(draw(rng, easy(rng, MANY), 3), names))
    found = measured([draw(rng, easy(rng, 12), 3) for _ in range(tables)], names)
    for name in names:
        bare = []
        for one in found:
            statistic = one[name].statistic
            assert statistic is not None
            bare.append(replace(one[name], statistic=replace(statistic, ends=None)))
        print(f"plain t, easy sets of 12 items, {name}: holds the truth in {held(bare, truth[name]):.1%}")


def over_items(rng: Rng, tables: int) -> None:
    """Six wordings that 100 items share, intervals and tests over items alone."""
    names = ("accuracy", "delta_accuracy")
    for spread in (0.3, 0.6):

        def pair(spread: float = spread) -> tuple[Table, Table]:
            p = np.repeat(rng.beta(1.3, 0.7, (100, 1)), VARIANTS, axis=1)
            sides = [moved(p, spread * rng.standard_normal((1, VARIANTS))) for _ in range(2)]
            return draw(rng, sides[0], 1, kind="format"), draw(rng, sides[1], 1, kind="format")

        truth = values_of(
            measures(draw(rng, shared(rng, MANY, spread, MANY // 100), 1, kind="format"), names)
        )
        pairs = [pair() for _ in range(tables)]
        first, second = (measured(side, names) for side in zip(*pairs, strict=True))
        for name in names:
            share = held([one[name] for one in first], truth[name])
            print(f"over items alone, shared wordings, logit sd {spread}, {name}: holds {share:.1%}")
        alarms = 0
        for one, other in zip(first, second, strict=True):
            p = p_value(difference(one["accuracy"], other["accuracy"])[2], generalize="items")
            alarms += p is not None and p < 0.05
        print(
            f"over items alone, shared wordings, logit sd {spread}: compare alarms in {alarms / tables:.1%}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="?", type=int, default=2000)
    tables = parser.parse_args().tables
    for number, part in enumerate((plain_t, over_items)):
        part(np.random.default_rng(number), tables)


if __name__ == "__main__":
    main()
