"""Labels of items, by an audit's file or by the options in the logs → robustness without the ambiguous."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import polars as pl

from otherwords.audit import AuditLabels, Decision, audit_choices
from otherwords.audit.decide import LABELS
from otherwords.core.errors import InputError
from otherwords.core.types import ORIG
from otherwords.metrics import s_task, summarise
from otherwords.metrics.cells import NAMELESS
from otherwords.metrics.grid import read_grid
from otherwords.report import AuditedRow
from otherwords.report.audited import COLUMNS
from otherwords.report.data import floor_of

METRICS = [name for _, name in COLUMNS]
NOT_AUDITED = "not audited"
CONTROL = "control"
Labels = Mapping[str, Decision]
"""By an item's id."""


def labels_by_task(
    outcomes: pl.DataFrame, wordings: pl.DataFrame, audit: AuditLabels | None = None
) -> dict[str, Labels]:
    """The audit's labels for its benchmark; without one, what the options in the logs say themselves."""
    if audit is None:
        return _labels_in(wordings)
    tasks = outcomes["task"].unique(maintain_order=True).to_list()
    named = [task for task in tasks if task.rpartition("/")[2] == audit.name.rpartition("/")[2]]
    chosen = tasks if len(tasks) == 1 else named
    known = outcomes.filter(pl.col("task").is_in(chosen))["id"].unique().to_list()
    if not audit.decisions.keys() & set(known):
        problem = (
            "none of its items is in the logs"
            if chosen
            else f"it is of '{audit.name}', and the logs are of {', '.join(tasks)}"
        )
        raise InputError(
            f"is of other items: {problem}",
            file=audit.path,
            hint="Audit the dataset that was run: `otherwords audit DATASET --json FILE`.",
        )
    return dict.fromkeys(chosen, audit.decisions)


def _labels_in(wordings: pl.DataFrame) -> dict[str, Labels]:
    found: dict[str, dict[str, Decision]] = {}
    if wordings.is_empty():
        return {}
    one_each = (
        wordings.filter((pl.col("choices").list.len() > 0) & pl.col("kind").ne_missing(CONTROL))
        .sort(pl.col("variant") != ORIG, maintain_order=True)
        .unique(["task", "id"], keep="first", maintain_order=True)
    )
    for task, id_, choices in one_each.select("task", "id", "choices").iter_rows():
        texts = [choice for choice in choices if choice is not None]
        if texts:
            found.setdefault(task, {})[id_] = audit_choices(texts, id=id_)
    return dict(found)


def with_labels(items: pl.DataFrame, labels: Labels) -> pl.DataFrame:
    """The report's items of one benchmark, each with its label."""
    by_id = {id_: one.label for id_, one in labels.items()}
    label = pl.col("id").replace_strict(by_id, default=None, return_dtype=pl.String)
    return items.with_columns(audit=label if by_id else pl.lit(None, pl.String))


def audited_rows(task: str, outcomes: pl.DataFrame, labels: Labels) -> Iterator[AuditedRow]:
    """Each agent of one benchmark without its items that are not clean."""
    flagged = [id_ for id_, one in labels.items() if one.label != "clean"]
    left = outcomes.filter(~pl.col("id").is_in(flagged))
    estimates = {}
    floors = {}
    if flagged and not left.is_empty():
        grid = read_grid(left)
        summary = summarise(grid, metrics=METRICS)
        per_item = s_task(grid)
        for model in left["model"].unique(maintain_order=True):
            label = (model or NAMELESS) if len(grid.models) > 1 else next(iter(summary))
            estimates[model] = summary[label]
            floors[model] = floor_of(per_item.filter(pl.col("model") == model))
    for (model,), part in outcomes.group_by("model", maintain_order=True):
        found = [labels.get(id_) for id_ in part["id"].unique(maintain_order=True)]
        counted = Counter(NOT_AUDITED if one is None else one.label for one in found)
        why = Counter(code for one in found if one is not None for code in one.reasons)
        yield AuditedRow(
            model=str(model),
            task=task,
            labels={name: counted[name] for name in (*LABELS, NOT_AUDITED) if counted[name]},
            reasons=dict(why.most_common()),
            estimates=estimates.get(str(model), {}),
            floor=floors.get(str(model)),
        )
