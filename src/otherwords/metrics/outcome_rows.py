"""Outcome table → sorted arrays, one entry a row; tasks, models, scored runs, factors; bad rows refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.contract import ANSWERED, FAULT, LEVELS, ORIG, SCORED, TEMPLATE, UNSCORED, WORDING
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.registry import traits_of
from otherwords.core.table import MEAN, TRAJECTORY_COLUMNS, UNREDUCED, as_outcomes, reduce_scores
from otherwords.core.wording_names import read_levels

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

ROUNDING = 1e-9
"""A score this far outside [0, 1] is rounding, not a mistake."""
_NO_ANSWER = -1
_LONG_RUNS = 2


class Role(IntEnum):
    """What a row is for, by its kind or by the part of its variant's name before the colon."""

    WORDING = 0
    """A wording that must not change the answer."""
    CONTROL = 1
    """A negative control: the answer must change."""
    FAULT = 2
    """A run in which tools or services fail."""


def _role(kind: str) -> Role:
    if kind == FAULT:
        return Role.FAULT
    return Role.CONTROL if traits_of(kind).is_control else Role.WORDING


@dataclass(frozen=True)
class Rows:
    """One entry a row, sorted by task, model, item, wording and repeat."""

    names: pl.DataFrame
    cluster: IntArray
    """Of each group: which (task, item) it is about."""
    variants: list[str]
    kinds: list[str]
    changes: list[str]
    group: IntArray
    cell: IntArray
    cell_starts: IntArray
    variant: IntArray
    kind: IntArray
    change: IntArray
    original: BoolArray
    usable: BoolArray
    replied: BoolArray
    outcomes: dict[str, BoolArray]
    """For each outcome but `answered` that occurs: which rows have it."""
    score: FloatArray
    right: FloatArray
    answer: IntArray
    """The canonical answer's number, or −1."""
    reducers: tuple[list[str], IntArray] | None
    """Where a log reduces repeats by another rule than their mean: the rules' names, and each row's rule."""
    trajectories: pl.DataFrame | None = None
    """Of agents that call tools: what each row's run called, and what it took."""

    @cached_property
    def role(self) -> IntArray:
        """The `Role` of each row."""
        by_kind = np.array([_role(name) for name in self.kinds] or [Role.WORDING])
        by_name = np.array([_role(name.partition(":")[0]) for name in self.variants] or [Role.WORDING])
        roles: IntArray = np.maximum(by_kind[self.kind], by_name[self.variant])
        return np.where(self.original, Role.WORDING, roles)


def numbered(codes: IntArray) -> IntArray:
    """Each code's place among the different ones; at once where they are sorted, as those of groups are."""
    steps = np.diff(codes)
    if not len(codes) or (steps < 0).any():
        return np.unique(codes, return_inverse=True)[1].reshape(-1)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(steps > 0)])


def select_outcomes(table: Any, task: str | None = None, model: str | None = None) -> pl.DataFrame:
    """`table` with all outcome columns, only the rows of `task` and of `model` where they are given."""
    frame = as_outcomes(table)
    if task is not None:
        frame = frame.filter(pl.col("task").is_in(_matching_tasks(frame, task)))
    if model is not None:
        known = {name or "" for name in frame["model"].unique()}
        if model not in known:
            raise unknown_name("model", model, known)
        frame = frame.filter(pl.col("model").fill_null("") == model)
    return frame


def _matching_tasks(frame: pl.DataFrame, task: str) -> list[str]:
    """The table's tasks of this name: exactly, or else without their package prefix."""
    known = {name for name in frame["task"].unique() if name}
    if task in known:
        return [task]
    matches = sorted(name for name in known if name.rpartition("/")[2] == task)
    if not matches:
        raise unknown_name("task", task, known)
    return matches


def unknown_name(what: str, name: str, known: set[str]) -> InputError:
    """The error for a task or model that the table does not have."""
    if not known - {""} and not (name == "" and known):
        return InputError(f"unknown {what} '{name}': the table names no {what}")
    return UnknownNameError(what, name, known)


