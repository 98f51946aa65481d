"""How far rewordings went from the original: takes distances or prompts, gives their median and range."""

from __future__ import annotations

import numpy as np
import polars as pl

from otherwords.core.contract import ORIG
from otherwords.core.families import is_wording
from otherwords.core.verdict import WordingDistance
from otherwords.metrics.outcome_rows import FloatArray

DISTANCE = "word_edit_distance"
"""The column of an outcome table or of a table of wordings that has the distance of each variant."""
_MOST_PAIRS = 200
_MOST_WORDS = 300


def wording_distance(rows: pl.DataFrame, wordings: pl.DataFrame | None, task: str) -> WordingDistance | None:
    """The word edit distance of the rewordings of one task.

    Args:
        rows: Rows of an outcome table; its column `word_edit_distance` is taken if it is there.
        wordings: What was asked: columns task, id, variant, kind, prompt. Its own column of distances is
            taken, and where there is none they are computed from at most 200 pairs of prompts.
        task: The task.

    Returns:
        The median and the tenths at both ends; None where neither distances nor prompts are known.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.wording_distance import wording_distance
        >>> wordings = pl.DataFrame(
        ...     {
        ...         "task": "t",
        ...         "id": "a",
        ...         "variant": ["orig", "para1"],
        ...         "kind": ["orig", "paraphrase"],
        ...         "prompt": ["What is the capital of France?", "Name the capital of France."],
        ...     }
        ... )
        >>> wording_distance(pl.DataFrame(), wordings, "t").median
        0.5
    """
    for frame in (rows, None if wordings is None else wordings.filter(task=task)):
        if frame is not None and DISTANCE in frame.columns:
            known = frame.filter(pl.col("variant") != ORIG)[DISTANCE].drop_nulls().drop_nans()
            if len(known):
                return _summary(known.to_numpy().astype(np.float64))
    if wordings is None or wordings.is_empty():
        return None
    mine = wordings.filter(task=task).select("id", "variant", "kind", "prompt").drop_nulls("prompt")
    originals = mine.filter(pl.col("variant") == ORIG).select("id", original="prompt").unique("id")
    kinds = [kind for kind in mine["kind"].unique() if kind is None or is_wording(kind)]
    reworded = mine.filter(pl.col("variant") != ORIG, pl.col("kind").is_in(kinds, nulls_equal=True))
    pairs = reworded.join(originals, on="id").sort("id", "variant")
    if pairs.is_empty():
        return None
    if pairs.height > _MOST_PAIRS:
        pairs = pairs[np.linspace(0, pairs.height - 1, _MOST_PAIRS).astype(int).tolist()]
    texts = pairs.select("original", "prompt").iter_rows()
    return _summary(np.array([_distance(first, second) for first, second in texts]))


def _distance(first: str, second: str) -> float:
    """Levenshtein's over lower-cased words, divided by the longer length."""
    one, other = first.lower().split()[:_MOST_WORDS], second.lower().split()[:_MOST_WORDS]
    longest = max(len(one), len(other))
    while one and other and one[0] == other[0]:
        one, other = one[1:], other[1:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return _edits(one, other) / longest if longest else 0.0


def _edits(one: list[str], other: list[str]) -> int:
    """Levenshtein's distance, a whole row of its table at a time: prompts may have hundreds of words."""
    numbers: dict[str, int] = {}
    first, second = (
        np.array([numbers.setdefault(word, len(numbers)) for word in text]) for text in (one, other)
    )
    steps = np.arange(len(second) + 1)
    row = steps.copy()
    for place, word in enumerate(first, start=1):
        kept = row[:-1] + (second != word)
        row = np.concatenate(([place], np.minimum(row[1:] + 1, kept)))
        row = np.minimum.accumulate(row - steps) + steps  # a word more of the second costs one
    return int(row[-1])


def _summary(distances: FloatArray) -> WordingDistance:
    low, median, high = np.quantile(distances, (0.1, 0.5, 0.9))
    return WordingDistance(float(median), float(low), float(high), len(distances))
