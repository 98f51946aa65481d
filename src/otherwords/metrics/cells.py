"""One pass over the outcome table, after which every metric is arithmetic on dense arrays.

A *cell* is one wording of one item for one model: its mean over repeats is `m[t, v]`. A *group* is
(task, model, item), what the metrics average over. A *cluster* is (task, item), what the bootstrap
resamples: the models and the wordings of an item move together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.table import as_outcomes
from otherwords.core.types import ORIG
from otherwords.metrics.answers import answer_agreement

FloatArray: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]

ALL = "all"
NAMELESS = "(no model)"
CONTROL = "control"
GROUP = ["task", "model", "id"]
ROUNDING = 1e-9
"""A score this far outside [0, 1] is rounding, not a mistake."""


@dataclass(frozen=True)
class Cells:
    """Arrays with one entry a group, then arrays with one entry a cell; unscored rows are only counted."""

    label: str
    names: pl.DataFrame
    """`task`, `model`, `id` of each group, sorted, so that the order of the table's rows does not matter."""
    cluster: IntArray
    rows: IntArray
    orig_rows: IntArray
    scored: IntArray
    replied: IntArray
    """Rows with status `scored` or `unscored`: the model said something."""
    format_failed: IntArray
    answered: IntArray
    consistent: FloatArray
    """Chance that one run of each wording gives one and the same answer; NaN under two wordings."""
    flipped: FloatArray
    """Mean chance that a wording's answer differs from the original's; NaN where either has none."""
    group: IntArray
    original: BoolArray
    repeats: IntArray
    mean: FloatArray
    noise: FloatArray
    """Variance over repeats, ddof=1; NaN for a cell with one repeat."""
    correct: FloatArray
    controls: int
    """Rows of negative controls, which no metric here uses."""

    @property
    def n_groups(self) -> int:
        return len(self.cluster)

    @property
    def models(self) -> list[str]:
        return sorted(self.names["model"].unique().to_list())

    @cached_property
    def n_clusters(self) -> int:
        return int(self.cluster.max()) + 1 if self.n_groups else 0

    @cached_property
    def variants(self) -> IntArray:
        """V: wordings of each group that have a score."""
        return np.bincount(self.group, minlength=self.n_groups)

    @cached_property
    def group_mean(self) -> FloatArray:
        """Mean over wordings of `m[t, v]`; 0 where nothing is scored."""
        return self.sum_cells(self.mean) / np.maximum(self.variants, 1)

    @cached_property
    def squares(self) -> FloatArray:
        """Sum over wordings of (m[t, v] − group mean)²."""
        return self.sum_cells((self.mean - self.group_mean[self.group]) ** 2)

    def variance(self, ddof: int = 1) -> FloatArray:
        """Over wordings, of `m[t, v]`; 0 where there are too few wordings."""
        return self.squares / np.maximum(self.variants - ddof, 1)

    @cached_property
    def gap(self) -> FloatArray:
        low, high = np.full(self.n_groups, np.inf), np.full(self.n_groups, -np.inf)
        np.minimum.at(low, self.group, self.mean)
        np.maximum.at(high, self.group, self.mean)
        return np.where(self.variants > 0, high - low, 0.0)

    def sum_cells(self, values: npt.ArrayLike) -> FloatArray:
        """Sum over the cells of each group."""
        weights = np.asarray(values, dtype=np.float64)
        return np.bincount(self.group, weights=weights, minlength=self.n_groups).astype(np.float64)

    def sum_groups(self, values: npt.ArrayLike) -> FloatArray:
        """Sum over the groups (models) of each cluster."""
        weights = np.asarray(values, dtype=np.float64)
        return np.bincount(self.cluster, weights=weights, minlength=self.n_clusters).astype(np.float64)

    def orig_and_rest(self, values: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
        """For each group: the original's value, the mean of the other wordings', whether both exist."""
        n_orig, n_rest = self.sum_cells(self.original), self.sum_cells(~self.original)
        orig = self.sum_cells(np.where(self.original, values, 0.0))
        rest = self.sum_cells(np.where(self.original, 0.0, values)) / np.maximum(n_rest, 1)
        return orig, rest, (n_orig > 0) & (n_rest > 0)

    def of_model(self, model: str) -> Cells:
        """The part that is about one model, with clusters counted anew."""
        if self.models == [model]:
            return self
        groups = np.flatnonzero((self.names["model"] == model).to_numpy())
        place = np.full(self.n_groups, -1)
        place[groups] = np.arange(len(groups))
        cells = np.flatnonzero(place[self.group] >= 0) if len(self.group) else np.empty(0, np.int64)
        per_group = (
            "rows",
            "orig_rows",
            "scored",
            "replied",
            "format_failed",
            "answered",
            "consistent",
            "flipped",
        )
        per_cell = ("original", "repeats", "mean", "noise", "correct")
        parts: dict[str, Any] = {name: getattr(self, name)[groups] for name in per_group}
        parts |= {name: getattr(self, name)[cells] for name in per_cell}
        return replace(
            self,
            label=model or NAMELESS,
            names=self.names[groups.tolist()] if len(groups) else self.names.clear(),
            cluster=np.unique(self.cluster[groups], return_inverse=True)[1].reshape(-1),
            group=place[self.group[cells]],
            **parts,
        )


def read_cells(
    table: Any, task: str | None = None, model: str | None = None, kind: str | None = None
) -> Cells:
    """The cells of `table`, of one task, of one model, of the original and one kind of variant."""
    frame = as_outcomes(table)
    if task is not None:
        frame = frame.filter(pl.col("task").is_in(matching_tasks(frame, task)))
    cells = _cells(
        frame if kind is None else frame.filter(pl.col("variant").eq(ORIG) | pl.col("kind").eq(kind))
    )
    if model is None:
        return cells
    known = {name or "" for name in frame["model"].unique()}
    if model not in known:
        raise _unknown("model", model, known)
    return cells.of_model(model)


def matching_tasks(frame: pl.DataFrame, task: str) -> list[str]:
    """The table's tasks of this name: exactly, or else without their package prefix."""
    known = {name for name in frame["task"].unique() if name}
    if task in known:
        return [task]
    matches = sorted(name for name in known if name.rpartition("/")[2] == task)
    if not matches:
        raise _unknown("task", task, known)
    return matches


def _unknown(what: str, name: str, known: set[str]) -> InputError:
    if not known:
        return InputError(f"unknown {what} '{name}': the table names no {what}")
    return UnknownNameError(what, name, known)


def _cells(frame: pl.DataFrame) -> Cells:
    rows = _clean(frame)
    control = pl.col("kind").eq(CONTROL) | pl.col("variant").str.starts_with(f"{CONTROL}:")
    n_all = rows.height
    rows = rows.filter(~control)
    controls = n_all - rows.height

    names = rows.select(GROUP).unique().sort(GROUP).with_row_index("group")
    clusters = names.select("task", "id").unique().sort("task", "id").with_row_index("cluster")
    variants = rows.select("variant").unique().sort("variant").with_row_index("cell")
    rows = rows.join(names, on=GROUP).join(variants, on="variant")
    rows = rows.sort("group", "cell", "repeat")
    _refuse_duplicates(rows)

    counts = rows.group_by("group", maintain_order=True).agg(
        pl.len().alias("rows"),
        pl.col("original").sum().alias("orig_rows"),
        pl.col("usable").sum().alias("scored"),
        pl.col("status").is_in(["scored", "unscored"]).sum().alias("replied"),
        pl.col("format_failed").sum(),
    )
    scored = rows.filter("usable")
    cells = scored.group_by("group", "cell", maintain_order=True).agg(
        pl.col("original").first(),
        pl.len().alias("repeats"),
        pl.col("score").mean().alias("mean"),
        pl.col("score").var(ddof=1).alias("noise"),
        pl.col("right").mean().alias("correct"),
    )
    answered, consistent, flipped = answer_agreement(scored, names.height)
    models = rows["model"].unique().to_list()
    return Cells(
        label=models[0] if len(models) == 1 and models[0] else ALL,
        names=names.drop("group"),
        cluster=_integers(names.join(clusters, on=["task", "id"], maintain_order="left")["cluster"]),
        rows=_integers(counts["rows"]),
        orig_rows=_integers(counts["orig_rows"]),
        scored=_integers(counts["scored"]),
        replied=_integers(counts["replied"]),
        format_failed=_integers(counts["format_failed"]),
        answered=answered,
        consistent=consistent,
        flipped=flipped,
        group=_integers(cells["group"]),
        original=cells["original"].to_numpy().astype(np.bool_),
        repeats=_integers(cells["repeats"]),
        mean=_floats(cells["mean"]),
        noise=_floats(cells["noise"]),
        correct=_floats(cells["correct"]),
        controls=controls,
    )


def _clean(frame: pl.DataFrame) -> pl.DataFrame:
    for name in ("id", "variant"):
        if frame[name].null_count():
            first = int(frame[name].is_null().arg_true()[0]) + 1
            raise InputError(f"row {first} of the table has no {name}")
    has_score = pl.col("score").is_not_null() & pl.col("score").is_not_nan()
    rows = frame.with_columns(
        pl.col("task", "model", "kind", "reason").fill_null(""),
        pl.col("repeat").fill_null(1),
        pl.col("status").fill_null(pl.when(has_score).then(pl.lit("scored")).otherwise(pl.lit("unscored"))),
    ).with_columns(
        (pl.col("status").eq("scored") & has_score).alias("usable"),
        pl.col("variant").eq(ORIG).alias("original"),
        (
            pl.col("status").eq("unscored")
            & (pl.col("reason").eq("format") | pl.col("reason").str.starts_with("format:"))
        ).alias("format_failed"),
        pl.col("correct").cast(pl.Float64).fill_null(pl.col("score").ge(0.5).cast(pl.Float64)).alias("right"),
    )
    outside = rows.filter("usable", ~pl.col("score").is_between(-ROUNDING, 1 + ROUNDING)).head(1)
    if outside.height:
        bad = outside.row(0, named=True)
        raise InputError(
            f"the score {bad['score']} of variant '{bad['variant']}' is outside [0, 1]", item=bad["id"]
        )
    return rows.with_columns(pl.col("score").clip(0.0, 1.0))


def _refuse_duplicates(rows: pl.DataFrame) -> None:
    same = rows.select(
        (pl.col(name).eq(pl.col(name).shift(1)) for name in ("group", "cell", "repeat")),
    ).select(pl.all_horizontal(pl.all()).fill_null(False).alias("same"))["same"]
    if same.any():
        row = rows.filter(same).row(0, named=True)
        raise InputError(
            f"variant '{row['variant']}', repeat {row['repeat']} is in the table more than once "
            f"(task '{row['task']}', model '{row['model']}')",
            item=row["id"],
            hint=f"{int(same.sum())} rows repeat another. Number repeats 1, 2, … or drop the copies.",
        )


def _integers(series: pl.Series) -> IntArray:
    return series.to_numpy().astype(np.int64)


def _floats(series: pl.Series) -> FloatArray:
    filled: FloatArray = series.cast(pl.Float64).fill_null(float("nan")).to_numpy().astype(np.float64)
    return filled
