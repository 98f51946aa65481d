"""Inspect logs together: of a run and the runs that resumed it only the fullest counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from otherwords.core.errors import InputError
from otherwords.core.table import empty_outcomes
from otherwords.results.files import ResultFile
from otherwords.results.inspect_columns import model_name, outcomes_of, task_name, wordings_of
from otherwords.results.inspect_logs import InspectLog, is_inspect_log, read_inspect_log
from otherwords.results.repeats import number_repeats
from otherwords.results.types import (
    Reader,
    ReadOptions,
    Results,
    SkippedFile,
    empty_wordings,
    outcomes_frame,
    skip,
    wordings_frame,
)

_ABOUT_WORDING = (
    "task",
    "id",
    "variant",
    "kind",
    "change",
    "paraphrase_id",
    "perturbation_kind",
    "seed",
    "target_index",
)
_UNREADABLE = (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)


def read_inspect_logs(files: Sequence[ResultFile], options: ReadOptions) -> Results:
    """Of each log only its tables are kept while the next one is read: the JSON takes far more room."""
    skipped: list[SkippedFile] = []
    read: list[InspectLog] = []
    outcomes: dict[ResultFile, pl.DataFrame] = {}
    refused: dict[ResultFile, SkippedFile] = {}
    wordings = [empty_wordings()]
    seen: set[tuple[str, str, str]] = set()
    for file in files:
        try:
            log = read_inspect_log(file)
        except InputError as error:
            skipped.append(skip(file, error))
            continue
        read.append(log)
        try:
            _sort_as_planned(log)
            outcomes[file] = outcomes_of(log, options.scorer)
            wordings.append(wordings_frame(wordings_of(log, outcomes[file], seen)))
        except InputError as error:
            refused[file] = skip(file, error)
        except _UNREADABLE as error:
            refused[file] = SkippedFile(file.path, f"is not a readable Inspect log: {error!r}")
        log.forget_all_but_ids()
    tables: list[tuple[InspectLog, pl.DataFrame]] = []
    for log in fullest_of_each_run(read, skipped):
        if log.file in refused:
            skipped.append(refused[log.file])
            continue
        tables.append((log, outcomes[log.file]))
        if not log.samples and not planned(log):
            reason = f"has no samples (log ended as '{log.status}')"
            skipped.append(SkippedFile(log.file.path, reason, unreadable=False))
    missing = _missing_rows(tables, skipped)
    runs = [pl.concat([table, rows]) for (_, table), rows in zip(tables, missing, strict=True)]
    return Results(pl.concat([empty_outcomes(), *number_repeats(runs)]), pl.concat(wordings), tuple(skipped))


def fullest_of_each_run(logs: Iterable[InspectLog], skipped: list[SkippedFile]) -> list[InspectLog]:
    """Inspect writes a new log when a run is resumed and copies into it what was finished."""
    attempts: dict[str, list[InspectLog]] = defaultdict(list)
    for log in logs:
        attempts[log.task_id].append(log)
    chosen = []
    for same_run in attempts.values():
        best = max(
            same_run, key=lambda log: (log.finished, log.status == "success", log.created, str(log.file))
        )
        chosen.append(best)
        skipped.extend(
            SkippedFile(log.file.path, f"is an earlier attempt of {best.file.name}", unreadable=False)
            for log in same_run
            if log is not best
        )
    return sorted(chosen, key=lambda log: (log.created, str(log.file)))


def _sort_as_planned(log: InspectLog) -> None:
    """Samples are logged as they finish; the table is the same whichever came first."""
    place = {str(sample_id): number for number, sample_id in enumerate(planned(log))}
    log.samples.sort(key=lambda sample: (place.get(str(sample["id"]), len(place)), sample["epoch"]))


def planned(log: InspectLog) -> list[Any]:
    return (log.eval.get("dataset") or {}).get("sample_ids") or []


def wording_key(log: InspectLog, sample_id: Any) -> tuple[str, str, str]:
    """One task over one set of wordings: there, a sample id means the same in every log."""
    return task_name(log), str(log.eval.get("task_version")), str(sample_id)


def _missing_rows(
    tables: Sequence[tuple[InspectLog, pl.DataFrame]], skipped: list[SkippedFile]
) -> list[pl.DataFrame]:
    """For each log, the planned samples that it lacks, with what another log or epoch tells of them."""
    lacking = [_lacking(log) for log, _ in tables]
    if not any(lacking):
        return [empty_outcomes() for _ in tables]
    known: dict[tuple[str, str, str], dict[str, Any]] = {}
    for log, outcomes in tables:
        rows = outcomes.select(_ABOUT_WORDING).iter_rows(named=True)
        for sample, row in zip(log.samples, rows, strict=True):
            known.setdefault(wording_key(log, sample["id"]), row)
    return [_rows_for(log, ids, known, skipped) for (log, _), ids in zip(tables, lacking, strict=True)]


def _lacking(log: InspectLog) -> list[tuple[Any, int]]:
    config = log.eval.get("config")
    epochs = (config.get("epochs") if isinstance(config, dict) else None) or 1
    present = {(str(sample["id"]), sample["epoch"]) for sample in log.samples}
    ids = planned(log)
    if len(present) >= len(ids) * epochs:
        return []
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
        about = known.get(wording_key(log, sample_id))
        if about is not None:  # ids are not taken apart to guess the item
            rows.append(
                {
                    **about,
                    "model": model_name(log),
                    "repeat": epoch,
                    "status": "missing",
                    "reason": f"never ran: the run ended as '{log.status}'",
                    "log": str(log.file),
                }
            )
    unknown = len(lacking) - len(rows)
    if unknown:
        reason = f"{unknown} planned samples never ran (log ended as '{log.status}')"
        skipped.append(SkippedFile(log.file.path, reason, unreadable=False))
    return outcomes_frame(rows)


INSPECT = Reader(
    matches=lambda peek, options: is_inspect_log(peek),
    read=read_inspect_logs,
)
