"""A report's outcomes and those of a baseline → for each agent what broke, what was fixed, what stayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from otherwords.core.types import Estimate
from otherwords.metrics import compare, item_changes
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
    moved = item_changes(before, now)
    found = compare(before, now, metrics=["accuracy"], generalize=generalize).differences
    change = found[0].change if found else Estimate("accuracy", model, None, None, None, 0, 0, 0)
    row = BaselineRow(
        model=model,
        task=task,
        broken=tuple(moved.filter(pl.col("moved") == -1)["id"]),
        fixed=tuple(moved.filter(pl.col("moved") == 1)["id"]),
        unchanged=moved.filter(pl.col("moved") == 0).height,
        went_wrong=moved.filter(pl.col("before") > 0.5, pl.col("after") <= 0.5).height,
        went_right=moved.filter(pl.col("before") <= 0.5, pl.col("after") > 0.5).height,
        change=change,
        p=found[0].p if found else None,
    )
    named = moved.select("id", "moved").with_columns(task=pl.lit(task), model=pl.lit(model))
    return AgainstBaseline(row, named)
