"""Result files, folders, addresses → `Results`: outcome table, wordings, skipped files; picks the readers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path, PurePosixPath
from typing import Any

import orjson
import polars as pl

from otherwords.core.contract import CANDIDATES_FILE, CONFIRM, SCREEN, VARIANTS_FORMAT
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.files import as_address, collector_paused, within_root
from otherwords.core.registry import Registry
from otherwords.core.secret_patterns import redacted
from otherwords.core.table import KEY, OUTCOME_COLUMNS, empty_outcomes, with_outcomes
from otherwords.results.hal import HAL
from otherwords.results.inspect_logs import INSPECT
from otherwords.results.other_harnesses import LLM_CONSISTENCY, LM_EVAL
from otherwords.results.promptfoo import PROMPTFOO
from otherwords.results.reader import (
    HEAD,
    Peek,
    Reader,
    ReadOptions,
    ResultFile,
    Results,
    SkippedFile,
    empty_wordings,
)
from otherwords.results.tables import CSV, JSON_RECORDS, PARQUET

READERS: Registry[Reader] = Registry("result reader", group="otherwords.results")
READERS.add("inspect", INSPECT)
READERS.add("hal", HAL)
READERS.add("lm-eval", LM_EVAL)
READERS.add("llm-consistency", LLM_CONSISTENCY)
READERS.add("promptfoo", PROMPTFOO)
READERS.add("parquet", PARQUET)
READERS.add("json-records", JSON_RECORDS)
READERS.add("csv", CSV)

_INSPECT_LISTS = frozenset({"logs.json", "eval-set.json"})
"""Inspect keeps these beside its logs; they hold no results."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Paths = str | Path | Sequence[str | Path]


