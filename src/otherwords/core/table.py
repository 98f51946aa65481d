"""The outcome table: its columns, frames made to fit; scores: their names, reducers, largest variance M(V).

A scorer gives one value, or a dictionary of several; each part of one is a score of its own. Reducers are
here by the names that Inspect's logs give them: `mean`, `mode`, `majority`, `at_least_K`, `pass_at_K` …
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

from otherwords.core.contract import (
    AGENT_ERROR,
    AGENT_FAILED,
    ANSWERED,
    ERROR,
    FORMAT_FAILURE,
    INVALID_FORMAT,
    LIMIT,
    LIMITED,
    MISSING,
    NO_MODEL_CALL,
    NO_RESPONSE,
    NOT_RUN,
    ORIG,
    PROVIDER_ERROR,
    SCORED,
    SWALLOWED_ERRORS,
    UNREADABLE,
    UNSCORED,
    WORDING_NOT_SEEN,
)
from otherwords.core.errors import InputError

OUTCOME_COLUMNS: dict[str, Any] = {
    "task": pl.String,  # the benchmark
    "model": pl.String,  # the model, or the agent's name
    "id": pl.String,  # the item
    "variant": pl.String,
    "kind": pl.String,
    "change": pl.String,
    "paraphrase_id": pl.String,
    "perturbation_kind": pl.String,
    "distance": pl.Float64,  # of the wording from the original, in words: 0 to 1; null where not measured
    "template": pl.String,  # which wording of the template; null where there is none
    "wording": pl.String,  # which wording of the item's own text, where it stands in a template or a design
    "levels": pl.String,  # of the factors of a design: wording=para1;format=pert:punct
    "repeat": pl.Int64,  # 1, 2, …: independent runs of the same wording
    "status": pl.String,  # scored · unscored · error · limit · missing
    "outcome": pl.String,  # answered · unreadable · refused · …: what happened, whatever the score
    "score": pl.Float64,  # in [0, 1]; null unless status is scored
    "correct": pl.Boolean,
    "answer": pl.String,  # canonical: comparable over variants
    "response": pl.String,  # what was said, as the scorer recorded it
    "pred_index": pl.Int64,  # in the original option order, as is target_index
    "target_index": pl.Int64,
    "confidence": pl.Float64,
    "seed": pl.Int64,
    "tokens": pl.Int64,
    "seconds": pl.Float64,
    "cost": pl.Float64,  # in US dollars
    "messages": pl.Int64,  # in the conversation at its end
    "model_calls": pl.Int64,  # before it was scored
    "tool_calls": pl.String,  # of an agent, in order, as `core.tool_calls` writes them; null where not known
    "user_errors": pl.String,  # of a simulated user; empty: none; null: not looked for
    "reason": pl.String,  # why a row has no score: `format`, an error's text, a limit's name
    "scorer": pl.String,  # by whom the score is, `name` or `name.key`; null where it is not known
    "reducer": pl.String,  # how the log makes one score of repeats; null: their mean
    "log": pl.String,  # the file that the row was read from
}
LOG_COLUMNS = ("task", "model", "scorer", "reducer", "log")
"""Columns that are the same for all rows of one log."""
TRAJECTORY_COLUMNS = ("cost", "messages", "model_calls", "tool_calls")
"""Columns that tell how an agent came to its answer, where that is known."""
SAMPLE_COLUMNS = tuple(name for name in OUTCOME_COLUMNS if name not in LOG_COLUMNS)
"""Columns that differ from row to row of one log."""
WORDING_COLUMNS: dict[str, Any] = {
    "task": pl.String,
    "id": pl.String,
    "variant": pl.String,
    "kind": pl.String,
    "change": pl.String,
    "prompt": pl.String,
    "choices": pl.List(pl.String),
    "target": pl.String,
}
"""What was asked, kept apart from the outcomes so that they can be published without it."""
NEEDED = ("id", "variant", "score")
KEY = ("task", "model", "id", "variant", "repeat")


def as_outcomes(table: Any) -> pl.DataFrame:
    """`table` (polars, or pandas) with every column of the outcome table, in order and with its type."""
    frame = _to_polars(table)
    absent = [name for name in NEEDED if name not in frame.columns]
    if absent:
        raise InputError(
            f"the table lacks the column{'s' if len(absent) > 1 else ''} {', '.join(absent)}",
            hint=f"It has: {', '.join(frame.columns) or 'none'}.",
        )
    frame = _with_scores(frame)
    columns = []
    for name, kind in OUTCOME_COLUMNS.items():
        if name in frame.columns:
            cast = pl.col(name).cast(kind, strict=False)
            columns.append(cast.fill_nan(None) if kind == pl.Float64 else cast)
        else:
            columns.append(_DEFAULTS.get(name, pl.lit(None)).cast(kind).alias(name))
    return with_outcomes(frame.select(columns))


def by_task(outcomes: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each task, in the table's order; the table itself, not a copy, where it has but one."""
    if outcomes["task"].n_unique() == 1:
        return [(str(outcomes["task"][0]), outcomes)]
    return [(str(task), part) for (task,), part in outcomes.group_by("task", maintain_order=True)]


