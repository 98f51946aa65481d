"""Outcome table → HAL's `*_UPLOAD.json` files, for `run --results-dir`.

HAL has one score for each task and variation. Where there are repeats it is written as their mean, with the
single scores beside it, so that reading the file back loses none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date as Date
from pathlib import Path
from typing import Any

import orjson
import polars as pl

from otherwords.core.contract import AGENT_ERROR, ANSWERED, ORIG, PROVIDER_ERROR
from otherwords.core.errors import InputError
from otherwords.core.files import write_all
from otherwords.core.registry import is_wording
from otherwords.core.secret_patterns import redacted, without_keys
from otherwords.core.table import as_outcomes

OUTCOME = "outcome"
"""In a result of ours: what happened, where it was not simply answered; `outcomes` of several repeats."""
UNSCORED_RUNS = "unscored_runs"
"""In a file of ours: the runs that have no score, and why."""
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
    """Writes outcomes as HAL's files `<out_dir>/<benchmark>/<run_id>/<run_id>_UPLOAD.json`.

    There is one file for each task and model; all of them are written, or none. With several models the run
    id of each gets the model's name. Runs without a score stand apart, as `unscored_runs`, since HAL lists
    scores only. `results` counts the runs in which the agent failed by its own fault (`agent_errors`, scored
    0) and those in which its provider or the machine did (`provider_errors`).

    Args:
        table: An outcome table (polars or pandas).
        out_dir: The folder to write to.
        run_id: HAL's name of the run.
        per_item: The numbers of each item, as `otherwords.s_task` gives them.
        agent_args: What the agent was started with; keys and tokens are taken out.
        run_command: How the run was started; keys and tokens are taken out.
        date: The day of the run as `YYYY-MM-DD`; today if not given.

    Returns:
        The files written.

    Raises:
        InputError: There are no outcomes, `per_item` lacks a column or an item, two models would be written
            to the same file, or a file cannot be written.

    Example:
        >>> import tempfile
        >>> import polars as pl
        >>> from otherwords.metrics import s_task
        >>> from otherwords.results import read_results, write_hal_upload
        >>> table = pl.DataFrame(
        ...     {"task": "air", "model": "agent", "id": "0", "variant": ["orig", "para1"], "score": [1, 0]}
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     (path,) = write_hal_upload(table, folder, run_id="run1", per_item=s_task(table))
        ...     again = read_results(path).outcomes
        >>> path.name, again["score"].to_list()
        ('run1_UPLOAD.json', [1.0, 0.0])
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
        files[path] = orjson.dumps(_to_upload(config, rows, numbers), option=orjson.OPT_INDENT_2)
    if not files:
        raise InputError("there are no outcomes to write")
    return write_all(files)


def _to_upload(config: dict[str, Any], rows: pl.DataFrame, numbers: pl.DataFrame) -> dict[str, Any]:
    # Controls and faults are no other wording of the task, and so no variation.
    others = [kind for kind in rows["kind"].unique().drop_nulls() if not is_wording(kind)]
    left_out = rows.filter(pl.col("kind").is_in(others)).height
    rows = rows.filter(~pl.col("kind").is_in(others))
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
    grouped = scored.group_by("id", "variant", maintain_order=True).agg(
        "score", "outcome", mean=pl.col("score").mean()
    )
    for item, variant, scores, outcomes, mean in grouped.iter_rows():
        result: dict[str, Any] = {"variation_id": ids[variant], "score": mean}
        if len(scores) > 1:
            result["scores"] = scores
        if set(outcomes) != {ANSWERED}:  # not in HAL's files
            result |= {f"{OUTCOME}s": outcomes} if len(scores) > 1 else {OUTCOME: outcomes[0]}
        raw[item].append(result)
    for results in raw.values():
        results.sort(key=lambda result: int(result["variation_id"]))
    return {
        "config": config,
        "results": _summary(raw, numbers) | _errors(rows),
        "raw_eval_results": raw,
        UNSCORED_RUNS: _without_score(rows, ids),
        "prompt_sensitivity_metrics": _sensitivity(raw, numbers),
    }


def _errors(rows: pl.DataFrame) -> dict[str, int]:
    return {
        f"{name}s": rows.filter(pl.col("outcome") == name).height for name in (AGENT_ERROR, PROVIDER_ERROR)
    }


def _without_score(rows: pl.DataFrame, ids: Mapping[str, int]) -> list[dict[str, Any]]:
    unscored = rows.filter(pl.col("score").is_null())
    return [
        {
            "task_id": row["id"],
            "variation_id": ids[row["variant"]],
            **{name: row[name] for name in ("status", "outcome")},
            "reason": None if row["reason"] is None else redacted(row["reason"]),
        }
        for row in unscored.iter_rows(named=True)
    ]


def _summary(raw: Mapping[str, list[dict[str, Any]]], numbers: pl.DataFrame) -> dict[str, Any]:
    """As HAL counts: a task is successful if anything in it was, and has failed if nothing was."""
    means = {item: mean for item, mean in numbers.select("id", "mean_score").iter_rows() if item in raw}
    known = {item: mean for item, mean in means.items() if mean is not None}
    return {
        "accuracy": sum(known.values()) / len(known) if known else None,
        "successful_tasks": [item for item, mean in known.items() if mean > 0],
        "failed_tasks": [item for item, mean in known.items() if mean == 0],
        "unscored_tasks": [item for item in raw if item not in known],
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
