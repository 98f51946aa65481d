"""Runs without a score: why there is none, and the values that accuracy and loss could have with them.

Each missing score is taken to be anything from 0 to 1, and each missing answer to be any answer. The bounds
of accuracy and of the loss are reached; those of the others may be a little wider than what can be reached.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeAlias

import numpy as np
import polars as pl

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    ANSWERED,
    FILTERED,
    FORMAT_FAILURE,
    LIMITED,
    NOT_RUN,
    PROVIDER_ERROR,
    PROVIDER_FAILED,
    REFUSED,
    SCORED,
    TRUNCATED,
    UNREADABLE,
)
from otherwords.core.scores import largest_variances
from otherwords.core.verdict import UnscoredReason
from otherwords.metrics.answer_agreement import Agreement
from otherwords.metrics.outcome_rows import BoolArray, FloatArray, IntArray
from otherwords.metrics.score_arrays import Grid, ScoreArrays

Bounds: TypeAlias = tuple[float, float] | None
"""None where no score is missing."""
_CENTRES = np.linspace(0.0, 1.0, 41)
_BETWEEN = 0.0125
"""Half of what is between two of them."""


def accuracy_bounds(arrays: ScoreArrays, *, of_original: bool = False) -> Bounds:
    """Of accuracy over all wordings, or on the original alone."""
    every = arrays.with_unscored
    lacks = _lacks_scores(every)
    used = every.original if of_original else np.ones(len(lacks), np.bool_)
    if not np.any(lacks[used]):
        return None
    least, most = _means(every)
    reduced, by_rule = every.grid.reduced[every.chosen], every.grid.by_rule[every.chosen]
    # By another rule than the mean, what is missing may decide all of the wording's score.
    least = np.where(by_rule, np.where(lacks, 0.0, reduced), least)
    most = np.where(by_rule, np.where(lacks, 1.0, reduced), most)
    return float(least[used].mean()), float(most[used].mean())


def loss_bounds(arrays: ScoreArrays) -> Bounds:
    """Of the loss by rewording: what is missing is right on one side, and wrong on the other."""
    every = arrays.with_unscored
    if not _lacks_scores(every).any():
        return None
    (low_orig, low_rest, both), (high_orig, high_rest, _) = (
        every.orig_and_rest(one) for one in _means(every)
    )
    if not both.any():
        return None
    return float((low_orig - high_rest)[both].mean()), float((high_orig - low_rest)[both].mean())


def cost_bounds(grid: Grid, cells: IntArray, originals: IntArray, share: FloatArray) -> Bounds:
    """Of what some cells lose against their originals, each cell counting as its share."""
    both = np.concatenate([cells, originals])
    if not np.any(grid.rows[both] > grid.scored[both]):
        return None
    (low, high), (low_orig, high_orig) = _means_of(grid, cells), _means_of(grid, originals)
    least, most = (float(np.average(one, weights=share)) for one in (low_orig - high, high_orig - low))
    return least, most


def variance_bounds(arrays: ScoreArrays, ddof: int = 1, *, as_share: bool = False) -> Bounds:
    """Of the mean variance over wordings; `as_share` of the largest that each item could have."""
    every = arrays.with_unscored
    lacks = _lacks_scores(every)
    enters = every.variants >= 2
    if not lacks.any() or not enters.any():
        return None
    in_doubt = every.sum_cells(lacks) > 0
    known = np.where(in_doubt, 0.0, replace(every, mean=np.nan_to_num(every.mean)).squares)
    least, most = known.copy(), known.copy()
    cells = in_doubt[every.group]
    group, (low, high) = every.group[cells], (one[cells] for one in _means(every))
    smallest, largest = np.full(every.n_groups, np.inf), np.full(every.n_groups, np.inf)
    for centre in _CENTRES:
        # around no centre are the squares smaller than around their own mean
        far = np.maximum(np.abs(low - centre), np.abs(high - centre))
        near = np.maximum(np.maximum(low - centre, centre - high), 0.0)
        for squares, best in ((far, largest), (near, smallest)):
            np.minimum(best, np.bincount(group, weights=squares**2, minlength=every.n_groups), out=best)
    n = every.variants
    least[in_doubt] = np.maximum(np.sqrt(smallest) - np.sqrt(n) * _BETWEEN, 0.0)[in_doubt] ** 2
    most[in_doubt] = np.minimum(largest, largest_variances(n) * np.maximum(n - 1, 1))[in_doubt]
    divided = largest_variances(n) * (n - 1) if as_share else n - ddof
    shares = [one[enters] / divided[enters] for one in (least, most)]
    return float(shares[0].mean()), float(shares[1].mean())


def flip_bounds(arrays: ScoreArrays) -> Bounds:
    """Of the flip rate: a missing answer agrees with no other, or with all."""
    every = arrays.with_unscored
    if not _lacks_scores(every).any():
        return None
    answered, flipped = _answered(every), _of_all_runs(every).flipped
    of_original = every.sum_cells(answered * every.original)[every.group]
    others = np.maximum(every.sum_cells(~every.original), 1)
    open_pairs = every.sum_cells((1 - of_original * answered) * ~every.original) / others
    return _between(flipped - open_pairs, flipped)


def consistency_bounds(arrays: ScoreArrays) -> Bounds:
    """Of the share of items with the same answer to all wordings."""
    every = arrays.with_unscored
    if not _lacks_scores(every).any():
        return None
    all_answered = np.ones(every.n_groups)
    np.multiply.at(all_answered, every.group, _answered(every))
    consistent = _of_all_runs(every).consistent
    return _between(consistent, consistent + 1 - all_answered)


def one_minus(bounds: Bounds) -> Bounds:
    """Of one minus the value."""
    return None if bounds is None else (1 - bounds[1], 1 - bounds[0])


def _lacks_scores(every: ScoreArrays) -> BoolArray:
    lacks: BoolArray = every.grid.rows[every.chosen] > every.repeats
    return lacks


def _means(every: ScoreArrays) -> tuple[FloatArray, FloatArray]:
    return _means_of(every.grid, every.chosen)


def _means_of(grid: Grid, cells: IntArray) -> tuple[FloatArray, FloatArray]:
    """The mean of each cell if its runs without a score had all scored 0, or 1."""
    planned, scored = np.maximum(grid.rows[cells], 1), grid.scored[cells]
    total = np.where(scored > 0, grid.mean[cells], 0.0) * scored
    return total / planned, (total + planned - scored) / planned


def _of_all_runs(every: ScoreArrays) -> Agreement:
    """Over all runs that were planned, a missing answer agreeing with none."""
    planned = every.grid.rows[every.chosen].astype(np.float64)
    return Agreement(every.answers, every.group, every.original, every.n_groups, planned)


def _answered(every: ScoreArrays) -> FloatArray:
    """The share of each cell's runs that have an answer."""
    return every.agreement.runs / np.maximum(every.grid.rows[every.chosen], 1)


