"""Logs → table → estimates → the report's folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from otherwords.audit import AuditLabels, read_audit
from otherwords.core.errors import UnknownNameError
from otherwords.core.pseudonyms import find_salt
from otherwords.core.types import Estimate
from otherwords.metrics import by_change, s_task, summarise
from otherwords.metrics.cells import NAMELESS
from otherwords.metrics.grid import Grid, read_grid
from otherwords.pipeline.audited import audited_rows, labels_by_task, with_labels
from otherwords.pipeline.history import Run, history_of, read_runs
from otherwords.report import AgentRow, AuditedRow, ReportData, SkippedFile, write_report
from otherwords.report.public import without_texts
from otherwords.results import Results

HIGH, MEDIUM = 0.9, 0.7
"""The bands: high from 0.9, medium from 0.7, low below."""
TITLE = "Prompt robustness"
METRICS = (
    "accuracy",
    "accuracy_orig",
    "s_prompt",
    "s_norm",
    "mean_variance",
    "std_variance",
    "min_max_gap",
    "consistency_at_k",
    "agreement",
    "c_out",
    "fragility_score",
    "excess_flips",
    "delta_accuracy",
    "format_failure_rate",
    "variance_components",
    "s_corrected",
    "responsiveness",
    "r_fault",
)
"""What a report shows; each may give several estimates."""


def report(
    logs: str | Path | Sequence[str | Path],
    out: str | Path | None,
    *,
    title: str = TITLE,
    notes: Sequence[str] = (),
    strict: bool = False,
    benchmark: str | None = None,
    public: bool = False,
    salt_file: str | Path | None = None,
    audit_file: str | Path | None = None,
) -> tuple[ReportData, list[Path]]:
    """Read `logs`, compute, and write the report's folder `out`; without one, only compute.

    Runs of the same wordings over time are shown as a trend. A `public` report has no prompt, answer or raw
    id; its salt is kept in `salt_file`, or beside the folder. `audit_file` says which items are ambiguous;
    without it the options in the logs do.
    """
    audit = None if audit_file is None else read_audit(audit_file)
    runs = read_runs(logs, strict=strict)
    told = [*notes, *([runs.note] if runs.note else [])]
    data = build_report_data(
        runs.results, title=title, notes=told, benchmark=benchmark, history=runs.history, audit=audit
    )
    if public:
        data = without_texts(data, find_salt(salt_file, Path("report" if out is None else out)))
    return data, [] if out is None else write_report(data, out)


def build_report_data(
    results: Results,
    *,
    title: str = TITLE,
    notes: Sequence[str] = (),
    benchmark: str | None = None,
    history: Sequence[Run] = (),
    audit: AuditLabels | None = None,
) -> ReportData:
    """Everything that a report shows. `benchmark` keeps one task, by its name or the last part of it."""
    outcomes, wordings = results.outcomes, results.wordings
    points = list(history_of(history))
    if benchmark is not None:
        outcomes = only_benchmark(outcomes, benchmark)
        tasks = set(outcomes["task"])
        wordings = wordings.filter(pl.col("task").is_in(list(tasks)))
        points = [point for point in points if point.task in tasks]
    agents: list[AgentRow] = []
    items: list[pl.DataFrame] = []
    kinds: list[pl.DataFrame] = []
    audited: list[AuditedRow] = []
    labels = labels_by_task(outcomes, wordings, audit)
    for (task,), of_task in outcomes.group_by("task", maintain_order=True):
        grid = read_grid(of_task)
        agents += _agents(str(task), of_task, grid)
        items.append(with_labels(_items(grid), labels.get(str(task), {})))
        audited += audited_rows(str(task), of_task, labels.get(str(task), {}))
        kinds.append(by_change(grid))
    return ReportData(
        title=title,
        agents=tuple(agents),
        items=pl.concat(items) if items else pl.DataFrame(),
        kinds=pl.concat(kinds) if kinds else pl.DataFrame(),
        cells=_cells(outcomes),
        wordings=wordings,
        skipped=tuple(SkippedFile(str(one.path), one.reason) for one in results.skipped),
        notes=tuple(notes),
        history=tuple(points),
        audited=tuple(audited) if audit is not None or any(row.flagged for row in audited) else (),
    )


def only_benchmark(outcomes: pl.DataFrame, benchmark: str) -> pl.DataFrame:
    known = outcomes["task"].unique(maintain_order=True).drop_nulls().to_list()
    wanted = [task for task in known if task == benchmark]
    wanted = wanted or [task for task in known if task.rpartition("/")[2] == benchmark]
    if not wanted:
        raise UnknownNameError("benchmark", benchmark, known)
    return outcomes.filter(pl.col("task").is_in(wanted))


def _agents(task: str, outcomes: pl.DataFrame, grid: Grid) -> Iterator[AgentRow]:
    """The agents of one task."""
    several = len(grid.models) > 1
    summary = summarise(grid, metrics=METRICS)
    by_kind = summarise(grid, metrics=["fragility_score"], by_kind=True)
    for (model,), part in outcomes.group_by("model", maintain_order=True):
        name = str(model)
        label = (name or NAMELESS) if several else next(iter(summary))
        yield AgentRow(
            model=name,
            task=task,
            estimates=_named(summary[label]),
            statuses=dict(part.group_by("status", maintain_order=True).len().iter_rows()),
            repeats=int(part["repeat"].n_unique()),
            flips=_flips(by_kind, label),
        )


def _named(estimates: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """The largest gap under the name that HAL's files have for it."""
    return {"max_min_max_gap" if name == "min_max_gap_max" else name: one for name, one in estimates.items()}


def _flips(by_kind: Mapping[str, Mapping[str, Estimate]], label: str) -> dict[str, Estimate]:
    start = f"{label} / "
    return {
        group.removeprefix(start): found["fragility_score"]
        for group, found in by_kind.items()
        if group.startswith(start)
    }


def _items(grid: Grid) -> pl.DataFrame:
    s = pl.col("s_task")
    band = (
        pl.when(s >= HIGH).then(pl.lit("high")).when(s >= MEDIUM).then(pl.lit("medium")).when(s < MEDIUM)
    ).then(pl.lit("low"))
    return s_task(grid).with_columns(band=band)


def _cells(outcomes: pl.DataFrame) -> pl.DataFrame:
    """One row a model, item and wording: its mean score, its answers and what happened to its repeats."""
    key = ["task", "model", "id", "variant"]
    said = pl.when(pl.col("pred_index").is_null()).then(pl.coalesce("response", "answer")).otherwise("answer")
    rows = outcomes.select(*key, "score", "status", "log", "kind", "change", answer=said)
    if not rows.select(key).is_duplicated().any():
        return rows.with_columns(n=pl.col("score").is_not_null().cast(pl.Int64))
    counts = (
        rows.group_by([*key, "status"], maintain_order=True)
        .len()
        .group_by(key, maintain_order=True)
        .agg(
            pl.when(pl.len() == 1)
            .then(pl.col("status").first())
            .otherwise(pl.format("{} {}", "status", "len").str.join(", "))
            .alias("status")
        )
    )
    cells = rows.group_by(key, maintain_order=True).agg(
        pl.col("score").mean(),
        pl.col("score").count().alias("n"),
        pl.col("answer").drop_nulls().unique(maintain_order=True).str.join(" | "),
        pl.col("log", "kind", "change").first(),
    )
    return cells.join(counts, on=key, how="left", maintain_order="left")
