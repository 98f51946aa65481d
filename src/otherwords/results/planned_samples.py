"""Inspect logs → rows for the samples that were planned and are not in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from otherwords.core.contract import MISSING, SEED, TARGET_INDEX, WORDING_COLUMNS
from otherwords.core.errors import InputError
from otherwords.core.table import empty_outcomes
from otherwords.results.inspect_samples import InspectLog
from otherwords.results.reader import SkippedFile, outcomes_frame

MOST_LACKING = 3_000_000
"""Samples that a log may lack. Each becomes a row, however small the log is."""
_ABOUT_WORDING = ("task", "id", *WORDING_COLUMNS, SEED, TARGET_INDEX)


def sort_as_planned(log: InspectLog) -> None:
    """Samples are logged as they finish; the table is the same whichever came first."""
    place = {str(sample_id): number for number, sample_id in enumerate(log.planned)}
    log.samples.sort(key=lambda sample: (place.get(str(sample["id"]), len(place)), sample["epoch"]))


def require_proportion(log: InspectLog) -> None:
    """Refuses a log of which one number would make millions of rows."""
    lacking = len(log.planned) * _epochs(log) - len(log.samples)
    if lacking > MOST_LACKING:
        raise InputError(
            f"says that {lacking:,} more samples were planned than it has; {MOST_LACKING:,} is the most"
        )


def _epochs(log: InspectLog) -> int:
    config = log.eval.get("config")
    epochs = config.get("epochs") if isinstance(config, dict) else None
    return epochs if isinstance(epochs, int) and epochs > 0 else 1


def missing_rows(
    tables: Sequence[tuple[InspectLog, pl.DataFrame]], skipped: list[SkippedFile]
) -> list[pl.DataFrame]:
    """For each log, the planned samples that it lacks, with what another log or epoch tells of them."""
    lacking = [_lacking(log) for log, _ in tables]
    if not any(lacking):
        return [empty_outcomes() for _ in tables]
    known: dict[tuple[str, str, str], dict[str, Any]] = {}
    for log, outcomes in tables:
        rows = outcomes.select(*_ABOUT_WORDING, "repeat").iter_rows(named=True)
        for sample, row in zip(log.samples, rows, strict=True):
            after = row["repeat"] - sample["epoch"]  # a wording that is asked once more has two samples
            known.setdefault(log.wording_key(sample["id"]), {**row, "repeat": after})
    return [_rows_for(log, ids, known, skipped) for (log, _), ids in zip(tables, lacking, strict=True)]


def _lacking(log: InspectLog) -> list[tuple[Any, int]]:
    epochs = _epochs(log)
    ids = log.planned
    if len(log.samples) >= len(ids) * epochs:
        return []
    present = {(str(sample["id"]), sample["epoch"]) for sample in log.samples}
    return [
        (sample_id, epoch)
        for sample_id in ids
        for epoch in range(1, epochs + 1)
        if (str(sample_id), epoch) not in present
    ]


def _rows_for(
    log: InspectLog,
    lacking: Sequence[tuple[Any, int]],
    known: dict[tuple[str, str, str], dict[str, Any]],
    skipped: list[SkippedFile],
) -> pl.DataFrame:
    rows = []
    for sample_id, epoch in lacking:
        about = known.get(log.wording_key(sample_id))
        if about is not None:  # ids are not taken apart to guess the item
            rows.append(
                {
                    **about,
                    "model": log.model,
                    "repeat": about["repeat"] + epoch,
                    "status": MISSING,
                    "reason": f"never ran: the run ended as '{log.status}'",
                    "log": str(log.file),
                }
            )
    unknown = len(lacking) - len(rows)
    if unknown:
        reason = f"{unknown} planned samples never ran (log ended as '{log.status}')"
        skipped.append(SkippedFile(log.file.path, reason, unreadable=False))
    return outcomes_frame(rows)
