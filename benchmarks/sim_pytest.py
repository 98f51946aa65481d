"""How often does a marked test fail where wording does nothing? Made-up sessions whose truth is known.

    python benchmarks/sim_pytest.py                  # 2,000 sessions a setting
    python benchmarks/sim_pytest.py --sessions 200

A session is one test with min_s_norm=0.8 and max_accuracy_drop=0.05, five rewordings, two repeats. Prints a
table of how often it says PASS, FAIL and CANNOT TELL, and ends with "all as wanted" or with what is not.
Beside it, the same with a drop that is there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

import numpy as np

from otherwords.pipeline.pytest_cases import decide_rows

THRESHOLDS = {"min_s_norm": 0.8, "max_accuracy_drop": 0.05}
WORDINGS, REPEATS = 6, 2
MOST = 0.06
SETTINGS = {
    "always right or always wrong": lambda rng, n: (rng.random(n) < 0.8).astype(float),
    "mixed": lambda rng, n: rng.beta(2.0, 0.6, n),
    "a coin": lambda _rng, n: np.full(n, 0.5),
    "nearly always right": lambda _rng, n: np.full(n, 0.97),
}
"""What nothing depends on: the chance of a right answer of each item."""


def session(rng: np.random.Generator, chances: np.ndarray, drop: float = 0.0) -> str:
    """What a session with these chances says; `drop` is what each rewording takes off them."""
    rows = [
        {"id": f"q{item}", "variant": "orig" if wording == 0 else f"para{wording}", "repeat": repeat + 1,
         "score": float(rng.random() < max(chance - drop * (wording > 0), 0.0))}
        for item, chance in enumerate(chances)
        for wording in range(WORDINGS)
        for repeat in range(REPEATS)
    ]  # fmt: skip
    return decide_rows(rows, THRESHOLDS)[0]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sessions", type=int, default=2000)
    sessions = parser.parse_args().sessions
    rng = np.random.default_rng(0)
    missed = []
    print("| wording does | items | PASS | FAIL | CANNOT TELL |\n|---|---|---|---|---|")
    for items in (20, 100):
        for name, chances in SETTINGS.items():
            for drop in (0.0, 0.3) if name == "mixed" else (0.0,):
                n = sessions if drop == 0 else sessions // 4
                found = Counter(session(rng, chances(rng, items), drop) for _ in range(n))
                what = f"nothing: {name}" if drop == 0 else f"a drop of {drop:g}: {name}"
                shares = " | ".join(f"{found[status] / n:.3f}" for status in ("PASS", "FAIL", "CANNOT TELL"))
                print(f"| {what} | {items} | {shares} |", flush=True)
                if drop == 0 and found["FAIL"] / n > MOST:
                    missed.append(what)
    print("all as wanted" if not missed else f"more than {MOST:.0%} FAIL: {', '.join(missed)}")
    sys.exit(bool(missed))


if __name__ == "__main__":
    main()
