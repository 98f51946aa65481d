"""Result files of any known kind into the one table. The kind is told by content, not by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import orjson
import polars as pl

from otherwords.core.collector import collector_paused
from otherwords.core.errors import InputError, UnknownNameError
from otherwords.core.keys import redacted
from otherwords.core.registry import Registry
from otherwords.core.table import KEY, OUTCOME_COLUMNS, empty_outcomes
from otherwords.results.files import HEAD, Peek, ResultFile, find_files
from otherwords.results.hal import HAL
from otherwords.results.inspect_reader import INSPECT
from otherwords.results.llm_consistency import LLM_CONSISTENCY
from otherwords.results.lm_eval import LM_EVAL
from otherwords.results.promptfoo import PROMPTFOO
from otherwords.results.tables import CSV, JSON_RECORDS, PARQUET
from otherwords.results.types import Reader, ReadOptions, Results, SkippedFile, empty_wordings

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
_VARIANTS = "otherwords-variants"
"""The `format` in the first line of a variants file, which a run may keep beside its logs too."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")

Paths = str | Path | Sequence[str | Path]


def read_results(
    paths: Paths,
    *,
    strict: bool = False,
    scorer: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Results:
    """Read files and folders, here or at any address that fsspec knows (`s3://…`).

    What cannot be read is named in `skipped`, or refused if `strict`. `scorer` says which score to read
    where a file has several, `columns` what a table calls our columns: `{"score": "acc"}`.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    options = ReadOptions(scorer, _checked(columns or {}))
    with collector_paused():
        return _read(given, options, strict)


def load_all_results(logs: Paths) -> pl.DataFrame:
    """The outcome table of all logs in a folder."""
    return read_results(logs).outcomes


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
        outcomes=_without_doubles(_without_keys(outcomes), skipped),
        wordings=wordings.unique(["task", "id", "variant"], keep="first", maintain_order=True),
        skipped=tuple(skipped),
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
    try:
        first = orjson.loads(head.partition(b"\n")[0])
    except orjson.JSONDecodeError:
        return False
    return isinstance(first, dict) and first.get("format") == _VARIANTS


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
