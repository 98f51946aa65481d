"""Do the estimates and intervals keep their promises? Made-up models whose truth is known, many times over.

    python benchmarks/sim_statistics.py            # about two minutes on one core
    python benchmarks/sim_statistics.py 500        # fewer tables a setting, rougher

Scores are made as one array [table, item, wording, repeat], and each item's contribution is computed for all
tables at once; that this is what the library computes is checked on the first table of every setting. The
intervals and the tests are the library's own functions. Seeded, so that everyone sees the same numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.metrics import phrasing_test, summarise
from otherwords.metrics.bootstrap import Statistic, intervals
from otherwords.metrics.measures import one_minus_ratio, ratio
from otherwords.metrics.significance import log_exact_binomial, sign_flip_test

ITEMS, VARIANTS, REPEATS, OPTIONS = 50, 5, 3, 4
TABLES = 2000
FLIPS = 1000
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Row:
    what: str
    setting: str
    value: float
    low: float
    high: float
    beside: str = ""

    @property
    def ok(self) -> bool:
        return self.low <= self.value <= self.high


def chances(rng: np.random.Generator, shape: tuple[int, int, int], accuracy: float, spread: float) -> Array:
    """p[table, item, wording]: items as different as a Beta with these, wordings moving each by `spread`."""
    tables, items, variants = shape
    centre = rng.beta(2 * accuracy, 2 * (1 - accuracy), (tables, items, 1))
    moved = centre + spread * rng.choice([-1.0, 1.0], (tables, items, variants))
    return np.clip(moved, 0.0, 1.0)


def outcomes(rng: np.random.Generator, p: Array, repeats: int) -> tuple[Array, npt.NDArray[np.int64]]:
    """Scores and answers [table, item, wording, repeat]; answer 0 is right, a wrong one is any other."""
    right = rng.random((*p.shape, repeats)) < p[..., None]
    wrong = rng.integers(1, OPTIONS, right.shape)
    return right.astype(np.float64), np.where(right, 0, wrong)


def contributions(scores: Array, answers: npt.NDArray[np.int64]) -> dict[str, Array]:
    """[table, item] of what each metric averages over items."""
    means = scores.mean(axis=3)
    variants = means.shape[2]
    variance = means.var(axis=2, ddof=1)
    largest = (variants // 2) * ((variants + 1) // 2) / (variants * (variants - 1))
    apart = answers[:, :, :1, :, None] != answers[:, :, 1:, None, :]
    found = {
        "s_prompt": variance,
        "s_norm": variance / largest,
        "fragility_score": apart.mean(axis=(2, 3, 4)),
        "delta_accuracy": means[:, :, 0] - means[:, :, 1:].mean(axis=2),
    }
    if scores.shape[3] > 1:
        noise = scores.var(axis=3, ddof=1).mean(axis=2)
        found["s_corrected"] = variance - noise / scores.shape[3]
    return found


COMBINE: dict[str, Callable[[Array], Array]] = {
    "s_prompt": one_minus_ratio,
    "s_norm": one_minus_ratio,
    "s_corrected": one_minus_ratio,
    "fragility_score": ratio,
    "delta_accuracy": ratio,
}


def value_of(metric: str, items: Array) -> Array:
    mean = items.mean(axis=-1)
    return 1 - mean if COMBINE[metric] is one_minus_ratio else mean


def statistics(metric: str, items: Array) -> list[Statistic]:
    ones = np.ones(items.shape[1])
    signed = metric == "delta_accuracy"
    return [Statistic(np.column_stack([one, ones]), COMBINE[metric], signed) for one in items]


def as_table(scores: Array, answers: npt.NDArray[np.int64]) -> pl.DataFrame:
    rows = [
        (f"q{t:02}", "orig" if v == 0 else f"para{v}", r + 1, score, int(answers[t, v, r]))
        for (t, v, r), score in np.ndenumerate(scores)
    ]
    return pl.DataFrame(rows, schema=["id", "variant", "repeat", "score", "pred_index"], orient="row")


def check_first(scores: Array, answers: npt.NDArray[np.int64]) -> None:
    library = summarise(as_table(scores[0], answers[0]), resamples=0)["all"]
    for metric, items in contributions(scores[:1], answers[:1]).items():
        found = library[metric].value
        assert found is not None
        assert abs(found - float(value_of(metric, items)[0])) < 1e-9, metric


def no_effect(tables: int, seed: int = 1) -> Iterator[Row]:
    """A model that ignores wording and answers by a coin of its own."""
    rng = np.random.default_rng(seed)
    for p in (0.5, 0.7, 0.9):
        scores, answers = outcomes(rng, np.full((tables, ITEMS, VARIANTS), p), REPEATS)
        check_first(scores, answers)
        found = contributions(scores, answers)
        once = contributions(scores[..., :1], answers[..., :1])
        raw = float(value_of("s_prompt", once["s_prompt"]).mean())
        three = float(value_of("s_prompt", found["s_prompt"]).mean())
        mean = float(value_of("s_corrected", found["s_corrected"]).mean())
        beside = f"S_prompt from one repeat {raw:.3f}, from three {three:.3f}"
        yield Row("noise-corrected S, no effect", f"p = {p}", mean, 0.997, 1.003, beside)


def known_effect(tables: int, seed: int = 2) -> Iterator[Row]:
    """Each wording moves the item's chance up or down by a fixed amount, so phrasing is its square."""
    rng = np.random.default_rng(seed)
    for effect in (0.1, 0.2, 0.3):
        centre = rng.uniform(effect, 1 - effect, (tables, ITEMS, 1))
        p = centre + effect * rng.choice([-1.0, 1.0], (tables, ITEMS, VARIANTS))
        scores, answers = outcomes(rng, p, REPEATS)
        check_first(scores, answers)
        mean = float(value_of("s_corrected", contributions(scores, answers)["s_corrected"]).mean())
        once = contributions(scores[..., :1], answers[..., :1])["s_prompt"]
        truth = 1 - effect**2
        beside = f"S_prompt from one repeat {float(value_of('s_prompt', once).mean()):.3f}"
        yield Row(
            "noise-corrected S, known effect", f"S = {truth:.2f}", mean, truth - 0.003, truth + 0.003, beside
        )