def read_results(
    paths: Paths,
    *,
    strict: bool = False,
    scorer: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Results:
    r"""Reads result files of any known kind into one outcome table.

    Known are Inspect logs, HAL uploads, samples of lm-evaluation-harness, reports of llm-consistency, output
    of promptfoo, and tables as CSV, Parquet or JSON lines. The kind is told by content, not by name.

    Args:
        paths: A file or a folder, or several, on this machine or at addresses that fsspec knows (`s3://…`).
        strict: Refuse everything if a file cannot be read; else such files are named in `skipped`.
        scorer: Which score to read where a file has several: `name`, or `name.key` for a part of one that is
            a dictionary. Without it the first counts, and `notes` say so.
        columns: What a table calls our columns: `{"score": "acc"}`.

    Returns:
        The outcome table, what was asked, the files that are not in the table with the reason, notes, and
        Inspect's accuracy of each log.

    Raises:
        InputError: A path does not exist, there is no result in any file, two rows contradict each other, or
            `strict` is set and a file cannot be read.
        UnknownNameError: `columns` names a column that the outcome table does not have.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords import read_results
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     table = Path(folder, "mine.csv")
        ...     _ = table.write_text("id,variant,acc\nq1,orig,1\nq1,formal,0\n")
        ...     results = read_results(table, columns={"score": "acc"})
        >>> results.outcomes.select("id", "variant", "status", "score").rows()
        [('q1', 'orig', 'scored', 1.0), ('q1', 'formal', 'scored', 0.0)]
        >>> results.skipped
        ()
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    options = ReadOptions(scorer, _checked(columns or {}))
    with collector_paused():
        return _read(given, options, strict)


def load_all_results(logs: Paths, *, scorer: str | None = None) -> pl.DataFrame:
    r"""Reads all results of a folder into one outcome table.

    Args:
        logs: A file or a folder, or several, of any kind that `read_results` knows.
        scorer: Which score to read where a file has several: `name`, or `name.key`.

    Returns:
        The outcome table: one row for each model, item, wording and repeat. Files that cannot be read are
        left out; `read_results` tells which.

    Raises:
        InputError: A path does not exist, there is no result in any file, or two rows contradict each other.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> from otherwords import load_all_results
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     _ = Path(folder, "mine.csv").write_text("id,variant,score\nq1,orig,1\nq1,formal,\n")
        ...     table = load_all_results(folder)
        >>> table.select("id", "variant", "status").rows()
        [('q1', 'orig', 'scored'), ('q1', 'formal', 'unscored')]
    """
    return read_results(logs, scorer=scorer).outcomes


def read_measured(paths: Paths, *, strict: bool = False, scorer: str | None = None) -> Results:
    """`read_results` for those who make figures of it; the screening of a repair is refused.

    There, scores decided which templates were asked more, so that figures of it would flatter the best.

    Raises:
        InputError: As `read_results`; also for a log of a screening.
    """
    results = read_results(paths, strict=strict, scorer=scorer)
    for log in map(Path, sorted(results.outcomes["log"].drop_nulls().unique())):
        folder = log.absolute().parent
        if folder.name == SCREEN and (folder.parent.parent / CANDIDATES_FILE).exists():
            raise InputError(
                "is of the screening of a repair, where scores decided which templates were asked more: "
                "figures of it would flatter the best",
                file=log,
                hint=f"Give what unseen cases were asked: {log.parent.parent / CONFIRM}",
            )
    return results


def find_files(given: Sequence[str | Path], ignored: frozenset[str]) -> list[ResultFile]:
    """Every file of `given` and of the folders in it, each once, in a fixed order."""
    found: dict[str, ResultFile] = {}
    for entry in given:
        address = as_address(entry)
        files = _local(Path(entry), ignored) if address is None else _remote(address, ignored)
        for file in files:
            found.setdefault(file.address, file)
    return list(found.values())


def _local(entry: Path, ignored: frozenset[str]) -> Iterator[ResultFile]:
    try:
        is_folder, is_file = entry.is_dir(), entry.is_file()
    except OSError as error:  # such as a name that is too long
        raise InputError(f"cannot be opened: {error.strerror or error}", file=entry) from error
    if is_folder:
        for path in sorted(entry.rglob("*")):
            if _wanted(path.relative_to(entry).parts, ignored) and path.is_file():
                yield ResultFile(str(within_root(path)))
    elif is_file:
        yield ResultFile(str(within_root(entry)))
    else:
        raise InputError("there is no such file or folder", file=entry)


def _remote(address: str, ignored: frozenset[str]) -> Iterator[ResultFile]:
    from fsspec.core import url_to_fs  # type: ignore[import-untyped]

    try:
        system, root = url_to_fs(address)
        if system.isfile(root):
            yield ResultFile(address, system, root)
            return
        listed = sorted(system.find(root))
    except Exception as error:  # as in `open`; a protocol that is not installed is an ImportError
        raise InputError(f"cannot be reached: {error}", file=address) from error
    if not listed:
        raise InputError("there is no such file or folder", file=address)
    start = address.rstrip("/") + "/"
    for name in listed:
        rest = name[len(root.rstrip("/")) :].lstrip("/")
        if _wanted(PurePosixPath(rest).parts, ignored):
            yield ResultFile(start + rest, system, name)


def _wanted(parts: tuple[str, ...], ignored: frozenset[str]) -> bool:
    return not any(part.startswith(".") for part in parts) and parts[-1] not in ignored


def _checked(columns: Mapping[str, str]) -> Mapping[str, str]:
    known = (*OUTCOME_COLUMNS, "prompt", "target")
    for name in columns:
        if name not in known:
            raise UnknownNameError("column", name, known)
    return columns


def _read(given: Sequence[str | Path], options: ReadOptions, strict: bool) -> Results:
    skipped: list[SkippedFile] = []
    by_reader = _sorted_by_kind(find_files(given, _INSPECT_LISTS), options, skipped)
    parts = [reader.read(by_reader[name], options) for name, reader in READERS if name in by_reader]
    skipped = [_without_key(one) for one in [*skipped, *(one for part in parts for one in part.skipped)]]
    unreadable = [one for one in skipped if one.unreadable]
    if strict and unreadable:
        raise InputError(
            f"{len(unreadable)} of the files cannot be used", hint="\n".join(map(str, unreadable))
        )
    outcomes = pl.concat([empty_outcomes(), *(part.outcomes for part in parts)])
    if outcomes.is_empty():
        raise InputError(
            f"no results found in {', '.join(map(str, given)) or 'nothing'}",
            hint="\n".join(map(str, skipped)) or None,
        )
    wordings = pl.concat([empty_wordings(), *(part.wordings for part in parts)])
    return Results(
        outcomes=_without_doubles(_without_keys(with_outcomes(outcomes)), skipped),
        wordings=wordings.unique(["task", "id", "variant"], keep="first", maintain_order=True),
        skipped=tuple(skipped),
        notes=tuple(redacted(note) for part in parts for note in part.notes),
        logs=tuple(log for part in parts for log in part.logs),
        runs=tuple(run for part in parts for run in part.runs),
    )


def _without_keys(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Errors quote keys, and addresses hold passwords."""
    for column in ("model", "reason", "log"):
        texts = outcomes[column].unique().drop_nulls()
        changed = {text: safe for text in texts if (safe := redacted(text)) != text}
        if changed:
            outcomes = outcomes.with_columns(pl.col(column).replace(changed))
    return outcomes


def _without_key(skipped: SkippedFile) -> SkippedFile:
    path = redacted(skipped.path) if isinstance(skipped.path, str) else skipped.path
    return replace(skipped, path=path, reason=redacted(skipped.reason))


def _sorted_by_kind(
    files: Sequence[ResultFile], options: ReadOptions, skipped: list[SkippedFile]
) -> dict[str, list[ResultFile]]:
    by_reader: dict[str, list[ResultFile]] = defaultdict(list)
    unknown: list[tuple[ResultFile, str]] = []
    for file in files:
        try:
            with file.open() as stream:
                peek = Peek(file, stream.read(HEAD))
        except OSError as error:
            skipped.append(SkippedFile(file.path, f"cannot be opened: {error.strerror or error}"))
            continue
        name = next((name for name, reader in READERS if reader.matches(peek, options)), None)
        if name is not None:
            by_reader[name].append(file)
        elif not _is_variants_file(peek.head):
            unknown.append((file, _why_unknown(peek.head)))
    owned = {
        file.folder for name, reader in READERS if reader.owns_folder for file in by_reader.get(name, ())
    }
    _skip_unknown(unknown, owned, skipped)
    return by_reader


def _why_unknown(head: bytes) -> str:
    if head.startswith(_UTF16):
        return "is UTF-16 text; save it as UTF-8"
    return "is not a result file of a known kind"


def _is_variants_file(head: bytes) -> bool:
    """A run may keep its variants beside its logs."""
    try:
        first = orjson.loads(head.partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and first.get("format") == VARIANTS_FORMAT


def _skip_unknown(
    unknown: Sequence[tuple[ResultFile, str]], owned: set[str], skipped: list[SkippedFile]
) -> None:
    """Each file by its name, but those that a run kept beside its results together."""
    beside: dict[str, int] = defaultdict(int)
    for file, reason in unknown:
        folder = next((folder for folder in owned if file.address.startswith(folder)), None)
        if folder is None:
            skipped.append(SkippedFile(file.path, reason))
        else:
            beside[folder] += 1
    for folder, count in sorted(beside.items()):
        reason = f"{count} other file{'s' if count > 1 else ''} of the run hold no results"
        skipped.append(SkippedFile(folder, reason, unreadable=False))


def _without_doubles(outcomes: pl.DataFrame, skipped: list[SkippedFile]) -> pl.DataFrame:
    """Rows that are the same in every column count once; rows that contradict each other are refused."""
    repeated = outcomes.select(KEY).is_duplicated()
    if not repeated.any():
        return outcomes
    single = outcomes.unique(keep="first", maintain_order=True)
    if single.height < outcomes.height:
        kept = dict(single.group_by("log").len().iter_rows())
        for log, rows in outcomes.group_by("log", maintain_order=True).len().iter_rows():
            if rows > kept[log]:
                reason = f"{rows - kept[log]} rows were read twice, kept once"
                skipped.append(SkippedFile(log or "", reason, unreadable=False))
    clash = single.filter(single.select(KEY).is_duplicated())
    if not clash.is_empty():
        row = clash.row(0, named=True)
        same = clash.filter(pl.all_horizontal(pl.col(name).eq_missing(row[name]) for name in KEY))
        where = " and ".join(dict.fromkeys(str(log) for log in same["log"]))
        raise InputError(
            f"variant '{row['variant']}', repeat {row['repeat']} of task '{row['task']}' with model "
            f"'{row['model']}' has two different results, in {where}",
            item=row["id"],
        )
    return single


_LOG_SCHEMA: dict[str, Any] = {
    "log": pl.String,
    "task": pl.String,
    "model": pl.String,
    "scorer": pl.String,
    "reducer": pl.String,
    "samples": pl.Int64,
    "scored": pl.Int64,
    "accuracy": pl.Float64,
    "logged": pl.Float64,
}


def inspect_accuracy(logs: Paths, *, scorer: str | None = None) -> pl.DataFrame:
    r"""Inspect's accuracy of each log: over all of its samples, by the log's own reducer.

    It is what Inspect shows for the log. The metric `accuracy` is the same for a log that holds nothing but
    wordings; of a log with negative controls, or with runs under faults, it counts the wordings only.

    Args:
        logs: A file or a folder, or several, as for `read_results`.
        scorer: Which score, where a log has several: `name`, or `name.key`.

    Returns:
        One row for each Inspect log that is in the table: `log`, `task`, `model`, `scorer`, `reducer`,
        `samples` (epochs counted), `scored` (epochs reduced), `accuracy` from the samples, and `logged`, what
        Inspect wrote into the log.

    Raises:
        InputError: A path does not exist, there is no result in any file, or no log has such a score.

    Example:
        >>> import json, tempfile
        >>> from pathlib import Path
        >>> from otherwords import inspect_accuracy
        >>> samples = [
        ...     {"id": number, "epoch": 1, "input": "?", "target": "x", "scores": {"match": {"value": value}}}
        ...     for number, value in enumerate("CCI")
        ... ]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     log = {"eval": {"task": "quiz", "task_id": "t", "model": "m"}, "samples": samples}
        ...     _ = Path(folder, "log.json").write_text(json.dumps({"status": "success", **log}))
        ...     table = inspect_accuracy(folder)
        >>> round(table["accuracy"][0], 3), table["samples"][0]
        (0.667, 3)
    """
    rows = [asdict(one) for one in read_results(logs, scorer=scorer).logs]
    return pl.DataFrame(rows, schema=_LOG_SCHEMA)
