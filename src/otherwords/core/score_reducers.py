"""The scores of one sample's epochs → the one score that Inspect's reducer of a given name makes of them.

Inspect computes its metrics on these. Here are its own reducers, by the names that its logs give them:
`mean`, `median`, `mode`, `majority`, `max`, `at_least_K`, `pass_at_K`, `pass_k_K`.
"""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Hashable, Sequence

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
        >>> from otherwords.core.score_reducers import reduce_scores
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
