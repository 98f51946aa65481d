"""Logs → table → estimates → the report's folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from otherwords.core.types import ORIG, Estimate
from otherwords.metrics import s_task, summarise
from otherwords.report import AgentRow, ReportData, SkippedFile, write_report
from otherwords.results import Results, read_results

HIGH, MEDIUM = 0.9, 0.7
"""The seed's bands: high from 0.9, medium from 0.7, low below."""


def report(
    logs: str | Path | Sequence[str | Path],
    out: str | Path,
    *,
    title: str = "Prompt robustness",
    notes: Sequence[str] = (),
    strict: bool = False,
) -> tuple[ReportData, list[Path]]:
    data = build_report_data(read_results(logs, strict=strict), title=title, notes=notes)
    return data, write_report(data, out)


def build_report_data(
    results: Results, *, title: str = "Prompt robustness", notes: Sequence[str] = ()
) -> ReportData:
    outcomes = results.outcomes
    agents = list(_agents(outcomes))
    return ReportData(
        title=title,
        agents=tuple(agents),
        items=_items(outcomes),
        kinds=_kinds(outcomes),
        cells=_cells(outcomes),
        wordings=results.wordings,
        skipped=tuple(SkippedFile(str(one.path), one.reason) for one in results.skipped),
        notes=tuple(notes),
    )


def _by_agent(outcomes: pl.DataFrame) -> Iterator[tuple[str, str, pl.DataFrame]]:
    for (task, model), part in outcomes.group_by("task", "model", maintain_order=True):
        yield str(task), str(model), part


def _agents(outcomes: pl.DataFrame) -> Iterator[AgentRow]:
    for task, model, part in _by_agent(outcomes):
        (estimates,) = summarise(part).values()
        yield AgentRow(
            model=model,
            task=task,
            estimates=_with_seed_names(estimates, part),
            statuses=dict(part.group_by("status", maintain_order=True).len().iter_rows()),
            repeats=int(part["repeat"].n_unique()),
        )


def _with_seed_names(estimates: dict[str, Estimate], part: pl.DataFrame) -> dict[str, Estimate]:
    """The aggregates that HAL's files have, under the names that they have there."""
    from dataclasses import replace

    s_prompt = estimates["s_prompt"]
    spread = s_task(part)["variance"].drop_nulls()
    flipped = {"low": s_prompt.high, "high": s_prompt.low}
    mean = replace(
        s_prompt,
        metric="mean_variance",
        value=_one_minus(s_prompt.value),
        low=_one_minus(flipped["low"]),
        high=_one_minus(flipped["high"]),
    )
    std = replace(
        s_prompt,
        metric="std_variance",
        value=None if len(spread) < 2 else float(spread.std(ddof=1)),  # type: ignore[arg-type]
        low=None,
        high=None,
        method="",
        reason="" if len(spread) >= 2 else "needs two items with a variance",
    )
    largest = estimates["min_max_gap_max"]
    return {**estimates, "mean_variance": mean, "std_variance": std, "max_min_max_gap": largest}


def _one_minus(value: float | None) -> float | None:
    return None if value is None else 1.0 - value


def _items(outcomes: pl.DataFrame) -> pl.DataFrame:
    s = pl.col("s_task")
    band = (
        pl.when(s >= HIGH).then(pl.lit("high")).when(s >= MEDIUM).then(pl.lit("medium")).when(s < MEDIUM)
    ).then(pl.lit("low"))
    return s_task(outcomes).with_columns(band=band)


def _kinds(outcomes: pl.DataFrame) -> pl.DataFrame:
    """For each family, and each change within it, what it costs against the original on the same items."""
    rows = []
    is_original = pl.col("variant") == ORIG
    for task, model, part in _by_agent(outcomes):
        changes = part.filter(~is_original).select("kind", "change").unique(maintain_order=True)
        for kind, change in [
            *((kind, None) for kind in changes["kind"].unique(maintain_order=True)),
            *changes.iter_rows(),
        ]:
            if not kind:
                continue
            here = pl.col("kind") == kind
            if change is not None:
                here = here & (pl.col("change") == change)
            alone = part.filter(here)
            accuracy = _only(summarise(alone, metrics=["accuracy"]))["accuracy"]
            delta = _only(summarise(part.filter(is_original | here), metrics=["delta_accuracy"]))[
                "delta_accuracy"
            ]
            rows.append(
                {
                    "task": task,
                    "model": model,
                    "kind": kind,
                    "change": change or "",
                    "accuracy": accuracy.value,
                    "accuracy_low": accuracy.low,
                    "accuracy_high": accuracy.high,
                    "delta": delta.value,
                    "delta_low": delta.low,
                    "delta_high": delta.high,
                    "n_items": delta.n_items,
                    "n_rows": alone.height,
                }
            )
    return pl.DataFrame(rows, schema=KIND_SCHEMA)


def _only(summary: dict[str, dict[str, Estimate]]) -> dict[str, Estimate]:
    (estimates,) = summary.values()
    return estimates


KIND_SCHEMA = {
    "task": pl.String,
    "model": pl.String,
    "kind": pl.String,
    "change": pl.String,
    **dict.fromkeys(
        ("accuracy", "accuracy_low", "accuracy_high", "delta", "delta_low", "delta_high"), pl.Float64
    ),
    **dict.fromkeys(("n_items", "n_rows"), pl.Int64),
}


def _cells(outcomes: pl.DataFrame) -> pl.DataFrame:
    """One row a model, item and wording: its mean score, its answers and what happened to its repeats."""
    key = ["task", "model", "id", "variant"]
    counts = (
        outcomes.group_by([*key, "status"], maintain_order=True)
        .len()
        .group_by(key, maintain_order=True)
        .agg(
            pl.when(pl.len() == 1)
            .then(pl.col("status").first())
            .otherwise(pl.format("{} {}", "status", "len").str.join(", "))
            .alias("status")
        )
    )
    cells = outcomes.group_by(key, maintain_order=True).agg(
        pl.col("score").mean(),
        pl.col("score").count().alias("n"),
        pl.when(pl.col("pred_index").is_null())
        .then(pl.coalesce("response", "answer"))
        .otherwise("answer")
        .drop_nulls()
        .unique(maintain_order=True)
        .str.join(" | ")
        .alias("answer"),
        pl.col("log").first(),
    )
    return cells.join(counts, on=key, how="left", maintain_order="left")
