"""Inspect's log files, `.eval` and `.json`, read without Inspect → outcome table and the wordings asked.

An `.eval` log is a zip. `summaries.json` is there when the run ended; a run that was killed left its
summaries in a journal. Summaries hold all that is needed; they cut long strings, which the sample's own file
has whole. Of a run and the runs that resumed it only the fullest log counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import ZipFile

import polars as pl

from otherwords.core.contract import CHANGE, KIND, VARIANT
from otherwords.core.errors import InputError
from otherwords.core.files import DAMAGE, ZIP_MAGIC, excerpt, read_member
from otherwords.core.table import empty_outcomes
from otherwords.core.types import variant_id
from otherwords.results.inspect_fields import (
    CountedScore,
    UnknownScorerError,
    accuracy_of,
    as_summary,
    input_was_cut,
    log_provenance,
    logged_accuracy,
    output_in,
    prompt_text,
)
from otherwords.results.inspect_samples import InspectLog, Sample, outcomes_of
from otherwords.results.planned_samples import missing_rows, require_proportion, sort_as_planned
from otherwords.results.reader import (
    LogAccuracy,
    Peek,
    Reader,
    ReadOptions,
    ResultFile,
    Results,
    SkippedFile,
    empty_wordings,
    skip,
    wordings_frame,
)
from otherwords.results.run_identity import named, told_apart, united
from otherwords.results.shards import in_order, same_originals, shards_together
from otherwords.results.tool_values import parse

_ROUNDING = 1e-6
_UNREADABLE = (KeyError, TypeError, AttributeError, ValueError, OverflowError, RecursionError)


def is_inspect_log(peek: Peek) -> bool:
    if peek.head.startswith(ZIP_MAGIC):
        return peek.file.name.endswith(".eval") or _holds_inspect_log(peek.file)
    return "eval" in peek.keys and bool(peek.keys & {"eval.task_id", "eval.run_id", "eval.task"})


@dataclass
class _Run:
    """One log, its rows, and what is known of it once its samples are forgotten."""

    log: InspectLog
    rows: pl.DataFrame
    counted: CountedScore
    accuracy: float | None
    scored: int

    def summary(self, model: str) -> LogAccuracy:
        return LogAccuracy(
            log=str(self.log.file),
            task=self.log.task,
            model=model,
            scorer=self.counted.label,
            reducer=self.counted.reducer,
            samples=len(self.log.samples),
            scored=self.scored,
            accuracy=self.accuracy,
            logged=logged_accuracy(self.counted, self.log.header),
            made=log_provenance({"eval": self.log.eval, "status": self.log.status, **self.log.header}),
            names_wordings=_names_wordings(self.log, self.rows),
        )


def read_inspect_logs(files: Sequence[ResultFile], options: ReadOptions) -> Results:
    """Of each log only its tables are kept while the next one is read: the JSON takes far more room."""
    skipped: list[SkippedFile] = []
    read: list[InspectLog] = []
    runs: dict[ResultFile, _Run] = {}
    refused: dict[ResultFile, SkippedFile] = {}
    wordings = [empty_wordings()]
    seen: set[tuple[str, str, str]] = set()
    unknown: list[UnknownScorerError] = []
    for file in files:
        try:
            log = read_inspect_log(file)
        except InputError as error:
            skipped.append(skip(file, error))
            continue
        read.append(log)
        try:
            sort_as_planned(log)
            require_proportion(log)
            counted = log.counted_score(options.scorer)
            rows = same_originals(outcomes_of(log, counted))
            runs[file] = _Run(log, rows, counted, *accuracy_of(counted, log.samples, rows["score"]))
            wordings.append(wordings_frame(_wordings_of(log, rows, seen)))
        except InputError as error:
            refused[file] = skip(file, error)
            if isinstance(error, UnknownScorerError):
                unknown.append(error)
        except _UNREADABLE as error:
            refused[file] = SkippedFile(file.path, f"is not a readable Inspect log: {error!r}")
        log.forget_all_but_ids()
    if unknown and not runs:
        known = ", ".join(dict.fromkeys(name for error in unknown for name in error.known))
        raise InputError(f"no log has a score by '{unknown[0].wanted}'", hint=f"There is: {known or 'none'}.")
    used: list[_Run] = []
    for log in fullest_of_each_run(read, skipped):
        if log.file in refused:
            skipped.append(refused[log.file])
            continue
        used.append(runs[log.file])
        if not log.samples and not log.planned:
            reason = f"has no samples (log ended as '{log.status}')"
            skipped.append(SkippedFile(log.file.path, reason, unreadable=False))
    notes = _notes(used)
    missing = missing_rows([(run.log, run.rows) for run in used], skipped)
    tables = [pl.concat([run.rows, rows]) for run, rows in zip(used, missing, strict=True)]
    made_with = [(run.log.task, run.log.model, run.log.identity) for run in used]
    labels = told_apart(made_with, notes)
    tables = [named(table, label) for table, label in zip(tables, labels, strict=True)]
    tables = shards_together(tables, [run.log for run in used])
    ranks = [(run.log.finished, run.log.created, str(run.log.file)) for run in used]
    tables, lost = united(tables, ranks, [run.log.file.name for run in used])
    skipped += [
        SkippedFile(used[place].log.file.path, lost[place], unreadable=False) for place in sorted(lost)
    ]
    return Results(
        outcomes=pl.concat([empty_outcomes(), *tables]),
        wordings=pl.concat(wordings),
        skipped=tuple(skipped),
        notes=tuple(notes),
        logs=tuple(run.summary(label) for run, label in zip(used, labels, strict=True)),
        runs=tuple(made_with),
    )


def _names_wordings(log: InspectLog, rows: pl.DataFrame) -> bool:
    ids = {str(sample["id"]) for sample in log.samples[:1]} | {str(one) for one in log.planned}
    return any(variant_id(*row) in ids for row in rows.select("id", "variant").head(1).iter_rows())


def _notes(runs: Sequence[_Run]) -> list[str]:
    """What was chosen in the logs of each task, and where Inspect's own figure is another."""
    notes = [f"In {run.log.task}, {note}." for run in runs for note in run.counted.notes()]
    for run in runs:
        logged = logged_accuracy(run.counted, run.log.header)
        if run.log.status != "success" or logged is None or run.accuracy is None:
            continue
        if abs(logged - run.accuracy) > _ROUNDING:
            where = f"In {run.log.task} of '{run.log.model}', the log"
            notes.append(f"{where} says that its accuracy is {logged:g}; its samples give {run.accuracy:g}.")
    return list(dict.fromkeys(notes))