SETTINGS = ((0.44, 0.0), (0.5, 0.2), (0.65, 0.1), (0.79, 0.15), (0.92, 0.0), (0.92, 0.1))


def coverage(
    tables: int,
    seed: int = 3,
    repeats: tuple[int, ...] = (1, REPEATS),
    settings: tuple[tuple[float, float], ...] = SETTINGS,
) -> Iterator[Row]:
    """How often a nominal 95% interval from 50 items holds what all items would show."""
    rng = np.random.default_rng(seed)
    for accuracy, spread in settings:
        for runs in repeats:
            truths = _truths(rng, accuracy, spread, runs)
            scores, answers = outcomes(rng, chances(rng, (tables, ITEMS, VARIANTS), accuracy, spread), runs)
            check_first(scores, answers)
            found = contributions(scores, answers)
            for metric in ("s_prompt", "s_norm", "fragility_score", "delta_accuracy"):
                drawn = intervals(statistics(metric, found[metric]))
                ends = [(one.low, one.high) for one in drawn if one.low is not None and one.high is not None]
                held = np.mean([low <= truths[metric] <= high for low, high in ends])
                setting = f"accuracy {accuracy}, wordings ± {spread}, {runs} repeat{'s' if runs > 1 else ''}"
                missing = f"{tables - len(ends)} tables without interval" if len(ends) < tables else ""
                yield Row(f"coverage, {metric}", setting, float(held), 0.93, 0.97, missing)


