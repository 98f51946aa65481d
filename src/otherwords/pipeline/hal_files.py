"""A run's logs → HAL's own result files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import as_outcomes
from otherwords.metrics import s_task
from otherwords.results import read_results, write_hal_upload

if TYPE_CHECKING:
    from otherwords.pipeline.publishing import Publishing


def write_hal_files(
    logs: Sequence[Path],
    results_dir: str | Path,
    *,
    benchmark: str | None = None,
    run_id: str | None = None,
    agent_args: Mapping[str, Any] | None = None,
    public: Publishing | None = None,
) -> list[Path]:
    """`<results_dir>/<benchmark>/<run_id>/<run_id>_UPLOAD.json` for each model.

    `benchmark` is the name in place of the task's. Without a `run_id` the task and the model make one, so
    that a resumed run replaces its own file. A `public` one has hashes instead of ids, and no arguments.
    """
    table = read_results([str(log) for log in logs]).outcomes
    if table.is_empty():
        raise InputError("there is no result to write for HAL yet")
    if public is not None:
        table, agent_args = as_outcomes(public.outcomes(table)), None
    if benchmark is not None:
        table = table.with_columns(pl.lit(benchmark).alias("task"))
    written: list[Path] = []
    for (task, model), rows in table.group_by("task", "model", maintain_order=True):
        name = run_id or f"{task}_{model}"
        if run_id is not None and table["model"].n_unique() > 1:
            name = f"{run_id}_{model}"
        written += write_hal_upload(
            rows, results_dir, run_id=name, per_item=s_task(rows), agent_args=agent_args
        )
    return written
