"""Names of a log's scores, Inspect's reducers of epochs, and the range that a variance of scores can have.

A scorer gives one value, or a dictionary of several; each part of one is a score of its own.

Inspect computes its metrics on these. Here are its own reducers, by the names that its logs give them:
`mean`, `median`, `mode`, `majority`, `max`, `at_least_K`, `pass_at_K`, `pass_k_K`.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

Parts = Mapping[str, Sequence[str]]
"""For each scorer the parts of its score; none where it gives one value."""
Chosen = tuple[str, str | None]
"""A scorer, and the part of its score."""


def score_parts(values: Sequence[Mapping[str, Any]], computed: Sequence[tuple[str, str]]) -> Parts:
    """The scorers and the parts of their scores, in the order in which Inspect lists them.

    Args:
        values: For each sample what each scorer gave it.
        computed: The scorer and the part (or the scorer again) of everything that Inspect has results of.

    Example:
        >>> from otherwords.core.scores import score_parts
        >>> score_parts([{"match": "C", "grade": {"style": 1, "facts": 0}}], [("grade", "facts")])
        {'grade': ['facts', 'style'], 'match': []}
    """
    present = dict.fromkeys(name for sample in values for name in sample)
    listed = [scorer for scorer, _ in computed if scorer in present]
    return {
        name: _keys(
            (sample.get(name) for sample in values), [part for scorer, part in computed if scorer == name]
        )
        for name in dict.fromkeys([*listed, *present])
    }


def _keys(values: Iterable[Any], computed: Sequence[str]) -> list[str]:
    """Of a score that is a dictionary; what Inspect computes something of comes first."""
    # A sample without a score has NaN in place of its dictionary.
    first = next((value for value in values if isinstance(value, Mapping)), None)
    if first is None:
        return []
    return list(dict.fromkeys([*(key for key in computed if key in first), *map(str, first)]))


def score_label(name: str, key: str | None) -> str:
    """As `--scorer` takes it."""
    return name if key is None else f"{name}.{key}"


def score_labels(parts: Parts) -> list[str]:
    """Every score by its name.

    Example:
        >>> from otherwords.core.scores import score_labels
        >>> score_labels({"grade": ["facts", "style"], "match": []})
        ['grade.facts', 'grade.style', 'match']
    """
    return [label for name, keys in parts.items() for label in [f"{name}.{key}" for key in keys] or [name]]


def find_score(wanted: str, parts: Parts) -> Chosen | None:
    """What `name`, `package/name` or `name.key` stands for; of several parts the first, if none is named.

    Example:
        >>> from otherwords.core.scores import find_score
        >>> find_score("grade.style", {"grade": ["facts", "style"]})
        ('grade', 'style')
    """
    by_name = {name.rsplit("/", 1)[-1]: name for name in reversed(list(parts))} | {one: one for one in parts}
    if wanted in by_name:
        name = by_name[wanted]
        return name, next(iter(parts[name]), None)
    dots = [place for place, letter in enumerate(wanted) if letter == "."]
    for place in reversed(dots):  # both a scorer's name and a key may have dots
        found = by_name.get(wanted[:place])
        if found is not None and wanted[place + 1 :] in parts[found]:
            return found, wanted[place + 1 :]
    return None


def counted_and_others(wanted: str | None, parts: Parts) -> tuple[Chosen, list[str]] | None:
    """The score that counts, and what else could have been chosen: nothing, if one score was named.

    Args:
        wanted: As given by `--scorer`; None for the first.
        parts: What there is.

    Returns:
        None where there is no score, or none of the name.

    Example:
        >>> from otherwords.core.scores import counted_and_others
        >>> counted_and_others(None, {"match": [], "grade": ["facts", "style"]})
        (('match', None), ['grade.facts', 'grade.style'])
        >>> counted_and_others("grade", {"match": [], "grade": ["facts", "style"]})
        (('grade', 'facts'), ['grade.style'])
    """
    chosen = find_score(next(iter(parts), "") if wanted is None else wanted, parts)
    if chosen is None:
        return None
    name, key = chosen
    open_to = parts if wanted is None else {name: parts[name]}
    if wanted is not None and key is not None and wanted.endswith(f".{key}"):
        open_to = {}
    return chosen, [label for label in score_labels(open_to) if label != score_label(name, key)]


def which_counts(counted: str, others: Sequence[str]) -> str:
    """What a user is told who did not choose among several scores.

    Example:
        >>> from otherwords.core.scores import which_counts
        >>> which_counts("match", ["grade.style"])
        "'match' counts; there is also 'grade.style' (choose with --scorer)"
    """
    listed = ", ".join(f"'{name}'" for name in others)
    return f"'{counted}' counts; there is also {listed} (choose with --scorer)"


MEAN = "mean"
UNREDUCED = "none"
"""Stands for a log whose epochs are not reduced: each of them counts as a sample of its own."""
_PLAIN = frozenset({MEAN, "median", "mode", "majority", "max", UNREDUCED})
_WITH_COUNT = re.compile(r"(at_least|pass_at|pass_k)_([1-9]\d{0,5})")
_RIGHT = 1.0
"""From this score on an epoch counts as a success, as in Inspect's logs, which record no other threshold."""


