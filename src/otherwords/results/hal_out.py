"""Outcomes as HAL writes them: `<out>/<benchmark>/<run_id>/<run_id>_UPLOAD.json`.

HAL has one score for each task and variation. Where there are repeats it is their mean, with the single
scores beside it, so that reading the file back loses none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date as Date
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.files import write_all
from otherwords.core.keys import redacted, without_keys
from otherwords.core.table import as_outcomes
from otherwords.core.types import ORIG

NO_WORDINGS = ("control", "fault")
"""Kinds that are no other wording of the task, and so no variation."""
_UNSAFE = re.compile(r"[^\w.-]+")
_PER_ITEM = ("task", "model", "id", "variance", "mean_score", "min_max_gap")


def write_hal_upload(
    table: Any,
    out_dir: str | Path,
    *,
    run_id: str,
    per_item: pl.DataFrame,
    agent_args: Mapping[str, Any] | None = None,
    run_command: str = "",
    date: str | None = None,
) -> list[Path]:
    """One file for each task and model of `table`; all of them, or none.

    `per_item` has the numbers of each item, as `metrics.s_task` gives them. With several models the run id of
    each gets the model's name. A variation without any score is not listed, as HAL does not list it.
    """
    outcomes = as_outcomes(table)
    absent = [name for name in _PER_ITEM if name not in per_item.columns]
    if absent:
        raise InputError(f"per_item lacks the columns {', '.join(absent)}")
    several = outcomes["model"].n_unique() > 1
    files: dict[Path, bytes] = {}
    for (task, model), rows in outcomes.group_by("task", "model", maintain_order=True):
        named = _safe(f"{run_id}_{model}" if several else run_id)
        path = Path(out_dir) / _safe(str(task)) / named / f"{named}_UPLOAD.json"
        if path in files:
            raise InputError(f"two models would both be written to {path}")
        config = {
            "agent_name": model,
            "benchmark_name": task,
            "date": date or Date.today().isoformat(),
            "run_id": named,
            "agent_args": without_keys(dict(agent_args or {})),
            "run_command": redacted(run_command),
            "prompt_sensitivity": True,
        }
        numbers = per_item.filter(pl.col("task") == task, pl.col("model") == model)
        files[path] = orjson.dumps(_upload(config, rows, numbers), option=orjson.OPT_INDENT_2)
    if not files:
        raise InputError("there are no outcomes to write")
    return write_all(files)


def _upload(config: dict[str, Any], rows: pl.DataFrame, numbers: pl.DataFrame) -> dict[str, Any]:
    left_out = rows.filter(pl.col("kind").is_in(NO_WORDINGS)).height
    rows = rows.filter(~pl.col("kind").is_in(NO_WORDINGS))
    about = rows.unique("variant", keep="first", maintain_order=True)
    about = about.sort(pl.col("variant") != ORIG, maintain_order=True)
    first = 0 if ORIG in about["variant"] else 1
    ids = {name: number for number, name in enumerate(about["variant"], start=first)}
    config |= {
        "variations": {
            str(ids[row["variant"]]): {name: row[name] or "" for name in ("variant", "kind", "change")}
            for row in about.iter_rows(named=True)
        }
    }
    if left_out:
        config["rows_left_out"] = left_out
    raw: dict[str, list[dict[str, Any]]] = {item: [] for item in rows["id"].unique(maintain_order=True)}
    scored = rows.filter(pl.col("score").is_not_null()).sort("repeat", maintain_order=True)
    grouped = scored.group_by("id", "variant", maintain_order=True).agg("score", mean=pl.col("score").mean())
    for item, variant, scores, mean in grouped.iter_rows():
        repeats = {"scores": scores} if len(scores) > 1 else {}
        raw[item].append({"variation_id": ids[variant], "score": mean, **repeats})
    for results in raw.values():
        results.sort(key=lambda result: int(result["variation_id"]))
    return {
        "config": config,
        "results": _results(raw, numbers),
        "raw_eval_results": raw,
        "prompt_sensitivity_metrics": _sensitivity(raw, numbers),
    }


def _results(raw: Mapping[str, list[dict[str, Any]]], numbers: pl.DataFrame) -> dict[str, Any]:
    """As HAL counts: a task is successful if anything in it was."""
    means = {item: mean for item, mean in numbers.select("id", "mean_score").iter_rows() if item in raw}
    known = {item: mean for item, mean in means.items() if mean is not None}
    return {
        "accuracy": sum(known.values()) / len(known) if known else None,
        "successful_tasks": [item for item, mean in known.items() if mean > 0],
        "failed_tasks": [item for item, mean in known.items() if mean == 0],
    }


def _sensitivity(raw: Mapping[str, list[dict[str, Any]]], numbers: pl.DataFrame) -> dict[str, Any]:
    """Of the tasks with two variations or more. The values are null, not 0, when there is none."""
    several = [item for item, results in raw.items() if len(results) > 1]
    measured = numbers.filter(pl.col("id").is_in(several)).drop_nulls("variance")
    lacking = set(several) - set(measured["id"])
    if lacking:
        raise InputError("per_item has no variance for it", item=sorted(lacking)[0])
    variance, gap = measured["variance"], measured["min_max_gap"]
    of_task = {
        name: dict(measured.select("id", column).iter_rows())
        for name, column in (
            ("task_variances", "variance"),
            ("task_means", "mean_score"),
            ("task_min_max_gaps", "min_max_gap"),
        )
    }
    return {
        "mean_variance": variance.mean(),
        "std_variance": variance.std(ddof=0),  # over tasks, as HAL has it
        "mean_min_max_gap": gap.mean(),
        "max_min_max_gap": gap.max(),
        **of_task,
        "num_tasks": measured.height,
    }


def _safe(name: str) -> str:
    return _UNSAFE.sub("_", name).strip("._") or "unnamed"
