"""Report data → text of the task-level and agent-level CSV files; any table → CSV safe in a spreadsheet."""

from __future__ import annotations

import polars as pl

from otherwords.core.contract import ANSWERED, OUTCOMES, STATUSES
from otherwords.report.data import ReportData
from otherwords.report.escape import csv_cell
from otherwords.report.formats import band_of, bound_columns, interval_columns, is_uninformative

EXTRA_ESTIMATES = (
    "accuracy_orig",
    "s_norm",
    "consistency_at_k",
    "pairwise_agreement",
    "c_out",
    "fragility_score",
    "excess_flips",
    "delta_accuracy",
    "format_failure_rate",
    "phrasing",
    "noise",
    "phrasing_share",
    "s_corrected",
    "responsiveness",
    "r_fault",
    *(f"{outcome}_rate" for outcome in OUTCOMES if outcome != ANSWERED),
)


def task_level_csv(data: ReportData) -> str:
    """One row for each item of each agent."""
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
        audit="audit",
        probability_wording_matters="probability",
    )
    return frame_csv(frame)


def agent_level_csv(data: ReportData) -> str:
    """One row for each agent on each benchmark."""
    rows = []
    for agent in data.agents:
        value = {name: estimate.value for name, estimate in agent.estimates.items()}
        row: dict[str, object] = {"agent": agent.model, "benchmark": agent.task}
        row |= interval_columns(agent.estimates, "s_prompt")
        row |= {
            "mean_variance": value.get("mean_variance"),
            "std_variance": value.get("std_variance"),
            "mean_min_max_gap": value.get("min_max_gap"),
            "max_min_max_gap": value.get("max_min_max_gap"),
            "num_tasks": data.items_of(agent).height,
        }
        row |= interval_columns(agent.estimates, "accuracy")
        row |= {"band": band_of(value.get("s_prompt")), "s_prompt_floor": data.floor(agent)}
        row |= {"repeats": agent.repeats, "level": data.level, "ddof": data.ddof}
        row |= interval_columns(agent.estimates, *EXTRA_ESTIMATES)
        row |= bound_columns(agent.estimates, "accuracy", "accuracy_orig", "delta_accuracy")
        row |= {f"rows_{status}": agent.statuses.get(status, 0) for status in STATUSES}
        row |= {f"outcome_{outcome}": agent.outcomes.get(outcome, 0) for outcome in OUTCOMES}
        rows.append(row)
    return frame_csv(pl.DataFrame(rows, infer_schema_length=None))


def outcome_rates_csv(data: ReportData) -> str:
    """One row for each agent, kind and change of wording, and outcome but `answered` that it has."""
    return frame_csv(data.outcome_rates.rename({"model": "agent", "task": "benchmark"}, strict=False))


def frame_csv(frame: pl.DataFrame) -> str:
    """A table whose texts a spreadsheet shows and does not run."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    safe = frame.with_columns(_safe(frame[name]) for name in texts)
    safe = safe.rename({name: csv_cell(name) or "" for name in frame.columns})
    return safe.write_csv()


def _safe(texts: pl.Series) -> pl.Series:
    each = texts.unique().drop_nulls()
    safe: pl.Series = texts.replace_strict(
        each, [csv_cell(text) for text in each], default=None, return_dtype=pl.String
    )
    return safe