def with_outcomes(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame that has all columns of the outcome table, with an outcome in every row."""
    if not frame["outcome"].null_count():
        return frame
    told = outcome_of(pl.col("status").fill_null(_DEFAULTS["status"]), pl.col("reason"))
    return frame.with_columns(outcome=pl.coalesce("outcome", told))


_DEFAULTS: dict[str, pl.Expr] = {
    "task": pl.lit(""),
    "model": pl.lit(""),
    "kind": pl.when(pl.col("variant") == ORIG).then(pl.lit(ORIG)).otherwise(pl.lit("")),
    "repeat": pl.lit(1),
    "status": pl.when(pl.col("score").is_null()).then(pl.lit(UNSCORED)).otherwise(pl.lit(SCORED)),
}
_UNREADABLE_REASONS = (FORMAT_FAILURE, INVALID_FORMAT, NO_RESPONSE)
_PROVIDER_REASONS = (NO_MODEL_CALL, SWALLOWED_ERRORS)


def outcome_of(status: pl.Expr, reason: pl.Expr) -> pl.Expr:
    """The outcome of rows that do not tell it, from their status and the reason why they have no score."""
    why = reason.fill_null("")
    unreadable = why.is_in(_UNREADABLE_REASONS) | why.str.starts_with(f"{FORMAT_FAILURE}:")
    return (
        pl.when(why.str.starts_with(AGENT_FAILED) & status.is_in([UNSCORED, ERROR]))
        .then(pl.lit(AGENT_ERROR))
        .when(status.eq(ERROR) | (status.eq(UNSCORED) & why.is_in(_PROVIDER_REASONS)))
        .then(pl.lit(PROVIDER_ERROR))
        .when(status.eq(MISSING) | (status.eq(UNSCORED) & why.eq(WORDING_NOT_SEEN)))
        .then(pl.lit(NOT_RUN))
        .when(status.eq(LIMIT))
        .then(pl.lit(LIMITED))
        .when(status.eq(UNSCORED) & unreadable)
        .then(pl.lit(UNREADABLE))
        .otherwise(pl.lit(ANSWERED))
    )


def _with_scores(frame: pl.DataFrame) -> pl.DataFrame:
    """Scores as numbers or null. One in words (`C`, `yes`) is refused: as null it would be not scored."""
    score = frame["score"]
    if score.dtype.is_nested() or score.dtype.is_temporal():
        raise InputError(f"the column score holds {score.dtype}, not numbers")
    read = score.cast(pl.Float64, strict=False)
    lost = (score.is_not_null() & read.is_null()).arg_true()
    if not len(lost):
        return frame.with_columns(read.fill_nan(None))
    row = int(lost[0])
    which = f"row {row + 1} of the table has the score '{score[row]}' (variant '{frame['variant'][row]}')"
    raise InputError(
        f"{which}, which is not a number",
        item=str(frame["id"][row]),
        hint=f"{_rows(len(lost))} such a score. Scores are numbers from 0 to 1; a row without one is null.",
    )


def _rows(count: int) -> str:
    return "1 row has" if count == 1 else f"{count} rows have"


def empty_outcomes() -> pl.DataFrame:
    return pl.DataFrame(schema=OUTCOME_COLUMNS)


def _to_polars(table: Any) -> pl.DataFrame:
    if isinstance(table, pl.DataFrame):
        return table
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    if type(table).__module__.split(".")[0] == "pandas":
        return pl.DataFrame({str(name): _pandas_values(table[name]) for name in table.columns}, strict=False)
    raise InputError(f"expected a polars or pandas frame, got {type(table).__name__}")


def _pandas_values(column: Any) -> list[Any]:
    """Python values, with None for every kind of missing that pandas has."""
    missing = column.isna().tolist()
    return [None if absent else value for value, absent in zip(column.tolist(), missing, strict=True)]


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
        >>> from otherwords.core.table import score_parts
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
    """Every score by its name: `grade.facts`, `grade.style`, `match`."""
    return [label for name, keys in parts.items() for label in [f"{name}.{key}" for key in keys] or [name]]


def find_score(wanted: str, parts: Parts) -> Chosen | None:
    """What `name`, `package/name` or `name.key` stands for; of several parts the first, if none is named.

    Example:
        >>> from otherwords.core.table import find_score
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
        >>> from otherwords.core.table import counted_and_others
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
        >>> from otherwords.core.table import which_counts
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
    """One score for those of all epochs of a sample.

    Args:
        scores: In the order of the epochs; None for one without a score.
        reducer: Its name in the log; None, or one that is not known, is the mean.
        spelled: The scores as the scorer wrote them (`C`, `N`), which `mode` and `majority` count; the
            numbers if not given.

    Returns:
        The score. It is None where no epoch has one, where `majority` finds none, and where fewer epochs than
        `pass_at_K` or `pass_k_K` want have a score.

    Example:
        >>> from otherwords.core.table import reduce_scores
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
    return (wordings // 2) * ((wordings + 1) // 2) / (wordings * (wordings - 1))


def largest_variances(wordings: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """M(V) for each of many V; 1 where V < 2, to divide by."""
    most = int(wordings.max(initial=0))
    by_number = np.array([1.0, 1.0, *(largest_variance(number) for number in range(2, most + 1))])
    return np.asarray(by_number[wordings], dtype=np.float64)


def lowest_s_prompt(wordings: pl.Series, ddof: int = 1) -> float | None:
    """The mean of 1 − M(V) over items, given each item's number V of scored wordings; None if no V is two.

    Items with fewer are left out. With `ddof` 0, of variances that divide by V.
    """
    counts = wordings.filter(wordings >= 2).value_counts()
    if counts.is_empty():
        return None
    total = sum(
        largest_variance(number) * (number - 1) / (number - ddof) * items
        for number, items in counts.iter_rows()
    )
    return float(1 - total / counts["count"].sum())
