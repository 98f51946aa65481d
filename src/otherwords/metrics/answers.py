"""How far the canonical answers to the wordings of one item agree.

Which answer of a row is compared is settled for each group (task, model, item): the chosen option if any
scored row has one, else the text, else whether it was right. A row that lacks what its group is compared
by is left out and counted, since an option number is never equal to a text.

With repeats, agreement is a chance over independent runs and not a majority: a majority hides how often
single runs differ, and its value moves with the number of repeats. Here more repeats only make it surer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

_NO_ANSWER = -1


@dataclass(frozen=True)
class _Shares:
    """Each answer given to each wording, once, with its share of the wording's answered repeats."""

    group: IntArray
    original: BoolArray
    answer: IntArray
    share: FloatArray


def answer_agreement(scored: pl.DataFrame, n_groups: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """For each group: rows with an answer, chance that all wordings agree, mean chance of a flip.

    `scored` has the columns `group` and `cell` and is sorted by them.
    """
    group = scored["group"].to_numpy().astype(np.int64)
    answer = _answer_codes(scored, group, n_groups)
    kept = answer != _NO_ANSWER
    group, answer = group[kept], answer[kept]
    cell = scored["cell"].to_numpy().astype(np.int64)[kept]
    original = scored["original"].to_numpy().astype(np.bool_)[kept]

    starts = np.ones(len(group), np.bool_)
    starts[1:] = (group[1:] != group[:-1]) | (cell[1:] != cell[:-1])
    wording = np.cumsum(starts) - 1
    wordings = np.bincount(group[starts], minlength=n_groups)
    has_original = np.bincount(group[starts & original], minlength=n_groups) > 0
    shares = _shares(wording, group[starts], original[starts], answer)

    several = wordings > 1
    consistent = np.where(several, _all_agree(shares, wordings, n_groups), np.nan)
    agree = _agree_with_original(shares, n_groups) / np.maximum(wordings - 1, 1)
    flipped = np.where(several & has_original, np.clip(1.0 - agree, 0.0, 1.0), np.nan)
    return np.bincount(group, minlength=n_groups).astype(np.int64), consistent, flipped


def _answer_codes(scored: pl.DataFrame, group: IntArray, n_groups: int) -> IntArray:
    """A number for each row that is equal within a group exactly where the canonical answers are."""
    codes = np.full(len(group), _NO_ANSWER, np.int64)
    open_rows = np.ones(len(group), np.bool_)
    for column in ("pred_index", "answer"):
        present = scored[column].is_not_null().to_numpy() & open_rows
        if present.any():
            compared_by_it = np.bincount(group[present], minlength=n_groups) > 0
            codes[present] = _numbered(scored[column].filter(pl.Series(present)))
            open_rows &= ~compared_by_it[group]
    if open_rows.any():
        rightness = scored.select(
            pl.coalesce(pl.col("correct").cast(pl.Float64), pl.col("score"))
        ).to_series()
        codes[open_rows] = _numbered(rightness.filter(pl.Series(open_rows)))
    return codes


def _numbered(values: pl.Series) -> IntArray:
    frame = values.alias("value").to_frame()
    numbers = frame.unique().sort("value").with_row_index("number")
    matched = frame.join(numbers, on="value", how="left", maintain_order="left")["number"]
    return matched.to_numpy().astype(np.int64)


def _shares(wording: IntArray, group: IntArray, original: BoolArray, answer: IntArray) -> _Shares:
    """`wording` and `answer` have one entry a row, `group` and `original` one a wording."""
    width = int(answer.max()) + 1 if len(answer) else 1
    keys, counts = np.unique(wording * width + answer, return_counts=True)
    of_wording = keys // width
    rows_of_wording = np.bincount(wording, minlength=len(group))
    return _Shares(
        group[of_wording], original[of_wording], keys % width, counts / rows_of_wording[of_wording]
    )


def _all_agree(shares: _Shares, wordings: IntArray, n_groups: int) -> FloatArray:
    """Sum over answers of the product over wordings of their shares, where all wordings have the answer."""
    if not len(shares.group):
        return np.zeros(n_groups)
    order = np.lexsort((shares.answer, shares.group))
    group, answer, share = shares.group[order], shares.answer[order], shares.share[order]
    starts = np.flatnonzero(np.r_[True, (group[1:] != group[:-1]) | (answer[1:] != answer[:-1])])
    seen_in = np.diff(np.r_[starts, len(group)])
    product = np.multiply.reduceat(share, starts)
    everywhere = seen_in == wordings[group[starts]]
    total = np.bincount(group[starts], weights=product * everywhere, minlength=n_groups)
    return np.clip(total, 0.0, 1.0)


def _agree_with_original(shares: _Shares, n_groups: int) -> FloatArray:
    """Sum over the other wordings of the chance that a run gives what a run of the original gives."""
    width = int(shares.answer.max()) + 1 if len(shares.answer) else 1
    keys = shares.group * width + shares.answer
    of_original, others = keys[shares.original], keys[~shares.original]
    if not len(of_original) or not len(others):
        return np.zeros(n_groups)
    place = np.minimum(np.searchsorted(of_original, others), len(of_original) - 1)
    same = of_original[place] == others
    both = shares.share[~shares.original] * shares.share[shares.original][place] * same
    return np.bincount(shares.group[~shares.original], weights=both, minlength=n_groups).astype(np.float64)
