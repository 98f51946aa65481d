"""Every metric with 2,000 resamples, side by side with a plain pandas loop that resamples the same way.

    python benchmarks/bench_metrics.py

The loop is timed on a few resamples and multiplied, because all of them would take many minutes.
It computes S_prompt, accuracy, delta accuracy and the flip rate: fewer metrics than ours in the same
table. Ratios are printed and no seconds, since those say more about the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl

from otherwords.metrics import mcnemar_orig_vs_variants, summarise

RESAMPLES = 2000
TIMED = 3


def table(n_items: int, n_variants: int = 5, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), n_variants)
    right = rng.random(len(item)) < rng.beta(2, 2, n_items)[item]
    names = ["orig", *(f"para{n}" for n in range(1, n_variants))]
    return pl.DataFrame(
        {
            "model": ["m"] * len(item),
            "id": pl.Series(item).cast(pl.String),
            "variant": names * n_items,
            "score": right.astype(float),
            "pred_index": np.where(right, 0, rng.integers(1, 4, len(item))),
        }
    )


def pandas_metrics(frame: pd.DataFrame) -> dict[str, float]:
    groups = frame.groupby("item", sort=False)
    orig = frame[frame["variant"] == "orig"].set_index("item")
    rest = frame[frame["variant"] != "orig"]
    flips = rest["pred_index"].to_numpy() != orig["pred_index"].reindex(rest["item"]).to_numpy()
    return {
        "s_prompt": 1 - groups["score"].var(ddof=1).mean(),
        "accuracy": groups["score"].mean().mean(),
        "delta_accuracy": (orig["score"] - rest.groupby("item")["score"].mean()).mean(),
        "fragility_score": pd.Series(flips).groupby(rest["item"].to_numpy()).mean().mean(),
    }


def pandas_loop(frame: pd.DataFrame, resamples: int, seed: int = 0) -> list[dict[str, float]]:
    rng = np.random.default_rng(seed)
    rows_of = [rows for _, rows in sorted(frame.groupby("id").indices.items())]
    results = []
    for _ in range(resamples):
        drawn = [rows_of[place] for place in rng.integers(0, len(rows_of), len(rows_of))]
        sample = frame.iloc[np.concatenate(drawn)].copy()
        sample["item"] = np.repeat(np.arange(len(drawn)), [len(rows) for rows in drawn])
        results.append(pandas_metrics(sample))
    return results


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def all_metrics(outcomes: pl.DataFrame) -> None:
    summarise(outcomes, resamples=RESAMPLES)
    mcnemar_orig_vs_variants(outcomes)


def main() -> None:
    small, large = table(20_000), table(200_000)
    frame = small.to_pandas()
    point = pandas_metrics(frame.assign(item=frame["id"]))
    ours = summarise(small, resamples=0)["m"]
    for name, value in point.items():
        estimate = ours[name].value
        assert estimate is not None
        assert abs(estimate - value) < 1e-9, name

    all_metrics(small)
    loop = seconds(lambda: pandas_loop(frame, TIMED)) / TIMED * RESAMPLES
    here, million = seconds(lambda: all_metrics(small)), seconds(lambda: all_metrics(large))
    print(f"100,000 rows: {loop / here:,.0f} times faster than the pandas loop (wanted: 300)")
    print(f"1,000,000 rows: 1/{loop / million:,.0f} of the loop's time for 100,000 (wanted: 1/20 or less)")


if __name__ == "__main__":
    main()
