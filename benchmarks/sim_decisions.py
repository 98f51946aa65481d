"""Do decisions keep their promises? `compare`, `check`, `fix` and the tests, where the truth is known.

A part of sim_statistics.py, which prints it. Bars are on shares of simulated tables: what comes near one is
drawn again in four times as many tables, and those count.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from otherwords.metrics import check_table, fix, phrasing_test
from otherwords.metrics.measures import p_value
from otherwords.metrics.model_comparison import difference
from otherwords.metrics.significance import sign_flip_test
from otherwords.metrics.wording_tests import log_exact_binomial
from simulated_tables import (
    TOGETHER,
    VARIANTS,
    Array,
    Rng,
    Table,
    as_frame,
    draw,
    easy,
    in_few,
    measures,
    measures_of_all,
    mixed,
    moved,
    same_accuracy_in_all,
    same_variance_in_all,
    values_of,
)

ALARMS, ONE_SIDED, AGAIN = 0.06, 0.035, 4
COMPARED = ("accuracy", "s_prompt", "fragility_score", "consistency_at_k", "delta_accuracy", "robust_at_k")


@dataclass(frozen=True)
class Row:
    """One promise, and what came of it."""

    what: str
    setting: str
    value: float
    low: float
    high: float
    beside: str = ""

    @property
    def ok(self) -> bool:
        return self.low <= self.value <= self.high

    def __str__(self) -> str:
        """A row of a Markdown table: what, where, how often, what was wanted, and what else to say."""
        wanted = f"{self.low:g} to {self.high:g}"
        mark = "" if self.ok else " !"
        return f"| {self.what} | {self.setting} | {self.value:.3f}{mark} | {wanted} | {self.beside} |"


Trial = Callable[[Rng], Mapping[str, bool]]
"""What happened in one table, by name."""
Trials = Callable[[Rng, int], Iterator[Mapping[str, bool]]]
"""The same of so many tables."""


def shares(setting: str, trial: Trial, tables: int, bar: float) -> dict[str, float]:
    """How often each thing happened; anew, in more tables, where one is near the bar."""
    return shares_of(setting, lambda rng, count: (trial(rng) for _ in range(count)), tables, bar)


def shares_of(setting: str, trials: Trials, tables: int, bar: float) -> dict[str, float]:
    """The same, of many tables at once."""
    found = _counted(trials, tables, f"{setting}, first")
    if any(share > bar - 0.005 for share in found.values()):
        found = _counted(trials, AGAIN * tables, f"{setting}, again")
    return found


def _shares(name: str, trial: Trial, tables: int) -> dict[str, float]:
    return _counted(lambda rng, count: (trial(rng) for _ in range(count)), tables, name)


def _counted(trials: Trials, tables: int, name: str) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for found in trials(np.random.default_rng(zlib.crc32(name.encode())), tables):
        counts.update({what: int(happened) for what, happened in found.items()})
    return {what: count / tables for what, count in counts.items()}


def alarms(tables: int, only: str = "") -> Iterator[Row]:
    """How often `compare` finds a difference at 5% between two models that have none."""

    def same(chances: Callable[[Rng, int], Array], n: int) -> Callable[[Rng], tuple[Table, Table]]:
        def pair(rng: Rng) -> tuple[Table, Table]:
            p = chances(rng, n)
            return draw(rng, p, 1), draw(rng, p, 1)

        return pair

    def skewed(other: Callable[[Rng, int], Array], n: int) -> Callable[[Rng], tuple[Table, Table]]:
        return lambda rng: (draw(rng, in_few(rng, n), 1), draw(rng, other(rng, n), 1))

    def by_template(spread: float, n: int) -> Callable[[Rng], tuple[Table, Table]]:
        def pair(rng: Rng) -> tuple[Table, Table]:
            p = np.repeat(rng.beta(1.3, 0.7, (n, 1)), VARIANTS, axis=1)
            sides = [moved(p, spread * rng.standard_normal((1, VARIANTS))) for _ in range(2)]
            return draw(rng, sides[0], 1, kind="format"), draw(rng, sides[1], 1, kind="format")

        return pair

    settings = {
        **{f"easy, {n} items": (same(easy, n), COMPARED) for n in (12, 30, 50, 100)},
        **{f"mixed, {n} items": (same(mixed, n), COMPARED) for n in (12, 30, 50, 100)},
        **{
            f"skewed variance, {n} items": (skewed(same_variance_in_all, n), ("s_prompt", "s_norm"))
            for n in (12, 30, 50, 100)
        },
        **{
            f"skewed errors, {n} items": (skewed(same_accuracy_in_all, n), ("accuracy",))
            for n in (12, 30, 50, 100)
        },
        **{
            f"shared wordings sd {spread}, {n} items": (by_template(spread, n), COMPARED)
            for spread in (0.3, 0.6)
            for n in (30, 100)
        },
    }
    for setting, (pair, names) in settings.items():
        if not setting.startswith(only):
            continue

        def trials(  # type: ignore[no-untyped-def]
            rng: Rng, count: int, pair=pair, names=names
        ) -> Iterator[Mapping[str, bool]]:
            for place in range(0, count, TOGETHER):
                pairs = [pair(rng) for _ in range(min(TOGETHER, count - place))]
                sides = (measures_of_all(side, names) for side in zip(*pairs, strict=True))
                for first, second in zip(*sides, strict=True):
                    found = {name: p_value(difference(first[name], second[name])[2]) for name in names}
                    yield {name: p is not None and p < 0.05 for name, p in found.items()}

        for name, share in shares_of(setting, trials, tables, ALARMS).items():
            yield Row(f"false alarms of `compare`, `{name}`", setting, share, 0.0, ALARMS)


def gates(tables: int) -> Iterator[Row]:
    """Twelve models of which none changed; six models whose truth is at the threshold."""
    truth = values_of(measures(draw(np.random.default_rng(1), mixed(np.random.default_rng(2), 60_000), 1)))

    def models(rng: Rng, count: int, runs: int) -> list[pl.DataFrame]:
        p = [mixed(rng, 40) for _ in range(count)]
        return [
            pl.concat([as_frame(draw(rng, one, 1), f"m{place}", VARIANTS) for place, one in enumerate(p)])
            for _ in range(runs)
        ]

    def unchanged(rng: Rng) -> dict[str, bool]:
        before, after = models(rng, 12, 2)
        decisions = check_table(after, {}, baseline=before).decisions
        alone = any(one.bound is not None and one.bound < 0 for one in decisions)
        return {"falls": any(one.status != "pass" for one in decisions), "alone": alone}

    def at_the_truth(rng: Rng) -> dict[str, bool]:
        limits = {"min_accuracy": truth["accuracy"], "max_flip_rate": truth["fragility_score"]}
        decisions = check_table(models(rng, 6, 1)[0], limits).decisions
        return {
            "`check` misses a threshold": any(one.status == "fail" for one in decisions),
            "`check` passes": all(one.status == "pass" for one in decisions),
            "one of its thresholds passes": decisions[0].status == "pass",
        }

    few = max(tables // 5, 10)
    found = _shares("unchanged", unchanged, few)
    beside = f"without Holm {found['alone']:.3f}"
    yield Row(
        "`check --baseline` says a fall", "12 models, nothing changed", found["falls"], 0.0, ONE_SIDED, beside
    )
    found = _shares("at the truth", at_the_truth, few)
    for what, share in found.items():
        yield Row(what, "6 models, 2 thresholds, set at the truth", share, 0.0, ONE_SIDED)


def by_kind(rng: Rng, items: int, costs: Array, repeats: int = 1, first: int = 0) -> pl.DataFrame:
    """Items that are right in 70%, in one wording of each of as many kinds as there are costs."""
    p = np.broadcast_to(0.7 - np.r_[0.0, costs], (items, len(costs) + 1))
    score = (rng.random((*p.shape, repeats)) < p[..., None]).astype(float)
    item, wording, repeat = (axis.reshape(-1) for axis in np.indices(score.shape))
    kinds = pl.Series(["orig", *(f"kind{place}" for place in range(len(costs)))])
    return pl.DataFrame(
        {
            "id": pl.Series(item + first).cast(pl.String),
            "variant": kinds[wording],
            "kind": kinds[wording],
            "repeat": repeat + 1,
            "score": score.reshape(-1),
        }
    )


def fixes(tables: int) -> Iterator[Row]:
    """What `fix` lists where there is nothing, and how large it says an effect is that it lists."""

    def nothing(repeats: int, models: int) -> Trial:
        def trial(rng: Rng) -> dict[str, bool]:
            one = [by_kind(rng, 50, np.zeros(5), repeats) for _ in range(models)]
            table = pl.concat([part.with_columns(model=pl.lit(f"m{n}")) for n, part in enumerate(one)])
            found = fix(table)
            return {"lists something": bool(found.findings or found.items)}

        return trial

    for repeats, models in ((1, 1), (3, 1), (1, 4)):
        setting = f"no effect, models × kinds × repeats {models} × 5 × {repeats}"
        found = shares(setting, nothing(repeats, models), max(tables // 4, 10), ALARMS)
        yield Row("`fix` lists something", setting, found["lists something"], 0.0, ALARMS)

    rng, truth, costs = np.random.default_rng(6), 0.1, np.array([0.1, 0, 0, 0, 0])
    picked, confirmed, by_luck = [], 0, 0
    for _ in range(2 * tables):
        table = by_kind(rng, 60, costs)
        for one in fix(table).findings:
            if one.kind == "kind0" and one.effect > 0:
                picked.append(one)
    seen, shrunk = (float(np.mean([getattr(one, name) for one in picked])) for name in ("effect", "shrunk"))
    held = np.mean([one.shrunk_low <= truth <= one.shrunk_high for one in picked])
    setting = f"a true cost of .1 at 60 items, found in {len(picked)} of {2 * tables} tables"
    yield Row(
        "`fix`: mean of the shrunk sizes", setting, shrunk, 0.05, 0.15, f"mean of the sizes seen {seen:.3f}"
    )
    yield Row("`fix`: intervals of shrunk sizes that hold .1", setting, float(held), 0.93, 1.0)
    for _ in range(max(tables // 4, 10)):
        found = fix(
            by_kind(rng, 60, np.array([0.4, 0, 0, 0, 0])), confirm_table=by_kind(rng, 60, 0 * costs, 1, 60)
        )
        told = [one for one in found.findings if one.kind == "kind0" and one.confirmation]
        by_luck += len(told)
        confirmed += sum(one.confirmation.confirmed for one in told if one.confirmation)
    gone = f"{by_luck} findings that other items do not have"
    yield Row("`fix --confirm` confirms", gone, confirmed / max(by_luck, 1), 0.0, ONE_SIDED)


def bounds(tables: int) -> Iterator[Row]:
    """Whether the bounds hold what all runs would have shown, where scores are missing not at random."""
    rng = np.random.default_rng(10)
    asked: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    few = max(tables // 2, 10)
    for number in range(few):
        table = draw(rng, mixed(rng, 30), 1 + number % 3, missing=True)
        full = values_of(measures(table.with_all_scores()))
        for name, one in measures(table).items():
            if one.if_missing is not None:
                asked[name] += 1
                inside[name] += one.if_missing[0] - 1e-9 <= full[name] <= one.if_missing[1] + 1e-9
    for name, count in asked.items():
        yield Row(f"bounds hold `{name}`", "scores missing not at random", inside[name] / count, 1.0, 1.0)


def corrected(tables: int) -> Iterator[Row]:
    """S_prompt corrected for noise: of a model that ignores wording, and of one that is moved a known way."""
    rng = np.random.default_rng(1)
    items = 50 * tables
    for p in (0.5, 0.7, 0.9):
        table = draw(rng, np.full((items, VARIANTS), p), 3)
        found = values_of(measures(table, ("s_prompt", "s_corrected")))
        beside = f"S_prompt from three repeats {found['s_prompt']:.3f}"
        yield Row("`s_corrected`", f"no effect, p = {p}", found["s_corrected"], 0.995, 1.005, beside)
    for effect in (0.1, 0.2, 0.3):
        up_or_down = effect * rng.choice([-1.0, 1.0], (items, VARIANTS))
        table = draw(rng, rng.uniform(effect, 1 - effect, (items, 1)) + up_or_down, 3)
        truth, found = 1 - effect**2, values_of(measures(table, ("s_corrected",)))
        yield Row("`s_corrected`", f"S = {truth:.2f}", found["s_corrected"], truth - 0.005, truth + 0.005)


def tests_of_nothing(tables: int) -> Iterator[Row]:
    """The sign-flip test beside McNemar's, and the permutation test of phrasing, where there is nothing."""
    for accuracy in (0.3, 0.5, 0.7, 0.9):

        def trial(rng: Rng, accuracy: float = accuracy) -> dict[str, bool]:
            scores = draw(rng, np.full((50, VARIANTS), accuracy), 1).score[:, :VARIANTS, 0]
            rest = scores[:, 1:].mean(axis=1)
            p = sign_flip_test(scores[:, 0] - rest, 1000, int(rng.integers(1 << 30))).p
            b = int(((scores[:, 0] > 0.5) & (rest < 0.5)).sum())
            c = int(((scores[:, 0] < 0.5) & (rest > 0.5)).sum())
            by_majority = bool(np.exp(log_exact_binomial(b, c)) <= 0.05)
            return {"sign flip": p is not None and p <= 0.05, "McNemar": by_majority}

        found = _shares(f"sign flip {accuracy}", trial, AGAIN * tables)
        beside = f"McNemar against the majority {found['McNemar']:.2f}"
        yield Row(
            "sign-flip test rejects", f"no effect, accuracy {accuracy}", found["sign flip"], 0.0, 0.06, beside
        )
    for name, chances in (("easy", easy), ("mixed", mixed)):

        def shuffled(rng: Rng, chances: Callable[..., Array] = chances) -> dict[str, bool]:
            table = as_frame(draw(rng, chances(rng, 50, 0.0), 3), wordings=VARIANTS)
            p = phrasing_test(table, permutations=499).p
            return {"rejects": p is not None and p <= 0.05}

        found = shares(f"permutation {name}", shuffled, max(tables // 4, 10), 0.06)
        yield Row("permutation test rejects", f"no effect, {name}", found["rejects"], 0.0, 0.06)


PARTS = (alarms, gates, fixes, bounds, corrected, tests_of_nothing)


def part(place: int, tables: int) -> list[Row]:
    """One of `PARTS`, in a process of its own."""
    return list(PARTS[place](tables))