def read_rows(frame: pl.DataFrame) -> Rows:
    """The rows of a frame with all outcome columns, sorted and numbered."""
    for name in ("id", "variant"):
        if frame[name].null_count():
            first = int(frame[name].is_null().arg_true()[0]) + 1
            raise InputError(f"row {first} of the table has no {name}")
    texts = frame.select(pl.col("task", "model", "id", "variant", "kind", "change").fill_null(""))
    facts = frame.select(_FACTS)
    called = frame["tool_calls"].null_count() < frame.height
    trajectories = frame.select(*TRAJECTORY_COLUMNS, "tokens", "seconds") if called else None
    _refuse_bad_scores(frame, facts)

    task, _ = _numbered(texts["task"])
    model, models = _numbered(texts["model"])
    item = _ranked(texts["id"])
    variant, variants = _numbered(texts["variant"])
    group_key = (task * max(len(models), 1) + model) * (int(item.max(initial=-1)) + 1) + item
    cell_key = group_key * max(len(variants), 1) + variant
    repeat = facts["repeat"].to_numpy()
    order = _order(cell_key, repeat)
    if order is not None:
        texts, facts = texts[order], facts[order]
        trajectories = None if trajectories is None else trajectories[order]
        task, item, variant = task[order], item[order], variant[order]
        group_key, cell_key, repeat = group_key[order], cell_key[order], repeat[order]

    new_cell = _changes(cell_key)
    _refuse_copies(texts, repeat, new_cell)
    new_group = _changes(group_key)
    firsts = np.flatnonzero(new_group)
    group = np.cumsum(new_group) - 1
    width = int(item.max(initial=-1)) + 1
    kind, kinds = _numbered(texts["kind"])
    change, changes = _numbered(texts["change"])
    usable = facts["usable"].to_numpy()
    return Rows(
        names=texts.select("task", "model", "id")[firsts],
        cluster=np.unique(task[firsts] * width + item[firsts], return_inverse=True)[1].reshape(-1),
        variants=variants,
        kinds=kinds,
        changes=changes,
        group=group,
        cell=np.cumsum(new_cell) - 1,
        cell_starts=np.flatnonzero(new_cell),
        variant=variant,
        kind=kind,
        change=change,
        original=facts["original"].to_numpy(),
        usable=usable,
        replied=facts["replied"].to_numpy(),
        outcomes={
            name: facts["outcome"].eq(name).to_numpy()
            for name in sorted(facts["outcome"].unique().drop_nulls())
            if name != ANSWERED
        },
        score=np.clip(facts["score"].to_numpy(), 0.0, 1.0),
        right=facts["right"].to_numpy(),
        answer=_answer_numbers(facts, group, usable, len(firsts)),
        reducers=None if facts["reducer"].null_count() == facts.height else _reducers(facts["reducer"]),
        trajectories=trajectories,
    )


def _reducers(given: pl.Series) -> tuple[list[str], IntArray]:
    codes, names = _numbered(given.fill_null(MEAN))
    return names, codes


_STATUS = pl.col("status").fill_null(
    pl.when(pl.col("score").is_not_null()).then(pl.lit(SCORED)).otherwise(pl.lit(UNSCORED))
)
_FACTS = [
    pl.col("repeat").fill_null(1),
    (_STATUS.eq(SCORED) & pl.col("score").is_not_null()).alias("usable"),
    _STATUS.is_in([SCORED, UNSCORED]).alias("replied"),
    pl.col("outcome"),
    pl.col("variant").eq(ORIG).alias("original"),
    pl.col("score").fill_null(0.0),
    pl.coalesce(pl.col("correct").cast(pl.Float64), pl.col("score").ge(0.5).cast(pl.Float64), 0.0).alias(
        "right"
    ),
    pl.coalesce(pl.col("correct").cast(pl.Float64), pl.col("score")).alias("rightness"),
    pl.col("pred_index"),
    pl.col("answer"),
    pl.col("reducer"),
]


