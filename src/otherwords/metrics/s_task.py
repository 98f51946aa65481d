"""S_task: the items one by one, to find the sensitive ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from otherwords.metrics.cells import read_cells
from otherwords.metrics.measure import METRICS, Metric, check_ddof


def s_task(table: Any, task: str | None = None, *, model: str | None = None, ddof: int = 1) -> pl.DataFrame:
    """One row for each task, model and item. What needs two wordings is null where there are fewer."""
    check_ddof(ddof)
    cells = read_cells(table, task, model)
    variance = cells.variance(ddof)
    scored, enough = pl.Series(cells.variants >= 1), pl.Series(cells.variants >= 2)
    columns = {
        "n_variants": cells.variants.astype(np.int64),
        "mean_score": cells.group_mean,
        "variance": variance,
        "s_task": 1.0 - variance,
        "min_max_gap": cells.gap,
        "n_rows": cells.scored,
        "n_missing": cells.rows - cells.scored,
    }
    table_of_items = cells.names.with_columns(pl.Series(name, values) for name, values in columns.items())
    return table_of_items.with_columns(
        pl.when(scored).then(pl.col("mean_score")),
        pl.when(enough).then(pl.col("variance", "s_task", "min_max_gap")),
    )


METRICS.add("s_task", Metric(s_task))