def is_reducer(name: str) -> bool:
    """Whether `reduce_scores` knows the reducer."""
    return name in _PLAIN or _WITH_COUNT.fullmatch(name) is not None


def reduce_scores(
    scores: Sequence[float | None], reducer: str | None, spelled: Sequence[Hashable] | None = None
) -> float | None:
    """One score for those of all epochs of a sample; None if there is none.

    Args:
        scores: In the order of the epochs; None for one without a score.
        reducer: Its name in the log; None, or one that is not known, is the mean.
        spelled: The scores as the scorer wrote them (`C`, `N`), which `mode` and `majority` count; the
            numbers if not given.

    Returns:
        The score. It is None where no epoch has one, where `majority` finds none, and where fewer epochs than
        `pass_at_K` or `pass_k_K` want have a score.

    Example:
        >>> from otherwords.core.scores import reduce_scores
        >>> reduce_scores([1.0, 0.0, 0.0], "mode"), reduce_scores([1.0, 0.0, None], "pass_at_2")
        (0.0, 1.0)
    """
    present = [score for score in scores if score is not None]
    if not present:
        return None
    counted = _WITH_COUNT.fullmatch(reducer or "")
    if counted:
        return _by_count(counted[1], int(counted[2]), len(present), sum(one >= _RIGHT for one in present))
    if reducer == "median":
        return statistics.median(present)
    if reducer == "max":
        return max(present)
    if reducer in ("mode", "majority"):
        words = scores if spelled is None else spelled
        number = {word: score for word, score in zip(words, scores, strict=True) if score is not None}
        votes = Counter(word for word, score in zip(words, scores, strict=True) if score is not None)
        word, count = votes.most_common(1)[0]
        return number[word] if reducer == "mode" or count * 2 > len(scores) else None
    return math.fsum(present) / len(present)


def _by_count(name: str, k: int, total: int, right: int) -> float | None:
    if name == "at_least":
        return 1.0 if right >= k else 0.0
    if total < k:
        return None
    if name == "pass_at":
        return 1.0 - math.comb(total - right, k) / math.comb(total, k)
    return math.comb(right, k) / math.comb(total, k)


def largest_variance(wordings: int) -> float:
    """M(V): the sample variance of V ≥ 2 scores in [0, 1] of which half are 0 and half are 1."""
    half = wordings // 2
    return half * (wordings - half) / (wordings * (wordings - 1))


def largest_variances(wordings: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """M(V) for each of many V; 1 where V < 2, to divide by."""
    most = int(wordings.max(initial=0))
    by_number = np.array([1.0, 1.0, *(largest_variance(number) for number in range(2, most + 1))])
    largest: npt.NDArray[np.float64] = by_number[wordings]
    return largest


def lowest_s_prompt(wordings: pl.Series, ddof: int = 1) -> float | None:
    """The mean of 1 − M(V) over items, given each item's number V of scored wordings.

    Items with fewer than two are left out; None when no item has two. With `ddof` 0, of variances that divide
    by V.
    """
    counts = wordings.filter(wordings >= 2).value_counts()
    if counts.is_empty():
        return None
    total = sum(
        largest_variance(number) * (number - 1) / (number - ddof) * items
        for number, items in counts.iter_rows()
    )
    return float(1 - total / counts["count"].sum())