def _refuse_bad_scores(frame: pl.DataFrame, facts: pl.DataFrame) -> None:
    score = facts["score"]
    if score.is_between(-ROUNDING, 1 + ROUNDING).all():
        return
    outside = (facts["usable"] & ~score.is_between(-ROUNDING, 1 + ROUNDING)).arg_true()
    if len(outside):
        bad = frame.row(int(outside[0]), named=True)
        raise InputError(
            f"the score {bad['score']} of variant '{bad['variant']}' is outside [0, 1]", item=bad["id"]
        )


def _refuse_copies(texts: pl.DataFrame, repeat: IntArray, new_cell: BoolArray) -> None:
    if new_cell.all():
        return
    same = np.zeros(len(repeat), np.bool_)
    same[1:] = ~new_cell[1:] & (repeat[1:] == repeat[:-1])
    if same.any():
        place = int(np.argmax(same))
        row = texts.row(place, named=True)
        raise InputError(
            f"variant '{row['variant']}', repeat {repeat[place]} is in the table more than once "
            f"(task '{row['task']}', model '{row['model']}')",
            item=row["id"],
            hint=f"{int(same.sum())} rows repeat another. Number repeats 1, 2, … or drop the copies.",
        )


def _order(cell_key: IntArray, repeat: IntArray) -> IntArray | None:
    """The order by cell and repeat, or None when the rows are in it already."""
    up = cell_key[1:] > cell_key[:-1]
    if up.all() or (up | ((cell_key[1:] == cell_key[:-1]) & (repeat[1:] > repeat[:-1]))).all():
        return None
    order: IntArray = np.lexsort((repeat, cell_key))
    return order


def _changes(sorted_keys: IntArray) -> BoolArray:
    new = np.ones(len(sorted_keys), np.bool_)
    new[1:] = sorted_keys[1:] != sorted_keys[:-1]
    return new


def _ranked(values: pl.Series) -> IntArray:
    """Each value's place among the distinct values in order. Runs of one value are ranked once."""
    run = values.rle_id().to_numpy()
    n_runs = int(run[-1]) + 1 if len(run) else 0
    if n_runs * _LONG_RUNS > len(run):
        return values.rank("dense").to_numpy().astype(np.int64) - 1
    first = np.flatnonzero(np.r_[True, run[1:] != run[:-1]]) if len(run) else np.empty(0, np.int64)
    of_run = values[first].rank("dense").to_numpy().astype(np.int64) - 1
    ranks: IntArray = of_run[run]
    return ranks


def _numbered(values: pl.Series) -> tuple[IntArray, list[str]]:
    """For few distinct texts: each one's place among them in order, and the texts."""
    names = values.unique().sort()
    if len(names) <= 1:
        return np.zeros(len(values), np.int64), names.to_list()
    return values.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64), names.to_list()


def _answer_numbers(facts: pl.DataFrame, group: IntArray, usable: BoolArray, n_groups: int) -> IntArray:
    """Equal exactly where two rows compared by the same thing say the same.

    Where the options of an item are known by their places, what names no single option (nothing readable, two
    options at once) is an answer of its own by its text, or by its outcome if it has no text.
    """
    numbers = np.full(len(group), _NO_ANSWER, np.int64)
    unsettled, used = usable.copy(), 0
    no_text = facts["answer"].is_null().to_numpy()
    not_answered = facts["outcome"].ne(ANSWERED).fill_null(False).to_numpy()
    by_answers = np.zeros(n_groups, np.bool_)
    for column in ("pred_index", "answer", "outcome", "rightness"):
        present = facts[column].is_not_null().to_numpy() & unsettled
        if column == "outcome":
            present &= not_answered & by_answers[group]
        if present.any():
            values = facts[column] if present.all() else facts[column].filter(pl.Series(present))
            found = _ranked(values) + used
            numbers[present] = found
            used = int(found.max()) + 1
            by_answers |= np.bincount(group[present], minlength=n_groups) > 0
            unsettled &= ~present
        if column != "outcome":
            # A text beside options, and an outcome beside both, is another answer; a mere score is not.
            further = not_answered | (~no_text if column == "pred_index" else False)
            unsettled &= ~by_answers[group] | further
    return numbers


