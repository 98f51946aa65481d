"""C_out: does the same prompt, asked again, come out the same way?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.answers import BoolArray, FloatArray
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, check_ddof, estimate, mean_over_groups

NO_REPEATS = "no wording was run twice; rerun with --repeats 3"


def c_out(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    ddof: int = 0,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Mean over items of (2p − 1)², p the share of right outcomes over repeats of one wording.

    `ddof=0` is the definition, which reads too high with few repeats: a fair coin tossed twice has ½.
    `ddof=1` corrects it; a single item may then come out below zero.
    """
    return estimate(measure(read_cells(table, task, model), ddof), resamples, seed)


def per_group(cells: Cells, ddof: int = 0) -> tuple[FloatArray, BoolArray]:
    """Each group's C_out, the mean over its repeated wordings, and whether it has any."""
    repeated = cells.repeats >= 2
    spread = cells.correct * (1 - cells.correct)
    if ddof:
        spread = spread * cells.repeats / np.maximum(cells.repeats - ddof, 1)
    n_repeated = cells.sum_cells(repeated)
    consistency = cells.sum_cells(np.where(repeated, 1 - 4 * spread, 0.0)) / np.maximum(n_repeated, 1)
    return consistency, n_repeated > 0


def measure(cells: Cells, ddof: int = 0) -> Measure:
    check_ddof(ddof)
    values, enters = per_group(cells, ddof)
    rows = cells.sum_cells(np.where(cells.repeats >= 2, cells.repeats, 0)).astype(np.int64)
    return mean_over_groups(
        "c_out_unbiased" if ddof else "c_out",
        cells,
        values,
        enters,
        rows=rows,
        out_of=rows + cells.rows - cells.scored,
        nothing=NO_REPEATS,
        left_out="no wording with two repeats",
    )


def _measures(cells: Cells) -> Iterator[Measure]:
    yield measure(cells)
    yield measure(cells, ddof=1)


METRICS.add("c_out", Metric(c_out, _measures))
