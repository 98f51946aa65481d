"""Labelled corpora → weights and threshold of the flag `wording`, and what they reach on corpora left out.

`python benchmarks/fit_signs.py` prints; with `--write` it writes `lexicon/signs.yaml` too. A number is the
share of good rewrites that may be sent to the judge: the mean over the corpora that the shipped model has not
learned from, when each is left out of those that the weights of the other signs come from.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from otherwords.checks.flags import LEAST, model_says, signs
from otherwords.checks.reading import Pair
from otherwords.checks.run_checks import vet
from otherwords.english.parse import parse_many
from otherwords.pipeline.gate_benchmark import GOOD, read_pairs
from train_pair_model import UNSEEN

ROOT = Path(__file__).parents[1]
OF_MODEL = 0.6
"""The weight of what the model says: its log odds."""
CORPORA = {
    **dict.fromkeys(("tuned", "held_out", "fresh"), 0.3),
    "practice": 0.35,
    **dict.fromkeys(("tenth", "eleventh"), 0.5),
    "near_and_far": 0.15,
    "reworded": 1.0,
    **dict.fromkeys(("loose", "fifth", "sixth", "seventh", "eighth", "ninth", "twelfth", "thirteenth"), 2.0),
    **dict.fromkeys(("fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth"), 2.0),
    **dict.fromkeys(("practice_2", *UNSEEN), 2.0),
}
"""How often each pair counts; fewer times where other changes were made than people and models make most."""
KINDS = Counter({GOOD: 1.5, "number": 2, "unit": 2, "negation": 6, "role": 2, "possessor": 2})
KINDS.update({"question": 8, "comparative": 6})
"""How often those of a kind count; other kinds once. Most have goals of their own; hard ones count most."""
FEWEST = 40
"""A sign that fewer pairs have gets no weight."""
WEIGHTS = ROOT / "src" / "otherwords" / "english" / "lexicon" / "signs.yaml"
PENALTY = 10.0
SENT = float(next((one for one in sys.argv[1:] if one != "--write"), "0.18"))
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
        if np.abs(step).max() < 1e-6:
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
                amounts = signs(pair) if pair.is_parsed else {}
                is_flagged = any(said.check != "wording" for said in vetted.flags)
                said = model_says(pair) if corpus in UNSEEN and pair.is_parsed else 0.0
                rows.append((corpus, one.kind, bool(vetted.failures), is_flagged, OF_MODEL * said, amounts))
    common = Counter(name for *_, amounts in rows for name, amount in amounts.items() if amount)
    names = sorted(name for name, pairs in common.items() if pairs >= FEWEST)
    features = np.array([[amounts.get(name, 0.0) for name in names] for *_, amounts in rows])
    corpora, kinds = (np.array([row[place] for row in rows]) for place in (0, 1))
    refused, flagged = (np.array([row[place] for row in rows], bool) for place in (2, 3))
    of_model = np.array([row[4] for row in rows])
    bad = (kinds != GOOD).astype(float)
    times = np.array([CORPORA[corpus] * (KINDS[kind] or 1) for corpus, kind, *_ in rows])
    points = np.full(len(rows), np.nan)
    for left_out in UNSEEN:
        here, used = corpora == left_out, (corpora != left_out) & ~refused & ~flagged
        weights = fit(features[used], bad[used], times[used])
        others = features[here] @ weights[1:]
        points[here] = weights[0] + others + np.where(others < LEAST, 0, of_model[here])
    points[flagged] = np.inf
    points[refused & (bad == 0)] = -np.inf
    unseen = [points[(corpora == one) & (bad == 0)] for one in UNSEEN]
    steps = (float(one) for one in np.arange(-2, 5, 0.01))
    threshold = next(one for one in steps if np.mean([(some >= one).mean() for some in unseen]) <= SENT)
    noticed = np.asarray(refused | (points >= threshold), bool)
    for left_out in UNSEEN:
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
    undecided = ~refused & ~flagged
    intercept, *weights_of = fit(features[undecided], bad[undecided], times[undecided])
    weighed = [(name, round(weight, 2)) for name, weight in zip(names, weights_of, strict=True)]
    lines = [f'  "{name}": {weight:g}' for name, weight in [("model", OF_MODEL), *weighed] if weight]
    lines.append(f"threshold: {threshold - intercept:.2f}")
    print(f"{len(lines) - 1} weights, {lines[-1]}")
    if "--write" in sys.argv:
        kept = WEIGHTS.read_text(encoding="utf-8").partition("weights:")[0]
        WEIGHTS.write_text(kept + "weights:\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
