"""Does a run that stops early keep its promises? Models whose truth is known, 2,000 seeded runs a row.

    python benchmarks/sim_sequential.py             # on one core
    python benchmarks/sim_sequential.py --jobs 2    # the same numbers, on two
    python benchmarks/sim_sequential.py 100         # fewer runs, rougher
    python benchmarks/sim_sequential.py --through-run      # 20 runs of `otherwords run` instead, some minutes

Gates: S_prompt of at least .85, up to 200 items × 5 wordings, a look every 20 items. Beside ours: all items
asked before anything is decided, the 95% interval looked at after every round, and Wald's sequential test of
.80 against .90. Widths: accuracy and flips to ± .05. Beside ours: a grid of 5 wordings × 3 repeats of as many
items as the width takes if all variances are known beforehand. Prints the tables of docs/metrics.md, and ends
with "all as wanted" or with what is not.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import math
import random
import re
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from otherwords.metrics.error_spending import EVERY, Looks, plan_looks
from otherwords.metrics.intervals import LEVEL
from otherwords.metrics.measures import Measure, estimates
from otherwords.metrics.sequential import FIXED, Goal
from simulated_tables import Array, Rng, Table, draw, easy, measures, mixed

RUNS = 2000
MOST, LIMIT, WORDINGS = 200, 0.85, 5
LOOKS = plan_looks(MOST)
WALD = (0.80, 0.90)
WIDTH, MOST_FOR_WIDTH, LARGE = 0.05, 1000, 20_000
FALSE_PASS, POWER, CALLS_OF_GATE = 0.035, 0.95, 0.55
COVERAGE, CALLS_OF_WIDTH = (0.93, 0.99), {"accuracy": 0.35, "flips": 0.65}


def near(rng: Rng, n_items: int, truth: float) -> Array:
    """Items that are coins, in such a share that S_prompt is `truth`; the others are always right."""
    coins = rng.random((n_items, 1)) < (1 - truth) / 0.25
    return np.repeat(np.where(coins, 0.5, 1.0), WORDINGS, axis=1)


def spread(rng: Rng, n_items: int, truth: float) -> Array:
    """All items alike, each with the variance 1 − `truth`."""
    chance = 0.5 + math.sqrt(0.25 - (1 - truth))
    return np.full((n_items, WORDINGS), chance)


def first(measure: Measure, n_items: int) -> Measure:
    """What the measure would have been after the first items."""
    assert measure.statistic is not None
    part = replace(measure.statistic, columns=measure.statistic.columns[:n_items], cells=None)
    return replace(measure, statistic=part)


def interval(measure: Measure, level: float = LEVEL) -> tuple[float, float]:
    (found,) = estimates([measure], generalize="items", level=level)
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def told(low: float, high: float) -> str:
    return "pass" if low >= LIMIT else "fail" if high < LIMIT else ""


@dataclass(frozen=True)
class Stop:
    """How a run ended."""

    said: str
    items: int


def by_looks(measure: Measure, levels: list[float], looks: Looks) -> Stop:
    for n_items, level in zip(looks.items, levels, strict=True):
        said = told(*interval(first(measure, n_items), level))
        if said:
            return Stop(said, n_items)
    return Stop("", looks.items[-1])


def by_wald(measure: Measure) -> Stop:
    """Of normal scores with the variance seen so far, an item at a time after the first ten."""
    assert measure.statistic is not None
    table = measure.statistic
    values = table.combine(table.columns)
    bound = math.log((1 - 0.025) / 0.025)
    for n_items in range(10, len(values) + 1):
        seen = values[:n_items]
        variance = max(float(seen.var(ddof=1)), 1e-4)
        ratio = (WALD[1] - WALD[0]) * float((seen - np.mean(WALD)).sum()) / variance
        if abs(ratio) >= bound:
            return Stop("pass" if ratio > 0 else "fail", n_items)
    return Stop("", len(values))


def gate_run(seed: int, chances: Callable[[Rng, int, float], Array], truth: float) -> dict[str, Stop]:
    rng = np.random.default_rng([seed, round(truth * 1000)])
    measure = measures(draw(rng, chances(rng, MOST, truth), 1), ["s_prompt"])["s_prompt"]
    looks = LOOKS
    return {
        "all items": by_looks(measure, [LEVEL], Looks((MOST,), (0.025,))),
        "ours": by_looks(measure, [1 - 2 * error for error in looks.errors], looks),
        "95% at every look": by_looks(measure, [LEVEL] * len(looks.items), looks),
        "Wald's test": by_wald(measure),
    }


@dataclass(frozen=True)
class Width:
    """A goal of a width, on items of one sort."""

    goal: str
    metric: str
    sort: Callable[[Rng, int], Array]

    def table(self, rng: Rng, n_items: int) -> Table:
        design = Goal(self.goal, WIDTH).design
        return draw(rng, self.sort(rng, n_items)[:, : design.wordings], design.repeats)

    @property
    def calls(self) -> int:
        return Goal(self.goal, WIDTH).design.calls

    def truth(self) -> float:
        """Over so many items that nothing is left to chance."""
        rng = np.random.default_rng(7)
        values = [measures(self.table(rng, LARGE), [self.metric])[self.metric] for _ in range(10)]
        return float(np.mean([one.statistic.value for one in values if one.statistic is not None]))

    def fixed_calls(self) -> float:
        """Of the grid of 5 × 3, as many items as the width takes, the variances known."""
        rng = np.random.default_rng(8)
        table = draw(rng, self.sort(rng, LARGE)[:, : FIXED.wordings], FIXED.repeats)
        low, high = interval(measures(table, [self.metric])[self.metric])
        return LARGE * ((high - low) / 2 / WIDTH) ** 2 * FIXED.calls


WIDTHS = tuple(
    Width(goal, metric, sort)
    for goal, metric in (("accuracy", "accuracy"), ("flips", "fragility_score"))
    for sort in (mixed, easy)
)


def width_run(seed: int, place: int) -> tuple[float, float, int]:
    """The interval and the items of a run that stops at the width."""
    width = WIDTHS[place]
    rng = np.random.default_rng([seed, place])
    measure = measures(width.table(rng, MOST_FOR_WIDTH), [width.metric])[width.metric]
    for n_items in range(EVERY, MOST_FOR_WIDTH + 1, EVERY):
        low, high = interval(first(measure, n_items))
        if (high - low) / 2 <= WIDTH:
            return low, high, n_items
    return low, high, MOST_FOR_WIDTH


def gates(runs: int, pool: ProcessPoolExecutor | None) -> Iterator[str]:
    each = map if pool is None else partial(pool.map, chunksize=50)
    print("| items | truth | way | pass | fail | calls | of all |\n|---|---|---|---|---|---|---|")
    for name, chances in (("some coins", near), ("all alike", spread)):
        for truth in (0.80, 0.85, 0.90, 0.95):
            found = list(each(partial(gate_run, chances=chances, truth=truth), range(runs)))
            for way in found[0]:
                stops = [one[way] for one in found]
                passed, failed = (np.mean([one.said == said for one in stops]) for said in ("pass", "fail"))
                calls = float(np.mean([one.items for one in stops])) * WORDINGS
                of_all = calls / (MOST * WORDINGS)
                shares = f"{passed:.1%} | {failed:.1%} | {calls:.0f} | {of_all:.0%}"
                print(f"| {name} | {truth:.2f} | {way} | {shares} |", flush=True)
                where = f"{name}, S_prompt {truth:.2f}"
                if way != "ours":
                    continue
                if truth <= LIMIT and passed > FALSE_PASS:
                    yield f"{where}: passed in {passed:.1%}"
                if truth >= LIMIT and failed > FALSE_PASS:
                    yield f"{where}: failed in {failed:.1%}"
                if truth != LIMIT and max(passed, failed) < POWER:
                    yield f"{where}: decided in {max(passed, failed):.1%}"
                if truth != LIMIT and of_all > CALLS_OF_GATE:
                    yield f"{where}: {of_all:.0%} of the calls"


def widths(runs: int, pool: ProcessPoolExecutor | None) -> Iterator[str]:
    each = map if pool is None else partial(pool.map, chunksize=50)
    print("\n| goal | items | coverage | calls | 5 × 3 grid | of it |\n|---|---|---|---|---|---|")
    for place, width in enumerate(WIDTHS):
        truth, fixed = width.truth(), width.fixed_calls()
        found = list(each(partial(width_run, place=place), range(runs)))
        covered = float(np.mean([low <= truth <= high for low, high, _ in found]))
        calls = float(np.mean([items for *_, items in found])) * width.calls
        name = f"{width.goal} ± {WIDTH:g}"
        shares = f"{covered:.1%} | {calls:.0f} | {fixed:.0f} | {calls / fixed:.0%}"
        print(f"| {name} | {width.sort.__name__} | {shares} |", flush=True)
        if not COVERAGE[0] <= covered <= COVERAGE[1]:
            yield f"{name}, {width.sort.__name__}: the interval holds the truth in {covered:.1%}"
        if calls / fixed > CALLS_OF_WIDTH[width.goal]:
            yield f"{name}, {width.sort.__name__}: {calls / fixed:.0%} of the grid's calls"


GATE_TRUTH, ACCURACY, RUN_WIDTH, RUNS_OF_COMMAND = 0.95, 0.8, 0.1, 20


def through_run(runs: int) -> Iterator[str]:
    """The command itself, with a provider that answers by a coin of a known chance and counts its calls."""
    from inspect_ai.model import ModelAPI, ModelOutput, ModelUsage, modelapi

    from otherwords import load_all_results
    from otherwords.metrics import accuracy

    calls: list[str] = []
    coin = random.Random()
    chance = 0.0

    @modelapi(name="coin")
    class Coin(ModelAPI):
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
            calls.append(input[-1].text)
            city = re.search(r"city (\d+)", input[-1].text, re.IGNORECASE)
            said = f"Mayor {city[1]}" if city is not None and coin.random() < chance else "nobody"
            output = ModelOutput.from_content(self.model_name, said)
            output.usage = ModelUsage(input_tokens=3, output_tokens=1, total_tokens=4)
            return output

    spread_chance = 0.5 + math.sqrt(0.25 - (1 - GATE_TRUTH))
    goals = {
        f"gate, S_prompt {GATE_TRUTH}": (spread_chance, ["gate", "--min-s-prompt", "0.85", "-k", "4"]),
        f"gate, S_prompt {2 * LIMIT - GATE_TRUTH:g}": (0.5, ["gate", "--min-s-prompt", "0.85", "-k", "4"]),
        f"accuracy ± {RUN_WIDTH:g}": (ACCURACY, [f"accuracy:{RUN_WIDTH:g}", "--generalize", "items"]),
    }
    print("| goal | runs | as the truth is | calls | of a fixed plan |\n|---|---|---|---|---|")
    for name, (truth, options) in goals.items():
        chance, right, spent, planned = truth, 0, 0, 0
        for seed in range(runs):
            coin.seed(f"{name} {seed}")
            calls.clear()
            with tempfile.TemporaryDirectory() as folder:
                file, logs = Path(folder, "q.jsonl"), Path(folder, "logs")
                rows = (
                    {"id": f"q{n}", "question": f"Who is the mayor of city {n}?", "answer": f"Mayor {n}"}
                    for n in range(MOST)
                )
                file.write_text("\n".join(map(json.dumps, rows)))
                typed = ["run", str(file), "--model", "coin/m", "--families", "format", "--seed", str(seed)]
                said, code = command([*typed, "--log-dir", str(logs), "--yes", "--until", *options])
                table = load_all_results(logs)
            if table.height != len(calls) or f"; {len(calls):,} calls" not in said:
                yield f"{name}, run {seed}: {len(calls)} calls, and {table.height} samples: {said}"
            if options[0] == "gate":
                right += code == (0 if truth == spread_chance else 1) and ": decided" in said
            else:
                found = accuracy(table, generalize="items")
                right += found.low is not None and found.high is not None and found.low <= truth <= found.high
            spent += len(calls)
            planned += MOST * (WORDINGS if options[0] == "gate" else 2)
        print(f"| {name} | {runs} | {right} | {spent / runs:.0f} | {spent / planned:.0%} |", flush=True)
        if right < 0.85 * runs:
            yield f"{name}: as the truth is in {right} of {runs} runs"


def command(typed: list[str]) -> tuple[str, int]:
    """What `otherwords` prints, and its exit code."""
    from otherwords.cli import console
    from otherwords.cli import main as otherwords

    console.console.cache_clear()
    with contextlib.redirect_stdout(io.StringIO()) as out:
        try:
            otherwords(typed)
        except SystemExit as end:
            return out.getvalue(), int(end.code or 0)
    return out.getvalue(), 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--through-run", action="store_true")
    parser.add_argument("runs", nargs="?", type=int, default=RUNS)
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.through_run:
        wrong = list(through_run(min(given.runs, RUNS_OF_COMMAND)))
        print("\n".join(f"NOT AS WANTED: {one}" for one in wrong) or "all as wanted")
        raise SystemExit(bool(wrong))
    with ProcessPoolExecutor(given.jobs) as pool:
        shared = pool if given.jobs > 1 else None
        wrong = [*gates(given.runs, shared), *widths(given.runs, shared)]
    print("\n".join(f"NOT AS WANTED: {one}" for one in wrong) or "all as wanted")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
