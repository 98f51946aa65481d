"""The two CSV files, under the seed's column names, with our own columns after them."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from otherwords.core.types import Estimate
from otherwords.report.data import ReportData, is_uninformative
from otherwords.report.text import csv_cell
from otherwords.report.words import band_of

STATUSES = ("scored", "unscored", "error", "limit", "missing")
EXTRA_ESTIMATES = (
    "accuracy_orig",
    "s_norm",
    "consistency_at_k",
    "fragility_score",
    "delta_accuracy",
    "format_failure_rate",
    "phrasing",
    "noise",
    "phrasing_share",
)


def task_level_csv(data: ReportData) -> str:
    frame = data.items.select(
        agent="model",
        benchmark="task",
        task_id="id",
        n_variations="n_variants",
        mean_score="mean_score",
        variance="variance",
        s_task="s_task",
        min_max_gap="min_max_gap",
        band="band",
        uninformative=is_uninformative(),
        n_rows="n_rows",
        n_missing="n_missing",
    )
    return _csv(frame)


def agent_level_csv(data: ReportData) -> str:
    rows = []
    for agent in data.agents:
        value = {name: estimate.value for name, estimate in agent.estimates.items()}
        row: dict[str, object] = {"agent": agent.model, "benchmark": agent.task}
        row |= _with_interval(agent.estimates, "s_prompt")
        row |= {
            "mean_variance": value.get("mean_variance"),
            "std_variance": value.get("std_variance"),
            "mean_min_max_gap": value.get("min_max_gap"),
            "max_min_max_gap": value.get("max_min_max_gap"),
            "num_tasks": data.items_of(agent).height,
        }
        row |= _with_interval(agent.estimates, "accuracy")
        row |= {"band": band_of(value.get("s_prompt")), "s_prompt_floor": data.floor(agent)}
        row |= {"repeats": agent.repeats, "level": data.level}
        for name in EXTRA_ESTIMATES:
            row |= _with_interval(agent.estimates, name)
        row |= {f"rows_{status}": agent.statuses.get(status, 0) for status in STATUSES}
        rows.append(row)
    return _csv(pl.DataFrame(rows, infer_schema_length=None))


def _with_interval(estimates: Mapping[str, Estimate], name: str) -> dict[str, float | None]:
    estimate = estimates.get(name)
    if estimate is None:
        return dict.fromkeys((name, f"{name}_low", f"{name}_high"))
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _csv(frame: pl.DataFrame) -> str:
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    safe = frame.with_columns(pl.col(name).map_elements(csv_cell, return_dtype=pl.String) for name in texts)
    return safe.write_csv()
