"""Labelled corpora → weights and threshold of the flag `wording`, and what they reach on corpora left out.

`python benchmarks/fit_signs.py` prints; with `--write` it writes `lexicon/signs.yaml` too. A number is the
share of good rewrites that may be sent to the judge, the mean over the latest corpora when each is left out.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherwords.checks.flags import signs
from otherwords.checks.reading import Pair
from otherwords.checks.run_checks import vet
from otherwords.english.parse import parse_many
from otherwords.pipeline.gate_benchmark import GOOD, read_pairs

ROOT = Path(__file__).parents[1]
LATEST = ("twelfth", "thirteenth", "fourteenth", "fifteenth")
LOOSE = ("loose", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", *LATEST)
"""Written as people type; they count twice, and each is left out once."""
FIVE = ("question", "number", "unit", "negation", "comparative")
"""Kinds with a goal of their own; they count twice as well."""
CORPORA = ("tuned", "held_out", "fresh", *LOOSE)
WEIGHTS = ROOT / "src" / "otherwords" / "english" / "lexicon" / "signs.yaml"
PENALTY = 3.0
SENT = float(next((one for one in sys.argv[1:] if one != "--write"), "0.12"))
Floats = NDArray[np.float64]


def fit(features: Floats, bad: Floats, times: Floats) -> Floats:
    """Weights of a logistic regression by Newton's method, the intercept first, with an L2 penalty."""
    columns = np.c_[np.ones(len(features)), features]
    weights = np.zeros(columns.shape[1])
    penalty = np.diag([1e-6] + [PENALTY] * features.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-columns @ weights))
        slope = columns.T @ (times * (likely - bad)) + penalty @ weights
        curve = (columns * (times * likely * (1 - likely))[:, None]).T @ columns + penalty
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def main() -> int:
    rows = []
    for corpus in CORPORA:
        known = read_pairs(ROOT / "tests" / "checks" / "corpus" / f"{corpus}.jsonl")
        for start in range(0, len(known), 50):
            some = [(one, Pair(one.item, one.variant)) for one in known[start : start + 50]]
            parse_many(part for _, pair in some for part in pair.parts if part and pair.is_parsed)
            for one, pair in some:
                [vetted] = vet(one.item, [one.variant])
                is_flagged = any(check.check != "wording" for check in vetted.flags)
                amounts = signs(pair) if pair.is_parsed else {}
                rows.append((corpus, one.kind, bool(vetted.failures), is_flagged, amounts))
    names = list(next(amounts for *_, amounts in rows if amounts))
    features = np.array([[amounts.get(name, 0.0) for name in names] for *_, amounts in rows])
    corpora, kinds = (np.array([row[place] for row in rows]) for place in (0, 1))
    refused, flagged = (np.array([row[place] for row in rows], bool) for place in (2, 3))
    bad = (kinds != GOOD).astype(float)
    times = np.where(np.isin(corpora, LOOSE), 2.0, 1.0) * np.where(np.isin(kinds, FIVE), 2.0, 1.0)
    points = np.zeros(len(rows))
    for left_out in LOOSE:
        here, used = corpora == left_out, (corpora != left_out) & ~refused
        points[here] = features[here] @ fit(features[used], bad[used], times[used])[1:]
    points[flagged] = np.inf
    points[refused & (bad == 0)] = -np.inf
    latest = [points[(corpora == one) & (bad == 0)] for one in LATEST]
    steps = (float(one) for one in np.arange(-1, 5, 0.01))
    threshold = next(one for one in steps if np.mean([(some >= one).mean() for some in latest]) <= SENT)
    noticed = np.asarray(refused | (points >= threshold), bool)
    for left_out in LOOSE:
        here = corpora == left_out
        by_kind = [
            f"{kind} {noticed[here & (kinds == kind)].mean():.0%}"
            for kind in sorted(set(kinds[here]) - {GOOD})
        ]
        print(
            f"{left_out} left out: {(noticed & ~refused)[here & (bad == 0)].mean():.1%} of the good sent,"
            f" {noticed[here & (bad == 1)].mean():.1%} of the bad noticed\n  ",
            ", ".join(by_kind),
        )
    weights = fit(features[~refused], bad[~refused], times[~refused])
    lines = [f"  {name}: {weight:.2f}" for name, weight in zip(names, weights[1:], strict=True)]
    print("\n".join(lines), f"\nthreshold: {threshold:.2f}")
    if "--write" in sys.argv:
        kept = WEIGHTS.read_text(encoding="utf-8").partition("weights:")[0]
        made = kept + "weights:\n" + "\n".join(lines) + f"\nthreshold: {threshold:.2f}\n"
        WEIGHTS.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
