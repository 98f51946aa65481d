"""A report's outcomes and those of a baseline → for each agent what broke, what was fixed, what stayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from otherwords.core.types import Estimate
from otherwords.metrics import changed_items, compare
from otherwords.metrics.item_changes import BROKEN, FIXED, UNCHANGED
from otherwords.report import BaselineRow

if TYPE_CHECKING:
    from otherwords.metrics.intervals import Generalize


@dataclass(frozen=True)
class AgainstBaseline:
    """One agent's row of the report, and how each of its items moved."""

    row: BaselineRow
    moved: pl.DataFrame
    """`task`, `model`, `id`, `moved`."""


def against_baseline(
    outcomes: pl.DataFrame, baseline: pl.DataFrame, *, generalize: Generalize | None = None
) -> Iterator[AgainstBaseline]:
    """Each agent that the baseline has too, by its name, or alone on its benchmark on both sides."""
    for (task,), now in outcomes.group_by("task", maintain_order=True):
        before = baseline.filter(pl.col("task") == task)
        names = before["model"].unique().to_list()
        for (model,), mine in now.group_by("model", maintain_order=True):
            alone = len(names) == 1 and now["model"].n_unique() == 1
            wanted = model if model in names else names[0] if alone else None
            if wanted is not None:
                theirs = before.filter(pl.col("model") == wanted)
                yield _against(str(task), str(model), theirs, mine, generalize)


def _against(
    task: str, model: str, before: pl.DataFrame, now: pl.DataFrame, generalize: Generalize | None
) -> AgainstBaseline:
    items = changed_items(before, now)
    found = compare(before, now, metrics=["accuracy"], generalize=generalize).differences
    change = found[0].change if found else Estimate("accuracy", model, None, None, None, 0, 0, 0)
    was_right, is_right = pl.col("score_a") > 0.5, pl.col("score_b") > 0.5
    row = BaselineRow(
        model=model,
        task=task,
        broken=tuple(items.filter(pl.col("change") == BROKEN)["id"]),
        fixed=tuple(items.filter(pl.col("change") == FIXED)["id"]),
        unchanged=items.filter(pl.col("change") == UNCHANGED).height,
        went_wrong=items.filter(was_right & ~is_right).height,
        went_right=items.filter(~was_right & is_right).height,
        change=change,
        p=found[0].p if found else None,
    )
    moved = pl.col("change").replace_strict({BROKEN: -1, FIXED: 1, UNCHANGED: 0}, return_dtype=pl.Int64)
    named = items.select("id", moved=moved).with_columns(task=pl.lit(task), model=pl.lit(model))
    return AgainstBaseline(row, named)
