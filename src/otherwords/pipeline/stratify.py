"""A grid of scores → each model's estimates in a report, also without items that an audit found unclean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import polars as pl

from otherwords.audit.decide import Decision, audit_choices
from otherwords.core.contract import AUDIT_LABELS, CLEAN, ORIG
from otherwords.core.errors import InputError
from otherwords.core.registry import traits_of
from otherwords.core.table import lowest_s_prompt
from otherwords.core.types import Estimate
from otherwords.metrics import mean_variance, s_prompt, s_task, std_variance, summarise
from otherwords.metrics.score_arrays import read_grid
from otherwords.report import AuditedRow
from otherwords.report.audited import COLUMNS

if TYPE_CHECKING:
    from otherwords.audit.result import AuditLabels
    from otherwords.metrics.intervals import Generalize
    from otherwords.metrics.score_arrays import Grid


METRICS = [name for _, name in COLUMNS]
NOT_AUDITED = "not audited"
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
    controls = [kind for kind in wordings["kind"].unique().drop_nulls() if traits_of(kind).is_control]
    is_control = pl.col("kind").is_in(controls).fill_null(value=False)
    one_each = (
        wordings.filter((pl.col("choices").list.len() > 0) & ~is_control)
        .sort(pl.col("variant") != ORIG, maintain_order=True)
        .unique(["task", "id"], keep="first", maintain_order=True)
    )
    for task, id_, choices in one_each.select("task", "id", "choices").iter_rows():
        texts = [choice for choice in choices if choice is not None]
        if texts:
            found.setdefault(task, {})[id_] = audit_choices(texts, id=id_)
    return dict(found)


def audited_rows(
    task: str,
    outcomes: pl.DataFrame,
    labels: Labels,
    *,
    generalize: Generalize | None = None,
    ddof: int = 1,
) -> Iterator[AuditedRow]:
    """Each agent of one benchmark without its items that are not clean."""
    flagged = [id_ for id_, one in labels.items() if one.label != CLEAN]
    left = outcomes.filter(~pl.col("id").is_in(flagged))
    estimates: dict[str, dict[str, Estimate]] = {}
    floors = {}
    if flagged and not left.is_empty():
        grid = read_grid(left)
        estimates = estimates_of(grid, METRICS, generalize=generalize, ddof=ddof)
        per_item = s_task(grid)
        for model in estimates:
            floors[model] = lowest_s_prompt(per_item.filter(pl.col("model") == model)["n_variants"], ddof)
    for (model,), part in outcomes.group_by("model", maintain_order=True):
        found = [labels.get(id_) for id_ in part["id"].unique(maintain_order=True)]
        counted = Counter(NOT_AUDITED if one is None else one.label for one in found)
        why = Counter(code for one in found if one is not None for code in one.reasons)
        yield AuditedRow(
            model=str(model),
            task=task,
            labels={name: counted[name] for name in (*AUDIT_LABELS, NOT_AUDITED) if counted[name]},
            reasons=dict(why.most_common()),
            estimates=estimates.get(str(model), {}),
            floor=floors.get(str(model)),
        )


_OF_VARIANCE = (s_prompt, mean_variance, std_variance)


def estimates_of(
    grid: Grid, metrics: Iterable[str], *, generalize: Generalize | None = None, ddof: int = 1
) -> dict[str, dict[str, Estimate]]:
    """By model, as `summarise` has them; with `ddof` 0 variances over wordings divide by their number."""
    summary = summarise(grid, metrics=metrics, generalize=generalize)
    found = {model: dict(summary.get(grid.label_of(model), {})) for model in grid.models}
    if ddof == 1:
        return found
    for model, estimates in found.items():
        for metric in _OF_VARIANCE:
            if metric.__name__ in estimates:
                estimates[metric.__name__] = metric(grid, model=model, generalize=generalize, ddof=ddof)
    return found
