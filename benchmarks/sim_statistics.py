"""Do estimates, intervals and decisions keep their promises? Made-up models whose truth is known, many times.

    python benchmarks/sim_statistics.py             # 1,000 tables a setting, on one core
    python benchmarks/sim_statistics.py --jobs 2    # the same numbers, on two
    python benchmarks/sim_statistics.py 200         # fewer tables, rougher
    python benchmarks/sim_statistics.py --keep DIR  # interrupted and started again, it goes on from there

Prints the tables of docs/metrics.md and ends with "all as wanted" or with what is not. Wanted: intervals that
hold the truth in at least 94% of the tables (above 99% they are named as too wide), errors on the flattering
side (a gate set at the truth is passed) in at most 3.5%, false alarms of `compare` in at most 6%. What comes
near a bar is drawn again in four times as many tables, and those count. Seeded: everyone sees the same. What
is kept in DIR is used for as long as the code of metrics/ and of the simulation is the same.
"""

from __future__ import annotations

import argparse
import math
import pickle
import time
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TypeVar

import numpy as np

import otherwords.metrics
from otherwords.metrics.intervals import Generalize
from otherwords.metrics.measures import Measure, estimates
from sim_decisions import PARTS, Row, part
from simulated_tables import (
    TOGETHER,
    VARIANTS,
    Array,
    Rng,
    Table,
    breaks_few,
    check_same,
    costs_some,
    decides_in_few,
    draw,
    easy,
    intervals_of_all,
    measures,
    measures_of_all,
    mixed,
    moved,
    partial_credit,
    shared,
    values_of,
)

TABLES, AGAIN = 1000, 4
SIZES = (12, 30, 50, 100)
MANY = 60_000
"""Items whose metrics are taken as the truth."""
LOWEST, TOO_WIDE, FLATTERING = 0.94, 0.99, 0.035
NEAR = 0.005
"""What is less than this on the right side of a bar is drawn again."""
LOWER_IS_BETTER = (
    *("delta_accuracy", "pdr", "fragility_score", "excess_flips", "answer_entropy", "mean_variance"),
    *("std_variance", "min_max_gap", "phrasing", "phrasing_share", "noise", "item", "format_failure_rate"),
)
Make = Callable[[Rng, int], Table]


@dataclass(frozen=True)
class Setting:
    """Tables of one process and size, whose intervals are held against the truth."""

    section: str
    column: str
    """Of the section's table; settings with the same column share it."""
    process: str
    make: Make
    n_items: int
    generalize: Generalize | None = "items"
    truths: Callable[[Rng, Make], dict[str, float]] = field(
        default=lambda rng, make: values_of(measures(make(rng, MANY)))
    )

    @property
    def name(self) -> str:
        return f"{self.section}, {self.process}, {self.n_items} items"

    def rng(self, draws: str) -> Rng:
        """The same for the same setting, whatever ran before."""
        return np.random.default_rng(zlib.crc32(f"{self.name}, {draws}".encode()))


@dataclass
class Tally:
    """How often intervals of one metric held the truth."""

    held: int = 0
    flattering: int = 0
    """Wholly on the better side of the truth."""
    tables: int = 0

    @property
    def coverage(self) -> float:
        return self.held / self.tables

    @property
    def flattered(self) -> float:
        return self.flattering / self.tables

    @property
    def ok(self) -> bool:
        return self.coverage >= LOWEST and self.flattered <= FLATTERING

    @property
    def is_near(self) -> bool:
        return self.coverage < LOWEST + NEAR or self.flattered > FLATTERING - NEAR

    def count(self, low: float, high: float, truth: float, lower_is_better: bool) -> None:
        near = 1e-9
        self.tables += 1
        self.held += low - near <= truth <= high + near
        self.flattering += high < truth - near if lower_is_better else low > truth + near


def _easy_and_mixed() -> Iterator[Setting]:
    for name, chances in (("easy", easy), ("mixed", mixed)):
        processes: dict[str, Make] = {
            "1 repeat": lambda rng, n, p=chances: draw(rng, p(rng, n), 1),  # type: ignore[misc]
            "3 repeats": lambda rng, n, p=chances: draw(rng, p(rng, n), 3),  # type: ignore[misc]
            "3 repeats, no effect": lambda rng, n, p=chances: draw(rng, p(rng, n, 0.0), 3),  # type: ignore[misc]
        }
        for process, make in processes.items():
            for n in SIZES:
                yield Setting("easy and mixed sets", f"{name} {n}", f"{name}, {process}", make, n)


