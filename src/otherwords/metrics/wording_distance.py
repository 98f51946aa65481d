"""How far rewordings went from the original: takes distances or prompts, gives their median and range."""

from __future__ import annotations

import numpy as np
import polars as pl

from otherwords.core.contract import DISTANCE, ORIG
from otherwords.core.families import is_wording
from otherwords.core.verdict import WordingDistance
from otherwords.english.words import word_distance
from otherwords.metrics.outcome_rows import FloatArray

_MOST_PAIRS = 200
_MOST_CHARACTERS = 2_000


def wording_distance(rows: pl.DataFrame, wordings: pl.DataFrame | None, task: str) -> WordingDistance | None:
    """The word edit distance of the rewordings of one task.

    Args:
        rows: Rows of an outcome table; its column `distance` is taken if it is there.
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
    return _summary(np.array([word_distance(*(text[:_MOST_CHARACTERS] for text in two)) for two in texts]))


def _summary(distances: FloatArray) -> WordingDistance:
    low, median, high = np.quantile(distances, (0.1, 0.5, 0.9))
    return WordingDistance(float(median), float(low), float(high), len(distances))
