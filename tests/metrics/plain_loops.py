"""Every metric again, as loops over rows that anyone can check by eye. Slow, and right."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
from statistics import fmean, stdev, variance
from typing import Any

import polars as pl

Row = dict[str, Any]
Item = dict[str, list[Row]]
"""The scored rows of one item, by variant."""


def items_of(table: pl.DataFrame, model: str) -> list[Item]:
    items: dict[tuple[str, str], Item] = {}
    for row in table.iter_rows(named=True):
        scored = row["score"] is not None and row["status"] in ("scored", None)
        if row["model"] == model and scored:
            items.setdefault((row["task"], row["id"]), {}).setdefault(row["variant"], []).append(row)
    return list(items.values())


def average(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def reader(item: Item) -> Callable[[Row], Any]:
    rows = [row for runs in item.values() for row in runs]
    if any(row["pred_index"] is not None or row["answer"] is not None for row in rows):
        # What names no single option is an answer of its own.
        by_place = any(row["pred_index"] is not None for row in rows)
        return lambda row: row["pred_index"] if row["pred_index"] is not None and by_place else row["answer"]
    return lambda row: row["score"] if row["correct"] is None else float(row["correct"])


def answers_of(item: Item, names: Sequence[str], read: Callable[[Row], Any]) -> dict[str, list[Any]]:
    given = {name: [read(row) for row in item[name] if read(row) is not None] for name in names}
    return {name: answers for name, answers in given.items() if answers}


def right(row: Row) -> float:
    return float(row["score"] >= 0.5) if row["correct"] is None else float(row["correct"])


def flip_rate(answers: dict[str, list[Any]]) -> float:
    others = [given for name, given in answers.items() if name != "orig"]
    return fmean(fmean(float(x != y) for x, y in product(given, answers["orig"])) for given in others)


def all_metrics(table: pl.DataFrame, model: str, k: int) -> dict[str, float | None]:
    found: dict[str, list[float]] = {name: [] for name in NAMES}
    for item in items_of(table, model):
        for part in (of_scores(item), of_answers(item), of_outcomes(item, k)):
            for name, value in part.items():
                found[name].append(value)
        # Every wording counts the same, also of an item that has more of them.
        found["accuracy"] += [fmean(row["score"] for row in item[name]) for name in wordings_of(item)]
    spread = found.pop("variance")
    rest, orig, fault, healthy = (found.pop(name) for name in ("rest", "orig", "fault", "healthy"))
    lost, r_prompt, r_fault = average(spread), share(rest, orig), share(fault, healthy)
    return {name: average(values) for name, values in found.items()} | {
        "s_prompt": None if lost is None else 1 - lost,
        "mean_variance": lost,
        "std_variance": stdev(spread) if len(spread) >= 2 else None,
        "r_prompt": r_prompt,
        "r_prompt_hal": None if r_prompt is None else min(r_prompt, 1.0),
        "pdr": None if r_prompt is None else 1 - r_prompt,
        "r_fault": r_fault,
        "r_fault_hal": None if r_fault is None else min(r_fault, 1.0),
    }


NAMES = (
    "accuracy accuracy_orig variance s_norm min_max_gap delta_accuracy rest orig fault healthy "
    "consistency_at_k pairwise_agreement answer_entropy fragility_score excess_flips responsiveness "
    "c_out c_out_unbiased robust_at_k best_at_k"
).split()


def wordings_of(item: Item, kind: str | None = None) -> list[str]:
    """Of one kind, or those that must not change the answer."""
    if kind is not None:
        return [name for name, runs in item.items() if runs[0]["kind"] == kind]
    return [name for name, runs in item.items() if runs[0]["kind"] not in ("control", "fault")]


def of_scores(item: Item) -> dict[str, float]:
    means = {name: fmean(row["score"] for row in item[name]) for name in wordings_of(item)}
    faults = [fmean(row["score"] for row in item[name]) for name in wordings_of(item, "fault")]
    others = [value for name, value in means.items() if name != "orig"]
    n, found = len(means), {}
    if "orig" in means:
        found["accuracy_orig"] = means["orig"]
    if n >= 2:
        found["variance"] = variance(means.values())
        found["s_norm"] = 1 - found["variance"] / ((n // 2) * ((n + 1) // 2) / (n * (n - 1)))
        found["min_max_gap"] = max(means.values()) - min(means.values())
    if "orig" in means and others:
        found |= {
            "orig": means["orig"],
            "rest": fmean(others),
            "delta_accuracy": means["orig"] - fmean(others),
        }
    if faults and means:
        found |= {"fault": fmean(faults), "healthy": fmean(means.values())}
    return found


def of_answers(item: Item) -> dict[str, float]:
    read, found = reader(item), {}
    answers = answers_of(item, wordings_of(item), read)
    if len(answers) >= 2:
        found["consistency_at_k"] = fmean(float(len(set(draw)) == 1) for draw in product(*answers.values()))
        pairs = combinations(answers.values(), 2)
        found["pairwise_agreement"] = fmean(fmean(float(x == y) for x, y in product(*pair)) for pair in pairs)
        mixed: Counter[Any] = Counter()
        for given in answers.values():
            for answer in given:
                mixed[answer] += 1 / len(given) / len(answers)
        entropy = -sum(part * math.log(part) for part in mixed.values()) / math.log(len(answers))
        found["answer_entropy"] = min(entropy, 1.0)
        if "orig" in answers:
            found["fragility_score"] = flip_rate(answers)
            if len(answers["orig"]) >= 2:
                again = fmean(float(x != y) for x, y in combinations(answers["orig"], 2))
                found["excess_flips"] = flip_rate(answers) - again
    if "orig" in item:
        controls = answers_of(item, ["orig", *wordings_of(item, "control")], read)
        if "orig" in controls and len(controls) >= 2:
            found["responsiveness"] = flip_rate(controls)
    return found


def of_outcomes(item: Item, k: int) -> dict[str, float]:
    outcomes = [[right(row) for row in item[name]] for name in wordings_of(item)]
    repeated = [runs for runs in outcomes if len(runs) >= 2]
    found = {}
    if repeated:
        found["c_out"] = fmean((2 * fmean(runs) - 1) ** 2 for runs in repeated)
        found["c_out_unbiased"] = fmean(1 - 4 * variance(runs) for runs in repeated)
    if len(outcomes) >= k:
        choices = list(combinations([fmean(runs) for runs in outcomes], k))
        found["robust_at_k"] = fmean(math.prod(choice) for choice in choices)
        found["best_at_k"] = 1 - fmean(math.prod(1 - one for one in choice) for choice in choices)
    return found


def share(here: Sequence[float], there: Sequence[float]) -> float | None:
    return sum(here) / sum(there) if sum(there) > 0 else None