def _other_processes() -> Iterator[Setting]:
    processes: dict[str, tuple[str, Make]] = {
        "skewed partial credit": ("partial credit", lambda rng, n: partial_credit(rng, mixed(rng, n), 2)),
        "wording decides in 8% of the items": (
            "decides in 8%",
            lambda rng, n: draw(rng, decides_in_few(rng, n), 3),
        ),
        "rewording breaks 15% of the items": ("breaks 15%", lambda rng, n: draw(rng, breaks_few(rng, n), 2)),
        "rewording costs every item a logit": (
            "costs a logit",
            lambda rng, n: draw(rng, costs_some(rng, n), 1),
        ),
        "scores missing not at random": ("missing", lambda rng, n: draw(rng, mixed(rng, n), 2, missing=True)),
    }
    for process, (column, make) in processes.items():
        for n in SIZES:
            yield Setting("other processes", column, process, make, n)


def _shared_wordings() -> Iterator[Setting]:
    for spread in (0.3, 0.6):
        for wordings in (4, VARIANTS):

            def make(rng: Rng, n: int, spread: float = spread, wordings: int = wordings) -> Table:
                return draw(rng, shared(rng, n, spread, max(n // 100, 1), wordings), 1, kind="format")

            process = f"{wordings} wordings shared by items, logit sd {spread}"
            for n in (30, 100):
                yield Setting(
                    "shared wordings", f"{wordings} wordings, sd {spread}, {n}", process, make, n, None
                )


def _fixed_items() -> Iterator[Setting]:
    for spread in (0.3, 0.6):
        base = np.repeat(np.random.default_rng(1).beta(1.3, 0.7, (50, 1)), VARIANTS, axis=1)

        def make(rng: Rng, n: int, p: Array = base, spread: float = spread) -> Table:
            return draw(rng, moved(p, spread * rng.standard_normal((1, VARIANTS))), 1, kind="format")

        def truths(rng: Rng, make: Make, p: Array = base, spread: float = spread) -> dict[str, float]:
            under_any = moved(p[:, :1], spread * rng.standard_normal((1, MANY)))
            return {"accuracy": float(under_any.mean()), "delta_accuracy": 0.0}

        process = f"the same 50 items under other wordings, logit sd {spread}"
        yield Setting(
            "other wordings of the same items", f"sd {spread}", process, make, 50, "wordings", truths
        )


SETTINGS = [*_easy_and_mixed(), *_other_processes(), *_shared_wordings(), *_fixed_items()]


@cache
def truths_of(process: str) -> dict[str, float]:
    """What intervals of a process are held against."""
    setting = next(one for one in SETTINGS if one.process == process)
    return setting.truths(np.random.default_rng(zlib.crc32(process.encode())), setting.make)


def tally(setting: Setting, tables: int, only: Sequence[str] = (), draws: str = "first") -> dict[str, Tally]:
    """How the intervals of `tables` tables did, by metric."""
    rng = setting.rng(draws)
    truths = truths_of(setting.process)
    found: dict[str, Tally] = defaultdict(Tally)
    for measured in in_batches(lambda: setting.make(rng, setting.n_items), tables, _families(only)):
        for metric in [one for one in measured[0] if one in truths and (not only or one in only)]:
            same = [one[metric] for one in measured if metric in one]
            for ends in _intervals(same, setting.generalize):
                if ends is not None:
                    found[metric].count(*ends, truths[metric], lower_is_better(metric))
    return dict(found)


def _intervals(
    measured: Sequence[Measure], generalize: Generalize | None
) -> Sequence[tuple[float, float] | None]:
    """Those that speak for whom they were asked to."""
    if generalize == "items":
        return intervals_of_all(measured)
    return [
        (one.low, one.high) if None not in (one.low, one.high) and one.generalizes == target else None  # type: ignore[misc]
        for target in [generalize or "both"]
        for one in estimates(measured, generalize=generalize)
    ]


def in_batches(
    make: Callable[[], Table], tables: int, only: Sequence[str] = ()
) -> Iterator[list[dict[str, Measure]]]:
    """The measures of so many tables; those of one are held against what the library reads from a frame."""
    for first in range(0, tables, TOGETHER):
        made = [make() for _ in range(min(TOGETHER, tables - first))]
        if not first:
            check_same(made)
        yield list(measures_of_all(made, only))


def _families(only: Sequence[str]) -> Sequence[str]:
    """The functions whose estimates these are."""
    several = {
        **dict.fromkeys(("item", "phrasing", "phrasing_share", "noise"), "variance_components"),
        **dict.fromkeys(("pairwise_agreement", "answer_entropy", "fleiss_kappa"), "agreement"),
        **{"r_prompt_hal": "r_prompt", "r_fault_hal": "r_fault", "c_out_unbiased": "c_out"},
    }
    rates = [name for name in only if name.endswith("_rate") and name != "format_failure_rate"]
    return [*(several.get(name, name) for name in only), *(["outcome_rates"] if rates else [])]


def lower_is_better(metric: str) -> bool:
    return metric in LOWER_IS_BETTER or metric.endswith("_rate")


def judged(place: int, tables: int) -> dict[str, Tally]:
    """One of `SETTINGS`, with what is near a bar drawn again."""
    found = tally(SETTINGS[place], tables)
    near = [metric for metric, one in found.items() if one.is_near]
    return {**found, **tally(SETTINGS[place], AGAIN * tables, near, "again")} if near else found


def table_of(found: Iterable[tuple[Setting, dict[str, Tally]]]) -> Iterator[str]:
    """Markdown: the lowest and the highest coverage of each metric in each column, and the worst flattery."""
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    worst: dict[str, float] = defaultdict(float)
    columns = {}
    for setting, tallies in found:
        columns[setting.column] = True
        for metric, one in tallies.items():
            cells[metric][setting.column].append(one.coverage)
            worst[metric] = max(worst[metric], one.flattered)
    yield f"| | {' | '.join(columns)} | flattering, at most |"
    yield "|---" * (len(columns) + 2) + "|"
    for metric, by_column in cells.items():
        texts = [_between(by_column.get(column, [])) for column in columns]
        yield f"| `{metric}` | " + " | ".join(texts) + f" | {100 * worst[metric]:.1f} |"


def _between(shares: list[float], too_wide: float = TOO_WIDE) -> str:
    if not shares:
        return "–"
    texts = dict.fromkeys(f"{100 * one:.1f}" for one in (min(shares), max(shares)))
    return "–".join(texts) + (" >" if max(shares) > too_wide else "")


def alarm_table(rows: Sequence[Row]) -> Iterator[str]:
    """Markdown: the lowest and the highest share of alarms of each metric, by process."""
    cells: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    columns = dict.fromkeys(row.setting.rpartition(", ")[0] for row in rows)
    for row in rows:
        cells[row.what.rpartition(", ")[2]][row.setting.rpartition(", ")[0]].append(row.value)
    yield f"| | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for metric, by_column in cells.items():
        texts = [_between(by_column.get(column, []), math.inf) for column in columns]
        yield f"| {metric} | {' | '.join(texts)} |"


def rows_of(setting: Setting, tallies: dict[str, Tally]) -> Iterator[Row]:
    """Both promises of each metric."""
    for metric, one in tallies.items():
        yield Row(f"coverage of {metric}", setting.name, one.coverage, LOWEST, 1.0)
        yield Row(f"flattering errors of {metric}", setting.name, one.flattered, 0.0, FLATTERING)


Found = TypeVar("Found")


def kept(work: Callable[[int, int], Found], place: int, tables: int, folder: Path | None) -> Found:
    """What `work` gives; from the folder if it is there."""
    if folder is None:
        return work(place, tables)
    path = folder / f"{_code():08x}-{work.__name__}-{place}-{tables}.pickle"
    if not path.exists():
        found = work(place, tables)
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".unfinished")
        unfinished.write_bytes(pickle.dumps(found))
        unfinished.rename(path)
    result: Found = pickle.loads(path.read_bytes())
    return result


@cache
def _code() -> int:
    """A checksum of the code that the numbers depend on."""
    folders = Path(otherwords.metrics.__file__).parent.glob("*.py"), Path(__file__).parent.glob("sim*.py")
    return zlib.crc32(b"".join(path.read_bytes() for paths in folders for path in sorted(paths)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="?", type=int, default=TABLES)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="DIR")
    asked = parser.parse_args()
    began, rows, how = time.time(), [], {"tables": asked.tables, "folder": asked.keep}
    print(f"{asked.tables} tables a setting, {AGAIN * asked.tables} where it came near a bar\n")
    with ProcessPoolExecutor(asked.jobs) as pool:
        tallies = list(pool.map(partial(kept, judged, **how), range(len(SETTINGS))))
        for section in dict.fromkeys(setting.section for setting in SETTINGS):
            found = [(one, its) for one, its in zip(SETTINGS, tallies, strict=True) if one.section == section]
            print(f"Share of 95% intervals that hold the truth, %: {section}\n")
            print("\n".join(table_of(found)))
            print(
                "\nlowest–highest over what a column holds; > above 99%: wider than it need be\n", flush=True
            )
            rows += [row for setting, its in found for row in rows_of(setting, its)]
        wide = sum(row.value > TOO_WIDE for row in rows if row.what.startswith("coverage"))
        first, *others = pool.map(partial(kept, part, **how), range(len(PARTS)))
    print("False alarms of `compare` at 5%, %\n")
    print("\n".join(alarm_table(first)), "\nlowest–highest over numbers of items\n", sep="\n")
    print("| | where | share or value | wanted | |\n|---|---|---|---|---|")
    print("\n".join(str(row) for made in others for row in made))
    rows += [row for made in (first, *others) for row in made]
    missed = [row for row in rows if not row.ok]
    print(f"\n{len(rows)} promises in {(time.time() - began) / 60:.0f} minutes; {wide} intervals above 99%")
    print("\n".join(["not as wanted:", *map(str, missed)]) if missed else "all as wanted")


if __name__ == "__main__":
    main()