def reduced_cells(rows: Rows, mean: FloatArray, scored: FloatArray) -> dict[str, Any]:
    """Each cell's score by its log's reducer, its weight, and whether that is not the mean; see `Grid`."""
    reduced, weight, by_rule = mean, np.ones(len(mean)), np.zeros(len(mean), np.bool_)
    if rows.reducers is None:
        return {"reduced": reduced, "weight": weight, "by_rule": by_rule}
    names, of_row = rows.reducers
    starts, reduced = rows.cell_starts, mean.copy()
    of_cell, ends = of_row[starts], np.append(starts[1:], len(rows.cell))
    for code, name in enumerate(names):
        cells = np.flatnonzero((of_cell == code) & (scored > 0))
        if name == UNREDUCED:
            weight[cells] = scored[cells]
        elif name != MEAN:
            by_rule |= of_cell == code
            for cell in cells:
                span = slice(starts[cell], ends[cell])
                # A run that failed has no vote; one that the scorer could not score is one that gives none.
                pairs = zip(rows.score[span], rows.usable[span], rows.replied[span], strict=True)
                scores = [float(score) if usable else None for score, usable, replied in pairs if replied]
                one = reduce_scores(scores, name)
                reduced[cell] = np.nan if one is None else one
    return {"reduced": reduced, "weight": weight, "by_rule": by_rule}


def has_score() -> pl.Expr:
    """Whether a row of an outcome table has a score."""
    return pl.col("score").is_not_null() & pl.col("status").fill_null(SCORED).eq(SCORED)


def scored_runs(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The rows of any table of runs that have a score, with these columns as texts and `score` as a number.

    Raises:
        InputError: A column is not there, or a score is not between 0 and 1.
    """
    lacking = [name for name in (*names, "score") if name not in table.columns]
    if lacking:
        raise InputError(f"the table has no column '{lacking[0]}'; it has {', '.join(table.columns)}")
    texts = [pl.col(name).cast(pl.String).fill_null("") for name in names]
    runs = table.select(*texts, pl.col("score").cast(pl.Float64)).filter(
        pl.col("score").is_not_null() & pl.col("score").is_not_nan()
    )
    outside = runs.filter(~pl.col("score").is_between(-ROUNDING, 1 + ROUNDING))
    if outside.height:
        raise InputError(
            f"a score lies between 0 and 1, got {outside['score'][0]:g}", item=outside[names[0]][0]
        )
    return runs


def text_codes(values: pl.Series) -> IntArray:
    """Each text's place among the distinct texts in order."""
    return _numbered(values)[0]


def factor_columns(table: Any) -> tuple[pl.DataFrame, list[str]]:
    """An outcome table with one column for each factor of its design, and the names of these columns.

    The factors are those of `levels`, named `factor:wording` and so on. Where no row has levels, they are the
    template and the item's wording, as far as the table has more than one of them.

    Example:
        >>> import polars as pl
        >>> from otherwords.metrics.outcome_rows import factor_columns
        >>> names = ["orig", "t1"]
        >>> rows = {"id": ["q", "q"], "variant": names, "score": [1.0, 0.0], "template": names}
        >>> factor_columns(pl.DataFrame(rows))[1]
        ['factor:template']
    """
    outcomes = as_outcomes(table)
    read = {text: read_levels(text) for text in outcomes[LEVELS].unique(maintain_order=True).drop_nulls()}
    if read:
        names = list(dict.fromkeys(name for levels in read.values() for name in levels))
        columns = {
            f"factor:{name}": pl.col(LEVELS).replace_strict(
                {text: levels.get(name) for text, levels in read.items()},
                default=None,
                return_dtype=pl.String,
            )
            for name in names
        }
    else:
        found = [name for name in (TEMPLATE, WORDING) if outcomes[name].drop_nulls().n_unique() > 1]
        columns = {f"factor:{name}": pl.col(name) for name in found}
    return outcomes.with_columns(**columns), list(columns)