def _truths(rng: np.random.Generator, accuracy: float, spread: float, runs: int) -> dict[str, float]:
    """What each metric tends to over very many items."""
    p = chances(rng, (20, 20_000, VARIANTS), accuracy, spread)
    parts = [contributions(*outcomes(rng, one[None], runs)) for one in p]
    return {
        name: float(np.mean([value_of(name, part[name])[0] for part in parts]))
        for name in COMBINE
        if name in parts[0]
    }


def type_one(tables: int, seed: int = 4) -> Iterator[Row]:
    """How often a test at 5% finds something where there is nothing."""
    rng = np.random.default_rng(seed)
    for accuracy in (0.3, 0.5, 0.7, 0.9):
        for items in ("alike", "different"):
            p = np.full((tables, ITEMS, VARIANTS), accuracy)
            if items == "different":
                p = np.repeat(chances(rng, (tables, ITEMS, 1), accuracy, 0.0), VARIANTS, axis=2)
            scores, answers = outcomes(rng, p, 1)
            again, _ = outcomes(rng, p, 1)
            losses = contributions(scores, answers)["delta_accuracy"]
            apart = scores[..., 0].mean(axis=2) - again[..., 0].mean(axis=2)
            beside = f"McNemar against the majority: {_mcnemar(scores[..., 0]):.3f}"
            setting = f"accuracy {accuracy}, items {items}"
            # ties counted whole make this one a little careful
            yield Row("sign-flip, orig vs variants", setting, _rejected(losses, 1.0), 0.035, 0.06, beside)
            yield Row("sign-flip, two agents", setting, _rejected(apart, 0.5), 0.04, 0.06)


def shuffles(tables: int, seed: int = 5) -> Iterator[Row]:
    rng = np.random.default_rng(seed)
    for accuracy in (0.5, 0.8):
        p = chances(rng, (tables, ITEMS, 1), accuracy, 0.0)
        scores, answers = outcomes(rng, np.repeat(p, VARIANTS, axis=2), REPEATS)
        found = [
            phrasing_test(as_table(*one), permutations=499).p for one in zip(scores, answers, strict=True)
        ]
        rejected = float(np.mean([p is not None and p <= 0.05 for p in found]))
        off = 2.6 * (0.05 * 0.95 / tables) ** 0.5
        yield Row(
            "permutation, does phrasing matter", f"accuracy {accuracy}", rejected, 0.05 - off, 0.05 + off
        )


def _rejected(differences: Array, ties: float) -> float:
    found = [sign_flip_test(one, FLIPS, seed, ties=ties).p for seed, one in enumerate(differences)]
    return float(np.mean([p is not None and p <= 0.05 for p in found]))


def _mcnemar(scores: Array) -> float:
    majority = scores[:, :, 1:].mean(axis=2)
    orig = scores[:, :, 0]
    b = ((orig > 0.5) & (majority < 0.5)).sum(axis=1)
    c = ((orig < 0.5) & (majority > 0.5)).sum(axis=1)
    return float(
        np.mean([np.exp(log_exact_binomial(int(x), int(y))) <= 0.05 for x, y in zip(b, c, strict=True)])
    )


def rows(tables: int = TABLES) -> Iterator[Row]:
    yield from no_effect(tables)
    yield from known_effect(tables)
    yield from coverage(tables)
    yield from type_one(3 * tables)
    yield from shuffles(max(tables // 8, 100))


def main() -> None:
    tables = int(sys.argv[1]) if len(sys.argv) > 1 else TABLES
    print(f"{ITEMS} items, {VARIANTS} wordings, {tables} tables a setting\n")
    failed = 0
    for row in rows(tables):
        failed += not row.ok
        mark = "  " if row.ok else "! "
        wanted = f"{row.low:.3f} to {row.high:.3f}"
        print(f"{mark}{row.what:34} {row.setting:44} {row.value:.4f}   wanted {wanted}   {row.beside}")
    print(f"\n{failed} outside what is wanted" if failed else "\nall as wanted")


if __name__ == "__main__":
    main()