def read_inspect_runs(logs: Sequence[str | Path]) -> list[tuple[InspectLog, pl.DataFrame]]:
    """The fullest log of each run with its rows of the outcome table, by the first scorer."""
    read = [read_inspect_log(ResultFile(str(log))) for log in logs]
    return [
        (log, same_originals(outcomes_of(log, log.counted_score()))) for log in fullest_of_each_run(read, [])
    ]


def read_inspect_log(file: ResultFile) -> InspectLog:
    """The log in `file`; anything that is not a whole Inspect log is refused with the file's name."""
    try:
        with file.open() as start:
            zipped = start.read(len(ZIP_MAGIC)) == ZIP_MAGIC
        return _read_zip(file) if zipped else _read_json(file)
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"is damaged or cut short: {error}", file=str(file)) from error
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        raise InputError(f"is not a readable Inspect log: {error}", file=str(file)) from error


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
    return in_order(chosen)


@contextmanager
def _opened_zip(file: ResultFile, only: Sequence[str] = (), whole: bool = False) -> Iterator[ZipFile]:
    """The archive; whatever is wrong with it becomes an InputError.

    If it has all of `only`, these may be all that it shows. With `whole` most of it will be read, so that a
    file at an address is fetched at once.
    """
    try:
        with BytesIO(file.read()) if whole and file.system is not None else file.open() as stream:
            few = excerpt(stream, only) if only else None
            with ZipFile(stream if few is None else few) as archive:
                yield archive
    except DAMAGE as error:
        raise InputError(f"is damaged or cut short: {error}", file=str(file)) from error


def _holds_inspect_log(file: ResultFile) -> bool:
    try:
        with _opened_zip(file) as archive:
            return "_journal/start.json" in archive.namelist()
    except (OSError, InputError):
        return False


