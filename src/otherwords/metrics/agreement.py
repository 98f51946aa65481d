"""agreement: how far the answers to the wordings agree with each other, and not only with the original."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from otherwords.core.types import Estimate
from otherwords.metrics.answers import FloatArray
from otherwords.metrics.bootstrap import RESAMPLES
from otherwords.metrics.cells import Cells, read_cells
from otherwords.metrics.measure import METRICS, Measure, Metric, estimates, mean_over_groups, sums_over_groups

NO_TWO = "no item has two wordings with an answer"
TOO_FEW = "fewer than two wordings with an answer"
_FREQUENT = 8
"""Answers whose frequency is resampled; the rarer ones are a hair of the chance agreement and held fixed."""


def agreement(
    table: Any,
    task: str | None = None,
    *,
    model: str | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Estimate]:
    """`pairwise_agreement`, `fleiss_kappa` (beyond chance) and `answer_entropy` (0: all the same)."""
    found = estimates(list(measures(read_cells(table, task, model))), resamples, seed)
    return {estimate.metric: estimate for estimate in found}


def measures(cells: Cells) -> Iterator[Measure]:
    agreement = cells.agreement
    for name, values in (("pairwise_agreement", agreement.pairwise), ("answer_entropy", agreement.entropy)):
        enters = ~np.isnan(values)
        yield mean_over_groups(
            name, cells, values, enters, rows=agreement.answered, nothing=NO_TWO, left_out=TOO_FEW
        )
    yield _kappa(cells)


def _kappa(cells: Cells) -> Measure:
    agreement = cells.agreement
    pairwise = agreement.pairwise
    enters = ~np.isnan(pairwise)
    answers, totals = agreement.answer_totals(enters)
    n = max(int(enters.sum()), 1)
    rare = float(np.sum(np.square(totals[_FREQUENT:] / n)))

    def kappa(sums: FloatArray) -> FloatArray:
        n_groups = sums[..., 1]
        by_chance = np.sum(np.square(sums[..., 2:] / n_groups[..., None]), axis=-1) + rare
        beyond = 1.0 - by_chance
        found: FloatArray = (sums[..., 0] / n_groups - by_chance) / np.where(beyond > 1e-9, beyond, np.nan)
        return found

    frequent = [np.where(enters, agreement.answer_shares(int(one)), 0.0) for one in answers[:_FREQUENT]]
    return sums_over_groups(
        "fleiss_kappa",
        cells,
        [np.where(enters, pairwise, 0.0), enters, *frequent],
        kappa,
        enters,
        rows=agreement.answered,
        nothing=NO_TWO,
        left_out=TOO_FEW,
        undefined="every answer is the same one, so chance alone would agree",
    )


METRICS.add("agreement", Metric(agreement, measures))
