"""Inspect logs together: of a run and the runs that resumed it only the fullest counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from otherwords.core.errors import InputError
from otherwords.results.inspect_logs import InspectLog, is_inspect_log, read_inspect_log
from otherwords.results.inspect_rows import Row, missing_row, outcome_row, task_name, wording_row
from otherwords.results.types import Reader, Results, SkippedFile, outcomes_frame, wordings_frame


def read_inspect_logs(paths: Sequence[Path], scorer: str | None = None) -> Results:
    skipped: list[SkippedFile] = []
    logs: list[InspectLog] = []
    for path in paths:
        try:
            logs.append(read_inspect_log(path))
        except InputError as error:
            skipped.append(SkippedFile(path, error.problem))
    rows_of: list[tuple[InspectLog, list[Row]]] = []
    wordings: dict[tuple[str, str, str], Row] = {}
    known: dict[tuple[str, str, str], Row] = {}
    for log in _fullest_of_each_run(logs, skipped):
        _sort_as_planned(log)
        try:
            rows = [outcome_row(log, sample, scorer) for sample in log.samples]
        except InputError as error:
            skipped.append(SkippedFile(log.path, _without_file(error)))
            continue
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            skipped.append(SkippedFile(log.path, f"is not a readable Inspect log: {error!r}"))
            continue
        for sample, row in zip(log.samples, rows, strict=True):
            known.setdefault(_wording_key(log, sample["id"]), row)
            key = (row["task"], row["id"], row["variant"])
            if key not in wordings:
                wordings[key] = wording_row(log, sample, row)
        rows_of.append((log, rows))
    for log, rows in rows_of:
        rows.extend(_missing_rows(log, known, skipped))
    _number_repeats(rows_of)
    all_rows = [row for _, rows in rows_of for row in rows]
    return Results(outcomes_frame(all_rows), wordings_frame(list(wordings.values())), tuple(skipped))


def _fullest_of_each_run(logs: Iterable[InspectLog], skipped: list[SkippedFile]) -> list[InspectLog]:
    """Inspect writes a new log when a run is resumed and copies into it what was finished."""
    attempts: dict[str, list[InspectLog]] = defaultdict(list)
    for log in logs:
        attempts[log.task_id].append(log)
    chosen = []
    for same_run in attempts.values():
        best = max(
            same_run, key=lambda log: (log.finished, log.status == "success", log.created, str(log.path))
        )
        chosen.append(best)
        skipped.extend(
            SkippedFile(log.path, f"is an earlier attempt of {best.path.name}", unreadable=False)
            for log in same_run
            if log is not best
        )
    return sorted(chosen, key=lambda log: (log.created, str(log.path)))


def _sort_as_planned(log: InspectLog) -> None:
    """Samples are logged as they finish; the table is the same whichever came first."""
    place = {str(sample_id): number for number, sample_id in enumerate(_planned(log))}
    log.samples.sort(key=lambda sample: (place.get(str(sample["id"]), len(place)), sample["epoch"]))


def _planned(log: InspectLog) -> list[Any]:
    return (log.eval.get("dataset") or {}).get("sample_ids") or []


def _wording_key(log: InspectLog, sample_id: Any) -> tuple[str, str, str]:
    """One task over one set of wordings: there, a sample id means the same in every log."""
    return task_name(log), str(log.eval.get("task_version")), str(sample_id)


def _missing_rows(
    log: InspectLog, known: dict[tuple[str, str, str], Row], skipped: list[SkippedFile]
) -> list[Row]:
    epochs = int((log.eval.get("config") or {}).get("epochs") or 1)
    present = {(str(sample["id"]), sample["epoch"]) for sample in log.samples}
    rows, unknown = [], 0
    for sample_id in _planned(log):
        about = known.get(_wording_key(log, sample_id))
        for epoch in range(1, epochs + 1):
            if (str(sample_id), epoch) in present:
                continue
            if about is None:  # ids are not taken apart to guess the item
                unknown += 1
            else:
                rows.append(missing_row(log, about, epoch))
    if unknown:
        reason = f"{unknown} planned samples never ran (log ended as '{log.status}')"
        skipped.append(SkippedFile(log.path, reason, unreadable=False))
    return rows


def _number_repeats(rows_of: list[tuple[InspectLog, list[Row]]]) -> None:
    """Separate runs of the same wordings are further repeats, numbered on from the last run's."""
    seen: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
    highest: dict[tuple[str, str], int] = defaultdict(int)
    for _, rows in rows_of:
        if not rows:
            continue
        run = (rows[0]["task"], rows[0]["model"])
        asked = {(row["id"], row["variant"]) for row in rows}
        shift = highest[run] if asked & seen[run] else 0
        for row in rows:
            row["repeat"] += shift
        seen[run] |= asked
        highest[run] = max(highest[run], *(row["repeat"] for row in rows))


def _without_file(error: InputError) -> str:
    return f"item '{error.item}': {error.problem}" if error.item is not None else str(error.problem)


INSPECT = Reader(matches=is_inspect_log, read=read_inspect_logs)