def _read_zip(file: ResultFile) -> InspectLog:
    with _opened_zip(file, only=("header.json", "summaries.json")) as archive:
        names = archive.NameToInfo
        if "header.json" in names:
            header = parse(read_member(archive, "header.json"))
        elif "_journal/start.json" in names:
            header = parse(read_member(archive, "_journal/start.json"))
        else:
            raise InputError("is a zip file but not an Inspect log", file=str(file))
        if not isinstance(header, dict) or not isinstance(header.get("eval"), dict):
            raise InputError("is a zip file but not an Inspect log", file=str(file))
        if "summaries.json" in names:
            summaries = parse(read_member(archive, "summaries.json"))
        else:
            summaries = _journal(archive)

    def whole_samples(cut: list[Sample]) -> Iterator[Sample]:
        with _opened_zip(file) as archive:
            for summary in cut:
                content = _sample_file(archive, summary)
                yield summary if content is None else as_summary(parse(content))

    def outputs(samples: list[Sample]) -> Iterator[dict[str, Any]]:
        with _opened_zip(file, whole=True) as archive:
            for summary in samples:
                try:
                    content = _sample_file(archive, summary)
                    yield {} if content is None else output_in(content)
                except (InputError, OSError, *DAMAGE, *_UNREADABLE):
                    yield {}  # what is left of the log says less of this sample

    samples = _last_of_each(summaries)
    return InspectLog(file, _status(header), header["eval"], samples, whole_samples, outputs, header)


def _journal(archive: ZipFile) -> list[Sample]:
    parts = (name for name in archive.namelist() if name.startswith("_journal/summaries/"))
    ordered = sorted(parts, key=lambda name: int(PurePosixPath(name).stem))
    return [summary for name in ordered for summary in parse(read_member(archive, name))]


def _sample_file(archive: ZipFile, summary: Sample) -> bytes | None:
    name = f"samples/{summary['id']}_epoch_{summary['epoch']}.json"
    return read_member(archive, name) if name in archive.NameToInfo else None


def _read_json(file: ResultFile) -> InspectLog:
    log = parse(file.read())
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict):
        raise InputError("is JSON but not an Inspect log", file=str(file))
    samples = [as_summary(sample) for sample in log.get("samples") or []]
    header = {name: value for name, value in log.items() if name != "samples"}
    return InspectLog(
        file, _status(log), log["eval"], _last_of_each(samples), lambda cut: cut, lambda _: (), header
    )


def _status(header: dict[str, Any]) -> str:
    return str(header.get("status") or "started")


def _last_of_each(summaries: list[Sample]) -> list[Sample]:
    return list({(str(summary["id"]), summary["epoch"]): summary for summary in summaries}.values())


INSPECT = Reader(
    matches=lambda peek, options: is_inspect_log(peek),
    read=read_inspect_logs,
)


def _wordings_of(
    log: InspectLog, outcomes: pl.DataFrame, seen: set[tuple[str, str, str]]
) -> dict[str, Sequence[Any] | pl.Series]:
    """What was asked, of the samples whose wording is not yet in `seen`; as columns."""
    key = ["task", "id", VARIANT]
    first = (
        outcomes.select(*key, KIND, CHANGE).with_row_index().unique(key, keep="first", maintain_order=True)
    )
    keys = first.select(key).rows()
    if not seen.isdisjoint(keys):
        first = first.filter(pl.Series([one not in seen for one in keys]))
    seen.update(keys)
    samples = [log.samples[place] for place in first["index"]]
    cut = [place for place, sample in enumerate(samples) if input_was_cut(sample.get("input"))]
    if cut:
        for place, whole in zip(cut, log.whole_samples([samples[place] for place in cut]), strict=True):
            samples[place] = whole
    return {
        **first.drop("index").to_dict(),
        "prompt": [prompt_text(sample.get("input")) for sample in samples],
        "choices": [list(map(str, sample.get("choices") or ())) for sample in samples],
        "target": [
            " | ".join(map(str, target)) if isinstance(target := sample.get("target"), list) else str(target)
            for sample in samples
        ],
    }
