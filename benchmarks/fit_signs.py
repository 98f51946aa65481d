"""Labelled corpora → the weights of the flag `wording`, and what they reach on a corpus that is left out.

`python benchmarks/fit_signs.py` prints; with `--write` it writes `lexicon/signs.yaml` too.
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
LOOSE = ("loose", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh")
"""Written as people type; they count twice, and each is left out once."""
CORPORA = ("tuned", "held_out", "fresh", *LOOSE)
WEIGHTS = ROOT / "src" / "otherwords" / "english" / "lexicon" / "signs.yaml"
PENALTY = 3.0
SENT = float(next((one for one in sys.argv[1:] if one != "--write"), "0.20"))
"""The share of good rewrites that may be sent to the judge, on the corpora left out."""
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
                flagged = any(check.check != "wording" for check in vetted.flags)
                amounts = signs(pair) if pair.is_parsed else {}
                rows.append((corpus, one.kind, bool(vetted.failures), flagged, amounts))
    names = list(next(amounts for *_, amounts in rows if amounts))
    features = np.array([[amounts.get(name, 0.0) for name in names] for *_, amounts in rows])
    corpora, kinds = (np.array([row[place] for row in rows]) for place in (0, 1))
    refused, flagged = (np.array([row[place] for row in rows], bool) for place in (2, 3))
    bad = (kinds != GOOD).astype(float)
    times = np.where(np.isin(corpora, LOOSE), 2.0, 1.0)
    thresholds = []
    for left_out in LOOSE:
        here, used = corpora == left_out, (corpora != left_out) & ~refused
        weights = fit(features[used], bad[used], times[used])
        points = np.where(flagged, np.inf, features @ weights[1:])
        good = here & (bad == 0)
        threshold = np.sort(np.where(refused[good], -np.inf, points[good]))[::-1][int(SENT * good.sum())]
        thresholds.append(threshold)
        noticed = refused | (points > threshold)
        others = ~here & (bad == 0) & np.isin(corpora, LOOSE)
        usual = np.sort(np.where(refused[others], -np.inf, points[others]))[::-1][int(SENT * others.sum())]
        by_usual = refused | (points > usual)
        by_kind = {
            str(kind): f"{noticed[here & (kinds == kind)].mean():.0%}" for kind in sorted(set(kinds[here]))
        }
        print(
            f"{left_out} left out: at {SENT:.0%} of the good sent,"
            f" {noticed[here & (bad == 1)].mean():.1%} of the bad noticed;"
            f" at the threshold of the others, {(by_usual & ~refused)[good].mean():.1%} of the good sent,"
            f" {by_usual[here & (bad == 1)].mean():.1%} of the bad noticed"
        )
        print("  ", ", ".join(f"{kind} {share}" for kind, share in by_kind.items() if kind != GOOD))
    weights = fit(features[~refused], bad[~refused], times[~refused])
    threshold = float(np.mean(thresholds))
    lines = [f"  {name}: {weight:.2f}" for name, weight in zip(names, weights[1:], strict=True)]
    print("\n".join(lines), f"\nthreshold: {threshold:.2f} {np.round(thresholds, 2)}")
    if "--write" in sys.argv:
        kept = WEIGHTS.read_text(encoding="utf-8").partition("weights:")[0]
        made = kept + "weights:\n" + "\n".join(lines) + f"\nthreshold: {threshold:.2f}\n"
        WEIGHTS.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