def _between(least: FloatArray, most: FloatArray) -> Bounds:
    enters = ~np.isnan(least)
    if not enters.any():
        return None
    return float(np.maximum(least[enters], 0.0).mean()), float(np.minimum(most[enters], 1.0).mean())


ADVICE: dict[str, str] = {
    ANSWERED: "the scorer gave no score: look at one in `inspect view`, then score the log again",
    UNREADABLE: "ask for the answer's format more plainly, or read it more leniently",
    REFUSED: "read the refusals: a wording that is refused is a finding",
    FILTERED: "another provider or another filter setting; a wording that is filtered is a finding",
    TRUNCATED: "run again with a larger --max-tokens",
    LIMITED: "run again with a larger limit (--message-limit, --token-limit, --time-limit)",
    AGENT_ERROR: "mend the agent: its own code failed",
    PROVIDER_ERROR: "run the same command again: only what is missing is asked",
    NOT_RUN: "run the same command again: only what is missing is asked",
}
"""By outcome."""
_LONGEST = 120
_VARYING = re.compile(r"\b(?:0x[0-9a-f]+|[0-9a-f]{8,}|\d[\d.,:_-]*)\b", re.IGNORECASE)
"""Numbers, hashes and addresses, which differ between runs that failed for one reason."""
_FILE = re.compile(r"(?:/[\w.@+-]+){2,}")


def has_score() -> pl.Expr:
    """Whether a row of an outcome table has a score."""
    return pl.col("score").is_not_null() & pl.col("status").fill_null(SCORED).eq(SCORED)


def unscored_reasons(outcomes: pl.DataFrame) -> tuple[UnscoredReason, ...]:
    """Each reason why rows have no score, the most frequent first.

    Args:
        outcomes: An outcome table with all of its columns (`core.table.as_outcomes`).

    Returns:
        A reason for each outcome and text of a reason; texts that differ in numbers only are one.

    Example:
        >>> import polars as pl
        >>> from otherwords.core.table import as_outcomes
        >>> from otherwords.metrics.missing_scores import unscored_reasons
        >>> rows = {"id": ["a", "b"], "variant": "orig", "score": None, "status": "limit", "reason": "time"}
        >>> found = unscored_reasons(as_outcomes(pl.DataFrame(rows)))
        >>> [(one.outcome, one.reason, one.count) for one in found]
        [('limit', 'time', 2)]
    """
    rows = outcomes.filter(~has_score()).select("id", "variant", "repeat", "outcome", "reason")
    if rows.is_empty():
        return ()
    texts = rows["reason"].unique().drop_nulls().to_list()
    short = {text: _general(text) for text in texts}
    counted = (
        rows.with_columns(
            pl.col("outcome").fill_null(NOT_RUN),
            pl.col("reason").replace_strict(short, default="", return_dtype=pl.String).fill_null(""),
        )
        .group_by("outcome", "reason", maintain_order=True)
        .agg(pl.len().alias("n"), pl.col("id", "variant", "repeat").first())
        .sort("n", descending=True, maintain_order=True)
    )
    return tuple(
        UnscoredReason(
            outcome=row["outcome"],
            reason=row["reason"],
            count=row["n"],
            example=f"{row['id']}, {row['variant']}, run {row['repeat']}",
            advice=ADVICE.get(row["outcome"], ADVICE[ANSWERED]),
        )
        for row in counted.iter_rows(named=True)
    )


def _general(reason: str) -> str:
    """The first line of a reason without what differs from run to run, and without whose failure it was."""
    lines = [line.strip() for line in reason.strip().splitlines() if line.strip()]
    text = lines[0] if lines else ""
    for start in (AGENT_FAILED, PROVIDER_FAILED):
        text = text.removeprefix(start)
    text = _VARYING.sub("…", _FILE.sub("…", text))
    if text == FORMAT_FAILURE:
        return ""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
